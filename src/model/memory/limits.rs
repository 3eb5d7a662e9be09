//! The memory that Linux grants a process: limits of the machine, its control groups and its address space.

use std::path::{Path, PathBuf};

use procfs::process::{LimitValue, Process};
use procfs::{Current, Meminfo, ProcessCGroups};

/// The free memory under each limit; `None` if there is no limit or it cannot be read.
pub fn all() -> [Option<u64>; 3] {
    [machine(), control_groups(), address_space()]
}

fn machine() -> Option<u64> {
    Meminfo::current().ok()?.mem_available
}

fn address_space() -> Option<u64> {
    let process = Process::myself().ok()?;
    let LimitValue::Value(most) = process.limits().ok()?.max_address_space.soft_limit else { return None };
    let used = process.stat().ok()?.vsize;
    Some(most.saturating_sub(used))
}

/// The least free memory of the control group of this process and the groups around it.
fn control_groups() -> Option<u64> {
    let groups: ProcessCGroups = Process::myself().ok()?.cgroups().ok()?;
    let of = |group: procfs::ProcessCGroup| {
        let name = group.pathname.trim_start_matches('/').to_owned();
        match group.hierarchy {
            0 => least(Path::new("/sys/fs/cgroup"), &name, &V2),
            _ if group.controllers.iter().any(|controller| controller == "memory") => {
                least(Path::new("/sys/fs/cgroup/memory"), &name, &V1)
            }
            _ => None,
        }
    };
    groups.into_iter().filter_map(of).min()
}

/// The files of one version of control groups.
pub(super) struct Files {
    most: &'static str,
    used: &'static str,
    /// Cached files, which are freed when memory is needed.
    cached: &'static str,
}

const V2: Files = Files { most: "memory.max", used: "memory.current", cached: "inactive_file" };
const V1: Files = Files { most: "memory.limit_in_bytes", used: "memory.usage_in_bytes", cached: "total_inactive_file" };

/// The least free memory of a group and those around it. In a container the path may be that of the host; then only the
/// root exists.
pub(super) fn least(root: &Path, name: &str, files: &Files) -> Option<u64> {
    let mut folders: Vec<PathBuf> = Path::new(name).ancestors().map(|part| root.join(part)).collect();
    folders.dedup();
    folders.iter().filter_map(|folder| left(folder, files)).min()
}

fn left(folder: &Path, files: &Files) -> Option<u64> {
    let number = |file: &str| std::fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
    // `max` means no limit; version 1 writes a number near 2^63 instead
    let most = number(files.most).filter(|most| *most < 1 << 60)?;
    let used = number(files.used)?;
    let stat = std::fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
    let cached = stat.lines().find_map(|line| line.strip_prefix(files.cached)?.strip_prefix(' ')?.parse().ok());
    Some(most.saturating_sub(used.saturating_sub(cached.unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(folder: &Path, files: &Files, most: &str, used: &str, cached: u64) {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(files.most), format!("{most}\n")).unwrap();
        std::fs::write(folder.join(files.used), format!("{used}\n")).unwrap();
        let stat = format!("anon 5\n{} {cached}\n{}_x 7\n", files.cached, files.cached);
        std::fs::write(folder.join("memory.stat"), stat).unwrap();
    }

    #[test]
    fn the_narrowest_group_binds() {
        let root = tempfile::tempdir().unwrap();
        for files in [&V1, &V2] {
            let root = root.path().join(files.most);
            group(&root, files, "9223372036854771712", "100", 0);
            group(&root.join("a"), files, "1000", "700", 200);
            group(&root.join("a/b"), files, "max", "300", 0);
            assert_eq!(least(&root, "a/b", files), Some(500));
            assert_eq!(least(&root, "", files), None);
            group(&root.join("a/b"), files, "400", "300", 0);
            assert_eq!(least(&root, "a/b", files), Some(100));
            // the path on the host, in a container
            group(&root, files, "600", "100", 0);
            assert_eq!(least(&root, "docker/1234", files), Some(500));
        }
    }
}
