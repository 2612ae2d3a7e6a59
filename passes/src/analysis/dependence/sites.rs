//! The accesses of a program: where each is, in which iterations it is made, and which
//! element it touches.

use std::rc::Rc;
use terrace_dialects::gpu;

use rustc_hash::FxHashMap;
use terrace_dialects::affine::{Access, AccessKind, ForOp, IfOp, ParallelOp, ScopeOp};
use terrace_dialects::memref::{AllocaScopeOp, AtomicRmwOp, GenericAtomicRmwOp, LoadOp, StoreOp};
use terrace_dialects::scf;
use terrace_ir::effects::own_effects;
use terrace_ir::opdef::{EffectKind, traits};
use terrace_ir::{Block, Context, Op, OpKind, Type, TypeData, Value};
use terrace_presburger::Int;

use super::domain::Domain;
use super::linear::{Linear, System, Var};
use super::object::through_views;
use super::params::{Param, Params};
use super::poly::Poly;
use super::values::{Reason, View, linear, runs_regions_once};
use super::{Options, Program};
use crate::analysis::memory;
use crate::analysis::memory::is_view;

/// Which element an access touches.
#[derive(Debug, Clone)]
pub struct Element {
    /// The quotients in the subscripts.
    pub(super) system: System,
    /// One subscript for each dimension of the memref.
    pub(super) subscripts: Vec<Linear>,
    /// Whether a vector makes it several elements.
    pub(super) spread: bool,
}

/// Subscripts as they are written: polynomials.
#[derive(Debug, Clone)]
pub(super) struct Raw {
    pub(super) system: System,
    pub(super) subscripts: Vec<Poly>,
    pub(super) spread: bool,
}

impl Element {
    /// Whether it is one element, not the several of a vector.
    pub fn is_single(&self) -> bool {
        !self.spread
    }

    /// Whether locals mean the same in both.
    pub(super) fn same_quotients(&self, other: &Element) -> bool {
        let (a, b) = (&self.system, &other.system);
        a.locals == b.locals && a.equalities == b.equalities && a.inequalities == b.inequalities
    }
}

/// One access to memory.
#[derive(Debug, Clone)]
pub struct AccessSite {
    pub op: Op,
    pub writes: bool,
    /// Ends the life of the memory.
    pub frees: bool,
    /// The memory, views followed to what they are of; `None`: it may be any.
    pub memref: Option<Value>,
    pub domain: Rc<Domain>,
    /// The place among all accesses, in the order of the text.
    pub position: usize,
    /// The element, or why it is not known; then it may be any of the memory.
    pub element: Result<Element, Reason>,
    /// The subscripts where they are not linear, for another try.
    pub(super) raw: Option<Raw>,
}

impl AccessSite {
    /// Why the answer may be too large: the element or the iterations are not known
    /// exactly.
    pub(crate) fn doubt(&self) -> Option<&Reason> {
        self.element.as_ref().err().or(self.domain.inexact.as_ref())
    }

    /// Whether the op surely makes this access in every iteration of its domain.
    pub(crate) fn is_certain(&self) -> bool {
        self.doubt().is_none() && self.memref.is_some()
    }
}

impl Program {
    /// The accesses in `root`, a function, a loop or any op without control flow of
    /// its own but affine loops and conditions around them.
    pub(crate) fn of(ctx: &Context, root: Op, options: &Options) -> Program {
        let mut c = Collector {
            ctx,
            root,
            options,
            params: Params::default(),
            sites: Vec::new(),
            bodies: FxHashMap::default(),
        };
        c.facts_around();
        let whole = Domain::everywhere();
        match root.name(ctx) {
            ForOp::NAME | ParallelOp::NAME | IfOp::NAME => c.op(root, &whole.shared()),
            scf::ForOp::NAME if c.counts(root) => c.op(root, &whole.shared()),
            _ if runs_regions_once(ctx, root) => c.regions(root, &whole),
            _ => c.regions(root, &whole.in_opaque(ctx, root)),
        }
        let mut p = Program {
            root,
            params: c.params,
            sites: c.sites,
            bodies: c.bodies,
            options: options.clone(),
        };
        p.params.add_extrema(ctx);
        p.params.add_quotients(ctx);
        super::presume::add_facts(ctx, root, &mut p.params);
        super::delinearize::delinearize(ctx, &mut p);
        p
    }
}

pub(super) struct Collector<'c> {
    pub(super) ctx: &'c Context,
    root: Op,
    options: &'c Options,
    pub(super) params: Params,
    pub(super) sites: Vec<AccessSite>,
    pub(super) bodies: FxHashMap<Op, Rc<Domain>>,
}

impl Collector<'_> {
    /// What the loops and conditions around the root say of the parameters.
    fn facts_around(&mut self) {
        let ctx = self.ctx;
        let mut around = Vec::new();
        let mut inner = self.root;
        while let Some(op) = inner.parent(ctx) {
            if op.has_trait(ctx, traits::ISOLATED) {
                break;
            }
            around.push((op, inner));
            inner = op;
        }
        let mut d = Domain::everywhere();
        for (op, inner) in around.into_iter().rev() {
            d = match op.name(ctx) {
                ForOp::NAME => d.in_for(ctx, &mut self.params, self.root, ForOp::wrap(op)),
                ParallelOp::NAME => {
                    let p = ParallelOp::wrap(op);
                    d.in_parallel(ctx, &mut self.params, self.root, p)
                }
                IfOp::NAME => {
                    let i = IfOp::wrap(op);
                    let holds = inner.block(ctx) == Some(i.then_block(ctx));
                    d.in_if(ctx, &mut self.params, self.root, i, holds)
                }
                _ => d,
            };
        }
        // With alternatives nothing is certain that a conjunction could say.
        let [piece] = d.pieces.as_slice() else { return };
        let ivs: Vec<Var> = d
            .loops
            .iter()
            .map(|l| self.params.add(Param::Value(l.iv)))
            .collect();
        let as_fact = |form: &Linear| {
            form.terms
                .iter()
                .fold(Linear::constant(form.constant.clone()), |sum, (v, c)| {
                    let v = match v {
                        Var::Dim(i) => ivs.get(*i as usize).copied().unwrap_or(*v),
                        v => *v,
                    };
                    let mut term = Linear::var(v);
                    term.terms[0].1 = c.clone();
                    sum.plus(1, &term)
                })
        };
        self.params.facts.locals = piece.locals;
        for e in &piece.equalities {
            self.params.facts.add_equality(as_fact(e));
        }
        for e in &piece.inequalities {
            self.params.facts.add_inequality(as_fact(e));
        }
    }

    pub(super) fn regions(&mut self, op: Op, domain: &Domain) {
        for r in op.regions(self.ctx) {
            let blocks = r.blocks(self.ctx);
            let domain = if blocks.len() > 1 {
                domain.in_opaque(self.ctx, op).shared()
            } else {
                domain.clone().shared()
            };
            for b in blocks {
                self.block(b, &domain);
            }
        }
    }

    fn block(&mut self, block: Block, domain: &Rc<Domain>) {
        let mut next = block.first_op(self.ctx);
        while let Some(op) = next {
            next = op.next(self.ctx);
            self.op(op, domain);
        }
    }

    fn op(&mut self, op: Op, domain: &Rc<Domain>) {
        let ctx = self.ctx;
        match op.name(ctx) {
            ForOp::NAME => {
                let l = ForOp::wrap(op);
                let inside = domain.in_for(ctx, &mut self.params, self.root, l).shared();
                self.bodies.insert(op, inside.clone());
                self.block(l.body(ctx), &inside);
            }
            ParallelOp::NAME => {
                let p = ParallelOp::wrap(op);
                let inside = domain.in_parallel(ctx, &mut self.params, self.root, p);
                self.block(p.body(ctx), &inside.shared());
            }
            IfOp::NAME => {
                let i = IfOp::wrap(op);
                let then = domain.in_if(ctx, &mut self.params, self.root, i, true);
                self.block(i.then_block(ctx), &then.shared());
                if let Some(b) = i.else_block(ctx) {
                    let other = domain.in_if(ctx, &mut self.params, self.root, i, false);
                    self.block(b, &other.shared());
                }
            }
            scf::ForOp::NAME if self.counts(op) => {
                let l = scf::ForOp::wrap(op);
                let inside = domain.in_scf_for(ctx, &mut self.params, self.root, l);
                let inside = inside.shared();
                self.bodies.insert(op, inside.clone());
                self.block(l.body(ctx), &inside);
            }
            scf::IfOp::NAME => {
                let i = scf::IfOp::wrap(op);
                let ways = [(Some(i.then_block(ctx)), true), (i.else_block(ctx), false)];
                for (block, holds) in ways {
                    if let Some(block) = block {
                        let params = &mut self.params;
                        let inside = domain.in_scf_if(ctx, params, self.root, i, holds);
                        self.block(block, &inside.shared());
                    }
                }
            }
            scf::IndexSwitchOp::NAME => self.regions(op, &domain.in_maybe(ctx, op)),
            ScopeOp::NAME | scf::ExecuteRegionOp::NAME | AllocaScopeOp::NAME => {
                self.regions(op, domain)
            }
            gpu::LaunchOp::NAME => self.kernel(op, domain),
            _ => self.leaf(op, domain),
        }
    }

    /// Whether an `scf.for` is a loop of the domain.
    fn counts(&self, op: Op) -> bool {
        self.options.scf_loops && !scf::ForOp::wrap(op).is_unsigned(self.ctx)
    }

    fn leaf(&mut self, op: Op, domain: &Rc<Domain>) {
        let ctx = self.ctx;
        if let Some(a) = Access::of(ctx, op) {
            if a.kind != AccessKind::Prefetch {
                self.affine(&a, domain);
            }
            return;
        }
        let operands = op.operands(ctx);
        match op.name(ctx) {
            LoadOp::NAME => {
                return self.indexed(op, &[false], operands[0], &operands[1..], domain);
            }
            StoreOp::NAME => {
                return self.indexed(op, &[true], operands[1], &operands[2..], domain);
            }
            AtomicRmwOp::NAME => {
                return self.indexed(op, &[false, true], operands[1], &operands[2..], domain);
            }
            GenericAtomicRmwOp::NAME => {
                let both: &[bool] = match op.cast::<GenericAtomicRmwOp>(ctx) {
                    Some(o) if o.only_reads(ctx) => &[false],
                    _ => &[false, true],
                };
                return self.indexed(op, both, operands[0], &operands[1..], domain);
            }
            _ if is_view(ctx, op) => return,
            _ => {}
        }
        let def = op.def(ctx);
        if def.is_some_and(|d| d.has(traits::ISOLATED)) && op.symbol_name(ctx).is_some() {
            // Another function or module, which runs when it is called.
            return;
        }
        match own_effects(ctx, op) {
            Some(effects) => {
                for e in effects {
                    let (writes, frees) = match e.kind {
                        EffectKind::Read => (false, false),
                        EffectKind::Write => (true, false),
                        EffectKind::Free => (true, true),
                        EffectKind::Alloc => continue,
                    };
                    if !frees || self.options.frees {
                        self.whole(op, writes, frees, e.on, domain);
                    }
                }
                if op.num_regions(ctx) > 0 {
                    self.regions(op, &domain.in_opaque(ctx, op));
                }
            }
            None if self.options.trust_unregistered && !op.is_registered(ctx) => {
                let memrefs = operands.iter().filter(|v| v.ty(ctx).is_memref(ctx));
                for v in memrefs {
                    self.whole(op, false, false, Some(*v), domain);
                    self.whole(op, true, false, Some(*v), domain);
                }
                if op.num_regions(ctx) > 0 {
                    self.regions(op, &domain.in_opaque(ctx, op));
                }
            }
            None if def.is_some_and(|d| d.has(traits::RECURSIVE_EFFECTS)) => {
                self.regions(op, &domain.in_opaque(ctx, op));
            }
            None => {
                self.whole(op, false, false, None, domain);
                self.whole(op, true, false, None, domain);
            }
        }
    }

    pub(super) fn push(
        &mut self,
        op: Op,
        writes: bool,
        memref: Option<Value>,
        domain: &Rc<Domain>,
        element: Result<Element, Reason>,
    ) -> &mut AccessSite {
        let position = self.sites.len();
        self.sites.push(AccessSite {
            op,
            writes,
            frees: false,
            memref,
            domain: domain.clone(),
            position,
            element,
            raw: None,
        });
        let last = self.sites.len() - 1;
        &mut self.sites[last]
    }

    /// An access to any element of a memref, or to any memory.
    fn whole(&mut self, op: Op, writes: bool, frees: bool, on: Option<Value>, domain: &Rc<Domain>) {
        let ctx = self.ctx;
        let name = op.name(ctx);
        let message = match (on, op.attr(ctx, "callee").and_then(|a| a.as_symbol(ctx))) {
            (Some(_), _) => format!("which elements '{name}' touches is not affine"),
            (None, Some(path)) => {
                let callee: Vec<&str> = path.iter().map(|s| ctx.str(*s)).collect();
                format!("what memory @{} touches is not known", callee.join("::@"))
            }
            (None, None) => format!("what memory '{name}' touches is not known"),
        };
        let reason = Reason::new(op.loc(ctx), message);
        let memref = on.map(|v| memory::base(ctx, v));
        self.push(op, writes, memref, domain, Err(reason)).frees = frees;
    }

    fn indexed(
        &mut self,
        op: Op,
        writes: &[bool],
        memref: Value,
        indices: &[Value],
        domain: &Rc<Domain>,
    ) {
        let ivs = domain.ivs();
        let view = View {
            ctx: self.ctx,
            root: self.root,
            ivs: &ivs,
        };
        let mut system = System::default();
        let polys: Result<Vec<Poly>, Reason> = indices
            .iter()
            .map(|v| view.index(&mut self.params, &mut system, *v, op))
            .collect();
        self.element(op, writes, memref, system, polys, None, domain);
    }

    fn affine(&mut self, a: &Access, domain: &Rc<Domain>) {
        let ivs = domain.ivs();
        let view = View {
            ctx: self.ctx,
            root: self.root,
            ivs: &ivs,
        };
        let mut system = System::default();
        let polys = view.results(&mut self.params, &mut system, &a.map, &a.operands, a.op);
        let writes = a.kind == AccessKind::Write;
        self.element(a.op, &[writes], a.memref, system, polys, a.vector, domain);
    }

    #[allow(clippy::too_many_arguments)]
    fn element(
        &mut self,
        op: Op,
        writes: &[bool],
        memref: Value,
        mut system: System,
        polys: Result<Vec<Poly>, Reason>,
        vector: Option<Type>,
        domain: &Rc<Domain>,
    ) {
        let ivs = domain.ivs();
        let view = View {
            ctx: self.ctx,
            root: self.root,
            ivs: &ivs,
        };
        let params = &mut self.params;
        let polys = polys
            .and_then(|p| spread(self.ctx, &mut system, vector, p, op))
            .and_then(|p| through_views(view, params, &mut system, memref, p));
        let (memref, polys) = match polys {
            Ok(p) => (p.memref, Ok(p.subscripts)),
            Err(r) => (memory::base(self.ctx, memref), Err(r)),
        };
        let forms = polys.clone().and_then(|polys| {
            polys
                .iter()
                .map(|p| linear(self.ctx, params, p, op))
                .collect::<Result<Vec<_>, _>>()
        });
        let again = match (&polys, &forms) {
            (Ok(p), Err(_)) => Some(p),
            (Ok(p), Ok(_)) if p.len() == 1 => Some(p),
            _ => None,
        };
        let again = again.map(|p| Raw {
            system: system.clone(),
            subscripts: p.clone(),
            spread: vector.is_some(),
        });
        let element = forms.map(|subscripts| Element {
            system,
            subscripts,
            spread: vector.is_some(),
        });
        for w in writes {
            self.push(op, *w, Some(memref), domain, element.clone()).raw = again.clone();
        }
    }
}

/// The subscripts of every element of a vector: along its dimensions, which are the
/// last ones of the memref, as many as it is long. An access of affine is of vectors whose
/// elements are those of the memref.
fn spread(
    ctx: &Context,
    system: &mut System,
    vector: Option<Type>,
    mut subscripts: Vec<Poly>,
    op: Op,
) -> Result<Vec<Poly>, Reason> {
    let Some(vector) = vector else {
        return Ok(subscripts);
    };
    let unknown = || {
        Reason::new(
            op.loc(ctx),
            "how the vector lies in the memref is not known",
        )
    };
    let scalable = match vector.data(ctx) {
        TypeData::Vector { scalable, .. } => scalable.contains(&true),
        _ => false,
    };
    let shape = vector
        .shape(ctx)
        .filter(|_| !scalable)
        .ok_or_else(unknown)?;
    let first = subscripts
        .len()
        .checked_sub(shape.len())
        .ok_or_else(unknown)?;
    for (s, size) in subscripts.iter_mut().skip(first).zip(shape) {
        let lane = system.add_local();
        system.add_inequality(Linear::var(lane));
        let mut top = Linear::var(lane).negated();
        top.constant = &Int::from(*size) - &Int::ONE;
        system.add_inequality(top);
        *s = s.plus(1, &Poly::var(lane));
    }
    Ok(subscripts)
}
