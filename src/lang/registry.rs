//! The registry of everything that can be called by name: kernel families, combinators and builtins.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::builtins;
use super::eval::evaluator::{self, Builtin, Entry, Library, Sort, Touches};
use super::eval::kernel_signatures;
use super::signature::Signature;

struct Registry {
    entries: Vec<Entry>,
    by_name: HashMap<&'static str, usize>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| registry(|_| true));

static PURE: LazyLock<Registry> = LazyLock::new(|| registry(|builtin| builtin.touches == Touches::Nothing));

/// A registry of the families, the combinators and those builtins for which `keep` is true.
fn registry(keep: impl Fn(&Builtin) -> bool) -> Registry {
    let builtins = builtins::ALL.iter().flat_map(|group| group.iter()).filter(|builtin| keep(builtin)).map(entry);
    let entries: Vec<Entry> =
        kernel_signatures::families().chain(kernel_signatures::combinators()).chain(builtins).collect();
    let mut by_name = HashMap::new();
    for (i, entry) in entries.iter().enumerate() {
        by_name.extend(entry.names().map(|name| (name, i)));
    }
    Registry { entries, by_name }
}

fn entry(builtin: &Builtin) -> Entry {
    let signature = Signature {
        name: builtin.name,
        aliases: builtin.aliases.to_vec(),
        group: builtin.group,
        places: builtin.places.to_vec(),
        result: builtin.result,
        summary: builtin.summary,
        help: builtin.help.into(),
        examples: builtin.examples.to_vec(),
    };
    Entry { signature, touches: builtin.touches, sort: Sort::Builtin, run: builtin.run }
}

/// The whole registry as a library.
struct Whole;

impl Library for Whole {
    fn find(&self, name: &str) -> Option<&'static Entry> {
        find(name)
    }

    fn all(&self) -> &'static [Entry] {
        all()
    }

    fn pure(&self) -> &'static dyn Library {
        &Pure
    }

    fn is_pure(&self) -> bool {
        false
    }
}

/// The entries without access to files and output, as a library.
struct Pure;

impl Library for Pure {
    fn find(&self, name: &str) -> Option<&'static Entry> {
        PURE.by_name.get(name).map(|&i| &PURE.entries[i])
    }

    fn all(&self) -> &'static [Entry] {
        &PURE.entries
    }

    fn pure(&self) -> &'static dyn Library {
        &Pure
    }

    fn is_pure(&self) -> bool {
        true
    }
}

/// All entries of the language.
pub fn library() -> &'static dyn Library {
    &Whole
}

/// The entry with this name or alias.
pub fn find(name: &str) -> Option<&'static Entry> {
    REGISTRY.by_name.get(name).map(|&i| &REGISTRY.entries[i])
}

/// All entries, in order of declaration.
pub fn all() -> &'static [Entry] {
    &REGISTRY.entries
}

/// All names and aliases.
pub fn names() -> impl Iterator<Item = &'static str> {
    evaluator::names(library())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::lang::eval::argument_owners::OWNERS;

    /// An argument that a message ascribes to another builtin is an argument of it.
    #[test]
    fn owners_have_their_arguments() {
        for owner in OWNERS {
            let signature = &find(owner.name).expect(owner.name).signature;
            for argument in owner.arguments {
                assert!(signature.keywords().any(|keyword| keyword == *argument), "{}: {argument}", owner.name);
            }
        }
    }

    #[test]
    fn names_are_unique_and_documented() {
        let mut seen = HashSet::new();
        for entry in all() {
            let signature = &entry.signature;
            for name in std::iter::once(&signature.name).chain(&signature.aliases) {
                assert!(seen.insert(*name), "{name} is declared twice");
            }
            assert!(!signature.summary.is_empty() && !signature.summary.ends_with('.'), "{}", signature.name);
            assert!(!signature.examples.is_empty(), "{} has no example", signature.name);
            let mut keywords = HashSet::new();
            assert!(signature.keywords().all(|keyword| keywords.insert(keyword)), "{}", signature.name);
            assert!(signature.places.iter().all(|p| !p.help.is_empty()), "{}", signature.name);
        }
    }
}
