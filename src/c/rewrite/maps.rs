//! Maps: the structures by which the runtime is told of memory.

use terrace_c::directive::{DataKind, Section};
use terrace_c::hir::Span;

use super::lvalue::Path;
use super::section::{self, Memory, Problem};
use super::{Rewriter, c_string, clauses};

/// Flags of a map, as the runtime has them.
pub const WRITTEN: u32 = 1;
pub const IMPLICIT: u32 = 2;
pub const FINALIZE: u32 = 4;
pub const DYNAMIC: u32 = 8;
pub const ZERO: u32 = 16;
pub const ROWS: u32 = 32;
pub const ALWAYS_IN: u32 = 64;
pub const ALWAYS_OUT: u32 = 128;
/// May reach beyond the program's arrays.
pub const LOOSE: u32 = 256;
/// From this bit on, the number of a group of sections that may coincide, 0 for none, and how
/// many groups there can be.
pub const GROUP: u32 = 16;
pub const GROUPS: u32 = 255;
/// From this bit on, the number of the object that sections are parts of by their names, 0 for
/// none, and how many objects there can be.
pub const OBJECT: u32 = 24;
pub const OBJECTS: usize = 255;

/// The data of a construct around a statement.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The array of its maps in the text.
    pub maps: String,
    pub vars: Vec<FrameVar>,
}

/// One variable of it, in order of the maps.
#[derive(Debug, Clone)]
pub struct FrameVar {
    pub path: Option<Path>,
    pub points: bool,
    pub scalar: bool,
    pub kind: DataKind,
    /// As the user wrote it.
    pub text: String,
}

/// One call that fills a map.
pub fn set(map: &str, memory: &Memory, kind: DataKind, flags: u32, name: &str) -> String {
    set_as(map, memory, clauses::code(kind), flags, name)
}

/// The same with the kind as a C expression.
pub fn set_as(map: &str, memory: &Memory, kind: &str, flags: u32, name: &str) -> String {
    format!(
        "__terrace_set(&{map}, {}, {}, {}, {}, {flags}, {});",
        memory.base,
        memory.first,
        memory.bytes,
        kind,
        c_string(name)
    )
}

/// The maps behind that of a section: rows that its pointers point to, and the pointer
/// that it is behind; each with its clause and flags.
pub fn behind(memory: &Memory, kind: DataKind, flags: u32) -> Vec<(Memory, DataKind, u32)> {
    let mut out = Vec::new();
    let mut level = &memory.below;
    while let Some(rows) = level {
        out.push(((**rows).clone(), kind, flags | ROWS));
        level = &rows.below;
    }
    let updates = matches!(kind, DataKind::UpdateHost | DataKind::UpdateDevice);
    let attaches = !updates && kind != DataKind::Deviceptr;
    if let (Some(pointer), true) = (&memory.attach, attaches) {
        let (base, bytes) = (format!("&{pointer}"), format!("(long)sizeof({pointer})"));
        let at = Memory::contiguous(base, "0".to_string(), bytes);
        let kind = match kind {
            DataKind::Delete => DataKind::Detach,
            DataKind::Copyout if flags & DYNAMIC != 0 => DataKind::Detach,
            _ => DataKind::Attach,
        };
        out.push((at, kind, flags & (DYNAMIC | FINALIZE)));
    }
    out
}

/// A clause that is about pointers, and not about what they point to.
pub fn is_of_pointers(kind: DataKind) -> bool {
    matches!(kind, DataKind::Attach | DataKind::Detach)
}

/// The flags that a clause's modifiers are.
pub fn modifiers(s: &Section, kind: DataKind) -> u32 {
    let mut flags = 0;
    for m in &s.modifiers {
        flags |= match (m.as_str(), kind) {
            ("always", DataKind::Copy) => ALWAYS_IN | ALWAYS_OUT,
            ("always" | "alwaysin", DataKind::Copyin) | ("alwaysin", _) => ALWAYS_IN,
            ("always" | "alwaysout", DataKind::Copyout) | ("alwaysout", _) => ALWAYS_OUT,
            _ => 0,
        };
    }
    flags
}

impl Rewriter<'_> {
    /// The memory of a clause's variable, or an error that says what to write.
    pub(super) fn memory(&mut self, s: &Section, kind: DataKind) -> Option<Memory> {
        match section::memory(self.unit, s, kind) {
            Ok(memory) => Some(memory),
            Err(problem) => {
                self.section_error(s, kind, problem);
                None
            }
        }
    }

    pub(super) fn section_error(&mut self, s: &Section, kind: DataKind, problem: Problem) {
        let text = s.base.text.trim();
        let clause = clauses::name(kind);
        let whole = self.unit.text(s.span).trim().to_string();
        let message = match problem {
            Problem::Shapeless => format!(
                "`{text}` is a pointer, and nothing says how much of what it points to is meant; \
                 write {clause}({text}[0:n]) with its number of elements"
            ),
            Problem::Length(_) => format!(
                "`{whole}` has no length, and the type of `{text}` does not say it; write \
                 [start:length]"
            ),
            Problem::TooMany => {
                format!("`{whole}` has more brackets than `{text}` has dimensions")
            }
            Problem::NoPointer => format!(
                "`{whole}` is no pointer, and no array of pointers whose elements follow one \
                 another; {clause} takes the pointer itself, such as `p`, `s.p` or `a[i]`"
            ),
            Problem::Rows => format!(
                "`{whole}` leaves out parts between those that are meant, where pointers lead \
                 to rows; write whole inner dimensions, or a clause for each row"
            ),
            Problem::Incomplete => {
                format!(
                    "the size of the array `{text}` is not declared here; write {clause}({text}[0:n])"
                )
            }
            Problem::Unknown => {
                format!("`{whole}` is not a variable, a member or a part of an array")
            }
        };
        self.error(s.span, message);
    }

    /// The flag of `zero:`, which new data of `copyout` and `create` may begin with.
    pub(super) fn zero(&mut self, s: &Section, memory: &Memory, kind: DataKind) -> u32 {
        if !s.modifiers.iter().any(|m| m == "zero") {
            return 0;
        }
        if memory.gaps && kind == DataKind::Copyout {
            let message = format!(
                "`zero` sets all of `{}` to zero, and what lies between its rows would come back \
                 so; write a section of whole rows",
                self.unit.text(s.span).trim()
            );
            self.error(s.span, message);
        }
        ZERO
    }

    /// The maps of data clauses: statements that fill `maps`, and what they are.
    pub(super) fn fill(
        &mut self,
        maps: &str,
        vars: &[(DataKind, &Section)],
        flags: u32,
    ) -> (Vec<String>, Vec<FrameVar>) {
        let mut code = Vec::new();
        let mut frame = Vec::new();
        for (kind, s) in vars {
            let Some(memory) = self.memory(s, *kind) else {
                continue;
            };
            let flags = flags | self.zero(s, &memory, *kind) | modifiers(s, *kind);
            // What lies in the gaps must come back as it went.
            let kind = match kind {
                DataKind::Copyout if memory.gaps => DataKind::Copy,
                kind => *kind,
            };
            let text = s.base.text.trim().to_string();
            let map = format!("{maps}[{}]", code.len());
            code.push(set(&map, &memory, kind, flags, &text));
            frame.push(FrameVar {
                // A pointer that is attached is not where what it points to lies.
                path: match memory.is_row(&text) || is_of_pointers(kind) {
                    true => None,
                    false => section::path(s),
                },
                points: section::points(s),
                scalar: section::is_scalar(s),
                kind,
                text,
            });
            let text = s.base.text.trim();
            for (part, kind, flags) in behind(&memory, kind, flags) {
                let map = format!("{maps}[{}]", code.len());
                code.push(set(&map, &part, kind, flags, text));
                frame.push(FrameVar {
                    path: None,
                    points: false,
                    scalar: false,
                    kind,
                    text: text.to_string(),
                });
            }
        }
        (code, frame)
    }

    /// An error for a clause that has no meaning on a directive.
    pub(super) fn refuse(&mut self, kind: DataKind, span: Span, on: &str, right: &str) {
        let name = clauses::name(kind);
        self.error(span, format!("`{name}` has no meaning on {on}; {right}"));
    }
}
