//! Copies: of all of an array or of a part, and those that may be of others.

use super::super::pairs::{Pair, is_same, whole};
use super::super::state::Action;
use super::super::uses::{DEVICE_READ, HOST_READ, Target, Use, memory_of};
use super::{Effect, Effects};
use crate::analysis::memory::base;
use terrace_dialects::xfer::{CopyOp, Side};
use terrace_ir::{Op, OpKind, Value};

impl Effects<'_> {
    pub(super) fn copies(&mut self, c: CopyOp, out: &mut Vec<Effect>) {
        let (ctx, op) = (self.ctx, c.op());
        let (src, dst) = (c.src(ctx), c.dst(ctx));
        let ends = |p: &Pair, array: Value, mirror: Value| {
            if is_same(ctx, whole(ctx, array), p.array) && whole(ctx, mirror) == p.mirror {
                return Some(true);
            }
            p.are_twins(ctx, array, mirror).then_some(false)
        };
        for (i, p) in self.pairs.iter().enumerate() {
            for (to, found) in [
                (Side::Device, ends(p, src, dst)),
                (Side::Host, ends(p, dst, src)),
            ] {
                let Some(all) = found else { continue };
                match (all, self.boxes.inside(ctx, p, i, src)) {
                    (true, _) => self.act(i, Action::Copy(to), op, out),
                    (false, Some(parts)) => {
                        self.act_on(i, Action::CopyBox(to), op, parts, out);
                    }
                    (false, None) => self.act(i, Action::CopyPart(to), op, out),
                }
                return self.others_of_copy(i, to, op, out);
            }
        }
        self.copies_elsewhere(op, src, dst, out);
    }

    /// A copy of pair `i` to a side reads or writes the array, which other pairs may
    /// share.
    pub(super) fn others_of_copy(&self, i: usize, to: Side, op: Op, out: &mut Vec<Effect>) {
        let of = self.pairs[i];
        for (k, p) in self.pairs.iter().enumerate() {
            if k == i || !p.may_be_array(self.ctx, of.base) {
                continue;
            }
            let action = match to {
                Side::Device => Action::Read(Side::Host),
                Side::Host => Action::Write(Side::Host),
            };
            self.may_act(k, action, op, p.base == of.base, out);
        }
    }

    /// A copy that is not known to be between an array and its mirror.
    fn copies_elsewhere(&self, op: Op, src: Value, dst: Value, out: &mut Vec<Effect>) {
        let ctx = self.ctx;
        let (from, to) = (base(ctx, src), base(ctx, dst));
        let read = match memory_of(ctx, from) {
            Side::Host => HOST_READ,
            Side::Device => DEVICE_READ,
        };
        let target = Target::Memory(from);
        let (ways, at) = (read, op);
        self.memory(op, from, &Use { target, ways, at }, out);
        for (i, p) in self.pairs.iter().enumerate() {
            let side = match memory_of(ctx, to) {
                Side::Host if p.may_be_array(ctx, to) => Side::Host,
                Side::Device if p.may_be_mirror(ctx, to) => Side::Device,
                _ => continue,
            };
            let all = whole(ctx, dst);
            let action = match is_same(ctx, all, p.array) || all == p.mirror {
                true => Action::Overwrite(side),
                false => Action::Write(side),
            };
            let surely = is_same(ctx, to, p.base) || to == p.mirror;
            self.may_act(i, action, op, surely, out);
            if side == Side::Device {
                self.elsewhere(i, op, out);
            }
            // It may be between the two after all, and tell the flags.
            let twins = p.may_be_array(ctx, from) || p.may_be_mirror(ctx, from);
            if twins {
                self.act(i, Action::AnyFlags, op, out);
            }
        }
    }
}
