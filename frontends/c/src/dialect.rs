//! What options of the compiler make of C: which types plain words and constants have, how
//! records are laid out, and from where to where code for regions would mean something else.

use crate::hir::Span;
use crate::types::{Rank, Type};

/// The language as the options have it; by default gcc's on x86-64 without any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dialect {
    /// Plain `char` has no sign (`-funsigned-char`).
    pub unsigned_char: bool,
    /// An enumeration has the smallest type that holds it (`-fshort-enums`).
    pub short_enums: bool,
    /// The most that members of records are aligned to, in bytes (`-fpack-struct=n`).
    pub pack: Option<u64>,
    /// Floating constants without a suffix are `float` (`-fsingle-precision-constant`).
    pub single_constants: bool,
    /// `wchar_t` has 16 bits (`-fshort-wchar`).
    pub short_wchar: bool,
    /// Functions have the C library's meaning only as `__builtin_` (`-fno-builtin`,
    /// `-ffreestanding`).
    pub no_builtins: bool,
    /// Why no code is made for regions, and where.
    pub refusals: Vec<Refused>,
}

/// A part of the text whose regions stay C.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// All of it where there is no end.
    pub from: u32,
    pub to: Option<u32>,
    /// What option or pragma asks for, and that regions cannot do it.
    pub reason: String,
}

impl Dialect {
    /// Plain `char`.
    pub const fn char(&self) -> Type {
        Type::int(8, !self.unsigned_char, Rank::Char)
    }

    /// `wchar_t`.
    pub const fn wchar(&self) -> Type {
        match self.short_wchar {
            true => Type::int(16, false, Rank::Short),
            false => Type::INT,
        }
    }

    /// Why a statement is left to the system's compiler.
    pub fn refusal(&self, of: Span) -> Option<&str> {
        let within = |r: &&Refused| of.end > r.from && r.to.is_none_or(|to| of.start < to);
        self.refusals.iter().find(within).map(|r| r.reason.as_str())
    }
}
