//! Ops that look at the same memory in another way.

use super::lower::{Lower, Res, unsupported};
use super::value::{Idx, MemRef, MemRefTy, Val};
use crate::ptx::{Cmp, Space, Sym, Ty};
use std::rc::Rc;
use terrace_dialects::{gpu, memref};
use terrace_ir::affine::AffineExpr;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Op, OpKind, Value};

impl Lower<'_> {
    pub fn view_op(&mut self, op: Op, name: &str) -> Res<()> {
        let ctx = self.ctx;
        if name == "distinct_objects" {
            let vals: Res<Vec<Val>> = op.operands(ctx).into_iter().map(|v| self.val(v)).collect();
            return self.define_all(op, vals?);
        }
        let known = matches!(
            name,
            "cast"
                | "assume_alignment"
                | "memory_space_cast"
                | "dim"
                | "rank"
                | "subview"
                | "reinterpret_cast"
                | "transpose"
                | "collapse_shape"
                | "expand_shape"
                | "view"
                | "extract_strided_metadata"
                | "extract_aligned_pointer_as_index"
        );
        if !known {
            return Err(format!(
                "{}; of memref: load, store, copy, prefetch, atomic_rmw, generic_atomic_rmw, alloca, get_global, dim, rank and the views",
                unsupported()
            ));
        }
        if op.num_operands(ctx) == 0 {
            return Err("has no operand".to_string());
        }
        let m = self.memref_val(op.operand(ctx, 0))?;
        match name {
            "dim" => self.dim(op, &m),
            "rank" => {
                let r = self.const64(m.sizes.len() as i64);
                self.define_reg(op, r)
            }
            "extract_aligned_pointer_as_index" => {
                let r = self.base_in(&m, Space::Generic)?;
                self.define_reg(op, r)
            }
            "extract_strided_metadata" => self.metadata(op, &m),
            "memory_space_cast" => self.space_cast(op, &m),
            "view" => self.byte_view(op, &m),
            _ => {
                let new = match name {
                    "subview" => self.subview(op, &m)?,
                    "reinterpret_cast" => self.reinterpret(op, &m)?,
                    "transpose" => self.transpose(op, &m)?,
                    "collapse_shape" => self.collapse(op, &m)?,
                    "expand_shape" => self.expand(op, &m)?,
                    "assume_alignment" => self.assume_alignment(op, &m),
                    _ => (*m).clone(),
                };
                self.define_view(op, &new)
            }
        }
    }

    fn define_view(&mut self, op: Op, m: &MemRef) -> Res<()> {
        let v = self.retyped(m, op.result(self.ctx, 0).ty(self.ctx))?;
        self.define(op, v)
    }

    fn dim(&mut self, op: Op, m: &MemRef) -> Res<()> {
        match self.idx(op.operand(self.ctx, 1))? {
            Idx::Const(i) => {
                let size = usize::try_from(i)
                    .ok()
                    .and_then(|i| m.sizes.get(i).copied());
                let Some(size) = size else {
                    return Err(format!("asks for dimension {i} of {}", m.sizes.len()));
                };
                let r = self.in_register(size);
                self.define_reg(op, r)
            }
            Idx::Reg(i) => {
                // Out of bounds is undefined, so the last one may stand for it.
                let sizes = m.sizes.clone();
                let Some((last, rest)) = sizes.split_last() else {
                    return Err("asks for a dimension of a memref without any".to_string());
                };
                let mut found = self.in_register(*last);
                for (at, size) in rest.iter().enumerate().rev() {
                    let here = self.b.setp(Cmp::Eq, Ty::S64, i, at as i64);
                    found = self.b.selp(Ty::S64, size.operand(), found, here);
                }
                self.define_reg(op, found)
            }
        }
    }

    fn metadata(&mut self, op: Op, m: &MemRef) -> Res<()> {
        let base = MemRef {
            offset: Idx::Const(0),
            sizes: Vec::new(),
            strides: Vec::new(),
            align: self.buffer_align(m),
            ..m.clone()
        };
        let mut vals = vec![Val::MemRef(Rc::new(base))];
        let numbers: Vec<Idx> = m.numbers().collect();
        for n in numbers {
            vals.push(Val::Scalar(self.in_register(n)));
        }
        self.define_all(op, vals)
    }

    /// `gpu.rows_aligned`: of what the rows begin at multiples of.
    pub fn rows_aligned(&mut self, op: Op) -> Res<()> {
        let bytes = gpu::RowsAlignedOp::wrap(op).bytes(self.ctx);
        let m = self.memref_val(op.operand(self.ctx, 0))?;
        let size = i64::from(m.elem.bytes()) * m.lanes as i64;
        let mut known = 0;
        let mut all = self.base_in(&m, Space::Generic)?;
        let (_, rows) = m.strides.split_last().unwrap_or((&Idx::Const(1), &[]));
        for n in rows.iter().chain([&m.offset]) {
            match n {
                Idx::Const(n) => known |= n.wrapping_mul(size),
                Idx::Reg(r) => {
                    let moved = self.b.mul(Ty::U64, *r, size);
                    all = self.b.or(Ty::B64, all, moved);
                }
            }
        }
        if known & (bytes - 1) != 0 {
            let no = self.b.mov(Ty::Pred, 0);
            return self.define_reg(op, no);
        }
        let odd = self.b.and(Ty::B64, all, bytes - 1);
        let yes = self.b.setp(Cmp::Eq, Ty::U64, odd, 0);
        self.define_reg(op, yes)
    }

    fn space_cast(&mut self, op: Op, m: &MemRef) -> Res<()> {
        let ty = op.result(self.ctx, 0).ty(self.ctx);
        let mut new = m.clone();
        // To the default space nothing need be converted: the address stays
        // where it is known to be.
        if let Some(space) = MemRefTy::of(self.ctx, ty)?.space {
            new.base = self.base_in(m, space)?;
            new.space = space;
        }
        self.define_view(op, &new)
    }

    /// Entries of a list that is partly constants, partly operands.
    fn mixed(&mut self, op: Op, statics: &str, dynamics: &str) -> Res<Vec<Idx>> {
        let constants = op
            .attr(self.ctx, statics)
            .and_then(|a| a.as_i64_array(self.ctx));
        let mut values = op.operand_group(self.ctx, dynamics).into_iter();
        let mut all = Vec::new();
        for c in constants.unwrap_or_default() {
            if c != DYNAMIC {
                all.push(Idx::Const(c));
                continue;
            }
            let v = values
                .next()
                .ok_or_else(|| format!("has fewer {dynamics} than dynamic entries"))?;
            all.push(self.idx(v)?);
        }
        Ok(all)
    }

    fn subview(&mut self, op: Op, m: &MemRef) -> Res<MemRef> {
        let offsets = self.mixed(op, "static_offsets", "offsets")?;
        let sizes = self.mixed(op, "static_sizes", "sizes")?;
        let steps = self.mixed(op, "static_strides", "strides")?;
        let rank = m.strides.len();
        if [&offsets, &sizes, &steps].iter().any(|l| l.len() != rank) {
            return Err(format!(
                "has lists of the wrong length, expected {rank} entries"
            ));
        }
        let mut offset = m.offset;
        for (o, s) in offsets.iter().zip(&m.strides) {
            let moved = self.mul_idx(*o, *s);
            offset = self.add_idx(offset, moved);
        }
        let strides: Vec<Idx> = m
            .strides
            .iter()
            .zip(&steps)
            .map(|(s, k)| self.mul_idx(*s, *k))
            .collect();
        let dropped = op
            .cast::<memref::SubViewOp>(self.ctx)
            .and_then(|s| s.dropped_dims(self.ctx));
        let keep = |list: Vec<Idx>| match &dropped {
            Some(d) => list
                .into_iter()
                .zip(d)
                .filter(|(_, gone)| !**gone)
                .map(|p| p.0)
                .collect(),
            None => list,
        };
        Ok(MemRef {
            offset,
            sizes: keep(sizes),
            strides: keep(strides),
            align: self.alignment(m, &offsets),
            ..m.clone()
        })
    }

    fn reinterpret(&mut self, op: Op, m: &MemRef) -> Res<MemRef> {
        let offset = self.mixed(op, "static_offsets", "offsets")?;
        let [offset] = offset[..] else {
            return Err("has not exactly one offset".to_string());
        };
        let bytes = self.divisor(offset) * m.elem_bytes() as u64;
        let align = self.buffer_align(m).min(1 << bytes.trailing_zeros());
        Ok(MemRef {
            offset,
            sizes: self.mixed(op, "static_sizes", "sizes")?,
            strides: self.mixed(op, "static_strides", "strides")?,
            align: align.max(m.natural()),
            ..m.clone()
        })
    }

    fn transpose(&mut self, op: Op, m: &MemRef) -> Res<MemRef> {
        let map = op
            .attr(self.ctx, "permutation")
            .and_then(|a| a.as_map(self.ctx));
        let results = map.map(|m| m.results()).unwrap_or(&[]);
        let mut new = MemRef {
            sizes: Vec::new(),
            strides: Vec::new(),
            ..m.clone()
        };
        for e in results {
            let AffineExpr::Dim(d) = e else {
                return Err("has a map that is not a permutation".to_string());
            };
            let d = *d as usize;
            match (m.sizes.get(d), m.strides.get(d)) {
                (Some(n), Some(s)) => {
                    new.sizes.push(*n);
                    new.strides.push(*s);
                }
                _ => return Err("has a map that is not a permutation".to_string()),
            }
        }
        Ok(new)
    }

    fn groups(&self, op: Op) -> Vec<Vec<usize>> {
        let list = op
            .attr(self.ctx, "reassociation")
            .and_then(|a| a.as_array(self.ctx))
            .unwrap_or(&[]);
        list.iter()
            .map(|g| {
                g.as_i64_array(self.ctx)
                    .unwrap_or_default()
                    .iter()
                    .map(|d| *d as usize)
                    .collect()
            })
            .collect()
    }

    fn collapse(&mut self, op: Op, m: &MemRef) -> Res<MemRef> {
        let mut new = MemRef {
            sizes: Vec::new(),
            strides: Vec::new(),
            ..m.clone()
        };
        for group in self.groups(op) {
            let mut size = Idx::Const(1);
            for d in &group {
                let Some(n) = m.sizes.get(*d) else {
                    return Err("names dimensions that the source lacks".to_string());
                };
                size = self.mul_idx(size, *n);
            }
            // The stride of the innermost dimension that has more than one
            // element; those of size 1 may have any.
            let significant = group
                .iter()
                .rev()
                .find(|d| m.sizes[**d] != Idx::Const(1))
                .or(group.last());
            new.sizes.push(size);
            new.strides
                .push(significant.map_or(Idx::Const(1), |d| m.strides[*d]));
        }
        Ok(new)
    }

    fn expand(&mut self, op: Op, m: &MemRef) -> Res<MemRef> {
        let sizes = self.mixed(op, "static_output_shape", "output_shape")?;
        let mut strides = vec![Idx::Const(1); sizes.len()];
        for (from, group) in self.groups(op).iter().enumerate() {
            let Some(mut running) = m.strides.get(from).copied() else {
                return Err("has more groups than the source has dimensions".to_string());
            };
            for d in group.iter().rev() {
                let (Some(to), Some(n)) = (strides.get_mut(*d), sizes.get(*d)) else {
                    return Err("names dimensions that the result lacks".to_string());
                };
                *to = running;
                running = self.mul_idx(running, *n);
            }
        }
        Ok(MemRef {
            sizes,
            strides,
            ..m.clone()
        })
    }

    /// `memref.view`: bytes as a row-major memref of another type.
    fn byte_view(&mut self, op: Op, m: &MemRef) -> Res<()> {
        let t = MemRefTy::of(self.ctx, op.result(self.ctx, 0).ty(self.ctx))?;
        let shift = self.idx(op.operand(self.ctx, 1))?;
        let start = self.add_idx(m.offset, shift);
        let base = match start {
            Idx::Const(0) => m.base,
            start => self.b.add(Ty::S64, m.base, start.operand()),
        };
        let given: Vec<Value> = op.operands(self.ctx).split_off(2);
        let given = self.idxs(&given)?;
        let mut given = given.into_iter();
        let sizes: Vec<Idx> = t
            .sizes
            .iter()
            .map(|n| {
                if *n == DYNAMIC {
                    given.next().unwrap_or(Idx::Const(0))
                } else {
                    Idx::Const(*n)
                }
            })
            .collect();
        let mut strides = vec![Idx::Const(1); sizes.len()];
        let mut running = Idx::Const(1);
        for (s, n) in strides.iter_mut().zip(&sizes).rev() {
            *s = running;
            running = self.mul_idx(running, *n);
        }
        let new = MemRef {
            base,
            space: m.space,
            elem: t.elem,
            lanes: t.lanes,
            offset: Idx::Const(0),
            sizes,
            strides,
            align: m.align.min(self.divisor(shift)),
            constant: m.constant,
        };
        self.define_view(op, &new)
    }

    /// The memref, which is promised to begin at a multiple of some bytes. Where
    /// every thread comes by, a parameter of the kernel points there, too.
    fn assume_alignment(&mut self, op: Op, m: &MemRef) -> MemRef {
        let align = self.promised(op);
        let block = op.block(self.ctx);
        let always = block.is_some_and(|b| {
            let func = b.parent_op(self.ctx);
            b.is_entry(self.ctx) && func.is_some_and(|f| f.isa::<gpu::FuncOp>(self.ctx))
        });
        if always
            && m.offset == Idx::Const(0)
            && let Some(Sym::Param(i)) = self.pointers.get(&m.base).copied()
            && let Some(p) = self.b.func().params.get_mut(i as usize)
            && let Some((_, known)) = &mut p.pointee
        {
            *known = (*known).max(align as u32);
        }
        MemRef {
            align: m.align.max(align),
            ..m.clone()
        }
    }

    /// What divides the address at which the buffer of a memref begins.
    fn buffer_align(&self, m: &MemRef) -> u64 {
        let bytes = self.divisor(m.offset) * m.elem_bytes() as u64;
        m.align.min(1 << bytes.trailing_zeros()).max(m.natural())
    }

    pub fn add_idx(&mut self, a: Idx, b: Idx) -> Idx {
        match (a, b) {
            (Idx::Const(a), Idx::Const(b)) => Idx::Const(a.wrapping_add(b)),
            (Idx::Const(0), x) | (x, Idx::Const(0)) => x,
            (a, b) => {
                let divisor = self.divisor(a).min(self.divisor(b));
                let (a, b) = if a.known().is_some() { (b, a) } else { (a, b) };
                let sum = self.b.add(Ty::S64, a.operand(), b.operand());
                self.promise(sum);
                let sum = Idx::Reg(sum);
                self.note_divisor(sum, divisor);
                sum
            }
        }
    }

    pub fn mul_idx(&mut self, a: Idx, b: Idx) -> Idx {
        match (a, b) {
            (Idx::Const(a), Idx::Const(b)) => Idx::Const(a.wrapping_mul(b)),
            (Idx::Const(0), _) | (_, Idx::Const(0)) => Idx::Const(0),
            (Idx::Const(1), x) | (x, Idx::Const(1)) => x,
            (a, b) => {
                let divisor = self.divisor(a).saturating_mul(self.divisor(b));
                let (a, b) = if a.known().is_some() { (b, a) } else { (a, b) };
                let product = self.b.mul(Ty::S64, a.operand(), b.operand());
                self.promise(product);
                let product = Idx::Reg(product);
                self.note_divisor(product, divisor.min(1 << 12));
                product
            }
        }
    }
}
