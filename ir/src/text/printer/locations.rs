//! Locations.

use super::Printer;
use crate::loc::{Loc, LocData};
use std::fmt::Write as _;

impl Printer<'_> {
    /// `loc(...)`.
    pub fn loc(&mut self, l: Loc) {
        self.write("loc(");
        self.loc_inner(l);
        self.write(")");
    }

    fn loc_inner(&mut self, l: Loc) {
        let ctx = self.ctx;
        match l.data(ctx) {
            LocData::Unknown => self.write("unknown"),
            LocData::File { file, line, col } => {
                let name = ctx.file_name(file).into_owned();
                self.quoted(name.as_bytes());
                let _ = write!(self.out, ":{line}:{col}");
            }
            LocData::Range { file, start, end } => {
                let name = ctx.file_name(file).into_owned();
                self.quoted(name.as_bytes());
                let _ = write!(self.out, ":{}:{} to ", start.0, start.1);
                if end.0 != start.0 {
                    let _ = write!(self.out, "{}", end.0);
                }
                let _ = write!(self.out, ":{}", end.1);
            }
            LocData::Name { name, child } => {
                let s = ctx.str(name);
                self.quoted(s.as_bytes());
                if child.data(ctx) != LocData::Unknown {
                    self.write("(");
                    self.loc_inner(child);
                    self.write(")");
                }
            }
            LocData::CallSite { callee, caller } => {
                self.write("callsite(");
                self.loc_inner(callee);
                self.write(" at ");
                self.loc_inner(caller);
                self.write(")");
            }
            LocData::Fused { metadata, locs } => {
                self.write("fused");
                if let Some(m) = metadata {
                    self.write("<");
                    self.attr(m);
                    self.write(">");
                }
                self.write("[");
                self.list(&locs, |p, l| p.loc_inner(l));
                self.write("]");
            }
        }
    }
}
