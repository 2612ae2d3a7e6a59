//! Verification: every rule that finished IR keeps, checked with one walk.
//!
//! The rules come from three places: the op declarations (counts, constraints,
//! traits), the structure itself (terminators, branches, dominance, isolation) and
//! the code that ops bring. All errors are reported, at their ops and in upstream's
//! words; with [`Config::first_error_only`](crate::context::Config) only the first
//! inside each op that is isolated from above, as upstream does.

mod block;
mod declared;
mod function;
mod operands;
mod symbols;
mod traits;

#[cfg(test)]
mod tests;

use crate::block::{Block, Region};
use crate::context::Context;
use crate::dense::OpNumbers;
use crate::diag::{Diagnostic, Severity};
use crate::dominance::DomTree;
use crate::op::Op;
use crate::opdef::{Invalid, OpDef, Verified, traits as t};
use crate::symbols::{is_symbol_table, with_cached_lookups};
use crate::types::Type;
use rustc_hash::FxHashMap;

/// Check `root` and everything in it. All errors go to the context's diagnostics;
/// true where there is none.
///
/// References to symbols are checked for the symbol tables among `root` and the ops
/// in it: what a table outside holds is the business of whoever verifies that.
pub fn verify(ctx: &Context, root: Op) -> bool {
    with_cached_lookups(ctx, || {
        let mut v = Verifier::new(ctx);
        v.run(root);
        v.errors == 0
    })
}

/// Check `root` and the references to symbols in it, but no other rule for the ops
/// in it. Enough after those were changed, and verified, one by one.
pub(crate) fn verify_around(ctx: &Context, root: Op) -> bool {
    with_cached_lookups(ctx, || {
        let mut v = Verifier::new(ctx);
        v.enter(root);
        if let Some(frame) = v.frames.pop() {
            v.check_region_traits(&frame, v.errors == 0);
        }
        if is_symbol_table(ctx, root) {
            root.walk(ctx, &mut |op| {
                if op != root && op.def(ctx).is_some_and(|d| d.verify_symbols.is_some()) {
                    v.symbol_users.push(op);
                }
            });
        }
        v.check_symbol_users();
        v.errors == 0
    })
}

/// An op whose regions are being walked, and how far.
struct Frame {
    op: Op,
    def: Option<&'static OpDef>,
    num_regions: usize,
    /// The region being walked, counted from 1; 0 before the first.
    region_number: usize,
    region: Option<Region>,
    /// The current region's values may be used before they are defined.
    graph: bool,
    /// The current region has several blocks, so that dominance needs its tree.
    several_blocks: bool,
    block: Option<Block>,
    /// The entry reaches the current block.
    reachable: bool,
    next: Option<Op>,
    last: Option<Op>,
    /// The frame of the closest op isolated from above, or of the root.
    unit: usize,
    /// Errors reported before this op was entered.
    errors_before: usize,
    /// For the frame of a unit: an error was found in it.
    failed: bool,
    /// For the frame of a unit: operands whose definition is in doubt. Reported at
    /// its end, so that what is wrong with the ops themselves comes first.
    bad_operands: Vec<operands::BadOperand>,
}

struct Verifier<'c> {
    ctx: &'c Context,
    first_only: bool,
    frames: Vec<Frame>,
    /// Ops count up in the order of the walk, from 1.
    numbers: OpNumbers,
    next_number: u32,
    /// Dominator trees of the regions being walked that have several blocks.
    trees: FxHashMap<Region, DomTree>,
    /// How many of the ops being walked are symbol tables.
    tables: usize,
    /// Sound ops that check references to symbols once all is known.
    symbol_users: Vec<Op>,
    /// Types of the op at hand, reused from op to op.
    operand_types: Vec<Type>,
    result_types: Vec<Type>,
    errors: usize,
}

impl<'c> Verifier<'c> {
    fn new(ctx: &'c Context) -> Self {
        Verifier {
            ctx,
            first_only: ctx.config.first_error_only,
            frames: Vec::new(),
            numbers: OpNumbers::default(),
            next_number: 0,
            trees: FxHashMap::default(),
            tables: 0,
            symbol_users: Vec::new(),
            operand_types: Vec::new(),
            result_types: Vec::new(),
            errors: 0,
        }
    }

    fn run(&mut self, root: Op) {
        self.enter(root);
        while let Some(top) = self.frames.last() {
            let unit = top.unit;
            if self.first_only && self.frames[unit].failed {
                for f in self.frames.drain(unit + 1..) {
                    self.tables -= usize::from(f.def.is_some_and(|d| d.has(t::SYMBOL_TABLE)));
                    if let Some(r) = f.region {
                        self.trees.remove(&r);
                    }
                }
                self.exit();
                continue;
            }
            match self.frames.last().and_then(|f| f.next) {
                Some(op) => {
                    if let Some(f) = self.frames.last_mut() {
                        f.next = op.next(self.ctx);
                    }
                    let before = self.errors;
                    let own_unit = self.enter(op);
                    if self.errors > before && !own_unit {
                        self.frames[unit].failed = true;
                    }
                }
                None => self.advance(),
            }
        }
        self.check_symbol_users();
    }

    fn check_symbol_users(&mut self) {
        if self.first_only && self.errors > 0 {
            return;
        }
        for op in std::mem::take(&mut self.symbol_users) {
            if let Some(f) = op.def(self.ctx).and_then(|d| d.verify_symbols) {
                self.outcome(op, f(self.ctx, op));
                if self.first_only && self.errors > 0 {
                    return;
                }
            }
        }
    }

    /// Check `op` itself and get ready to walk its regions. True where the op is a
    /// unit of its own, isolated from above.
    fn enter(&mut self, op: Op) -> bool {
        let ctx = self.ctx;
        self.next_number += 1;
        self.numbers.set(op, self.next_number);
        let def = op.def(ctx);
        let isolated = def.is_some_and(|d| d.has(t::ISOLATED));
        let errors_before = self.errors;
        let num_regions = op.num_regions(ctx);

        if !self.frames.is_empty() {
            self.check_operands(op);
        }
        self.check_op(op, def);
        if self.errors == errors_before
            && self.tables > 0
            && def.is_some_and(|d| d.verify_symbols.is_some())
        {
            self.symbol_users.push(op);
        }
        if num_regions == 0 {
            self.check_registered(op, def);
            return isolated;
        }
        self.tables += usize::from(def.is_some_and(|d| d.has(t::SYMBOL_TABLE)));
        let own = self.frames.is_empty() || isolated;
        let index = self.frames.len();
        let unit = if own {
            index
        } else {
            self.frames[index - 1].unit
        };
        self.frames.push(Frame {
            op,
            def,
            num_regions,
            region_number: 0,
            region: None,
            graph: def.is_some_and(|d| d.has(t::GRAPH_REGION)),
            several_blocks: false,
            block: None,
            reachable: true,
            next: None,
            last: None,
            unit,
            errors_before,
            failed: own && self.errors > errors_before,
            bad_operands: Vec::new(),
        });
        own
    }

    /// The current block is done: go on with the next block, region or the parent.
    fn advance(&mut self) {
        let ctx = self.ctx;
        let Some(top) = self.frames.last_mut() else {
            return;
        };
        let before = self.errors;
        let next = match top.block {
            Some(b) => {
                let after = b.next(ctx);
                self.check_block_end(b);
                after
            }
            None => None,
        };
        let block = next.or_else(|| self.next_region());
        match block {
            Some(b) => self.enter_block(b),
            None => {
                // Errors of this kind belong to the unit the frame is in.
                self.mark_failed_since(before);
                self.exit();
                return;
            }
        }
        self.mark_failed_since(before);
    }

    fn mark_failed_since(&mut self, before: usize) {
        if self.errors > before
            && let Some(unit) = self.frames.last().map(|f| f.unit)
        {
            self.frames[unit].failed = true;
        }
    }

    /// The entry block of the next region of the top frame that has one.
    fn next_region(&mut self) -> Option<Block> {
        let ctx = self.ctx;
        loop {
            let top = self.frames.last_mut()?;
            if let Some(done) = top.region.take()
                && top.several_blocks
            {
                self.trees.remove(&done);
            }
            let top = self.frames.last_mut()?;
            let i = top.region_number;
            if i >= top.num_regions {
                return None;
            }
            top.region_number += 1;
            let op = top.op;
            let region = op.region(ctx, i);
            let Some(entry) = region.entry(ctx) else {
                continue;
            };
            let several = entry.next(ctx).is_some();
            top.region = Some(region);
            top.several_blocks = several;
            let graph = top.graph;
            if graph && several {
                self.error(
                    op,
                    format!("expects graph region #{i} to have 0 or 1 blocks"),
                );
            }
            if !entry.branches(ctx).is_empty() {
                self.report(
                    Invalid {
                        loc: Some(op.loc(ctx)),
                        ..Invalid::plain("entry block of region may not have predecessors")
                    },
                    op,
                );
            }
            if several {
                self.trees.insert(region, DomTree::new(ctx, region));
            }
            return Some(entry);
        }
    }

    fn enter_block(&mut self, b: Block) {
        let ctx = self.ctx;
        let reachable = match self.frames.last().and_then(|f| f.region) {
            Some(r) => self.trees.get(&r).is_none_or(|t| t.is_reachable(b)),
            None => true,
        };
        if let Some(top) = self.frames.last_mut() {
            top.block = Some(b);
            top.next = b.first_op(ctx);
            top.last = b.last_op(ctx);
            top.reachable = reachable;
        }
        self.check_block_start(b);
    }

    /// All regions of the top frame are done.
    fn exit(&mut self) {
        let Some(mut top) = self.frames.pop() else {
            return;
        };
        let before = self.errors;
        self.tables -= usize::from(top.def.is_some_and(|d| d.has(t::SYMBOL_TABLE)));
        if let Some(r) = top.region {
            self.trees.remove(&r);
        }
        let sound_inside = self.errors == top.errors_before;
        if !(self.first_only && top.failed) {
            self.check_region_traits(&top, sound_inside);
            self.check_registered(top.op, top.def);
            let bad = std::mem::take(&mut top.bad_operands);
            self.report_bad_operands(&top, bad, before);
        }
        // What an op without isolation brings up counts for the unit around it.
        let own_unit = top.unit == self.frames.len();
        if !own_unit && self.errors > before {
            self.frames[top.unit].failed = true;
        }
    }

    fn check_registered(&mut self, op: Op, def: Option<&'static OpDef>) {
        if def.is_some() || self.ctx.config.allow_unregistered {
            return;
        }
        let name = op.name(self.ctx);
        let dialect = op.dialect(self.ctx);
        if self.ctx.dialect(dialect).is_some() && name.contains('.') {
            let m = format!(
                "unregistered operation '{name}' found in dialect ('{dialect}') that does \
                 not allow unknown operations"
            );
            self.report(Invalid::plain(m), op);
        } else {
            self.error(
                op,
                "created with unregistered dialect. If this is intended, please call \
                 allowUnregisteredDialects() on the MLIRContext, or use \
                 -allow-unregistered-dialect with the MLIR opt tool used",
            );
        }
    }

    // ---- reporting ----

    /// An error `'NAME' op MESSAGE`.
    fn error(&mut self, op: Op, message: impl Into<String>) {
        self.report(Invalid::from(message), op);
    }

    /// An error with the message as it is.
    fn plain(&mut self, op: Op, message: impl Into<String>) {
        self.report(Invalid::plain(message), op);
    }

    /// Report what a check of `op` returned; true where it is sound.
    fn outcome(&mut self, op: Op, r: Verified) -> bool {
        match r {
            Ok(()) => true,
            Err(e) => {
                self.report(e, op);
                false
            }
        }
    }

    #[cold]
    fn report(&mut self, e: Invalid, op: Op) {
        let ctx = self.ctx;
        let loc = e.loc.unwrap_or_else(|| op.loc(ctx));
        let message = match e.prefix {
            true => format!("'{}' op {}", op.name(ctx), e.message),
            false => e.message,
        };
        let mut d = Diagnostic::new(Severity::Error, ctx.diag_loc(loc), message);
        for (loc, note) in e.notes {
            d.notes.push((ctx.diag_loc(loc), note));
        }
        ctx.emit(d);
        self.errors += 1;
    }
}
