//! A model as a function of affine loops.
//!
//! ```text
//! func.func @m(%N: index, %h: f32, %U: memref<?xf32>) {
//!   cf.assert ...                      // sizes of arrays, and indices that may not be there
//!   affine.for %i = 0 to ()[s0] -> (s0 - 1)()[%N] {
//!     %0 = affine.load %U[%i + 1]
//!     ...
//! ```
//!
//! The function takes the indices among the parameters, then the numbers, then the arrays. Loops count
//! positions from 0; indices and layouts are affine maps of these, in the subscripts.

mod checks;
mod value;

use crate::affine::Form;
use crate::layout::Sign;
use crate::model::{Element, Model, Statement};
use crate::race;
use terrace_dialects::affine::{ForOp, LoadOp, StoreOp};
use terrace_dialects::attributes::{
    TERRACE_ANY_ORDER, TERRACE_C_FUNCTION, TERRACE_INIT, TERRACE_NAME, TERRACE_NONNEGATIVE,
    TERRACE_POSITIVE, TERRACE_SHAPE,
};
use terrace_dialects::{builtin, func, memref};
use terrace_ir::affine::{AffineExpr, AffineMap, simplify_affine_expr};
use terrace_ir::diag::{DiagLoc, Diagnostic, SourceFile};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Builder, Context, InsertPoint, Loc, Op, OpKind, OpState, Type, Value};

/// The module of a model.
///
/// # Errors
///
/// A subscript that is too large for affine maps.
pub fn lower(ctx: &mut Context, file: &SourceFile, model: &Model) -> Result<Op, Vec<Diagnostic>> {
    let module = OpState::new(builtin::ModuleOp::DEF, Loc::Unknown)
        .regions(1)
        .create(ctx);
    let body = module.region(ctx, 0).add_block(ctx, &[]);
    let number = if model.double { ctx.f64() } else { ctx.f32() };
    let mut inputs = vec![ctx.index(); model.indices.len()];
    inputs.extend(vec![number; model.reals.len()]);
    for a in &model.arrays {
        inputs.push(ctx.memref(&vec![DYNAMIC; a.shape().len()], number));
    }
    let loc = ctx.file_loc(file.name(), 1, 1);
    let mut b = Builder::at_end(ctx, body, loc);
    for (name, arguments) in &model.externs {
        b.loc = place(file, b.ctx, name.span.start);
        let f = func::FuncOp::declare(&mut b, &name.text, &vec![number; *arguments], &[number]);
        let mark = b.ctx.unit();
        f.op().set_attr(b.ctx, TERRACE_C_FUNCTION, mark);
    }
    b.loc = loc;
    let (function, entry) = func::FuncOp::build(&mut b, &model.name, &inputs, &[]);
    let attrs = arguments(b.ctx, model);
    function.op().set_attr(b.ctx, "arg_attrs", attrs);
    let mark = b.ctx.unit();
    function.op().set_attr(b.ctx, TERRACE_ANY_ORDER, mark);
    b.at = InsertPoint::End(entry);
    let args = entry.args(b.ctx);
    let (indices, rest) = args.split_at(model.indices.len());
    let (reals, arrays) = rest.split_at(model.reals.len());
    let mut l = Lowering {
        file,
        model,
        number,
        indices,
        reals,
        arrays,
        positions: Vec::new(),
        temporaries: Vec::new(),
        grouped: model.strict,
        said: Vec::new(),
    };
    l.sizes(&mut b);
    for s in &model.statements {
        b.loc = l.place(b.ctx, s.span.start);
        l.indices(&mut b, s);
        l.statement(&mut b, s);
    }
    func::ReturnOp::build(&mut b, &[]);
    match l.said.is_empty() {
        true => Ok(module),
        false => Err(l.said),
    }
}

/// The attributes of the function's arguments: names, sizes, and signs that are known.
fn arguments(ctx: &Context, model: &Model) -> Attr {
    let named = |name: &str| (ctx.intern(TERRACE_NAME), ctx.string_attr(name));
    let plain = (model.indices.iter().chain(&model.reals)).map(|n| ctx.dict_attr([named(n)]));
    let arrays = model.arrays.iter().map(|a| {
        let sign = match a.sign {
            Sign::Positive => Some(TERRACE_POSITIVE),
            Sign::Nonnegative => Some(TERRACE_NONNEGATIVE),
            Sign::Any => None,
        };
        let params = model.indices.len() as u32;
        let sizes = a
            .shape()
            .iter()
            .map(|e| simplify_affine_expr(e, 0, params))
            .collect();
        let shape = AffineMap::new(0, params, sizes);
        let mut entries = vec![
            named(&a.name.text),
            (ctx.intern(TERRACE_SHAPE), ctx.map_attr(shape)),
            (ctx.intern(TERRACE_INIT), ctx.string_attr("random")),
        ];
        entries.extend(sign.map(|s| (ctx.intern(s), ctx.unit())));
        ctx.dict_attr(entries)
    });
    ctx.array_attr(plain.chain(arrays).collect())
}

pub(crate) struct Lowering<'m> {
    file: &'m SourceFile,
    model: &'m Model,
    /// The type of numbers.
    number: Type,
    indices: &'m [Value],
    reals: &'m [Value],
    arrays: &'m [Value],
    /// The counters of the axes of the statement, as far as its loops are there.
    positions: Vec<Option<Value>>,
    /// The temporaries of the point.
    temporaries: Vec<Value>,
    /// What is computed is computed as it is written.
    grouped: bool,
    said: Vec<Diagnostic>,
}

/// A place of the file as a location.
fn place(file: &SourceFile, ctx: &mut Context, offset: u32) -> Loc {
    match file.location(offset) {
        DiagLoc::Pos { line, column, .. } => ctx.file_loc(file.name(), line, column),
        _ => Loc::Unknown,
    }
}

impl Lowering<'_> {
    fn place(&self, ctx: &mut Context, offset: u32) -> Loc {
        place(self.file, ctx, offset)
    }

    /// The counters that there are, which are the dimensions of all maps.
    fn dims(&self) -> Vec<Value> {
        self.positions.iter().copied().flatten().collect()
    }

    /// The index of an axis over those dimensions.
    fn axis(&self, s: &Statement, axis: usize) -> AffineExpr {
        let before = self.positions[..axis].iter().flatten().count();
        s.axes[axis].index(AffineExpr::dim(before as u32))
    }

    /// A form over the dimensions and parameters.
    fn expr(&self, s: &Statement, form: &Form) -> AffineExpr {
        form.expr(&|axis| self.axis(s, axis))
    }

    fn map(&self, results: Vec<AffineExpr>) -> (AffineMap, Vec<Value>) {
        let dims = self.dims();
        let (d, p) = (dims.len() as u32, self.indices.len() as u32);
        let results = results
            .iter()
            .map(|e| simplify_affine_expr(e, d, p))
            .collect();
        let operands = [dims, self.indices.to_vec()].concat();
        (AffineMap::new(d, p, results), operands)
    }

    /// The place of an element in memory.
    fn subscripts(&self, s: &Statement, e: &Element) -> (AffineMap, Vec<Value>) {
        let of: Vec<AffineExpr> = e.subscripts.iter().map(|x| self.expr(s, x)).collect();
        self.map(self.model.arrays[e.array].subscripts(&of))
    }

    fn load(&self, b: &mut Builder, s: &Statement, e: &Element) -> Value {
        let (map, operands) = self.subscripts(s, e);
        LoadOp::build(b, self.arrays[e.array], map, &operands)
    }

    fn store(&self, b: &mut Builder, s: &Statement, e: &Element, v: Value) {
        let (map, operands) = self.subscripts(s, e);
        StoreOp::build(b, v, self.arrays[e.array], map, &operands);
    }

    /// The loops of a statement: carried indices, then the others in the order of the first target's memory.
    fn statement(&mut self, b: &mut Builder, s: &Statement) {
        self.positions = vec![None; s.axes.len()];
        let order = self.order(s);
        let (carried, free) = order.split_at(s.carried.len());
        if !race::keeps(self.model, s) {
            self.loops(b, s, &order, &mut |l, b| {
                let made = l.values(b, s);
                for (t, v) in s.targets.iter().zip(made) {
                    l.store(b, s, &t.element, v);
                }
            });
            return;
        }
        // The values of all points that the loops inside go over, one array for each target.
        let sizes: Vec<Value> = free.iter().map(|a| self.count(b, s, *a)).collect();
        let ty = b.ctx.memref(&vec![DYNAMIC; sizes.len()], self.number);
        let kept: Vec<Value> = (s.targets.iter())
            .map(|_| memref::AllocOp::build(b, ty, &sizes))
            .collect();
        self.loops(b, s, carried, &mut |l, b| {
            let at = |l: &Lowering| -> Vec<Value> {
                free.iter().filter_map(|a| l.positions[*a]).collect()
            };
            l.loops(b, s, free, &mut |l, b| {
                let made = l.values(b, s);
                let at = at(l);
                for (array, v) in kept.iter().zip(made) {
                    StoreOp::build_at(b, v, *array, &at);
                }
            });
            l.loops(b, s, free, &mut |l, b| {
                let at = at(l);
                for (array, t) in kept.iter().zip(&s.targets) {
                    let v = LoadOp::build_at(b, *array, &at);
                    l.store(b, s, &t.element, v);
                }
            });
        });
        for array in kept {
            b.op::<memref::DeallocOp>(&[array], &[], &[]);
        }
    }

    /// The axes, the outermost first.
    fn order(&self, s: &Statement) -> Vec<usize> {
        let mut order = s.carried.clone();
        let first = &s.targets[0].element;
        let array = &self.model.arrays[first.array];
        for d in &array.order {
            for axis in 0..s.axes.len() {
                let along = first.subscripts[*d].factor(crate::affine::Var::Axis(axis)) != 0;
                if along && !order.contains(&axis) {
                    order.push(axis);
                }
            }
        }
        order.extend(
            (0..s.axes.len())
                .filter(|a| !order.contains(a))
                .collect::<Vec<_>>(),
        );
        order
    }

    /// How many points an axis has; 0 where it has none.
    fn count(&self, b: &mut Builder, s: &Statement, axis: usize) -> Value {
        let map = AffineMap::new(
            0,
            self.indices.len() as u32,
            vec![s.axes[axis].count(), AffineExpr::constant(0)],
        );
        terrace_dialects::affine::MaxOp::build(b, map, self.indices)
    }

    /// Loops over axes around what `inside` makes.
    fn loops(
        &mut self,
        b: &mut Builder,
        s: &Statement,
        axes: &[usize],
        inside: &mut dyn FnMut(&mut Self, &mut Builder),
    ) {
        let Some((axis, rest)) = axes.split_first() else {
            inside(self, b);
            return;
        };
        let params = self.indices.len() as u32;
        let count = simplify_affine_expr(&s.axes[*axis].count(), 0, params);
        let upper = AffineMap::new(0, params, vec![count]);
        let indices = self.indices.to_vec();
        ForOp::build(
            b,
            (AffineMap::constant(0), &[]),
            (upper, &indices),
            1,
            &[],
            |b, counter, _| {
                self.positions[*axis] = Some(counter);
                self.loops(b, s, rest, inside);
                self.positions[*axis] = None;
                Vec::new()
            },
        );
    }
}
