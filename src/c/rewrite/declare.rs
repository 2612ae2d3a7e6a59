//! `declare`: data that is on the device while a variable lives.

use terrace_c::directive::{DataKind, Directive, DirectiveKind, Section};
use terrace_c::hir::{ExprKind, Storage};
use terrace_c::types::{Extent, Type};

use super::maps::Frame;
use super::{Rewriter, section};

impl Rewriter<'_> {
    /// All `declare` directives outside functions.
    pub(super) fn file_directives(&mut self) {
        let unit = self.unit;
        for &id in &unit.file_directives {
            let d = self.directive(id);
            if d.kind == DirectiveKind::Declare {
                self.declare_globals(d);
            }
        }
    }

    /// Data of the whole program: a constructor enters it, and it stays.
    fn declare_globals(&mut self, d: &Directive) {
        let mut vars = Vec::new();
        for (kind, s) in d.data() {
            self.declared.extend(section::path(s).map(|p| p.root()));
            match kind {
                DataKind::Create | DataKind::Copyin | DataKind::DeviceResident => {
                    vars.push((kind, s));
                }
                // The program enters it by itself; or it is no object of ours.
                DataKind::Link | DataKind::Deviceptr => {}
                _ => {
                    let on = "declare outside functions";
                    let right = "it takes create, copyin, device_resident, deviceptr and link";
                    self.refuse(kind, s.span, on, right);
                }
            }
        }
        // The file that defines it says its size.
        vars.retain(|(_, s)| !is_incomplete_extern(self, s));
        let n = self.number();
        let maps = format!("__terrace_m{n}");
        // Held as by a construct, which is the whole program: what `exit data` and
        // functions count is another counter.
        let (code, _) = self.fill(&maps, &vars, 0);
        if code.is_empty() {
            self.remove(d);
            return;
        }
        let text = format!(
            "static void __attribute__((__constructor__)) __terrace_declare{n}(void) {{ if \
             (terrace_on_device()) {{ static struct __terrace_map {maps}[{count}]; {} \
             terrace_data_enter({maps}, {count}, -1, {}); }} }}",
            code.join(" "),
            self.place(d.span),
            count = code.len()
        );
        self.instead_of(d, &text);
    }

    /// Data of the rest of a block: it is left however the block is. All of it is
    /// declarations, so that more of them may follow.
    pub(super) fn declare(&mut self, d: &Directive) {
        let mut vars = Vec::new();
        for (kind, s) in d.data() {
            match kind {
                DataKind::Link | DataKind::Delete | DataKind::Detach | DataKind::Attach => {
                    let right = "it takes copy, copyin, copyout, create, present, deviceptr and \
                                 device_resident";
                    self.refuse(kind, s.span, "declare in a function", right);
                }
                _ => vars.push((kind, s)),
            }
        }
        let n = self.number();
        let maps = format!("__terrace_m{n}");
        let (code, frame) = self.fill(&maps, &vars, 0);
        let count = code.len();
        if count > 0 {
            let place = self.place(d.span);
            let (file, line) = place.rsplit_once(", ").unwrap_or((&place, "0"));
            let fill: Vec<&str> = code.iter().map(|c| c.trim_end_matches(';')).collect();
            let text = format!(
                "struct __terrace_map {maps}[{count}]; struct __terrace_scope __terrace_s{n} \
                 __attribute__((__cleanup__(__terrace_leave))) = {{ 0, {count}, {line}, {file} }}; \
                 int __terrace_d{n} __attribute__((__unused__)) = ({}, terrace_on_device() ? \
                 (terrace_data_enter({maps}, {count}, -1, {place}), __terrace_s{n}.maps = {maps}, \
                 1) : 0);",
                fill.join(", ")
            );
            self.instead_of(d, &text);
        } else {
            self.remove(d);
        }
        self.frames.push(Frame { maps, vars: frame });
    }
}

/// `extern double a[]`.
fn is_incomplete_extern(r: &Rewriter, s: &Section) -> bool {
    let Some(e) = section::object(s) else {
        return false;
    };
    let ExprKind::Var(v) = e.kind else {
        return false;
    };
    let var = r.unit.var(v);
    let incomplete = matches!(&var.ty, Type::Array(a) if a.len == Extent::Unknown);
    incomplete && s.dims.is_empty() && var.storage == Storage::Extern
}
