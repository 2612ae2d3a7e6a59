//! Pairs of accesses and what carries the dependences between them.

use rustc_hash::FxHashMap;
use terrace_dialects::{affine, scf};
use terrace_ir::{Context, Op, Value};
use terrace_presburger::{Conjunct, Int, Relation, Space};

use super::distance::extent;
use super::domain::LoopDim;
use super::linear::{Columns, add_system};
use super::object::{Overlap, allocated, escapes, overlap};
use super::values::View;
use super::{AccessSite, Carrier, Dependence, Kind, Program, Reason};
use crate::analysis::memory::base;

/// All dependences of a program.
pub(crate) fn all(ctx: &Context, program: &Program) -> Vec<Dependence> {
    let mut finder = Finder::new(ctx, program);
    finder.run();
    finder.found
}

/// The dependences between accesses of which `wanted` says so.
pub(crate) fn between(
    ctx: &Context,
    program: &Program,
    wanted: &dyn Fn(&AccessSite, &AccessSite) -> bool,
) -> Vec<Dependence> {
    let mut finder = Finder::new(ctx, program);
    for s in &program.sites {
        for t in &program.sites {
            if (s.writes || t.writes || program.options.input) && wanted(s, t) {
                finder.pair(s, t);
            }
        }
    }
    finder.found
}

/// Some dependence that the outermost loop carries, if it carries any.
pub(crate) fn first_carried(ctx: &Context, program: &Program) -> Option<Dependence> {
    let mut finder = Finder::new(ctx, program);
    finder.outermost = true;
    finder.run();
    finder.found.pop()
}

/// What is asked for that, whether it is empty or not.
pub(crate) fn questions(ctx: &Context, program: &Program) -> Vec<Relation> {
    let mut finder = Finder::new(ctx, program);
    finder.asked = Some(Vec::new());
    finder.run();
    let asked = finder.asked.unwrap_or_default();
    asked.into_iter().map(Relation::from).collect()
}

struct Finder<'p> {
    ctx: &'p Context,
    program: &'p Program,
    escaping: FxHashMap<Value, bool>,
    overlaps: FxHashMap<(Value, Value), Overlap>,
    found: Vec<Dependence>,
    /// Every conjunction whose emptiness is asked for, where that is wanted.
    asked: Option<Vec<Conjunct>>,
    /// Only what the outermost loop carries, and no more than one.
    outermost: bool,
}

/// The conjunctions of one pair of accesses before what carries it is said.
struct Candidate {
    space: Space,
    pieces: Vec<Conjunct>,
    /// Of the source and of the sink, where the loop variables are.
    inputs: usize,
    outputs: usize,
}

impl<'p> Finder<'p> {
    fn new(ctx: &'p Context, program: &'p Program) -> Self {
        Finder {
            ctx,
            program,
            escaping: FxHashMap::default(),
            overlaps: FxHashMap::default(),
            found: Vec::new(),
            asked: None,
            outermost: false,
        }
    }

    fn run(&mut self) {
        let program = self.program;
        for s in &program.sites {
            for t in &program.sites {
                if s.writes || t.writes || program.options.input {
                    self.pair(s, t);
                }
                if self.outermost && !self.found.is_empty() {
                    return;
                }
            }
        }
    }

    fn pair(&mut self, s: &AccessSite, t: &AccessSite) {
        let ctx = self.ctx;
        let mut doubt = s.doubt().or(t.doubt()).cloned();
        let same = match self.overlap(s, t) {
            Overlap::Disjoint => return,
            Overlap::Same => match (&s.element, &t.element) {
                // Only one of the two subscripts could be taken apart.
                (Ok(a), Ok(b)) if a.subscripts.len() != b.subscripts.len() => {
                    doubt.get_or_insert_with(|| {
                        let message = "its subscript is linear and that of the other access is a \
                                       row and a column";
                        Reason::new(s.op.loc(ctx), message)
                    });
                    false
                }
                _ => true,
            },
            Overlap::Maybe(reason) => {
                doubt = Some(reason);
                false
            }
        };
        let loops = common_loops(s, t);
        // An allocation in a loop gives each iteration memory of its own.
        let roots = [s.memref, t.memref].map(|m| m.map(|m| base(ctx, m)));
        let home = match roots {
            [Some(a), Some(b)] if a == b && allocated(ctx, a) => a.def_op(),
            _ => None,
        };
        let own = home.map_or(0, |op| {
            let inside = |l: &&LoopDim| l.op.is_ancestor_of(ctx, op);
            loops.iter().take_while(inside).count()
        });
        if self.outermost && (own > 0 || loops.is_empty()) {
            return;
        }
        let Some(candidate) = self.candidate(s, t, same, own) else {
            return;
        };
        if self.outermost {
            self.level(s, t, &loops, &candidate, 0, Carrier::Loop(0), &doubt);
            return;
        }
        let shared = s.domain.opaque.iter().find(|o| t.domain.opaque.contains(o));
        if let Some(op) = shared.copied()
            && !home.is_some_and(|h| op.is_ancestor_of(ctx, h))
        {
            // Iterations of loops in this op may meet in any order.
            let outside = loops
                .iter()
                .take_while(|l| l.op.is_ancestor_of(ctx, op))
                .count();
            self.level(
                s,
                t,
                &loops,
                &candidate,
                outside,
                Carrier::Opaque(op),
                &doubt,
            );
        }
        for i in own..loops.len() {
            self.level(s, t, &loops, &candidate, i, Carrier::Loop(i), &doubt);
        }
        if s.position < t.position && !exclusive(ctx, s.op, t.op) {
            let n = loops.len();
            self.level(s, t, &loops, &candidate, n, Carrier::Independent, &doubt);
        }
    }

    fn overlap(&mut self, s: &AccessSite, t: &AccessSite) -> Overlap {
        let (a, b) = match (s.memref, t.memref) {
            (Some(a), Some(b)) => (a, b),
            (one, other) => {
                // One of the two may be any memory that can be reached.
                let any = if s.memref.is_none() { s } else { t };
                let reason = any.element.as_ref().err().cloned();
                let reason = reason.unwrap_or_else(|| {
                    Reason::new(any.op.loc(self.ctx), "what memory it touches is not known")
                });
                if let Some(m) = one.or(other) {
                    let m = base(self.ctx, m);
                    let ctx = self.ctx;
                    let hidden = allocated(ctx, m)
                        && !*self.escaping.entry(m).or_insert_with(|| escapes(ctx, m));
                    if hidden {
                        return Overlap::Disjoint;
                    }
                }
                return Overlap::Maybe(reason);
            }
        };
        let view = View {
            ctx: self.ctx,
            root: self.program.root,
            ivs: &[],
        };
        let aliasing = self.program.options.arguments_alias;
        self.overlaps
            .entry((a, b))
            .or_insert_with(|| overlap(view, a, b, aliasing))
            .clone()
    }

    /// The pairs of iterations that touch the same element, those of the first `own`
    /// loops the same. `None` where there are none. `same`: the subscripts are of the
    /// same memory, so that they can be compared.
    fn candidate(
        &self,
        s: &AccessSite,
        t: &AccessSite,
        same: bool,
        own: usize,
    ) -> Option<Candidate> {
        let params = &self.program.params;
        let (inputs, outputs) = (params.len(), params.len() + s.domain.depth());
        let space = Space::map(params.len(), s.domain.depth(), t.domain.depth());
        let mut start = Conjunct::universe(space);
        add_system(&mut start, params.facts(), 0);
        if let (true, Ok(a), Ok(b)) = (same, &s.element, &t.element) {
            let x = add_system(&mut start, &a.system, inputs);
            let y = add_system(&mut start, &b.system, outputs);
            let columns = start.row_len() - 1;
            for (a, b) in a.subscripts.iter().zip(&b.subscripts) {
                let mut row = x.row(a, columns);
                for (entry, c) in row.iter_mut().zip(y.row(b, columns)) {
                    *entry -= &c;
                }
                start.add_equality(&row, &a.constant - &b.constant);
            }
        }
        for i in 0..own {
            let row = difference(inputs + i, outputs + i);
            start.add_equality(&row, Int::ZERO);
        }
        let mut pieces = Vec::new();
        for a in &s.domain.pieces {
            for b in &t.domain.pieces {
                let mut c = start.clone();
                let _: Columns = add_system(&mut c, a, inputs);
                let _: Columns = add_system(&mut c, b, outputs);
                if self.asked.is_some() || c.is_empty() != Ok(true) {
                    pieces.push(c);
                }
            }
        }
        (!pieces.is_empty()).then_some(Candidate {
            space,
            pieces,
            inputs,
            outputs,
        })
    }

    /// Records the part of a candidate that one carrier makes a dependence, if there is
    /// one: the first `same` loops are in the same iteration.
    #[allow(clippy::too_many_arguments)]
    fn level(
        &mut self,
        s: &AccessSite,
        t: &AccessSite,
        loops: &[LoopDim],
        candidate: &Candidate,
        same: usize,
        carrier: Carrier,
        doubt: &Option<Reason>,
    ) {
        let mut doubt = doubt.clone();
        let mut pieces = Vec::new();
        for c in &candidate.pieces {
            let mut c = c.clone();
            for i in 0..same {
                let row = difference(candidate.inputs + i, candidate.outputs + i);
                c.add_equality(&row, Int::ZERO);
            }
            if let Carrier::Loop(i) = carrier {
                let row = difference(candidate.inputs + i, candidate.outputs + i);
                c.add_inequality(&row, Int::MINUS_ONE);
            }
            if let Some(asked) = &mut self.asked {
                asked.push(c.clone());
            }
            match c.is_empty() {
                Ok(true) => {}
                Ok(false) => pieces.push(c),
                Err(unknown) => {
                    doubt.get_or_insert_with(|| {
                        Reason::new(s.op.loc(self.ctx), unknown.to_string())
                    });
                    pieces.push(c);
                }
            }
        }
        if pieces.is_empty() {
            return;
        }
        if let Carrier::Opaque(op) = carrier {
            doubt.get_or_insert_with(|| {
                let message = format!("the iterations of '{}' are not counted", op.name(self.ctx));
                Reason::new(op.loc(self.ctx), message)
            });
        }
        let distance = if self.program.options.distances {
            (0..loops.len())
                .map(|i| {
                    if i < same {
                        super::Extent::exactly(0)
                    } else {
                        extent(&pieces, candidate.inputs + i, candidate.outputs + i)
                    }
                })
                .collect()
        } else {
            Vec::new()
        };
        self.found.push(Dependence {
            kind: match (s.writes, t.writes) {
                (true, false) => Kind::Flow,
                (false, true) => Kind::Anti,
                (true, true) => Kind::Output,
                (false, false) => Kind::Input,
            },
            source: s.position,
            sink: t.position,
            source_op: s.op,
            sink_op: t.op,
            memref: s.memref.and(t.memref).and(s.memref),
            loops: loops.to_vec(),
            carrier,
            distance,
            doubt,
            reduction: None,
            space: candidate.space,
            pieces,
        });
    }
}

/// The row of `output - input`.
fn difference(input: usize, output: usize) -> Vec<Int> {
    let mut row = vec![Int::ZERO; input.max(output) + 1];
    row[input] = Int::MINUS_ONE;
    row[output] = Int::ONE;
    row
}

/// The loops around both accesses, the outermost first.
pub(crate) fn common_loops(s: &AccessSite, t: &AccessSite) -> Vec<LoopDim> {
    let both = s.domain.loops.iter().zip(&t.domain.loops);
    both.take_while(|(a, b)| a == b).map(|(a, _)| *a).collect()
}

/// Whether the two ops are in different branches of a condition, so that of the same
/// iteration only one runs.
fn exclusive(ctx: &Context, a: Op, b: Op) -> bool {
    let mut above = Vec::new();
    let mut next = Some(a);
    while let Some(op) = next {
        above.push((op, op.region_of(ctx)));
        next = op.parent(ctx);
    }
    let mut inner = b;
    while let Some(outer) = inner.parent(ctx) {
        if let Some(i) = above.iter().position(|(op, _)| *op == outer) {
            let chooses = matches!(
                outer.name(ctx),
                affine::IfOp::NAME | scf::IfOp::NAME | scf::IndexSwitchOp::NAME
            );
            return chooses && i > 0 && above[i - 1].1 != inner.region_of(ctx);
        }
        inner = outer;
    }
    false
}
