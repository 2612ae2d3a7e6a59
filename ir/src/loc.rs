//! Source locations.

use crate::attr::{Attr, AttrData};
use crate::context::{Context, FileName, Str};
use crate::diag::DiagLoc;
use crate::storage::LocRef;
use pliron::combine::stream::position::SourcePosition;
use pliron::location::{Location, Source};

/// Where an op comes from. File positions, the common case, are stored inline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Loc {
    /// `loc(unknown)`.
    Unknown,
    /// Line and column count from 1, columns in bytes; 0 where not known.
    File {
        /// The file's name.
        file: FileName,
        /// From 1.
        line: u32,
        /// From 1, in bytes.
        col: u32,
    },
    /// Any other location, an [`AttrData::Loc`].
    Attr(Attr),
}

/// The content of a location attribute.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LocData {
    /// `loc(unknown)`.
    Unknown,
    /// `loc("file":line:col)`.
    File {
        /// The file's name.
        file: FileName,
        /// From 1; 0 where not known.
        line: u32,
        /// From 1, in bytes; 0 where not known.
        col: u32,
    },
    /// `loc("file":line:col to line:col)`.
    Range {
        /// The file's name.
        file: FileName,
        /// Line and column of the first byte.
        start: (u32, u32),
        /// Line and column where it ends.
        end: (u32, u32),
    },
    /// `loc("name"(child))`.
    Name {
        /// What is called so.
        name: Str,
        /// Where it is; unknown if nothing is written.
        child: Loc,
    },
    /// `loc(callsite(callee at caller))`, of inlined code.
    CallSite {
        /// The place in the function that was inlined.
        callee: Loc,
        /// The place of the call.
        caller: Loc,
    },
    /// `loc(fused<metadata>[locs])`, of an op made from several.
    Fused {
        /// What tells of the fusion, if anything.
        metadata: Option<Attr>,
        /// Where the parts come from.
        locs: Vec<Loc>,
    },
}

impl Loc {
    pub(crate) fn to_pliron(self) -> Location {
        match self {
            Loc::Unknown => Location::Unknown,
            Loc::File { file, line, col } => Location::SrcPos {
                src: Source::File(file.0),
                pos: SourcePosition {
                    line: line as i32,
                    column: col as i32,
                },
            },
            Loc::Attr(a) => Location::Fused {
                metadata: Some(Box::new(LocRef(a))),
                locations: Vec::new(),
            },
        }
    }

    pub(crate) fn from_pliron(l: &Location) -> Loc {
        match l {
            Location::SrcPos {
                src: Source::File(key),
                pos,
            } => Loc::File {
                file: FileName(*key),
                line: pos.line as u32,
                col: pos.column as u32,
            },
            Location::Fused {
                metadata: Some(m), ..
            } => match m.downcast_ref::<LocRef>() {
                Some(r) => Loc::Attr(r.0),
                None => Loc::Unknown,
            },
            _ => Loc::Unknown,
        }
    }

    /// The location as plain data.
    pub fn data(self, ctx: &Context) -> LocData {
        match self {
            Loc::Unknown => LocData::Unknown,
            Loc::File { file, line, col } => LocData::File { file, line, col },
            Loc::Attr(a) => match a.data(ctx) {
                AttrData::Loc(d) => d.clone(),
                _ => LocData::Unknown,
            },
        }
    }

    /// The name that this location gives to what it is the location of.
    pub fn name(self, ctx: &Context) -> Option<&str> {
        match self {
            Loc::Attr(a) => match a.data(ctx) {
                AttrData::Loc(LocData::Name { name, .. }) => Some(ctx.str(*name)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The first name that this location has in it, as upstream looks for names of values.
    pub fn name_inside(self, ctx: &Context) -> Option<String> {
        match self.data(ctx) {
            LocData::Unknown | LocData::File { .. } | LocData::Range { .. } => None,
            LocData::Name { name, .. } => Some(ctx.str(name).to_string()),
            LocData::CallSite { callee, caller } => {
                callee.name_inside(ctx).or_else(|| caller.name_inside(ctx))
            }
            LocData::Fused { locs, .. } => locs.iter().find_map(|l| l.name_inside(ctx)),
        }
    }

    /// This location with a name, in place of one it may have.
    #[must_use]
    pub fn named(self, ctx: &Context, name: &str) -> Loc {
        let child = match self.data(ctx) {
            LocData::Name { child, .. } => child,
            _ => self,
        };
        let name = ctx.intern(name);
        Loc::from_data(ctx, LocData::Name { name, child })
    }

    /// The location with this content, inline where it fits.
    pub fn from_data(ctx: &Context, d: LocData) -> Loc {
        match d {
            LocData::Unknown => Loc::Unknown,
            LocData::File { file, line, col } => Loc::File { file, line, col },
            other => Loc::Attr(ctx.attr(AttrData::Loc(other))),
        }
    }

    /// The first file position inside this location.
    pub fn file_pos(self, ctx: &Context) -> Option<(FileName, u32, u32)> {
        match self.data(ctx) {
            LocData::Unknown => None,
            LocData::File { file, line, col } => Some((file, line, col)),
            LocData::Range { file, start, .. } => Some((file, start.0, start.1)),
            LocData::Name { child, .. } => child.file_pos(ctx),
            LocData::CallSite { callee, caller } => {
                callee.file_pos(ctx).or_else(|| caller.file_pos(ctx))
            }
            LocData::Fused { locs, .. } => locs.iter().find_map(|l| l.file_pos(ctx)),
        }
    }
}

impl Context {
    /// The location as diagnostics carry it.
    pub fn diag_loc(&self, loc: Loc) -> DiagLoc {
        match loc.file_pos(self) {
            Some((f, line, col)) => DiagLoc::pos(&self.file_name(f), line, col),
            None => DiagLoc::Unknown,
        }
    }

    /// A position in a file.
    pub fn file_loc(&self, file: &str, line: u32, col: u32) -> Loc {
        Loc::File {
            file: self.intern_file(file),
            line,
            col,
        }
    }
}
