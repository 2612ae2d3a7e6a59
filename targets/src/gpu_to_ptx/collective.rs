//! What the threads of a warp or block compute together: shuffles and
//! reductions. All threads of the warp (of the block, for `all_reduce`) must
//! get there.

use super::kinds::Kind;
use super::lower::{Lower, Res};
use super::threads::WARP;
use super::value::Val;
use crate::ptx::modifiers::{AtomOp, ShflMode};
use crate::ptx::{Cmp, Mods, Op as Opcode, Operand, Reg, RegTy, Space, Special, Ty, Var};
use terrace_dialects::arith;
use terrace_dialects::gpu::{ALL_REDUCE, SHUFFLE_MODE};
use terrace_ir::{Block, Op};

/// How to combine two values.
enum Combine {
    Named(&'static str),
    Region(Block),
}

fn arith_of(reduction: &str) -> Option<&'static [&'static str]> {
    Some(match reduction {
        "add" => &[arith::AddIOp::NAME, arith::AddFOp::NAME],
        "mul" => &[arith::MulIOp::NAME, arith::MulFOp::NAME],
        "minui" => &[arith::MinUIOp::NAME],
        "minsi" => &[arith::MinSIOp::NAME],
        "maxui" => &[arith::MaxUIOp::NAME],
        "maxsi" => &[arith::MaxSIOp::NAME],
        "minnumf" => &[arith::MinNumFOp::NAME],
        "maxnumf" => &[arith::MaxNumFOp::NAME],
        "minimumf" => &[arith::MinimumFOp::NAME],
        "maximumf" => &[arith::MaximumFOp::NAME],
        "and" => &[arith::AndIOp::NAME],
        "or" => &[arith::OrIOp::NAME],
        "xor" => &[arith::XOrIOp::NAME],
        _ => return None,
    })
}

impl Lower<'_> {
    /// A register from another lane, 32 bits at a time; and whether the other
    /// lane was in range.
    fn shuffled(&mut self, mode: ShflMode, r: Reg, by: Operand, clamp: Operand) -> (Reg, Reg) {
        let ty = self.b.func().reg_ty(r).unwrap_or(RegTy::B32);
        match ty {
            RegTy::B64 | RegTy::F64 => {
                let parts = self.b.unpack(Ty::B64, r, 2);
                let mut moved = Vec::with_capacity(2);
                let mut valid = r;
                for p in parts {
                    let (m, v) = self.shuffled(mode, p, by.clone(), clamp.clone());
                    moved.push(m);
                    valid = v;
                }
                let whole = self.b.pack(Ty::B64, &moved);
                if ty == RegTy::B64 {
                    return (whole, valid);
                }
                let f = self.b.reg(RegTy::F64);
                self.b.mov_to(f, Ty::B64, whole);
                (f, valid)
            }
            RegTy::B16 => {
                let wide = self.b.cvt(Ty::U32, Ty::U16, r);
                let (m, v) = self.shuffled(mode, wide, by, clamp);
                (self.b.cvt(Ty::U16, Ty::U32, m), v)
            }
            RegTy::Pred => {
                let wide = self.b.selp(Ty::U32, 1, 0, r);
                let (m, v) = self.shuffled(mode, wide, by, clamp);
                (self.b.setp(Cmp::Ne, Ty::U32, m, 0), v)
            }
            RegTy::B32 | RegTy::F32 => {
                let (dest, valid) = (self.b.reg(ty), self.b.reg(RegTy::Pred));
                let mods = Mods {
                    shfl: mode,
                    ..Mods::default()
                };
                let full_warp = Operand::Imm(0xffff_ffff);
                let operands = [
                    Operand::Pair(dest, valid),
                    Operand::Reg(r),
                    by,
                    clamp,
                    full_warp,
                ];
                self.b.effect(Opcode::Shfl, mods, &[], operands);
                (dest, valid)
            }
        }
    }

    /// `gpu.shuffle`: the first `width` lanes take part.
    pub fn shuffle(&mut self, op: Op) -> Res<()> {
        let v = op.operands(self.ctx);
        let [value, by, width] = v[..] else {
            return Err("has not three operands".to_string());
        };
        let mode = op
            .attr(self.ctx, "mode")
            .and_then(|a| SHUFFLE_MODE.value(self.ctx, a));
        let mode = match mode.and_then(|m| SHUFFLE_MODE.keyword(m)).as_deref() {
            Some("xor") => ShflMode::Bfly,
            Some("up") => ShflMode::Up,
            Some("down") => ShflMode::Down,
            Some("idx") => ShflMode::Idx,
            _ => return Err("has no mode; xor, up, down, idx are supported".to_string()),
        };
        let (by, width) = (self.scalar(by)?, self.scalar(width)?);
        // The clamp is the last lane that may be read, for `up` the first.
        let clamp = match mode {
            ShflMode::Up => Operand::Imm(0),
            _ => Operand::Reg(self.b.sub(Ty::U32, width, 1)),
        };
        let lanes = self.lanes(value)?;
        let mut moved = Vec::with_capacity(lanes.len());
        let mut valid = None;
        for r in lanes.iter() {
            let (m, v) = self.shuffled(mode, *r, Operand::Reg(by), clamp.clone());
            moved.push(m);
            valid = Some(v);
        }
        let valid = valid.ok_or("shuffles nothing")?;
        self.define_lanes(op, 0, moved);
        self.values
            .insert(op.result(self.ctx, 1), Val::Scalar(valid));
        Ok(())
    }

    /// Two values combined as a reduction of this name does.
    pub fn combined(&mut self, reduction: &str, kind: Kind, a: Reg, b: Reg) -> Res<Reg> {
        for name in arith_of(reduction).unwrap_or(&[]) {
            if let Some(r) = self
                .int_op(name, kind, &[a, b])
                .and_then(|r| r.first().copied())
            {
                return Ok(r);
            }
            if let Some(r) = self.float_op(name, kind, &[a, b]) {
                return Ok(r);
            }
        }
        Err(format!(
            "cannot reduce values of this type by '{reduction}'"
        ))
    }

    fn combine(&mut self, how: &Combine, kind: Kind, a: Reg, b: Reg) -> Res<Reg> {
        match how {
            Combine::Named(reduction) => self.combined(reduction, kind, a, b),
            Combine::Region(body) => {
                if body.num_args(self.ctx) != 2 {
                    return Err("has a region without two arguments".to_string());
                }
                self.values.insert(body.arg(self.ctx, 0), Val::Scalar(a));
                self.values.insert(body.arg(self.ctx, 1), Val::Scalar(b));
                match self.block_body(*body) {
                    Some(end) if end.num_operands(self.ctx) == 1 => {
                        self.scalar(end.operand(self.ctx, 0))
                    }
                    _ => Err("has a region that does not yield one value".to_string()),
                }
            }
        }
    }

    fn reduction(&self, op: Op) -> Res<Combine> {
        if let Some(a) = op.attr(self.ctx, "op") {
            let name = ALL_REDUCE
                .value(self.ctx, a)
                .and_then(|v| ALL_REDUCE.keyword(v));
            let known = ALL_REDUCE
                .cases
                .iter()
                .map(|c| c.0)
                .find(|c| Some(*c) == name.as_deref());
            return known
                .map(Combine::Named)
                .ok_or_else(|| "has an unknown operation".to_string());
        }
        let body = op.regions(self.ctx).first().and_then(|r| r.entry(self.ctx));
        match op.regions(self.ctx).first() {
            Some(r) if r.has_one_block(self.ctx) => {}
            _ => return Err("has neither an operation nor a region of one block".to_string()),
        }
        body.map(Combine::Region)
            .ok_or_else(|| "has neither an operation nor a region".to_string())
    }

    /// Reduces over `size` lanes (a power of two) that are `stride` apart.
    fn warp_reduce(
        &mut self,
        how: &Combine,
        kind: Kind,
        value: Reg,
        size: u32,
        stride: u32,
    ) -> Res<Reg> {
        let last = Operand::from(WARP - 1);
        if self.full_warps()
            && size == WARP
            && let Some((atom, ty)) = self.in_one_step(how, kind)
        {
            return Ok(self.b.redux(atom, ty, value));
        }
        if self.full_warps() {
            let mut r = value;
            let mut step = 1;
            while step < size {
                let by = Operand::from(step * stride);
                let (other, _) = self.shuffled(ShflMode::Bfly, r, by, last.clone());
                r = self.combine(how, kind, r, other)?;
                step *= 2;
            }
            return Ok(r);
        }
        // The last warp may lack lanes: sum towards the first lane, from lanes
        // that exist, and hand the sum to the others.
        let lane = self.b.special(Special::LaneId);
        let place = self.b.shr(Ty::U32, lane, stride.trailing_zeros());
        let place = self.b.and(Ty::B32, place, size - 1);
        let (thread, threads) = (self.linear_thread(), self.block_threads());
        let acc = self.b.reg(kind.reg());
        self.copy_all(&[(acc, value)]);
        let mut step = size / 2;
        while step > 0 {
            let (other, _) = self.shuffled(
                ShflMode::Down,
                acc,
                Operand::from(step * stride),
                last.clone(),
            );
            let from = self.b.add(Ty::U32, thread, step * stride);
            let exists = self.b.setp(Cmp::Lt, Ty::U32, from, threads);
            let there = self.b.add(Ty::U32, place, step);
            let inside = self.b.setp(Cmp::Lt, Ty::U32, there, size);
            let take = self.b.and(Ty::Pred, exists, inside);
            let both = self.combine(how, kind, acc, other)?;
            let next = self.select(take, both, acc);
            self.copy_all(&[(acc, next)]);
            step /= 2;
        }
        let back = self.b.mul(Ty::U32, place, stride);
        let first = self.b.sub(Ty::U32, lane, back);
        let (r, _) = self.shuffled(ShflMode::Idx, acc, Operand::Reg(first), last);
        Ok(r)
    }

    /// The instruction that reduces over a full warp, where there is one.
    fn in_one_step(&self, how: &Combine, kind: Kind) -> Option<(AtomOp, Ty)> {
        let (Combine::Named(name), Kind::Int(t)) = (how, kind) else {
            return None;
        };
        if t.w != 32 || self.needs(80).is_err() {
            return None;
        }
        Some(match *name {
            "add" => (AtomOp::Add, Ty::U32),
            "minui" => (AtomOp::Min, Ty::U32),
            "minsi" => (AtomOp::Min, Ty::S32),
            "maxui" => (AtomOp::Max, Ty::U32),
            "maxsi" => (AtomOp::Max, Ty::S32),
            "and" => (AtomOp::And, Ty::B32),
            "or" => (AtomOp::Or, Ty::B32),
            "xor" => (AtomOp::Xor, Ty::B32),
            _ => return None,
        })
    }

    pub fn subgroup_reduce(&mut self, op: Op) -> Res<()> {
        let how = self.reduction(op)?;
        let attr = |name: &str, default: u32| match op.int_attr(self.ctx, name) {
            None => Ok(default),
            Some(n) => u32::try_from(n)
                .ok()
                .filter(|n| n.is_power_of_two() && *n <= WARP)
                .ok_or_else(|| {
                    format!("has a {name} of {n}; powers of two up to {WARP} are supported")
                }),
        };
        let stride = attr("cluster_stride", 1)?;
        let size = attr("cluster_size", WARP)?;
        if size * stride > WARP {
            return Err(format!(
                "reduces over {size} lanes {stride} apart; a warp has {WARP}"
            ));
        }
        let value = op.operand(self.ctx, 0);
        let kind = self.kind(value)?;
        let mut results = Vec::new();
        for r in self.lanes(value)?.iter() {
            results.push(self.warp_reduce(&how, kind, *r, size, stride)?);
        }
        self.define_lanes(op, 0, results);
        Ok(())
    }

    /// Each warp reduces and leaves its result in shared memory; then every
    /// thread combines those of all warps in the same order.
    pub fn all_reduce(&mut self, op: Op) -> Res<()> {
        let how = self.reduction(op)?;
        let value = op.operand(self.ctx, 0);
        let kind = self.kind(value)?;
        let value = self.scalar(value)?;
        let memory = kind.memory();
        let warp_value = self.warp_reduce(&how, kind, value, WARP, 1)?;
        let slots = self.add_var(
            "reduced",
            Var::array("", Space::Shared, memory, u64::from(WARP)),
        );
        let thread = self.linear_thread();
        let warp = self.b.shr(Ty::U32, thread, WARP.trailing_zeros());
        let lane = self.b.and(Ty::B32, thread, WARP - 1);
        let first = self.b.setp(Cmp::Eq, Ty::U32, lane, 0);
        let mine = self.b.mul_wide(Ty::U32, warp, memory.bytes());
        let mine = self.b.add(Ty::S64, slots, mine);
        let raw = self.storable(kind, warp_value);
        self.b
            .guarded(first, false, |b| b.st_shared(memory, mine, raw));
        self.b.bar_sync(0);

        let raw = self.b.ld_shared(memory, slots);
        let start = self.loaded(kind, raw);
        let acc = self.b.reg(kind.reg());
        self.copy_all(&[(acc, start)]);
        let warps = self.warps();
        let (i, at) = (self.b.reg(RegTy::B32), self.b.reg(RegTy::B64));
        self.b.mov_to(i, Ty::U32, 1);
        self.b.mov_to(at, Ty::U64, slots);
        let [head, inside, end] = ["warps", "warps_body", "warps_end"].map(|n| self.new_block(n));
        self.b.bra(head);
        self.enter(head);
        let more = self.b.setp(Cmp::Lt, Ty::U32, i, warps);
        self.b.cond_bra(more, inside, end);
        self.enter(inside);
        self.b.add_to(at, Ty::S64, at, memory.bytes());
        let raw = self.b.ld_shared(memory, at);
        let next = self.loaded(kind, raw);
        let both = self.combine(&how, kind, acc, next)?;
        self.copy_all(&[(acc, both)]);
        self.b.add_to(i, Ty::U32, i, 1);
        self.b.bra(head);
        self.enter(end);
        // The next reduction writes the same memory.
        self.b.bar_sync(0);
        self.define_reg(op, acc)
    }
}
