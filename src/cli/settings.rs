//! Common parts of the commands: settings, exit code and input.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use mercer::lang::eval::host::Folders;
use mercer::session::{self, LARGEST_SEED, Session};

/// The exit code of a script that failed, or of a command that could not be carried out.
pub const FAILED: u8 = 1;

/// The settings of a script.
#[derive(Debug, Clone, Default, Args)]
pub struct Settings {
    /// Folder for figures and other output files [default: the current folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Additional folder in which `load` searches for data; can be given several times
    #[arg(long, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u64).range(..=LARGEST_SEED))]
    seed: u64,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Text without colours, frames, drawings and progress, for screen readers
    #[arg(long)]
    pub plain: bool,
}

impl Settings {
    /// A session with these settings, after checking them.
    pub fn session(&self) -> Result<Session, String> {
        let session = self.reading()?;
        if let Some(folder) = &self.out {
            writable(folder)?;
        }
        Ok(session)
    }

    /// As [`session`](Self::session), for a session that writes nothing: the output folder need not exist.
    pub fn reading(&self) -> Result<Session, String> {
        if let Some(threads) = self.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into());
            pool.build_global().map_err(|error| format!("cannot start {threads} threads: {error}"))?;
        }
        for folder in &self.data {
            if !folder.is_dir() {
                let what = if folder.exists() { "is not a folder" } else { "does not exist" };
                return Err(format!("the data folder `{}` {what}", folder.display()));
            }
        }
        let folders =
            Folders { script: PathBuf::new(), data: self.data.clone(), out: self.out.clone().unwrap_or_default() };
        Ok(Session::new(folders, self.seed))
    }
}

/// Creates a folder if it does not exist, and checks that it is writable.
pub fn writable(folder: &Path) -> Result<(), String> {
    let shown = folder.display();
    std::fs::create_dir_all(folder).map_err(|error| match folder.exists() {
        true => format!("the output folder `{shown}` is not a folder"),
        false => format!("the output folder `{shown}` cannot be made: {error}"),
    })?;
    match tempfile::tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("the output folder `{shown}` cannot be written to: {error}")),
    }
}

/// The name of stdin in place of a file.
pub const STDIN: &str = "-";

/// The text of a script, from a file or from stdin.
pub fn read(file: &Path) -> Result<String, String> {
    if file != Path::new(STDIN) {
        return session::read(file);
    }
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => session::decode(bytes, STDIN),
        Err(error) => Err(format!("stdin cannot be read: {error}")),
    }
}
