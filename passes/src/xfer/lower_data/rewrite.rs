//! Regions and updates as the plan has them.

use super::plan::{ClauseForms, Form, Key, UpdateForm};
use rustc_hash::FxHashMap;
use terrace_dialects::arith;
use terrace_dialects::memref::{CastOp, DimOp, MemorySpaceCastOp};
use terrace_dialects::xfer::{
    self, AllocOp, Clause, CopyOp, CreateOp, DiscardOp, EnterDataOp, ExitDataOp, FreeOp, PresentOp,
    UpdateOp,
};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value};

/// Takes the regions of a function apart, outer ones first.
pub fn regions(ctx: &mut Context, plan: &ClauseForms) {
    let mut buffers: FxHashMap<Key, Value> = FxHashMap::default();
    // Where copies of the updates come from; the updates' regions are gone afterwards.
    for (region, forms) in &plan.regions {
        let op = region.op();
        let list = region.clauses(ctx);
        let args = region.buffers(ctx);
        let of_table: Vec<(Value, Clause)> = list
            .iter()
            .zip(forms)
            .filter(|(_, f)| **f == Form::Table)
            .map(|(c, _)| *c)
            .collect();
        if !of_table.is_empty() {
            let mut b = Builder::before(ctx, op);
            EnterDataOp::build_structured(&mut b, &of_table);
        }
        for (i, ((array, clause), form)) in list.iter().zip(forms).enumerate() {
            let mut b = Builder::before(ctx, op);
            let made = begin(&mut b, (*array, *clause), *form, &buffers);
            buffers.insert((op, i), made);
            let ty = args[i].ty(b.ctx);
            let seen = match made.ty(b.ctx) == ty {
                true => made,
                false => b.value::<CastOp>(&[made], ty, &[]),
            };
            args[i].replace_all_uses(ctx, seen);
        }
        let body = region.body(ctx);
        for inner in body.ops(ctx) {
            if !inner.isa::<xfer::EndDataOp>(ctx) {
                inner.move_before(ctx, op);
            }
        }
        for (i, ((array, clause), form)) in list.iter().zip(forms).enumerate() {
            let buffer = buffers[&(op, i)];
            let mut b = Builder::before(ctx, op);
            end(&mut b, (*array, *clause), *form, buffer);
        }
        if !of_table.is_empty() {
            let mut b = Builder::before(ctx, op);
            ExitDataOp::build_structured(&mut b, &of_table);
        }
        op.erase(ctx);
    }
    for (update, forms) in &plan.updates {
        self::update(ctx, *update, forms, &buffers);
    }
}

/// The buffer of a clause, and what is done at the beginning of the region.
fn begin(
    b: &mut Builder,
    (array, clause): (Value, Clause),
    form: Form,
    buffers: &FxHashMap<Key, Value>,
) -> Value {
    match form {
        Form::Table => PresentOp::build(b, array, clause == Clause::NoCreate),
        Form::Device => array,
        Form::Same(key) => buffers.get(&key).copied().unwrap_or(array),
        Form::Host { fresh } => {
            if fresh {
                DiscardOp::build(b, array);
            }
            let ty = buffer_type(b.ctx, array);
            b.value::<MemorySpaceCastOp>(&[array], ty, &[])
        }
        Form::Buffer => {
            let buffer = allocate(b, array);
            if clause.copies_in() {
                CopyOp::build(b, array, buffer);
            }
            buffer
        }
        Form::Mirror { fresh } => {
            let space = xfer::device_space(b.ctx, 0);
            let mirror = CreateOp::build(b, array, space);
            if let Some(op) = mirror.def_op() {
                let unit = b.ctx.unit();
                op.set_attr(b.ctx, xfer::FIXED, unit);
            }
            if fresh {
                DiscardOp::build(b, array);
            }
            if clause.copies_in() {
                CopyOp::build(b, array, mirror);
            }
            mirror
        }
    }
}

fn end(b: &mut Builder, (array, clause): (Value, Clause), form: Form, buffer: Value) {
    if !matches!(form, Form::Buffer | Form::Mirror { .. }) {
        return;
    }
    if clause.copies_out() {
        CopyOp::build(b, buffer, array);
    }
    FreeOp::build(b, buffer);
}

fn buffer_type(ctx: &Context, array: Value) -> Type {
    xfer::buffer_type(ctx, array.ty(ctx))
}

/// A buffer with the sizes of the array.
fn allocate(b: &mut Builder, array: Value) -> Value {
    let ty = buffer_type(b.ctx, array);
    let shape = ty.shape(b.ctx).unwrap_or(&[]).to_vec();
    let index = b.ctx.index();
    let mut sizes = Vec::new();
    for (k, _) in shape.iter().enumerate().filter(|(_, d)| **d == DYNAMIC) {
        let at = arith::constant_index(b, k as i64);
        sizes.push(b.value::<DimOp>(&[array, at], index, &[]));
    }
    AllocOp::build(b, ty, &sizes)
}

/// Copies in place of an update where its array's buffer is known.
fn update(
    ctx: &mut Context,
    update: UpdateOp,
    forms: &[UpdateForm],
    buffers: &FxHashMap<Key, Value>,
) {
    let op: Op = update.op();
    let list = update.clauses(ctx);
    let mut rest = Vec::new();
    for ((array, clause), form) in list.iter().zip(forms) {
        let mut b = Builder::before(ctx, op);
        match form {
            UpdateForm::Table => rest.push((*array, *clause)),
            UpdateForm::Nothing => {}
            UpdateForm::Copy(key) => match (buffers.get(key), clause) {
                (Some(buffer), Clause::UpdateHost) => {
                    CopyOp::build(&mut b, *buffer, *array);
                }
                (Some(buffer), _) => {
                    CopyOp::build(&mut b, *array, *buffer);
                }
                (None, _) => rest.push((*array, *clause)),
            },
        }
    }
    if rest.len() == list.len() {
        return;
    }
    if !rest.is_empty() {
        let if_present = update.if_present(ctx);
        let mut b = Builder::before(ctx, op);
        UpdateOp::build(&mut b, &rest, if_present);
    }
    op.erase(ctx);
}
