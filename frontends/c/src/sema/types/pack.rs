//! `#pragma pack`: the most that a record's members are aligned to (GCC's manual,
//! "Structure-Layout Pragmas").

use crate::source::SourceMap;

/// The limit from each place on where it changes, in bytes.
pub(in crate::sema) struct Packs {
    /// Where nothing has been said.
    default: Option<u64>,
    changes: Vec<(u32, Option<u64>)>,
}

impl Packs {
    pub fn new(source: &SourceMap) -> Packs {
        let mut changes = Vec::new();
        let default = source.dialect().pack;
        let mut now = default;
        let mut saved: Vec<(Option<&str>, Option<u64>)> = Vec::new();
        for pragma in source.pragmas() {
            let Some(words) = words(&pragma.text) else {
                continue;
            };
            let number = words.last().and_then(|w| limit(w));
            let name = words.get(1).copied().filter(|w| limit(w).is_none());
            match words.first() {
                // As the options have it.
                None => now = default,
                Some(&"push") => saved.push((name, now)),
                Some(&"pop") => {
                    let to = match name {
                        None => saved.len().checked_sub(1),
                        Some(_) => saved.iter().rposition(|(n, _)| *n == name),
                    };
                    if let Some(to) = to {
                        now = saved[to].1;
                        saved.truncate(to);
                    }
                }
                Some(_) => {}
            }
            if let Some(n) = number {
                now = n.or(default);
            }
            changes.push((pragma.span.start, now));
        }
        Packs { default, changes }
    }

    /// The limit at a place of the text.
    pub fn at(&self, offset: u32) -> Option<u64> {
        let after = self.changes.partition_point(|(start, _)| *start < offset);
        let last = self.changes[..after].last();
        last.map_or(self.default, |(_, limit)| *limit)
    }
}

/// What stands in the brackets of `pack(...)`.
fn words(pragma: &str) -> Option<Vec<&str>> {
    let rest = pragma.trim_start().strip_prefix("pack")?.trim_start();
    let inner = rest.strip_prefix('(')?.split_once(')')?.0.trim();
    Some(match inner {
        "" => Vec::new(),
        _ => inner.split(',').map(str::trim).collect(),
    })
}

/// A limit; 0 is none. Other numbers are no limits, and the compiler says so.
fn limit(word: &str) -> Option<Option<u64>> {
    match word.parse::<u64>().ok()? {
        0 => Some(None),
        n @ (1 | 2 | 4 | 8 | 16) => Some(Some(n)),
        _ => None,
    }
}
