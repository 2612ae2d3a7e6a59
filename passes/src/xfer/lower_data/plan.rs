//! What becomes of each clause.

use super::super::arrays::{for_each_effect, global_name, is_exposed};
use super::super::insert::host_memrefs;
use super::super::summary::Summaries;
use super::calls::Calls;
use super::{Mode, is_by_name, is_data_op};
use crate::analysis::memory::side_of;
use crate::analysis::memory::{base, is_root, is_view, may_be_same};
use rustc_hash::FxHashMap;
use terrace_dialects::gpu;
use terrace_dialects::memref::layout::has_identity_layout;
use terrace_dialects::xfer::{Clause, DataOp, Side, UpdateOp};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Context, Op, OpKind, Value};

/// A clause: the region, and its number there.
pub type Key = (Op, usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The table of present arrays decides.
    Table,
    /// A buffer and the copies of the clause.
    Buffer,
    /// A mirror and the copies of the clause, which no pass may move. `fresh`: what the
    /// host has at the beginning is not needed.
    Mirror { fresh: bool },
    /// Launches use the array of the host: `xfer-insert` makes a mirror of it, and
    /// `xfer-optimize` copies where that is needed.
    Host { fresh: bool },
    /// The buffer of a clause around.
    Same(Key),
    /// A buffer of the program's own.
    Device,
}

/// What becomes of an array of an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateForm {
    Table,
    /// A copy between the array and the buffer of this clause.
    Copy(Key),
    /// The array is absent, or copies are placed where they are needed.
    Nothing,
}

pub struct ClauseForms {
    /// Regions with the forms of their clauses, outer ones first.
    pub regions: Vec<(DataOp, Vec<Form>)>,
    pub updates: Vec<(UpdateOp, Vec<UpdateForm>)>,
}

impl ClauseForms {
    pub fn of(ctx: &Context, function: Op, calls: &Calls, mode: Mode) -> ClauseForms {
        let regions = function.find_all::<DataOp>(ctx);
        let mut planner = Planner {
            ctx,
            function,
            calls,
            mode,
            summaries: Summaries::default(),
            forms: FxHashMap::default(),
        };
        let mut plan = ClauseForms {
            regions: Vec::new(),
            updates: Vec::new(),
        };
        for r in regions {
            let forms = planner.region(r);
            plan.regions.push((r, forms));
        }
        for u in function.find_all::<UpdateOp>(ctx) {
            let list = u.clauses(ctx);
            let forms = list.iter().map(|c| planner.update(u, c.0)).collect();
            plan.updates.push((u, forms));
        }
        plan
    }

    /// How many clauses have such a form.
    pub fn count(&self, is: impl Fn(Form) -> bool) -> u64 {
        let forms = self.regions.iter().flat_map(|r| &r.1);
        forms.filter(|f| is(**f)).count() as u64
    }

    /// Whether a region around `op` has what may be `root` in the table.
    pub fn in_table(&self, ctx: &Context, op: Op, root: Value) -> bool {
        self.regions.iter().any(|(r, forms)| {
            let list = r.clauses(ctx);
            r.op().is_ancestor_of(ctx, op)
                && list.iter().zip(forms).any(|((array, _), form)| {
                    *form == Form::Table && may_be_same(ctx, base(ctx, *array), root)
                })
        })
    }
}

/// Whether two memrefs are one, by the same or by two mentions of a global.
pub fn is_same(ctx: &Context, a: Value, b: Value) -> bool {
    a == b || global_name(ctx, a).is_some_and(|g| global_name(ctx, b) == Some(g))
}

struct Planner<'a> {
    ctx: &'a Context,
    function: Op,
    calls: &'a Calls,
    mode: Mode,
    summaries: Summaries,
    forms: FxHashMap<Key, Form>,
}

impl Planner<'_> {
    fn region(&mut self, r: DataOp) -> Vec<Form> {
        let list = r.clauses(self.ctx);
        let mut forms = Vec::new();
        for (i, (array, clause)) in list.into_iter().enumerate() {
            let form = self.clause(r, i, array, clause);
            self.forms.insert((r.op(), i), form);
            forms.push(form);
        }
        forms
    }

    /// The innermost clause around `op` that has the array.
    fn around(&self, op: Op, array: Value) -> Option<Key> {
        let mut at = op.parent(self.ctx);
        while let Some(o) = at {
            if let Some(r) = o.cast::<DataOp>(self.ctx) {
                let list = r.clauses(self.ctx);
                let is =
                    |c: &(Value, Clause)| c.1 != Clause::DevicePtr && is_same(self.ctx, c.0, array);
                if let Some(i) = list.iter().position(is) {
                    return Some((o, i));
                }
            }
            at = o.parent(self.ctx);
        }
        None
    }

    fn clause(&mut self, r: DataOp, i: usize, array: Value, clause: Clause) -> Form {
        if clause == Clause::DevicePtr {
            return Form::Device;
        }
        if let Some(key) = self.around(r.op(), array) {
            return match self.forms.get(&key) {
                Some(Form::Table) | None => Form::Table,
                Some(Form::Same(first)) => Form::Same(*first),
                Some(_) => Form::Same(key),
            };
        }
        if !clause.makes() || self.needs_table(r, array) {
            return Form::Table;
        }
        let fresh = clause == Clause::CopyOut && !self.host_uses(r, array);
        let kernels = only_kernels(self.ctx, r.buffers(self.ctx)[i]);
        match self.mode {
            // A buffer that is not made from what the host has, or not for it, and one
            // that other code than kernels has in hand, is as it is written.
            Mode::Place | Mode::Host if clause == Clause::Create || !kernels => Form::Buffer,
            Mode::Place | Mode::Host => Form::Host { fresh },
            Mode::Strict if clause.copies_in() || fresh => Form::Mirror { fresh },
            Mode::Strict => Form::Buffer,
        }
    }

    /// Whether only the table can tell if the array is present at the beginning of a
    /// region without others of the array around, or others may look it up inside.
    fn needs_table(&self, r: DataOp, array: Value) -> bool {
        let ctx = self.ctx;
        let shared = is_exposed(ctx, array);
        if !self.is_untouched(array) {
            return true;
        }
        let may_be = |v: Value| v.ty(ctx).is_memref(ctx) && may_be_same(ctx, base(ctx, v), array);
        r.op().pre_order(ctx).into_iter().skip(1).any(|o| {
            let another = |v: Value| may_be(v) && !is_same(ctx, v, array);
            let part = is_data_op(ctx, o) && o.operands(ctx).into_iter().any(another);
            let looked_up = shared && self.calls.call_looks(ctx, o);
            let unclear = |v: Value| !is_root(ctx, base(ctx, v)) && may_be(v);
            let is_launch = o.isa::<gpu::LaunchOp>(ctx) || o.isa::<gpu::LaunchFuncOp>(ctx);
            part || looked_up || is_launch && host_memrefs(ctx, o).into_iter().any(unclear)
        })
    }

    /// Whether an array is present in the regions of this function only, by its own name.
    fn is_untouched(&self, array: Value) -> bool {
        let ctx = self.ctx;
        let simple = is_root(ctx, array)
            && has_identity_layout(ctx, array.ty(ctx))
            && side_of(ctx, array) == Side::Host;
        let elsewhere = is_exposed(ctx, array) && self.calls.may_be_present(self.function);
        simple && !elsewhere && !is_named(ctx, self.function, array)
    }

    /// Whether an array is absent at `op`, which no region with it is around.
    fn is_absent(&self, op: Op, array: Value) -> bool {
        let ctx = self.ctx;
        let mut at = op.parent(ctx);
        while let Some(o) = at {
            let list = o.cast::<DataOp>(ctx).map(|r| r.clauses(ctx));
            let may_be = |c: &(Value, Clause)| may_be_same(ctx, base(ctx, c.0), array);
            if list.is_some_and(|l| l.iter().any(may_be)) {
                return false;
            }
            at = o.parent(ctx);
        }
        self.is_untouched(array)
    }

    /// Whether code of the host in the region may use the array by itself.
    fn host_uses(&mut self, r: DataOp, array: Value) -> bool {
        let ctx = self.ctx;
        let mut used = false;
        let mut work: Vec<Op> = r.body(ctx).ops(ctx);
        while let Some(op) = work.pop() {
            if op.isa::<gpu::LaunchOp>(ctx) {
                continue;
            }
            for region in op.regions(ctx) {
                work.extend(region.blocks(ctx).iter().flat_map(|b| b.ops(ctx)));
            }
            if is_data_op(ctx, op) {
                let reads = op.cast::<UpdateOp>(ctx).map(|u| u.clauses(ctx));
                used |= reads.into_iter().flatten().any(|(v, c)| {
                    c == Clause::UpdateDevice && may_be_same(ctx, base(ctx, v), array)
                });
                continue;
            }
            for_each_effect(ctx, &mut self.summaries, op, &mut |kind, on, side| {
                let touches = matches!(kind, EffectKind::Read | EffectKind::Write)
                    && side == Side::Host
                    && on.is_none_or(|v| may_be_same(ctx, base(ctx, v), array));
                used |= touches;
            });
        }
        used
    }

    fn update(&self, u: UpdateOp, array: Value) -> UpdateForm {
        let Some(mut key) = self.around(u.op(), array) else {
            return match u.if_present(self.ctx) && self.is_absent(u.op(), array) {
                true => UpdateForm::Nothing,
                false => UpdateForm::Table,
            };
        };
        if let Some(Form::Same(first)) = self.forms.get(&key) {
            key = *first;
        }
        match self.forms.get(&key) {
            Some(Form::Buffer | Form::Mirror { .. }) => UpdateForm::Copy(key),
            Some(Form::Host { .. }) => UpdateForm::Nothing,
            _ => UpdateForm::Table,
        }
    }
}

/// Whether a buffer is used in kernels only, and by data regions inside.
fn only_kernels(ctx: &Context, buffer: Value) -> bool {
    buffer.users(ctx).into_iter().all(|user| {
        if user.isa::<gpu::LaunchFuncOp>(ctx) {
            return true;
        }
        let mut around = user.parent(ctx);
        while let Some(o) = around {
            if o.isa::<gpu::LaunchOp>(ctx) {
                return true;
            }
            around = o.parent(ctx);
        }
        is_view(ctx, user) && user.results(ctx).into_iter().all(|v| only_kernels(ctx, v))
    })
}

/// Whether some op of the function enters, exits or looks up what may be `root`.
pub fn is_named(ctx: &Context, function: Op, root: Value) -> bool {
    let may_be = |v: Value| v.ty(ctx).is_memref(ctx) && may_be_same(ctx, base(ctx, v), root);
    let all = function.pre_order(ctx);
    all.into_iter()
        .any(|o| is_by_name(ctx, o) && o.operands(ctx).into_iter().any(may_be))
}
