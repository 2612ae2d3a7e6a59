//! Checks that accesses and views are within their arrays, where they are asked for.

use super::abi::{Desc, Part};
use super::lower::{Lower, R};
use super::trap::{self, Trap};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, types};
use std::rc::Rc;
use terrace_dialects::attributes::TERRACE_IN_BOUNDS;
use terrace_ir::{Op, Value};

/// No array has a dimension of so many elements.
const MAX: i64 = 1 << 48;

impl Lower<'_, '_> {
    /// With bounds checks on: fail at `op` where an index is not within its size.
    pub fn check_bounds(&mut self, op: Op, d: &Desc, indices: &[Value]) -> R {
        self.check_bounds_along(op, d, indices, 1)
    }

    /// The same of so many elements along the last dimension, from there on.
    pub fn check_bounds_along(&mut self, op: Op, d: &Desc, indices: &[Value], elements: i64) -> R {
        if !self.s.options.bounds_checks || op.attr(self.ctx, TERRACE_IN_BOUNDS).is_some() {
            return Ok(());
        }
        let last = indices.len().saturating_sub(1);
        for (k, (i, size)) in indices.iter().zip(&d.sizes).enumerate() {
            let i = self.index_part(*i)?;
            if k == last && elements > 1 {
                let (i, s) = (self.part(i), self.part(*size));
                self.check_one(op, k, i, s)?;
                let end = self.b.ins().iadd_imm_s(i, elements - 1);
                self.check_one(op, k, end, s)?;
                continue;
            }
            if let (Part::Const(i), Part::Const(s)) = (i, *size)
                && (0..s).contains(&i)
            {
                continue;
            }
            let (i, s) = (self.part(i), self.part(*size));
            self.check_one(op, k, i, s)?;
        }
        Ok(())
    }

    /// With bounds checks on: fail at `op` where `i` is not in `0..n`.
    pub fn check_index(&mut self, op: Op, i: ir::Value, n: i64) -> R {
        if !self.s.options.bounds_checks {
            return Ok(());
        }
        let n = self.i64(n);
        let out = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, i, n);
        self.trap_if(out, Trap::NoDimension, op)
    }

    /// Fail at `op` where the index of dimension `k` is not within its size, and note both
    /// for the message.
    fn check_one(&mut self, op: Op, k: usize, i: ir::Value, size: ir::Value) -> R {
        let out = self
            .b
            .ins()
            .icmp(IntCC::UnsignedGreaterThanOrEqual, i, size);
        let site = self.s.sites.id(self.ctx, op)?;
        let (cold, next) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(cold);
        self.b.ins().brif(out, cold, &[], next, &[]);
        self.b.switch_to_block(cold);
        let shared = self.shared();
        let id = self.iconst(types::I32, i64::from(site));
        let dimension = self.iconst(types::I32, k as i64);
        self.helper(
            "terrace_note_bounds",
            &[shared, id, dimension, i, size],
            None,
        )?;
        let status = self.iconst(types::I32, i64::from(trap::status(Trap::OutOfBounds, site)));
        self.leave(status);
        self.b.switch_to_block(next);
        Ok(())
    }

    /// With bounds checks on: fail at `op`, a subview with these offsets, sizes and steps,
    /// where it has elements that `d` has not.
    pub fn check_subview(&mut self, op: Op, d: &Desc, view: [&[Part]; 3]) -> R {
        if !self.s.options.bounds_checks {
            return Ok(());
        }
        let [offsets, sizes, steps] = view;
        let mut bad = None;
        for k in 0..d.rank() {
            let one = self.is_outside(offsets[k], sizes[k], steps[k], d.sizes[k]);
            bad = self.either(bad, one);
        }
        self.fail_unless_empty(op, sizes, bad)
    }

    /// Whether some of `offset + 0 * step, ..., offset + (size - 1) * step` is not in
    /// `0..of`; none where they surely are.
    fn is_outside(&mut self, offset: Part, size: Part, step: Part, of: Part) -> Option<ir::Value> {
        use Part::Const;
        if let (Const(o), Const(n), Const(s), Const(of)) = (offset, size, step, of) {
            let last = i128::from(o) + i128::from(s) * (i128::from(n) - 1);
            let range = 0..i128::from(of);
            if n == 0 || n > 0 && range.contains(&o.into()) && range.contains(&last) {
                return None;
            }
        }
        let (o, n, of) = (self.part(offset), self.part(size), self.part(of));
        if step == Const(1) {
            let before = self.b.ins().icmp(IntCC::UnsignedGreaterThan, o, of);
            let room = self.b.ins().isub(of, o);
            let more = self.b.ins().icmp(IntCC::UnsignedGreaterThan, n, room);
            return Some(self.b.ins().bor(before, more));
        }
        let step = self.part(step);
        let zero = self.i64(0);
        let (low, high) = self.hull_of(o, &[(n, step)]);
        let huge = self.is_huge(n);
        let least = self.b.ins().sextend(types::I128, zero);
        let end = self.b.ins().sextend(types::I128, of);
        let below = self.b.ins().icmp(IntCC::SignedLessThan, low, least);
        let above = self
            .b
            .ins()
            .icmp(IntCC::SignedGreaterThanOrEqual, high, end);
        let bad = self.b.ins().bor(below, above);
        Some(self.b.ins().bor(bad, huge))
    }

    /// With bounds checks on: fail at `op` where `view` has elements outside of the memory
    /// that `source` is a view of, as far as that can be followed.
    pub fn check_within(&mut self, op: Op, source: Value, view: &Desc) -> R {
        if !self.s.options.bounds_checks {
            return Ok(());
        }
        let all = self.memory_of(source)?;
        let (low, high) = self.hull(&all);
        let (first, last) = self.hull(view);
        let below = self.b.ins().icmp(IntCC::SignedLessThan, first, low);
        let above = self.b.ins().icmp(IntCC::SignedGreaterThan, last, high);
        let mut bad = Some(self.b.ins().bor(below, above));
        for n in &all.sizes {
            let (n, zero) = (self.part(*n), self.i64(0));
            let none = self.b.ins().icmp(IntCC::Equal, n, zero);
            bad = self.either(bad, Some(none));
        }
        for n in &view.sizes {
            if !matches!(n, Part::Const(0..MAX)) {
                let n = self.part(*n);
                let huge = self.is_huge(n);
                bad = self.either(bad, Some(huge));
            }
        }
        self.fail_unless_empty(op, &view.sizes, bad)
    }

    /// The descriptor of the memory that `v` is a view of, as far out as the text tells.
    fn memory_of(&self, mut v: Value) -> R<Rc<Desc>> {
        while let Some(op) = v.def_op() {
            let rest = op.name(self.ctx).strip_prefix("memref.").unwrap_or("");
            // `view` begins elsewhere.
            if !super::view::is_view(rest) || rest == "view" || rest == "distinct_objects" {
                break;
            }
            let source = op.operand(self.ctx, 0);
            if !self.is_bound(source) {
                break;
            }
            v = source;
        }
        self.mem(v)
    }

    /// The least and the greatest position of an element, of 128 bits.
    fn hull(&mut self, d: &Desc) -> (ir::Value, ir::Value) {
        let offset = self.part(d.offset);
        let mut dims = Vec::new();
        for (n, s) in d.sizes.iter().zip(&d.strides) {
            dims.push((self.part(*n), self.part(*s)));
        }
        self.hull_of(offset, &dims)
    }

    /// As [`Self::hull`], of an offset and pairs of sizes and strides. Right for sizes
    /// from 1 to [`MAX`].
    fn hull_of(
        &mut self,
        offset: ir::Value,
        dims: &[(ir::Value, ir::Value)],
    ) -> (ir::Value, ir::Value) {
        let wide = types::I128;
        let start = self.b.ins().sextend(wide, offset);
        let zero = self.iconst(wide, 0);
        let (mut low, mut high) = (start, start);
        for (n, stride) in dims {
            let one = self.i64(1);
            let last = self.b.ins().isub(*n, one);
            let last = self.b.ins().sextend(wide, last);
            let stride = self.b.ins().sextend(wide, *stride);
            let far = self.b.ins().imul(last, stride);
            let back = self.b.ins().icmp(IntCC::SignedLessThan, far, zero);
            let down = super::compare::choose(self, back, far, zero);
            let up = super::compare::choose(self, back, zero, far);
            low = self.b.ins().iadd(low, down);
            high = self.b.ins().iadd(high, up);
        }
        (low, high)
    }

    /// Whether a size is negative or larger than that of any array.
    fn is_huge(&mut self, n: ir::Value) -> ir::Value {
        let most = self.i64(MAX);
        self.b.ins().icmp(IntCC::UnsignedGreaterThan, n, most)
    }

    fn either(&mut self, a: Option<ir::Value>, b: Option<ir::Value>) -> Option<ir::Value> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.b.ins().bor(a, b)),
            (a, b) => a.or(b),
        }
    }

    /// Fail at `op` where `bad` holds and no size is 0: what has no elements lies nowhere.
    fn fail_unless_empty(&mut self, op: Op, sizes: &[Part], bad: Option<ir::Value>) -> R {
        let Some(mut bad) = bad else { return Ok(()) };
        for n in sizes {
            if let Part::Const(1..) = n {
                continue;
            }
            let (n, zero) = (self.part(*n), self.i64(0));
            let some = self.b.ins().icmp(IntCC::NotEqual, n, zero);
            bad = self.b.ins().band(bad, some);
        }
        self.trap_if(bad, Trap::View, op)
    }
}
