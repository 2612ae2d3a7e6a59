//! From ops to the compact form of [`super::code`].
//!
//! Nested regions are decoded from a list of tasks rather than by recursion, so that no
//! depth of nesting can exhaust the native stack. An op that cannot be run is decoded to
//! a trap: it fails where it is reached, not before.

mod affine;
mod attrs;
mod control;
mod descriptor;
mod elementwise;
mod gpu;
mod loops;
mod matrix;
mod memory;
mod tile;
mod vector;
mod xfer;

pub(super) use attrs::dense as constant_elements;
pub(super) use memory::is_workgroup;

use super::affine::AffineCode;
use super::code::{Code, Inst, Num, OpClass, Slot, Target};
use super::error::{Fault, Run};
use super::memref::{Layout, Shape};
use super::value::{Elem, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use terrace_dialects::gpu::{FuncOp, LaunchOp};
use terrace_dialects::memref::layout::strides_and_offset;
use terrace_ir::affine::AffineMap;
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Block, Context, Op, Region, Type, TypeData, Value as IrValue};

/// Something to do when what comes before has been decoded.
type Step<'c> = Box<dyn FnOnce(&mut Decoder<'c>) -> Run<()> + 'c>;

/// What remains to be decoded, the next thing last.
enum Task<'c> {
    Ops(Op),
    Bind(Label),
    Jump(Label),
    Region(Region, Rc<Yield>),
    Then(Step<'c>),
}

/// A target that may not be known yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Label(Target);

/// What the terminator of a region does with its operands.
#[derive(Debug)]
enum Yield {
    /// Stores them, and jumps or goes on behind the region.
    To(Vec<Slot>, Option<Label>),
    /// Combines them with the accumulators.
    Reduce(Vec<super::ew::EwOp>, Vec<Slot>),
    /// `scf.condition`: goes on with the loop's body or leaves.
    Condition {
        body: Vec<Slot>,
        results: Vec<Slot>,
        exit: Label,
    },
    /// Stores one value to the memref at the indices, as `memref.atomic_yield` does.
    Atomic { memref: Slot, indices: Vec<Slot> },
    /// Ends the function.
    Return,
}

struct Decoder<'c> {
    ctx: &'c Context,
    /// The op that is decoded: what is outside of it is captured.
    root: Op,
    slots: FxHashMap<IrValue, Slot>,
    num_slots: u32,
    insts: Vec<Inst>,
    ops: Vec<Op>,
    classes: Vec<OpClass>,
    /// The instruction of each label.
    labels: Vec<Option<Target>>,
    blocks: FxHashMap<Block, Label>,
    yields: FxHashMap<Region, Rc<Yield>>,
    tasks: Vec<Task<'c>>,
    captures: Vec<(IrValue, Slot)>,
    current: Op,
}

/// Decode the body of `op`: a `func.func`, `gpu.func` or `gpu.launch`, or an op with one
/// region that computes a value of its arguments.
pub(super) fn decode(ctx: &Context, op: Op) -> Run<Code> {
    Decoder::new(ctx, op).finish()
}

impl<'c> Decoder<'c> {
    fn new(ctx: &'c Context, root: Op) -> Self {
        Decoder {
            ctx,
            root,
            slots: FxHashMap::default(),
            num_slots: 0,
            insts: Vec::new(),
            ops: Vec::new(),
            classes: Vec::new(),
            labels: Vec::new(),
            blocks: FxHashMap::default(),
            yields: FxHashMap::default(),
            tasks: Vec::new(),
            captures: Vec::new(),
            current: root,
        }
    }

    /// Decode everything; captures are left as they are outside.
    fn run(mut self) -> Run<(Code, Vec<IrValue>)> {
        let (ctx, root) = (self.ctx, self.root);
        let name = root
            .symbol_name(ctx)
            .map_or_else(|| root.name(ctx).to_string(), str::to_string);
        let region = root.regions(ctx).first().copied();
        let Some((region, entry)) = region.and_then(|r| Some((r, r.entry(ctx)?))) else {
            return Err(Fault::new(format!("@{name} has no body that could be run")));
        };
        let args = entry.args(ctx);
        for a in &args {
            self.slot(*a);
        }
        self.tasks
            .push(Task::Region(region, Rc::new(Yield::Return)));
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Bind(l) => self.bind(l),
                Task::Jump(l) => self.emit(OpClass::None, Inst::Jump(l.0)),
                Task::Then(f) => {
                    if let Err(fault) = f(&mut self) {
                        self.trap(fault);
                    }
                }
                Task::Region(r, to) => self.region(r, to),
                Task::Ops(op) => {
                    if let Some(next) = op.next(ctx) {
                        self.tasks.push(Task::Ops(next));
                    }
                    self.current = op;
                    if let Err(fault) = self.op(op) {
                        self.trap(fault);
                    }
                    self.current = op;
                }
            }
        }
        self.current = root;
        self.emit(
            OpClass::None,
            Inst::Trap("control reaches the end of a block without a terminator".into()),
        );
        self.resolve();
        let (outside, captured) = self.captures.iter().copied().unzip();
        let (workgroup, private) = gpu::attributions(ctx, root, &args);
        let code = Code {
            name,
            insts: self.insts,
            ops: self.ops,
            classes: self.classes,
            slots: self.num_slots,
            args: args.len() as u32,
            workgroup,
            private,
            captures: Vec::new(),
            captured,
            is_inline: root.name(ctx) == LaunchOp::NAME,
            device: matches!(root.name(ctx), LaunchOp::NAME | FuncOp::NAME),
        };
        Ok((code, outside))
    }

    fn finish(self) -> Run<Code> {
        let (code, outside) = self.run()?;
        match outside.first() {
            None => Ok(code),
            Some(_) => Err(Fault::new(format!(
                "@{} uses values from outside",
                code.name
            ))),
        }
    }

    /// The code of the region of `op`, run on its own with values of this function.
    fn nested(&mut self, op: Op) -> Run<Code> {
        let (mut code, outside) = Decoder::new(self.ctx, op).run()?;
        code.captures = outside.into_iter().map(|v| self.slot(v)).collect();
        Ok(code)
    }

    // ---- instructions and labels ----

    fn emit(&mut self, class: OpClass, inst: Inst) {
        self.insts.push(inst);
        self.ops.push(self.current);
        self.classes.push(class);
    }

    fn trap(&mut self, fault: Fault) {
        let message = fault.locate(self.ctx, None).message;
        self.emit(OpClass::None, Inst::Trap(message.into()));
    }

    fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as Target - 1)
    }

    fn bind(&mut self, l: Label) {
        self.labels[l.0 as usize] = Some(self.insts.len() as Target);
    }

    /// Replaces labels by positions. A label that was never bound, since its op could not
    /// be decoded, leads to the trap at the end.
    fn resolve(&mut self) {
        let end = self.insts.len() as Target - 1;
        let at = |l: &mut Target| *l = self.labels[*l as usize].unwrap_or(end);
        for inst in &mut self.insts {
            match inst {
                Inst::Jump(t)
                | Inst::Unless { to: t, .. }
                | Inst::LoopTest { exit: t, .. }
                | Inst::LoopNext { body: t, .. }
                | Inst::AffineUnless { to: t, .. } => at(t),
                Inst::Switch(s) => {
                    at(&mut s.default);
                    s.cases.iter_mut().for_each(|c| at(&mut c.1));
                }
                _ => {}
            }
        }
    }

    /// Do these in order, before what was planned so far.
    fn plan(&mut self, tasks: Vec<Task<'c>>) {
        self.tasks.extend(tasks.into_iter().rev());
    }

    fn then(f: impl FnOnce(&mut Decoder<'c>) -> Run<()> + 'c) -> Task<'c> {
        Task::Then(Box::new(f))
    }

    // ---- slots ----

    fn temp(&mut self) -> Slot {
        self.num_slots += 1;
        self.num_slots - 1
    }

    /// The place of a value; one from outside the root op is captured.
    fn slot(&mut self, v: IrValue) -> Slot {
        if let Some(s) = self.slots.get(&v) {
            return *s;
        }
        let s = self.temp();
        self.slots.insert(v, s);
        let owner = match (v.def_op(), v.arg_block()) {
            (Some(op), _) => op.parent(self.ctx),
            (None, Some(b)) => b.parent_op(self.ctx),
            (None, None) => None,
        };
        if !owner.is_some_and(|o| self.root.is_ancestor_of(self.ctx, o)) {
            self.captures.push((v, s));
        }
        s
    }

    fn slots(&mut self, vs: &[IrValue]) -> Vec<Slot> {
        vs.iter().map(|v| self.slot(*v)).collect()
    }

    fn operand(&mut self, op: Op, i: usize) -> Run<Slot> {
        if i >= op.num_operands(self.ctx) {
            return Err(Fault::new(format!(
                "'{}' lacks operand #{i}",
                op.name(self.ctx)
            )));
        }
        Ok(self.slot(op.operand(self.ctx, i)))
    }

    fn operands_from(&mut self, op: Op, from: usize) -> Vec<Slot> {
        let v = op.operands(self.ctx);
        self.slots(v.get(from..).unwrap_or(&[]))
    }

    fn result(&mut self, op: Op, i: usize) -> Run<Slot> {
        if i >= op.num_results(self.ctx) {
            return Err(Fault::new(format!(
                "'{}' lacks result #{i}",
                op.name(self.ctx)
            )));
        }
        Ok(self.slot(op.result(self.ctx, i)))
    }

    fn results(&mut self, op: Op) -> Vec<Slot> {
        let v = op.results(self.ctx);
        self.slots(&v)
    }

    /// A slot that holds a constant.
    fn constant(&mut self, value: Value) -> Slot {
        let dst = self.temp();
        self.emit(OpClass::None, Inst::Const { dst, value });
        dst
    }

    /// `dst = src`, all at once.
    fn moves(&mut self, dst: &[Slot], src: &[Slot]) {
        let pairs: Vec<(Slot, Slot)> = dst
            .iter()
            .copied()
            .zip(src.iter().copied())
            .filter(|(d, s)| d != s)
            .collect();
        match pairs[..] {
            [] => {}
            [(dst, src)] => self.emit(OpClass::None, Inst::Move { dst, src }),
            _ => self.emit(OpClass::None, Inst::MoveAll(pairs.into())),
        }
    }

    /// The operands in the groups that `operandSegmentSizes` says.
    fn segments(&mut self, op: Op, count: usize) -> Run<Vec<Vec<Slot>>> {
        let sizes = op
            .attr(self.ctx, "operandSegmentSizes")
            .and_then(|a| a.as_i64_array(self.ctx));
        let sizes = sizes.filter(|s| s.len() == count);
        let sizes = sizes.ok_or("lacks 'operandSegmentSizes' for its operands")?;
        let mut rest = self.operands_from(op, 0);
        let mut groups = Vec::new();
        for n in sizes {
            let n = usize::try_from(n).ok().filter(|n| *n <= rest.len());
            let tail =
                rest.split_off(n.ok_or("has 'operandSegmentSizes' that do not fit its operands")?);
            groups.push(std::mem::replace(&mut rest, tail));
        }
        Ok(groups)
    }

    /// Static numbers, with the dynamic ones from `slots` in order.
    fn mixed(&self, statics: &[i64], slots: &[Slot]) -> Run<Box<[Num]>> {
        let mut dynamic = slots.iter();
        statics
            .iter()
            .map(|&s| match s {
                DYNAMIC => dynamic
                    .next()
                    .map(|s| Num::Slot(*s))
                    .ok_or_else(|| Fault::new("lacks a dynamic operand")),
                s => Ok(Num::Known(s)),
            })
            .collect()
    }

    fn map_attr(&self, op: Op, name: &str) -> Run<&'c AffineMap> {
        op.attr(self.ctx, name)
            .and_then(|a| a.as_map(self.ctx))
            .ok_or_else(|| Fault::new(format!("lacks the affine map '{name}'")))
    }

    /// The results of a map applied to operands in slots.
    fn map(&self, map: &AffineMap, operands: &[Slot]) -> Run<Box<[AffineCode]>> {
        if operands.len() != map.num_inputs() {
            return Err(Fault::new(format!(
                "has {} operands for a map of {} inputs",
                operands.len(),
                map.num_inputs()
            )));
        }
        let (dims, symbols) = operands.split_at(map.num_dims() as usize);
        Ok(map
            .results()
            .iter()
            .map(|e| AffineCode::new(e, dims, symbols))
            .collect())
    }

    // ---- regions and blocks ----

    /// Decode the blocks of a region, in order.
    fn region(&mut self, r: Region, to: Rc<Yield>) {
        self.yields.insert(r, to);
        let blocks = r.blocks(self.ctx);
        let mut tasks = Vec::new();
        for b in blocks {
            let l = self.label();
            self.blocks.insert(b, l);
            tasks.push(Task::Bind(l));
            tasks.extend(b.first_op(self.ctx).map(Task::Ops));
        }
        self.plan(tasks);
    }

    /// A region whose values go to `dst` and which control leaves at its end.
    fn region_to(&self, op: Op, i: usize, dst: &[Slot], exit: Option<Label>) -> Run<Task<'c>> {
        let r = op.regions(self.ctx).get(i).copied();
        let r = r.ok_or_else(|| Fault::new(format!("lacks region #{i}")))?;
        // A region of several blocks does not end where its last block does.
        Ok(Task::Region(r, Rc::new(Yield::To(dst.to_vec(), exit))))
    }

    /// The arguments of the entry block of region `i`.
    fn block_args(&mut self, op: Op, i: usize) -> Run<Vec<Slot>> {
        let entry = op.regions(self.ctx).get(i).and_then(|r| r.entry(self.ctx));
        let entry = entry.ok_or_else(|| Fault::new(format!("lacks a body in region #{i}")))?;
        let args = entry.args(self.ctx);
        Ok(self.slots(&args))
    }

    fn op(&mut self, op: Op) -> Run<()> {
        let name = op.name(self.ctx);
        let (dialect, base) = name.split_once('.').unwrap_or(("", name));
        match dialect {
            "arith" | "math" => self.elementwise(op, dialect, base),
            "func" | "cf" => self.control(op, name),
            "scf" => self.scf(op, base),
            "affine" => self.affine(op, base),
            "memref" => self.memref(op, base),
            "vector" => self.vector(op, base),
            "gpu" => self.gpu(op, base),
            "nvgpu" => self.nvgpu(op, base),
            "tile" => self.tile(op),
            "xfer" => self.xfer(op, base),
            "ub" if base == "poison" => self.poison(op),
            "llvm" => self.llvm(op, base),
            "builtin"
                if base == "unrealized_conversion_cast"
                    && op.num_operands(self.ctx) == op.num_results(self.ctx) =>
            {
                let (from, to) = (self.operands_from(op, 0), self.results(op));
                self.moves(&to, &from);
                Ok(())
            }
            _ => Err(self.unknown(op)),
        }
    }

    fn unknown(&self, op: Op) -> Fault {
        Fault::new(format!(
            "the interpreter cannot run '{}'",
            op.name(self.ctx)
        ))
    }

    // ---- types ----

    /// The scalar type of a scalar or vector type.
    fn elem(&self, ty: Type) -> Run<Elem> {
        Elem::of(self.ctx, ty.element_or_self(self.ctx)).ok_or_else(|| {
            Fault::new(format!(
                "values of type {} cannot be computed with",
                self.ctx.type_text(ty)
            ))
        })
    }

    fn vector_type(&self, ty: Type) -> Run<(Rc<[i64]>, Elem)> {
        match ty.data(self.ctx) {
            TypeData::Vector {
                shape, scalable, ..
            } if !scalable.contains(&true) => Ok((shape.as_slice().into(), self.elem(ty)?)),
            _ => Err(Fault::new(format!(
                "cannot run on type {}",
                self.ctx.type_text(ty)
            ))),
        }
    }

    fn shape(&self, ty: Type) -> Run<Shape> {
        shape_of(self.ctx, ty)
    }
}

/// What a memref type says of its values.
pub(super) fn shape_of(ctx: &Context, ty: Type) -> Run<Shape> {
    let unsupported = || {
        Fault::new(format!(
            "memory of type {} cannot be used",
            ctx.type_text(ty)
        ))
    };
    let TypeData::MemRef { shape, elem, .. } = ty.data(ctx) else {
        return Err(unsupported());
    };
    let (scalar, lanes): (Type, Option<Rc<[i64]>>) = match elem.data(ctx) {
        TypeData::Vector {
            shape,
            elem,
            scalable,
        } if !scalable.contains(&true) => (*elem, Some(shape.as_slice().into())),
        _ => (*elem, None),
    };
    let elem = Elem::of(ctx, scalar).ok_or_else(unsupported)?;
    let count = lanes
        .iter()
        .flat_map(|l| l.iter())
        .try_fold(1usize, |n, d| n.checked_mul(usize::try_from(*d).ok()?));
    let elem_size = count
        .and_then(|n| n.checked_mul(elem.size()))
        .ok_or_else(unsupported)?;
    let strided = strides_and_offset(ctx, ty);
    let layout = strided.map(|s| Layout {
        strides: s.strides,
        offset: s.offset,
    });
    Ok(Shape {
        elem,
        lanes,
        elem_size,
        sizes: shape.clone(),
        layout,
    })
}
