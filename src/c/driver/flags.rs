//! What options of the C compiler mean for regions: one table, and who follows it.
//!
//! An option that changes what C means is followed in regions, or no code is made for the
//! regions of the file. What only allows more than C does, or tunes code, may be left aside.

use std::ffi::OsStr;

use terrace_c::dialect::{Dialect, Refused};

mod table;

pub use table::{Decision, Row, Setting, TABLE};

use Decision::{Followed, Front, Host, Irrelevant, Machine};

impl Row {
    fn is_on(&self, word: &str) -> bool {
        match self.on.ends_with('=') || self.on.ends_with('-') {
            true => word.starts_with(self.on) && word.len() > self.on.len(),
            false => word == self.on,
        }
    }

    fn is_off(&self, word: &str) -> bool {
        self.off.split(' ').any(|w| w == word)
    }
}

/// Follows the options of a command line, one after another.
pub fn dialect<'w>(words: impl Iterator<Item = &'w OsStr>) -> Dialect {
    let mut on: Vec<Option<String>> = vec![None; TABLE.len()];
    let mut d = Dialect::default();
    for word in words.filter_map(OsStr::to_str) {
        for (row, on) in TABLE.iter().zip(&mut on) {
            // `-fexec-charset=UTF-8` is of the option's form and takes it back.
            if row.is_off(word) {
                *on = None;
            } else if row.is_on(word) {
                *on = Some(word.to_string());
            }
        }
    }
    for (row, word) in TABLE.iter().zip(&on) {
        let Some(word) = word else { continue };
        match row.decision {
            Front(s) => set(&mut d, s, word),
            Host(what) => d.refusals.push(Refused {
                from: 0,
                to: None,
                reason: format!("`{word}` asks for {what}, which regions do not have"),
            }),
            Followed | Irrelevant(_) | Machine => {}
        }
    }
    d
}

fn set(d: &mut Dialect, s: Setting, word: &str) {
    match s {
        Setting::UnsignedChar => d.unsigned_char = true,
        Setting::SignedChar => {}
        Setting::ShortEnums => d.short_enums = true,
        Setting::Pack => {
            let n = word
                .split_once('=')
                .map_or(Some(1), |(_, n)| n.parse().ok());
            d.pack = n.filter(|n| matches!(n, 1 | 2 | 4 | 8 | 16));
        }
        Setting::SingleConstants => d.single_constants = true,
        Setting::ShortWchar => d.short_wchar = true,
        Setting::NoBuiltins => d.no_builtins = true,
    }
}

/// Adds what pragmas and attributes of preprocessed text say of its parts: `GCC optimize`
/// and `STDC FENV_ACCESS` from where they stand to where they are taken back, the attribute
/// `optimize` up to the end of the function.
pub(crate) fn in_text(text: &str, d: &mut Dialect) {
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut saved: Vec<usize> = Vec::new();
    let mut fenv: Option<usize> = None;
    let mut at = 0;
    let close = |d: &mut Dialect, from: usize, to: Option<usize>, reason: String| {
        d.refusals.push(Refused {
            from: place(from),
            to: to.map(place),
            reason,
        });
    };
    let exceptions = || {
        "`#pragma STDC FENV_ACCESS ON` asks for the program's own rounding and exceptions, \
         which regions do not have"
    };
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(pragma) = line.trim_start().strip_prefix('#') else {
            continue;
        };
        let Some(pragma) = pragma.trim_start().strip_prefix("pragma") else {
            continue;
        };
        let words: Vec<&str> = pragma.split_whitespace().collect();
        match words[..] {
            ["STDC", "FENV_ACCESS", "ON"] => fenv = fenv.or(Some(start)),
            ["STDC", "FENV_ACCESS", ..] => {
                if let Some(from) = fenv.take() {
                    close(d, from, Some(start), exceptions().to_string());
                }
            }
            ["GCC", "push_options", ..] => saved.push(open.len()),
            ["GCC", "pop_options", ..] => {
                let keep = saved.pop().unwrap_or(0);
                for (from, reason) in open.drain(keep.min(open.len())..) {
                    close(d, from, Some(start), reason);
                }
            }
            ["GCC", "reset_options", ..] => {
                for (from, reason) in open.drain(..) {
                    close(d, from, Some(start), reason);
                }
            }
            ["GCC", first, ..] if first.starts_with("optimize") => {
                if let Some(reason) = asked(pragma) {
                    let reason = format!(
                        "`#pragma GCC optimize` asks for {reason}, which regions do not have"
                    );
                    open.push((start, reason));
                }
            }
            _ => {}
        }
    }
    for (from, reason) in open {
        close(d, from, None, reason);
    }
    if let Some(from) = fenv {
        close(d, from, None, exceptions().to_string());
    }
    attributes(text, d);
}

/// What the options in the strings of `optimize(...)` ask for that code for regions does not
/// do, or does otherwise than the rest of the file.
fn asked(text: &str) -> Option<String> {
    let strings = text.split('"').skip(1).step_by(2);
    let mut options = strings.flat_map(|s| s.split(','));
    options.find_map(|o| {
        let o = o.trim();
        let word = match o.strip_prefix('-') {
            Some(_) => o.to_string(),
            None if o.starts_with('O') => format!("-{o}"),
            None => format!("-f{o}"),
        };
        // The command line may allow it for the rest.
        if [
            "-fno-fast-math",
            "-fno-associative-math",
            "-fno-unsafe-math-optimizations",
            "-fno-reciprocal-math",
            "-fno-finite-math-only",
            "-fsigned-zeros",
            "-ffp-contract=off",
        ]
        .contains(&word.as_str())
        {
            return Some(format!("`{word}` for a part of the file"));
        }
        let row = TABLE.iter().find(|r| r.is_on(&word) || r.is_off(&word))?;
        match row.decision {
            Host(what) if row.is_on(&word) => Some(what.to_string()),
            Host(_) => Some(format!("code without `{}` for a part of the file", row.on)),
            Front(_) => Some(format!("`{word}` for a part of the file")),
            Followed | Irrelevant(_) | Machine => None,
        }
    })
}

/// The attribute `optimize`, for the function behind it.
fn attributes(text: &str, d: &mut Dialect) {
    let mut at = 0;
    while let Some(found) = text[at..].find("optimize") {
        let start = at + found;
        at = start + "optimize".len();
        let before = text[..start].trim_end_matches('_').trim_end();
        let rest = text[at..].trim_start_matches('_').trim_start();
        let is_attribute = before.ends_with('(') || before.ends_with(',');
        if !is_attribute || !rest.starts_with('(') {
            continue;
        }
        let Some(arguments) = rest.split_once(')').map(|r| r.0) else {
            continue;
        };
        if let Some(reason) = asked(arguments) {
            d.refusals.push(Refused {
                from: place(start),
                to: function_end(text, at).map(place),
                reason: format!(
                    "`__attribute__((optimize))` asks for {reason}, which regions do not have"
                ),
            });
        }
    }
}

/// Where the body of the function that is declared at a place ends. A declaration without a
/// body is for one that may stand anywhere behind it.
fn function_end(text: &str, from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for t in terrace_c::lex::Lexer::range(text.as_bytes(), from, text.len()) {
        match &text.as_bytes()[t.start..t.end] {
            b"{" => depth += 1,
            b"}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(t.end);
                }
            }
            b";" if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
