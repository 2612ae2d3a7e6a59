//! `symbol-dce`: symbols that nothing can refer to any more go.
//!
//! A symbol stays if it is public where the outside can see it, or if something that
//! stays refers to it. Legal because nothing else can name it.
//!
//! ```text
//! func.func private @dead() { ... }    =>    (gone)
//! func.func private @live() { ... }          func.func private @live() { ... }
//! func.func @main() { call @live() }         func.func @main() { call @live() }
//! ```

use rustc_hash::FxHashSet;
use terrace_ir::opdef::traits;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::symbols::{
    Visibility, is_symbol_table, lookup_path, nearest_symbol_table, op_symbol_refs, visibility,
};
use terrace_ir::{Context, Op};

pub static INFO: PassInfo = PassInfo {
    name: "symbol-dce",
    title: "SymbolDCE",
    summary: "Eliminate dead symbols",
    description: "Erases symbols that cannot be referred to from outside and that nothing alive refers to.",
    statistics: &[StatisticInfo::new("num-dce'd", "Number of symbols DCE'd")],
    make: |_| Ok(Box::new(SymbolDce)),
    ..PassInfo::EMPTY
};

struct SymbolDce;

impl Pass for SymbolDce {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        if !is_symbol_table(ctx, op) {
            return ctx.fail(
                op,
                "was scheduled to run under SymbolDCE, but does not define a symbol table",
            );
        }
        // The table is hidden if no one outside can name what is in it.
        let hidden = match op.parent(ctx) {
            None => true,
            Some(_) => visibility(ctx, op) == Visibility::Private,
        };
        let mut live = Live {
            ctx,
            root: op,
            root_hidden: hidden,
            seen: FxHashSet::default(),
            work: Vec::new(),
        };
        live.table(op, hidden);
        live.run();
        let seen = live.seen;
        let mut dead = Vec::new();
        for table in op
            .pre_order(ctx)
            .into_iter()
            .filter(|o| is_symbol_table(ctx, *o))
        {
            for b in table.blocks(ctx) {
                dead.extend(
                    b.ops(ctx)
                        .into_iter()
                        .filter(|o| is_symbol(ctx, *o) && !seen.contains(o)),
                );
            }
        }
        // Outer symbols first would free the inner ones with them.
        let n = dead.len() as u64;
        for op in dead.into_iter().rev() {
            op.erase(ctx);
        }
        ctx.count("num-dce'd", n);
        Ok(())
    }
}

fn is_symbol(ctx: &Context, op: Op) -> bool {
    op.def(ctx)
        .is_some_and(|d| d.has(traits::SYMBOL) || d.has(traits::SYMBOL_TABLE))
        && op.symbol_name(ctx).is_some()
}

struct Live<'c> {
    ctx: &'c Context,
    root: Op,
    root_hidden: bool,
    seen: FxHashSet<Op>,
    work: Vec<Op>,
}

impl Live<'_> {
    /// Mark what in a live table is alive by itself: ops that are no symbols, and
    /// symbols that can be seen from outside.
    fn table(&mut self, table: Op, hidden: bool) {
        let ctx = self.ctx;
        for b in table.blocks(ctx) {
            for op in b.ops(ctx) {
                let alive = !is_symbol(ctx, op)
                    || match visibility(ctx, op) {
                        Visibility::Public => true,
                        Visibility::Nested => !hidden,
                        Visibility::Private => false,
                    };
                if alive {
                    self.mark(op);
                }
            }
        }
    }

    /// Whether no one outside the root can name what is in `table`.
    fn hidden(&self, table: Op) -> bool {
        let ctx = self.ctx;
        let mut at = table;
        while at != self.root {
            let named = !is_symbol_table(ctx, at) || at.symbol_name(ctx).is_some();
            if !named || visibility(ctx, at) == Visibility::Private {
                return true;
            }
            match at.parent(ctx) {
                Some(p) => at = p,
                None => return true,
            }
        }
        self.root_hidden
    }

    fn mark(&mut self, op: Op) {
        if self.seen.insert(op) {
            self.work.push(op);
        }
    }

    fn run(&mut self) {
        while let Some(op) = self.work.pop() {
            let ctx = self.ctx;
            if is_symbol_table(ctx, op) {
                // A table that is alive shows its public symbols to whoever sees it.
                self.table(op, self.hidden(op));
                self.references(op);
                continue;
            }
            for o in walk_to_tables(ctx, op) {
                if is_symbol_table(ctx, o) {
                    self.mark(o);
                } else {
                    self.references(o);
                }
            }
        }
    }

    /// Mark every symbol that an attribute of `op` names, with the tables on the way.
    fn references(&mut self, op: Op) {
        let ctx = self.ctx;
        let Some(table) = op.parent(ctx).and_then(|p| nearest_symbol_table(ctx, p)) else {
            return;
        };
        let mut targets = Vec::new();
        op_symbol_refs(ctx, op, &mut |s| {
            let path = s.as_symbol(ctx).unwrap_or(&[]);
            for n in 1..=path.len() {
                targets.extend(lookup_path(ctx, table, &path[..n]));
            }
        });
        for t in targets {
            self.mark(t);
        }
    }
}

/// `op` and the ops in it, but not those inside nested symbol tables.
fn walk_to_tables(ctx: &Context, op: Op) -> Vec<Op> {
    let mut out = Vec::new();
    let mut work = vec![op];
    while let Some(o) = work.pop() {
        out.push(o);
        if o != op && is_symbol_table(ctx, o) {
            continue;
        }
        for b in o.blocks(ctx) {
            work.extend(b.ops(ctx));
        }
    }
    out
}
