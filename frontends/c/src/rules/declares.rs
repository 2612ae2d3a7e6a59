//! `declare`, `cache` and `use_device`: what their lists may name (2.8, 2.10, 2.13).

use rustc_hash::FxHashMap;

use super::{Rules, variable};
use crate::directive::{ClauseKind, DataKind, Dialect, Directive, DirectiveKind, Section};
use crate::hir::{Span, Stmt, StmtKind, Storage, VarId};
use crate::lower::walk;

/// Where variables stand in `declare` directives.
pub(super) type Declared = FxHashMap<VarId, Span>;

impl<'u> Rules<'u> {
    /// The directives outside functions, and then those of each function.
    pub(super) fn declares(&mut self) {
        let unit = self.unit;
        let mut declared = Declared::default();
        for id in &unit.file_directives {
            let d = unit.directive(*id);
            if d.kind == DirectiveKind::Declare {
                self.declare(d, &mut declared);
            }
        }
        for f in &unit.functions {
            let mut of_function = declared.clone();
            walk::stmts(&f.body, &mut |s: &'u Stmt| {
                let StmtKind::Directive(id) = s.kind else {
                    return;
                };
                let d = unit.directive(id);
                if d.kind == DirectiveKind::Declare {
                    self.declare(d, &mut of_function);
                    self.in_scope(d);
                }
            });
        }
    }

    /// A variable stands in one `declare`, as a whole.
    fn declare(&mut self, d: &Directive, declared: &mut Declared) {
        for (_, s) in d.data() {
            let Some(v) = variable(s) else { continue };
            let name = &self.unit.var(v).name;
            let pointer = self.unit.var(v).ty.is_pointer();
            if !s.dims.is_empty() && !pointer && d.dialect == Dialect::OpenAcc {
                let message = format!(
                    "`acc declare` takes the variable alone, `{name}`: it is for all of it"
                );
                self.error(s.span, message);
            }
            match declared.get(&v) {
                Some(first) => {
                    let message = format!("`{name}` stands in an `acc declare` already");
                    let note = "it stands here before".to_owned();
                    self.error_with(s.span, message, Some((*first, note)));
                }
                None => {
                    declared.insert(v, s.span);
                }
            }
        }
    }

    /// `declare` in a function is about variables of that function.
    fn in_scope(&mut self, d: &Directive) {
        for (kind, s) in d.data() {
            let Some(v) = variable(s) else { continue };
            let var = self.unit.var(v);
            let global = matches!(var.storage, Storage::Global | Storage::FileStatic);
            if global && kind != DataKind::Present && kind != DataKind::Deviceptr {
                let message = format!(
                    "`acc declare` has to stand where `{}` is declared, outside of functions",
                    var.name
                );
                let note = "it is declared here".to_owned();
                self.error_with(s.span, message, Some((var.span, note)));
            }
        }
    }

    /// Lists of variables that have to be whole, or parts.
    pub(super) fn lists(&mut self, d: &Directive) {
        if let DirectiveKind::Cache(sections) = &d.kind {
            for s in sections {
                self.cached(s);
            }
        }
        for c in &d.clauses {
            let ClauseKind::UseDevice(vars) = &c.kind else {
                continue;
            };
            for s in vars.iter().filter(|s| !s.dims.is_empty()) {
                let name = s.base.text.trim();
                let message = format!(
                    "`use_device` takes the name alone, `{name}`: its address is what changes"
                );
                self.error(s.span, message);
            }
        }
    }

    fn cached(&mut self, s: &Section) {
        let Some(e) = &s.base.expr else { return };
        if s.dims.is_empty() && e.ty.is_arithmetic() {
            let name = s.base.text.trim();
            let message =
                format!("`acc cache` takes elements and parts of arrays, and `{name}` is none");
            self.error(s.span, message);
        }
    }
}
