//! What one op does to the arrays of a function: a list of actions, in order.

use super::contract;
use super::pairs::{Pair, is_same, whole};
use super::parts::{ALL, Boxes, Parts};
use super::report::array_words;
use super::state::{Action, Called};
use super::uses::{
    DEVICE_READ, DEVICE_WRITE, FLAGS, FREED, HOST_READ, HOST_WRITE, Summaries, Target, Use,
    memory_of,
};
use crate::analysis::memory::base;
use terrace_dialects::xfer::handed::handed;
use terrace_dialects::xfer::{
    AssertValidOp, CopyOp, CreateOp, DiscardOp, EnsureOp, FreeOp, MarkWrittenOp, PrefetchOp, Side,
};
use terrace_dialects::{func, gpu, memref};
use terrace_ir::{Context, Op, OpKind, Value, symbols};

/// One thing that an op does.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    /// To the pair of this number; `at` is the op inside that does it. Where it is not
    /// `surely` this pair, the array and the mirror exist if it is.
    Act {
        pair: usize,
        action: Action,
        at: Op,
        surely: bool,
        /// The parts of the array that it is done to.
        parts: Parts,
    },
    /// A mistake whatever came before.
    Bad {
        array: Value,
        message: String,
        at: Op,
    },
}

pub(super) struct Deeds<'a> {
    pub ctx: &'a Context,
    pub pairs: &'a [Pair],
    pub summaries: &'a mut Summaries,
    pub boxes: &'a mut Boxes,
    /// What only the run can tell of the table of present arrays is taken to be right.
    pub trust_table: bool,
}

/// Whether an op is about the table of present arrays.
pub(super) fn is_data_op(ctx: &Context, op: Op) -> bool {
    matches!(
        op.name(ctx),
        "xfer.data"
            | "xfer.enter_data"
            | "xfer.exit_data"
            | "xfer.update"
            | "xfer.present"
            | "xfer.is_present"
    )
}

impl Deeds<'_> {
    /// What `op` does, with all that is in it, as one step.
    pub fn of(&mut self, op: Op) -> Vec<Deed> {
        let ctx = self.ctx;
        let mut out = Vec::new();
        if op.dialect(ctx) == "xfer" {
            self.xfer(op, &mut out);
            return out;
        }
        match op.name(ctx) {
            "func.return" => self.returns(op, &mut out),
            "memref.alloc" | "memref.alloca" => self.allocates(op, &mut out),
            "func.call" => self.calls(op, &mut out),
            _ => {
                self.moves_inside(op, &mut out);
                if !out.is_empty() {
                    return out;
                }
                let mut uses = Vec::new();
                self.summaries.all_uses(ctx, op, Side::Host, &mut uses);
                for u in &uses {
                    self.apply(op, u, &mut out);
                }
                self.cut(&mut out);
                self.again_if_mixed(&mut out);
            }
        }
        out
    }

    /// Leaves of what loads and stores do what they do to parts that they may touch.
    fn cut(&mut self, out: &mut [Deed]) {
        for d in out.iter_mut() {
            if let Deed::Act {
                pair,
                action: Action::Read(_) | Action::Write(_),
                at,
                parts,
                ..
            } = d
            {
                let of = &self.pairs[*pair];
                *parts = self.boxes.touched(self.ctx, of, *pair, *at, self.summaries);
            }
        }
    }

    fn act(&self, pair: usize, action: Action, at: Op, out: &mut Vec<Deed>) {
        self.may_act(pair, action, at, true, out);
    }

    fn may_act(&self, pair: usize, action: Action, at: Op, surely: bool, out: &mut Vec<Deed>) {
        out.push(Deed::Act {
            pair,
            action,
            at,
            surely,
            parts: ALL,
        });
    }

    /// To some parts of an array.
    fn act_on(&self, pair: usize, action: Action, at: Op, parts: Parts, out: &mut Vec<Deed>) {
        let surely = true;
        out.push(Deed::Act {
            pair,
            action,
            at,
            surely,
            parts,
        });
    }

    fn bad(&self, array: Value, message: String, at: Op, out: &mut Vec<Deed>) {
        out.push(Deed::Bad { array, message, at });
    }

    // ---- ops other than xfer's ----

    fn calls(&mut self, op: Op, out: &mut Vec<Deed>) {
        let mut uses = Vec::new();
        self.summaries.all_uses(self.ctx, op, Side::Host, &mut uses);
        for u in &uses {
            self.apply(op, u, out);
        }
        let handed = self.handed_over(op, &uses, out);
        // What the function does to the pairs that it is handed was found by walking it.
        out.retain(|d| match d {
            Deed::Act { pair, .. } => !handed.iter().any(|h| h.0 == *pair),
            Deed::Bad { .. } => true,
        });
        self.cut(out);
        self.again_if_mixed(out);
        for (pair, called) in handed {
            if let Some(called) = called {
                // What it was found to do it does to each part that it may touch.
                let of = &self.pairs[pair];
                let parts = self.boxes.touched(self.ctx, of, pair, op, self.summaries);
                self.act_on(pair, Action::Call(called), op, parts, out);
            }
        }
    }

    /// The pairs that a call hands over, with what the function does to them where that is
    /// known.
    fn handed_over(
        &mut self,
        op: Op,
        uses: &[Use],
        out: &mut Vec<Deed>,
    ) -> Vec<(usize, Option<Called>)> {
        let ctx = self.ctx;
        let Some(callee) = func::CallOp::wrap(op).function(ctx).map(|f| f.op()) else {
            return Vec::new();
        };
        let operands = op.operands(ctx);
        let mut found = Vec::new();
        for h in handed(ctx, callee).unwrap_or_default() {
            let (array, mirror) = (operands[h.array], operands[h.mirror]);
            let words = array_words(ctx, base(ctx, array));
            let of_array = |p: &Pair| {
                p.mirror == whole(ctx, mirror) && is_same(ctx, p.array, whole(ctx, array))
            };
            let Some(i) = self.pairs.iter().position(of_array) else {
                let message = format!(
                    "hands over {words} with a buffer that is not, as a whole, the mirror of all of it"
                );
                self.bad(array, message, op, out);
                continue;
            };
            let p = self.pairs[i];
            let again = operands.iter().enumerate().any(|(k, v)| {
                let b = base(ctx, *v);
                let param = callee.region(ctx, 0).entry(ctx).map(|e| e.arg(ctx, k));
                let used = param.is_none_or(|p| !p.users(ctx).is_empty());
                let other = k != h.array && k != h.mirror && v.ty(ctx).is_memref(ctx) && used;
                other && (p.may_be_array(ctx, b) || p.may_be_mirror(ctx, b))
            });
            let by_name = uses
                .iter()
                .any(|u| matches!(u.target, Target::Global(name) if p.may_be_global(ctx, name)));
            if again || by_name {
                let message = format!(
                    "hands over {words} and its mirror, which the function may know by another name, too; it takes them for different memory"
                );
                self.bad(array, message, op, out);
            }
            match contract::called(ctx, callee, &h, self.summaries, self.trust_table) {
                Ok(called) => found.push((i, Some(called))),
                Err(why) => {
                    let message = format!(
                        "hands over {words} and its mirror to a function that {why}; what it does to them cannot be checked"
                    );
                    self.bad(array, message, op, out);
                    found.push((i, None));
                }
            }
        }
        found
    }

    /// Whoever called sees the arguments, the globals and what is returned.
    fn returns(&self, op: Op, out: &mut Vec<Deed>) {
        for (i, p) in self.pairs.iter().enumerate() {
            if p.handed.is_some() {
                self.act(i, Action::Leave, op, out);
                continue;
            }
            let mut returned = op.operands(self.ctx).into_iter().filter(|v| {
                v.ty(self.ctx).is_memref(self.ctx) && p.may_be_array(self.ctx, base(self.ctx, *v))
            });
            if p.outlives || returned.next().is_some() {
                self.act(i, Action::Return, op, out);
            }
        }
    }

    /// In a loop each iteration allocates another array.
    fn allocates(&self, op: Op, out: &mut Vec<Deed>) {
        for (i, p) in self.pairs.iter().enumerate() {
            if p.base.def_op() == Some(op) {
                let action = match p.is_shared {
                    true => Action::AllocAgain,
                    false => Action::Alloc,
                };
                self.act(i, action, op, out);
            }
        }
    }

    /// Ops that move an array or tell of it have an order, which the inside of an op that
    /// counts as one step has not.
    fn moves_inside(&self, op: Op, out: &mut Vec<Deed>) {
        for block in op.regions(self.ctx).iter().flat_map(|r| r.blocks(self.ctx)) {
            for o in block.ops(self.ctx) {
                let waits = matches!(o.name(self.ctx), "xfer.alloc" | "xfer.wait");
                if o.dialect(self.ctx) == "xfer" && !waits {
                    let message = format!(
                        "cannot be checked inside a '{}', where its place in the order is not known",
                        op.name(self.ctx)
                    );
                    self.bad(o.operand(self.ctx, 0), message, o, out);
                }
                self.moves_inside(o, out);
            }
        }
    }

    fn apply(&self, op: Op, u: &Use, out: &mut Vec<Deed>) {
        match u.target {
            Target::Memory(v) => self.memory(op, v, u, out),
            Target::Global(name) => {
                for (i, p) in self.pairs.iter().enumerate() {
                    if p.may_be_global(self.ctx, name) {
                        self.on_array(i, u, false, out);
                    }
                }
            }
            Target::Everything => {
                for (i, p) in self.pairs.iter().enumerate() {
                    if p.is_shared {
                        let ways = u.ways & !(DEVICE_READ | DEVICE_WRITE);
                        self.on_array(i, &Use { ways, ..*u }, false, out);
                    }
                    if p.mirror_is_shared {
                        let ways = u.ways & !(HOST_READ | HOST_WRITE);
                        self.on_mirror(i, &Use { ways, ..*u }, false, out);
                    }
                }
            }
        }
    }

    fn memory(&self, op: Op, v: Value, u: &Use, out: &mut Vec<Deed>) {
        let ctx = self.ctx;
        let inside = is_inside(ctx, op, v);
        if inside && is_own(ctx, v) {
            return;
        }
        match memory_of(ctx, v) {
            Side::Host => {
                let mut known = false;
                for (i, p) in self.pairs.iter().enumerate() {
                    if p.may_be_array(ctx, v) {
                        known = true;
                        self.on_array(i, u, is_same(ctx, p.base, v), out);
                    }
                }
                let used = u.ways & (DEVICE_READ | DEVICE_WRITE) != 0;
                if used && !known && !inside && !is_constant(ctx, op, v) {
                    self.on_wrong_device(v, u, out);
                }
            }
            Side::Device => {
                if u.ways & (HOST_READ | HOST_WRITE) != 0 {
                    self.on_wrong_host(v, u, out);
                }
                for (i, p) in self.pairs.iter().enumerate() {
                    if p.may_be_mirror(ctx, v) {
                        self.on_mirror(i, u, p.mirror == v, out);
                    }
                }
            }
        }
    }

    fn on_wrong_device(&self, array: Value, u: &Use, out: &mut Vec<Deed>) {
        let message = format!(
            "uses {} on the device, but it lies in the memory of the host; kernels use mirrors",
            array_words(self.ctx, array)
        );
        self.bad(array, message, u.at, out);
    }

    fn on_wrong_host(&self, buffer: Value, u: &Use, out: &mut Vec<Deed>) {
        let mirrored = self.pairs.iter().find(|p| p.mirror == buffer);
        let message = match mirrored {
            Some(p) => format!(
                "uses the mirror of {} on the host; code of the host uses the array itself",
                array_words(self.ctx, p.array)
            ),
            None => format!(
                "uses {} on the host, but it lies in the memory of a device",
                array_words(self.ctx, buffer)
            ),
        };
        self.bad(mirrored.map_or(buffer, |p| p.array), message, u.at, out);
    }

    /// A use of what is an array, or may be.
    fn on_array(&self, i: usize, u: &Use, exactly: bool, out: &mut Vec<Deed>) {
        if u.ways & (DEVICE_READ | DEVICE_WRITE) != 0 {
            self.on_wrong_device(self.pairs[i].array, u, out);
        }
        if u.ways & HOST_READ != 0 {
            self.may_act(i, Action::Read(Side::Host), u.at, exactly, out);
        }
        if u.ways & HOST_WRITE != 0 {
            self.may_act(i, Action::Write(Side::Host), u.at, exactly, out);
        }
        if u.ways & FLAGS != 0 {
            self.may_act(i, Action::AnyFlags, u.at, exactly, out);
        }
        if u.ways & FREED != 0 && exactly {
            self.act(i, Action::FreeArray, u.at, out);
        }
    }

    /// A use of what is a mirror, or may be.
    fn on_mirror(&self, i: usize, u: &Use, exactly: bool, out: &mut Vec<Deed>) {
        if u.ways & DEVICE_READ != 0 {
            self.may_act(i, Action::Read(Side::Device), u.at, exactly, out);
        }
        if u.ways & DEVICE_WRITE != 0 {
            self.may_act(i, Action::Write(Side::Device), u.at, exactly, out);
            self.elsewhere(i, u.at, out);
        }
        if u.ways & FLAGS != 0 {
            self.may_act(i, Action::AnyFlags, u.at, exactly, out);
        }
        if u.ways & FREED != 0 && exactly {
            self.act(i, Action::Free, u.at, out);
        }
    }

    /// A write of mirror `i`, for all other mirrors of what may be the same memory.
    fn elsewhere(&self, i: usize, at: Op, out: &mut Vec<Deed>) {
        let of = self.pairs[i];
        for (k, p) in self.pairs.iter().enumerate() {
            if k != i && p.may_be_array(self.ctx, of.base) {
                self.may_act(k, Action::WriteElsewhere, at, false, out);
            }
        }
    }

    /// Where one op uses an array on both sides, in an order that is not known, all uses
    /// are taken to come after each other.
    fn again_if_mixed(&self, out: &mut Vec<Deed>) {
        let side = |d: &Deed| match d {
            Deed::Act {
                pair,
                action: Action::Read(s) | Action::Write(s),
                ..
            } => Some((*pair, *s)),
            Deed::Act {
                pair,
                action: Action::WriteElsewhere,
                ..
            } => Some((*pair, Side::Host)),
            _ => None,
        };
        let used: Vec<(usize, Side)> = out.iter().filter_map(side).collect();
        let mixed = |(p, s): &(usize, Side)| used.contains(&(*p, s.other()));
        let again: Vec<Deed> = out
            .iter()
            .filter(|d| side(d).is_some_and(|k| mixed(&k)))
            .cloned()
            .collect();
        out.extend(again);
    }

    // ---- xfer ----

    fn xfer(&mut self, op: Op, out: &mut Vec<Deed>) {
        let ctx = self.ctx;
        if op.isa::<CopyOp>(ctx) {
            return self.copies(CopyOp::wrap(op), out);
        }
        if is_data_op(ctx, op) {
            return self.table(op, out);
        }
        if let Some(c) = op.cast::<CreateOp>(ctx) {
            return self.creates(c, out);
        }
        if let Some(d) = op.cast::<DiscardOp>(ctx) {
            return self.discards(d, out);
        }
        if let Some(f) = op.cast::<FreeOp>(ctx) {
            let buffer = base(ctx, f.buffer(ctx));
            let (ways, target) = (FREED, Target::Memory(buffer));
            let at = op;
            return self.memory(op, buffer, &Use { target, ways, at }, out);
        }
        if let Some(p) = op.cast::<PrefetchOp>(ctx) {
            let ends = (p.array(ctx), p.mirror(ctx));
            self.of_a_pair(op, ends, Action::Ensure(p.side(ctx)), out);
        } else if let Some(e) = op.cast::<EnsureOp>(ctx) {
            let ends = (e.array(ctx), e.mirror(ctx));
            for s in e.sides(ctx) {
                self.of_a_pair(op, ends, Action::Ensure(*s), out);
            }
        } else if let Some(m) = op.cast::<MarkWrittenOp>(ctx) {
            let ends = (m.array(ctx), m.mirror(ctx));
            for s in m.sides(ctx) {
                self.of_a_pair(op, ends, Action::Mark(*s), out);
            }
        } else if let Some(a) = op.cast::<AssertValidOp>(ctx) {
            let ends = (a.array(ctx), a.mirror(ctx));
            for s in a.sides(ctx) {
                self.of_a_pair(op, ends, Action::Assert(*s), out);
            }
        }
    }

    /// An op of the table of present arrays, which `table` follows; for arrays with mirrors
    /// of their own it is as code of the host that uses them.
    fn table(&mut self, op: Op, out: &mut Vec<Deed>) {
        let ctx = self.ctx;
        let array = op.operand(ctx, 0);
        if op.name(ctx) == "xfer.data" {
            let message = format!(
                "holds {} on the device; 'xfer-lower-data' makes of it what can be checked",
                array_words(ctx, array)
            );
            return self.bad(array, message, op, out);
        }
        let mut uses = Vec::new();
        self.summaries.uses(ctx, op, Side::Host, &mut uses);
        for u in &uses {
            self.apply(op, u, out);
        }
    }

    /// An op on an array and its mirror.
    fn of_a_pair(
        &self,
        op: Op,
        (array, mirror): (Value, Value),
        action: Action,
        out: &mut Vec<Deed>,
    ) {
        let ctx = self.ctx;
        let (array, mirror) = (whole(ctx, array), whole(ctx, mirror));
        let Some(i) = self.pairs.iter().position(|p| p.mirror == mirror) else {
            let message = "is about a buffer that is not, as a whole, what an 'xfer.create' of this function made; it cannot be checked";
            return self.bad(array, message.into(), op, out);
        };
        let p = &self.pairs[i];
        let asks = matches!(action, Action::Ensure(_));
        if asks && p.handed.is_some_and(|h| !h.flags) {
            let message = format!(
                "asks the flags about {}, whose mirror the function is handed without a word of 'flags'",
                array_words(ctx, p.array)
            );
            self.bad(array, message, op, out);
        }
        if !is_same(ctx, p.array, array) {
            let message = format!(
                "takes {}, but the mirror is that of {}",
                array_words(ctx, array),
                array_words(ctx, p.array)
            );
            return self.bad(array, message, op, out);
        }
        self.act(i, action, op, out);
        // A copy also uses the array for all others that it may be.
        if let Action::Ensure(side) = action {
            self.others_of_copy(i, side, op, out);
        }
    }

    fn creates(&self, c: CreateOp, out: &mut Vec<Deed>) {
        let Some(i) = self
            .pairs
            .iter()
            .position(|p| p.mirror == c.mirror(self.ctx))
        else {
            return;
        };
        let action = match self.pairs[i].mirror_is_shared {
            true => Action::CreateAgain,
            false => Action::Create,
        };
        self.act(i, action, c.op(), out);
    }

    fn discards(&mut self, d: DiscardOp, out: &mut Vec<Deed>) {
        let (ctx, v) = (self.ctx, d.array(self.ctx));
        let (all, b) = (whole(ctx, v), base(ctx, v));
        for (i, p) in self.pairs.iter().enumerate() {
            if is_same(ctx, p.array, all) || p.mirror == all {
                self.act(i, Action::Discard, d.op(), out);
            } else if p.may_be_array(ctx, b) || p.may_be_mirror(ctx, b) {
                self.act(i, Action::MayDiscard, d.op(), out);
                if let Some(parts) = self.boxes.inside(ctx, p, i, v) {
                    self.act_on(i, Action::DiscardBox, d.op(), parts, out);
                }
            }
        }
    }

    fn copies(&mut self, c: CopyOp, out: &mut Vec<Deed>) {
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
    fn others_of_copy(&self, i: usize, to: Side, op: Op, out: &mut Vec<Deed>) {
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
    fn copies_elsewhere(&self, op: Op, src: Value, dst: Value, out: &mut Vec<Deed>) {
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

/// Whether a memref has its name inside of `op`.
pub(super) fn is_inside(ctx: &Context, op: Op, v: Value) -> bool {
    match v.def_op() {
        Some(o) => o != op && op.is_ancestor_of(ctx, o),
        None => {
            let around = v.arg_block().and_then(|b| b.parent_op(ctx));
            around.is_some_and(|o| op.is_ancestor_of(ctx, o))
        }
    }
}

/// Whether a memref that has its name inside an op is memory that is made there, and is
/// none of the arrays around.
pub(super) fn is_own(ctx: &Context, v: Value) -> bool {
    match v.def_op() {
        Some(o) => matches!(
            o.name(ctx),
            "memref.alloc"
                | "memref.alloca"
                | "gpu.alloc"
                | "xfer.alloc"
                | "gpu.dynamic_shared_memory"
        ),
        None => {
            let around = v.arg_block().and_then(|b| b.parent_op(ctx));
            around.is_some_and(|o| o.isa::<gpu::LaunchOp>(ctx))
        }
    }
}

/// Whether a memref is a constant global, of which each kernel has its own when it is
/// outlined.
fn is_constant(ctx: &Context, op: Op, v: Value) -> bool {
    let get = base(ctx, v)
        .def_op()
        .filter(|o| o.isa::<memref::GetGlobalOp>(ctx));
    let global = get.and_then(|g| symbols::lookup(ctx, op, g.attr(ctx, "name")?));
    global
        .and_then(|g| g.cast::<memref::GlobalOp>(ctx))
        .is_some_and(|g| g.is_constant(ctx))
}
