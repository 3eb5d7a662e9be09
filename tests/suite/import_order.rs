//! The order of imports: which file of `src` may import which.
//!
//! Every file is read as text. Its imports are its `use` declarations and the paths in its body that begin with
//! `crate::`, `mercer::` or `super::`; comments, strings and unit tests (`mod tests { … }` at its end, or `tests.rs`)
//! are ignored. A path leads to the file of the longest module that it names; if the next word is an item that this
//! module re-exports (`pub use`), it leads to the file that defines the item. So `crate::model::Problem` is an import
//! of `model/problem.rs` and not of `model/mod.rs`. Methods that are declared in another file than their type need no
//! import and are not detected.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// From the top to the bottom: a room imports those below it.
const ROOMS: &[&str] = &[
    "main",
    "play",
    "jupyter",
    "lsp",
    "repl",
    "cli",
    "terminal",
    "session",
    "lang",
    "report",
    "describe",
    "figure",
    "search",
    "results",
    "deep",
    "quadrature",
    "surface",
    "fit",
    "model",
    "kernel",
    "data",
    "param",
    "linalg",
    "calendar",
    "progress",
    "render",
    "syntax",
];

type Module = Vec<String>;

struct File {
    /// `mod.rs` or a root: its children are declared in it.
    folder: bool,
    imports: Vec<Vec<String>>,
    /// Re-exported items, by name.
    passed_on: BTreeMap<String, Vec<String>>,
}

/// Code without comments, strings and the unit tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let mut out = String::new();
    for line in text.lines() {
        let mut quoted = false;
        let mut before = ' ';
        for (at, c) in line.char_indices() {
            if c == '"' && before != '\\' && before != '\'' {
                quoted = !quoted;
            } else if !quoted && line[at..].starts_with("//") {
                break;
            } else if !quoted {
                out.push(c);
            }
            before = c;
        }
        out.push('\n');
    }
    out
}

/// The paths of a `use` tree, each with its name: `a::{b, c::d as e}` is `a::b` as `b` and `a::c::d` as `e`.
fn paths(tree: &str) -> Vec<(String, String)> {
    let Some((before, inner)) = tree.split_once('{') else {
        let (path, name) = tree.split_once(" as ").map_or((tree, None), |(path, name)| (path, Some(name)));
        let path = path.trim().trim_end_matches("::self");
        let last = path.rsplit("::").next().unwrap_or(path);
        return vec![(path.to_owned(), name.unwrap_or(last).trim().to_owned())];
    };
    let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| paths(&format!("{}{}", before.trim(), part.trim()))).collect()
}

fn words(path: &str) -> Vec<String> {
    path.split("::").map(|word| word.trim().to_owned()).collect()
}

impl File {
    fn read(text: &str, folder: bool) -> Self {
        let code = code(text);
        let mut file = Self { folder, imports: Vec::new(), passed_on: BTreeMap::new() };
        let mut body = String::new();
        let mut lines = code.lines();
        while let Some(line) = lines.next() {
            let (public, rest) = match line.trim_start().strip_prefix("pub") {
                Some(rest) => (true, rest.split_once(") ").map_or(rest, |(_, rest)| rest).trim_start()),
                None => (false, line.trim_start()),
            };
            let Some(tree) = rest.strip_prefix("use ") else {
                body.push_str(line);
                body.push('\n');
                continue;
            };
            let mut tree = tree.to_owned();
            while !tree.ends_with(';') {
                let Some(line) = lines.next() else { break };
                tree.push_str(line.trim());
            }
            for (path, name) in paths(tree.trim_end_matches(';')) {
                let path = words(&path);
                if public {
                    file.passed_on.insert(name, path.clone());
                }
                file.imports.push(path);
            }
        }
        for start in ["crate::", "mercer::", "super::"] {
            for (at, _) in body.match_indices(start) {
                let whole = body[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':');
                let whole = whole && !body[..at].ends_with("(in ");
                let path = body[at..].split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next();
                if let (true, Some(path)) = (whole, path) {
                    file.imports.push(words(path.trim_end_matches(':')));
                }
            }
        }
        file
    }
}

struct Tree {
    files: BTreeMap<Module, File>,
}

impl Tree {
    fn read() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut found = Vec::new();
        collect(&root, &mut found);
        let mut files = BTreeMap::new();
        for path in found {
            let text = fs::read_to_string(&path).expect("a file of the source");
            let inside = path.strip_prefix(&root).expect("below the root").with_extension("");
            let mut module: Module = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let folder = module.last().is_some_and(|last| last == "mod");
            if folder {
                module.pop();
            }
            let root = module == ["lib"];
            if root {
                module.clear();
            }
            files.insert(module, File::read(&text, folder || root));
        }
        Self { files }
    }

    /// The absolute path, or `None` for one that leads out of the program.
    fn absolute(&self, from: &Module, path: &[String]) -> Option<Vec<String>> {
        let up = path.iter().take_while(|word| *word == "super").count();
        match path.first()?.as_str() {
            "crate" | "mercer" => Some(path[1..].to_vec()),
            "self" => Some([from.as_slice(), &path[1..]].concat()),
            "super" => Some([from.get(..from.len().checked_sub(up)?)?, &path[up..]].concat()),
            child => {
                let below = [from.as_slice(), &[child.to_owned()]].concat();
                let inside = self.files.contains_key(&below)
                    && self.files.get(from).is_some_and(|file| file.folder || !from.is_empty());
                let binary = self.files.contains_key(&vec![child.to_owned()]) && from == &["main"];
                match (inside, binary) {
                    (true, _) => Some([from.as_slice(), path].concat()),
                    (_, true) => Some(path.to_vec()),
                    _ => None,
                }
            }
        }
    }

    /// The file that a path leads to.
    fn target(&self, path: &[String], hops: usize) -> Option<Module> {
        let n = (0..=path.len()).rev().find(|n| self.files.contains_key(&path[..*n]))?;
        let module = path[..n].to_vec();
        let on = path.get(n).and_then(|item| self.files[&module].passed_on.get(item));
        let further = on.filter(|_| hops < 8).and_then(|on| self.absolute(&module, on));
        match further.and_then(|on| self.target(&[on.as_slice(), &path[n + 1..]].concat(), hops + 1)) {
            Some(found) => Some(found),
            None => Some(module),
        }
    }

    /// The files that a file imports.
    fn imports(&self, from: &Module) -> BTreeSet<Module> {
        let paths = self.files[from].imports.iter().filter_map(|path| self.absolute(from, path));
        paths.filter_map(|path| self.target(&path, 0)).filter(|to| to != from && !to.is_empty()).collect()
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of the source") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The files of a room that are in a circle: those that remain after repeatedly removing files that import none of the
/// others, and files that none of the others imports.
fn circle(mut edges: BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<Module, BTreeSet<Module>> {
    loop {
        let before = edges.len();
        let sources: BTreeSet<Module> = edges.keys().cloned().collect();
        edges.values_mut().for_each(|to| to.retain(|to| sources.contains(to)));
        edges.retain(|_, to| !to.is_empty());
        let targets: BTreeSet<Module> = edges.values().flatten().cloned().collect();
        edges.retain(|from, _| targets.contains(from));
        if edges.len() == before {
            return edges;
        }
    }
}

fn shown(edges: &BTreeMap<Module, BTreeSet<Module>>) -> String {
    let line = |(from, to): (&Module, &BTreeSet<Module>)| {
        let to: Vec<String> = to.iter().map(|to| to.join("/")).collect();
        format!("  {} imports {}\n", from.join("/"), to.join(", "))
    };
    edges.iter().map(line).collect()
}

#[test]
fn files_of_a_room_import_one_another_in_one_direction() {
    let tree = Tree::read();
    let mut faults = String::new();
    // a room that is a single file cannot have a circle
    let folder = |room: &&&str| Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room).is_dir();
    for room in ROOMS.iter().filter(folder) {
        let inside = |module: &&Module| module.first().is_some_and(|first| first == room);
        let files = tree.files.keys().filter(inside);
        let edges: BTreeMap<Module, BTreeSet<Module>> = files.map(|file| (file.clone(), tree.imports(file))).collect();
        assert!(edges.len() > 1, "there is no room `{room}`");
        faults += &shown(&circle(edges));
    }
    assert!(faults.is_empty(), "circles of imports:\n{faults}");
}

#[test]
fn rooms_import_those_below_them() {
    let tree = Tree::read();
    let place = |module: &Module| {
        let room = module.first().map_or("", String::as_str);
        ROOMS.iter().position(|known| *known == room)
    };
    let mut faults = Vec::new();
    for from in tree.files.keys().filter(|module| !module.is_empty()) {
        let here = place(from).unwrap_or_else(|| panic!("`{}` is in no room of the list", from.join("/")));
        for to in tree.imports(from) {
            if place(&to).is_none_or(|there| there < here) {
                faults.push(format!("  {} imports {}\n", from.join("/"), to.join("/")));
            }
        }
    }
    assert!(faults.is_empty(), "imports that lead upward:\n{}", faults.concat());
}

#[test]
fn imports_are_read_as_they_are_meant() {
    let text = "use crate::a::{B, c::{D, self}};\npub use inner::Thing as Other;\nfn f() { crate::x::y(\"crate::no\") } // crate::z\n";
    let file = File::read(text, true);
    let found: Vec<String> = file.imports.iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::B", "crate::a::c::D", "crate::a::c", "inner::Thing", "crate::x::y"]);
    assert_eq!(file.passed_on.keys().collect::<Vec<_>>(), ["Other"]);
    let edge = |from: &str, to: &[&str]| (vec![from.to_owned()], to.iter().map(|to| vec![to.to_string()]).collect());
    let edges = BTreeMap::from([edge("a", &["b"]), edge("b", &["c"]), edge("c", &["b"]), edge("d", &["a"])]);
    assert_eq!(circle(edges).len(), 2);
}
