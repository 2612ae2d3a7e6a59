//! Symbols and symbol tables.

use super::Verifier;
use crate::op::Op;
use crate::opdef::{Invalid, OpDef, traits as t};
use crate::symbols::{VISIBILITY, Visibility, visibility};

use rustc_hash::FxHashMap;

impl Verifier<'_> {
    pub(super) fn check_symbol(&mut self, op: Op, def: &'static OpDef) {
        let ctx = self.ctx;
        let name = op.attr(ctx, "sym_name");
        if name.is_none()
            && def
                .attr_def("sym_name")
                .is_some_and(|a| a.constraint.optional)
        {
            return;
        }
        if name.and_then(|a| a.as_str_lossy(ctx)).is_none() {
            return self.error(op, "requires string attribute 'sym_name'");
        }
        if let Some(v) = op.attr(ctx, VISIBILITY) {
            match v.as_str_lossy(ctx).as_deref() {
                Some("public" | "private" | "nested") => {}
                Some(_) => {
                    let m = format!(
                        "visibility expected to be one of [\"public\", \"private\", \
                         \"nested\"], but got {}",
                        ctx.attr_text(v)
                    );
                    return self.error(op, m);
                }
                None => {
                    let m = format!(
                        "requires visibility attribute '{VISIBILITY}' to be a string \
                         attribute, but got {}",
                        ctx.attr_text(v)
                    );
                    return self.error(op, m);
                }
            }
        }
        let declaration =
            def.has(t::FUNCTION_LIKE) && op.num_regions(ctx) > 0 && op.region(ctx, 0).is_empty(ctx);
        if declaration && visibility(ctx, op) == Visibility::Public {
            return self.error(op, "symbol declaration cannot have public visibility");
        }
        if let Some(p) = op.parent(ctx).and_then(|p| p.def(ctx))
            && !p.has(t::SYMBOL_TABLE)
        {
            self.error(op, "symbol's parent must have the SymbolTable trait");
        }
    }

    pub(super) fn check_symbol_table_shape(&mut self, op: Op) {
        let ctx = self.ctx;
        if op.num_regions(ctx) != 1 {
            self.error(
                op,
                "Operations with a 'SymbolTable' must have exactly one region",
            );
        } else if !op.region(ctx, 0).has_one_block(ctx) {
            self.error(
                op,
                "Operations with a 'SymbolTable' must have exactly one block",
            );
        }
    }

    /// Every name is defined once.
    pub(super) fn check_redefinitions(&mut self, table: Op) {
        let ctx = self.ctx;
        if table.num_regions(ctx) == 0 {
            return;
        }
        let before = self.errors;
        let mut first: FxHashMap<crate::attr::Attr, Op> = FxHashMap::default();
        for block in table.region(ctx, 0).blocks(ctx) {
            let mut next = block.first_op(ctx);
            while let Some(op) = next {
                next = op.next(ctx);
                let Some(name) = op.attr(ctx, "sym_name") else {
                    continue;
                };
                let Some(text) = name.as_str_lossy(ctx) else {
                    continue;
                };
                let earlier = *first.entry(name).or_insert(op);
                if earlier != op {
                    let e = Invalid::plain(format!("redefinition of symbol named '{text}'"))
                        .note(earlier.loc(ctx), "see existing symbol definition here");
                    self.report(e, op);
                    if self.stop(before) {
                        return;
                    }
                }
            }
        }
    }
}
