//! Accesses that leave elements out: the conditions under which a thread makes them.

use super::Unable;
use super::access::Group;
use super::body::Body;
use super::registers::Registers;
use terrace_dialects::arith;
use terrace_dialects::scf;
use terrace_dialects::tile::TileAccess;
use terrace_ir::{Builder, InsertPoint, Op, OpKind, Type, Value};
use terrace_layout::Layout;

/// When the registers of a group are moved.
pub(super) struct Conditions {
    /// Whether the group is within the limits; `None` where it always is.
    inside: Option<Value>,
    /// Whether the mask has each of its registers; one condition where it is the same for all of
    /// them, and none where there is no mask.
    masks: Vec<Value>,
}

impl Body<'_> {
    /// What the mask of an access says of a thread's registers; `None` where it has none.
    ///
    /// # Errors
    ///
    /// Other threads hold the mask than the tile.
    pub fn mask_of(
        &mut self,
        b: &mut Builder,
        op: Op,
        a: &TileAccess,
        layout: &Layout,
    ) -> Result<Option<Registers>, Unable> {
        let Some(v) = a.mask else { return Ok(None) };
        let held = self.registers(b, op, v)?;
        match held.layout().is_none_or(|l| l.is_same_as(layout)) {
            true => Ok(Some(held)),
            false => Err(Unable::new(
                op,
                "has a mask that other threads hold than its tile",
            )),
        }
    }
}

impl Conditions {
    pub fn new(inside: Option<Value>, mask: Option<&Registers>, g: &Group) -> Conditions {
        let own = (g.first..g.first + g.width).filter_map(|i| mask?.at(i));
        let mut masks: Vec<Value> = own.collect();
        masks.dedup();
        Conditions { inside, masks }
    }

    /// Whether all of the group is moved; `None` where it always is.
    fn of_all(&self, b: &mut Builder) -> Option<Value> {
        let all = self.inside.iter().chain(&self.masks).copied();
        let all: Vec<Value> = all.collect();
        all.into_iter().reduce(|x, y| and(b, x, y))
    }

    /// Moves a group: with one access where all of it takes part, and else with one for each
    /// register that does. `part` moves some of the registers, from the given one on, and `pad`
    /// stands for what it does not give.
    pub fn guard(
        &self,
        b: &mut Builder,
        width: usize,
        pad: Option<Value>,
        part: impl Fn(&mut Builder, usize, usize) -> Result<Vec<Value>, Unable>,
    ) -> Made {
        let Some(all) = self.of_all(b) else {
            return part(b, 0, width);
        };
        let pads = |n: usize| -> Vec<Value> { pad.into_iter().flat_map(|v| vec![v; n]).collect() };
        let whole = |b: &mut Builder| part(b, 0, width);
        if self.masks.len() < 2 {
            return either(b, all, &pads(width), whole, None);
        }
        let single = |b: &mut Builder| {
            let mut out = Vec::new();
            for (i, own) in self.masks.iter().enumerate() {
                let has = match self.inside {
                    Some(inside) => and(b, inside, *own),
                    None => *own,
                };
                let one = |b: &mut Builder| part(b, i, 1);
                out.extend(either(b, has, &pads(1), one, None)?);
            }
            Ok(out)
        };
        either(b, all, &pads(width), whole, Some(&single))
    }
}

fn and(b: &mut Builder, x: Value, y: Value) -> Value {
    let i1 = b.ctx.i1();
    b.value::<arith::AndIOp>(&[x, y], i1, &[])
}

type Made = Result<Vec<Value>, Unable>;

/// What one of two ways gives; `pads` where there is no other way.
fn either(
    b: &mut Builder,
    condition: Value,
    pads: &[Value],
    then: impl Fn(&mut Builder) -> Made,
    other: Option<&dyn Fn(&mut Builder) -> Made>,
) -> Made {
    let types: Vec<Type> = pads.iter().map(|v| v.ty(b.ctx)).collect();
    let two = other.is_some() || !pads.is_empty();
    let (op, first, second) = scf::IfOp::build(b, condition, &types, two);
    b.with_point(InsertPoint::End(first), |b| {
        let values = then(b)?;
        scf::YieldOp::build(b, &values);
        Ok(())
    })?;
    if let Some(second) = second {
        b.with_point(InsertPoint::End(second), |b| {
            let values = match other {
                Some(other) => other(b)?,
                None => pads.to_vec(),
            };
            scf::YieldOp::build(b, &values);
            Ok(())
        })?;
    }
    Ok(op.op().results(b.ctx))
}
