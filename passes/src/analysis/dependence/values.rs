//! Index values as polynomials in loop variables and parameters.

use terrace_dialects::affine;
use terrace_dialects::affine::ApplyOp;
use terrace_dialects::memref::{AllocaScopeOp, DimOp};
use terrace_dialects::{arith, builtin, scf};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp};
use terrace_ir::opdef::traits;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Loc, Op, Value};

use super::linear::{Linear, System, Var};
use super::params::{Param, Params};
use super::poly::Poly;

/// Why something is not known: a place and a clause about it, in the words of the
/// program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub(crate) loc: Loc,
    pub(crate) message: String,
}

impl Reason {
    pub(crate) fn new(loc: Loc, message: impl Into<String>) -> Reason {
        Reason {
            loc,
            message: message.into(),
        }
    }
}

/// How deep values are followed to what computes them.
const MAX_DEPTH: u32 = 64;

/// What values are seen from: the op analysed and the loops in it around a place.
#[derive(Clone, Copy)]
pub(crate) struct View<'v> {
    pub ctx: &'v Context,
    pub root: Op,
    /// The variables of the loops around, the outermost first.
    pub ivs: &'v [Value],
}

impl View<'_> {
    /// The result of a map, one polynomial each, or why one is none. Divisions are
    /// locals of `system`.
    pub(crate) fn results(
        self,
        params: &mut Params,
        system: &mut System,
        map: &AffineMap,
        operands: &[Value],
        at: Op,
    ) -> Result<Vec<Poly>, Reason> {
        let mut inputs = Vec::with_capacity(operands.len());
        for v in operands {
            inputs.push(self.value(params, system, *v, at, MAX_DEPTH));
        }
        let (dims, symbols) = inputs.split_at((map.num_dims() as usize).min(inputs.len()));
        map.results()
            .iter()
            .map(|e| self.expr(params, system, e, dims, symbols, at))
            .collect()
    }

    /// An index value used by `at`.
    pub(crate) fn index(
        self,
        params: &mut Params,
        system: &mut System,
        v: Value,
        at: Op,
    ) -> Result<Poly, Reason> {
        self.value(params, system, v, at, MAX_DEPTH)
    }

    fn value(
        self,
        params: &mut Params,
        system: &mut System,
        v: Value,
        at: Op,
        depth: u32,
    ) -> Result<Poly, Reason> {
        let ctx = self.ctx;
        if let Some(c) = ctx.constant_int(v) {
            return Ok(Poly::constant(c));
        }
        if let Some(i) = self.ivs.iter().position(|iv| *iv == v) {
            return Ok(Poly::var(Var::Dim(i as u32)));
        }
        let Some(op) = v.def_op() else {
            return self.argument(params, v, at);
        };
        if depth > 0
            && let Some(p) = self.computed(params, system, op, at, depth - 1)?
        {
            return Ok(p);
        }
        if self.is_fixed(v) {
            return Ok(Poly::var(params.add(Param::Value(v))));
        }
        Err(Reason::new(
            at.loc(ctx),
            format!(
                "the index is computed by '{}', which is not affine in the loop variables",
                op.name(ctx)
            ),
        ))
    }

    fn argument(self, params: &mut Params, v: Value, at: Op) -> Result<Poly, Reason> {
        if self.is_fixed(v) {
            return Ok(Poly::var(params.add(Param::Value(v))));
        }
        let owner = v.arg_block().and_then(|b| b.parent_op(self.ctx));
        let what = match owner {
            Some(l) => format!(
                "the index is a value that '{}' carries from iteration to iteration",
                l.name(self.ctx)
            ),
            None => "the index is the argument of a block".to_string(),
        };
        Err(Reason::new(at.loc(self.ctx), what))
    }

    /// The value of an op that this understands; `None` for others.
    fn computed(
        self,
        params: &mut Params,
        system: &mut System,
        op: Op,
        at: Op,
        depth: u32,
    ) -> Result<Option<Poly>, Reason> {
        let ctx = self.ctx;
        if let Some(apply) = op.cast::<ApplyOp>(ctx) {
            let mut inputs = Vec::new();
            for v in op.operands(ctx) {
                inputs.push(self.value(params, system, v, at, depth));
            }
            let map = apply.map(ctx);
            let (dims, symbols) = inputs.split_at((map.num_dims() as usize).min(inputs.len()));
            let Some(e) = map.result(0) else {
                return Ok(None);
            };
            return self.expr(params, system, e, dims, symbols, at).map(Some);
        }
        let kind = match op.name(ctx) {
            DimOp::NAME => return Ok(self.size(params, op)),
            arith::IndexCastOp::NAME if is_wide(ctx, op) => {
                return self
                    .value(params, system, op.operand(ctx, 0), at, depth)
                    .map(Some);
            }
            arith::AddIOp::NAME => AffineOp::Add,
            arith::SubIOp::NAME => {
                let (a, b) = self.pair(params, system, op, at, depth)?;
                return Ok(Some(a.plus(-1, &b)));
            }
            arith::MulIOp::NAME => AffineOp::Mul,
            arith::FloorDivSIOp::NAME => AffineOp::FloorDiv,
            arith::CeilDivSIOp::NAME => AffineOp::CeilDiv,
            _ => return Ok(None),
        };
        if !is_wide(ctx, op) {
            return Ok(None);
        }
        let (a, b) = self.pair(params, system, op, at, depth)?;
        self.binary(params, system, kind, &a, &b, at).map(Some)
    }

    fn pair(
        self,
        params: &mut Params,
        system: &mut System,
        op: Op,
        at: Op,
        depth: u32,
    ) -> Result<(Poly, Poly), Reason> {
        let a = self.value(params, system, op.operand(self.ctx, 0), at, depth)?;
        let b = self.value(params, system, op.operand(self.ctx, 1), at, depth)?;
        Ok((a, b))
    }

    /// `memref.dim`.
    fn size(self, params: &mut Params, op: Op) -> Option<Poly> {
        let memref = op.operand(self.ctx, 0);
        let i = usize::try_from(self.ctx.constant_int(op.operand(self.ctx, 1))?).ok()?;
        let fixed = self.is_fixed(memref);
        let is_static = memref
            .ty(self.ctx)
            .shape(self.ctx)
            .and_then(|s| s.get(i))
            .is_some_and(|s| *s != DYNAMIC);
        if !fixed && !is_static {
            return None;
        }
        params.sizes(self.ctx, memref)?.get(i).cloned()
    }

    fn expr(
        self,
        params: &mut Params,
        system: &mut System,
        e: &AffineExpr,
        dims: &[Result<Poly, Reason>],
        symbols: &[Result<Poly, Reason>],
        at: Op,
    ) -> Result<Poly, Reason> {
        let input = |list: &[Result<Poly, Reason>], i: u32| {
            list.get(i as usize).cloned().unwrap_or_else(|| {
                Err(Reason::new(
                    at.loc(self.ctx),
                    "the map has too few operands",
                ))
            })
        };
        match e {
            AffineExpr::Constant(c) => Ok(Poly::constant(*c)),
            AffineExpr::Dim(i) => input(dims, *i),
            AffineExpr::Symbol(i) => input(symbols, *i),
            AffineExpr::Binary(node) => {
                if !e.within_limits() {
                    return Err(Reason::new(
                        at.loc(self.ctx),
                        "the affine expression is too large",
                    ));
                }
                let a = self.expr(params, system, node.lhs(), dims, symbols, at)?;
                let b = self.expr(params, system, node.rhs(), dims, symbols, at)?;
                self.binary(params, system, node.op(), &a, &b, at)
            }
        }
    }

    fn binary(
        self,
        params: &mut Params,
        system: &mut System,
        op: AffineOp,
        a: &Poly,
        b: &Poly,
        at: Op,
    ) -> Result<Poly, Reason> {
        let reason = |what: &str| Err(Reason::new(at.loc(self.ctx), what));
        match op {
            AffineOp::Add => Ok(a.plus(1, b)),
            AffineOp::Mul => match a.times(b) {
                Some(p) => Ok(p),
                None => reason("the index is a product of loop variables"),
            },
            AffineOp::FloorDiv => self.floor(params, system, a, b, at),
            // ceil(a / b) = -floor(-a / b)
            AffineOp::CeilDiv => {
                let negative = Poly::default().plus(-1, a);
                let q = self.floor(params, system, &negative, b, at)?;
                Ok(Poly::default().plus(-1, &q))
            }
            AffineOp::Mod => {
                let q = self.floor(params, system, a, b, at)?;
                match q.times(b) {
                    Some(p) => Ok(a.plus(-1, &p)),
                    None => reason("the index is a remainder by a value that is not a constant"),
                }
            }
        }
    }

    /// The quotient rounded towards minus infinity.
    fn floor(
        self,
        params: &mut Params,
        system: &mut System,
        a: &Poly,
        b: &Poly,
        at: Op,
    ) -> Result<Poly, Reason> {
        let reason = |what: &str| Err(Reason::new(at.loc(self.ctx), what));
        let Some(divisor) = b.as_constant() else {
            if a.is_symbolic() && b.is_symbolic() {
                return Ok(Poly::var(params.add(Param::Quotient(a.clone(), b.clone()))));
            }
            return reason("the index is divided by a value that is not a constant");
        };
        if !divisor.is_positive() {
            return reason("the index is divided by a constant that is not positive");
        }
        if divisor.is_one() {
            return Ok(a.clone());
        }
        if let Some(c) = a.as_constant() {
            return Ok(Poly::constant(c.div_floor(&divisor)));
        }
        let Some(form) = a.linear(params) else {
            return reason("a product of a loop variable and a parameter is divided");
        };
        Ok(Poly::var(system.quotient(a.clone(), &form, &divisor)))
    }

    /// Whether `v` is the same in all iterations of all loops in the root.
    pub(crate) fn is_fixed(self, v: Value) -> bool {
        let ctx = self.ctx;
        let mut around = match v.def_op() {
            Some(op) => op.parent(ctx),
            None => v.arg_block().and_then(|b| b.parent_op(ctx)),
        };
        while let Some(op) = around {
            if !self.root.is_ancestor_of(ctx, op) {
                return true;
            }
            if !runs_regions_once(ctx, op) {
                return false;
            }
            if op == self.root {
                return true;
            }
            around = op.parent(ctx);
        }
        true
    }
}

/// Whether each run of `op` runs the ops in it at most once.
pub(crate) fn runs_regions_once(ctx: &Context, op: Op) -> bool {
    let blocks_once = || op.regions(ctx).iter().all(|r| r.blocks(ctx).len() <= 1);
    match op.name(ctx) {
        affine::IfOp::NAME | affine::ScopeOp::NAME | scf::IfOp::NAME | builtin::ModuleOp::NAME => {
            true
        }
        scf::ExecuteRegionOp::NAME | AllocaScopeOp::NAME | scf::IndexSwitchOp::NAME => {
            blocks_once()
        }
        _ => op.has_trait(ctx, traits::FUNCTION_LIKE) && blocks_once(),
    }
}

/// Whether integer arithmetic of `op` is on 64 bits, so that it does not wrap around
/// where an index does not.
fn is_wide(ctx: &Context, op: Op) -> bool {
    let wide = |v: Value| {
        let t = v.ty(ctx);
        t.is_index(ctx) || t.int_width(ctx).is_some_and(|w| w >= 64)
    };
    op.results(ctx)
        .into_iter()
        .chain(op.operands(ctx))
        .all(wide)
}

/// A polynomial as a linear form, or why it is none.
pub(crate) fn linear(
    ctx: &Context,
    params: &mut Params,
    p: &Poly,
    at: Op,
) -> Result<Linear, Reason> {
    p.linear(params).ok_or_else(|| {
        Reason::new(
            at.loc(ctx),
            "the index multiplies a loop variable by a parameter",
        )
    })
}
