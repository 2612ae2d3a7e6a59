//! The state of a lowering, and how it makes ops.

use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::arith;
use terrace_ir::fold::try_fold;
use terrace_ir::opdef::{Fold, FoldResult};
use terrace_ir::{
    Attr, Block, Builder, Context, InsertPoint, Loc, Op, OpState, Type as IrType, Value,
};

use super::capture::{CapturedValue, Outer};
use super::env::{Cell, CellId, Env, PointerId, PointerVar, Target};
use super::form::Form;
use super::place::{LValue, Object};
use super::{Refusal, Result};
use crate::directive::Dim;
use crate::hir::{Init, Span, Unit, VarId};
use crate::types::Type;

/// How deep expressions and statements may nest.
const MAX_DEPTH: u32 = 250;

/// What is lowered: a function, or a statement as a function of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Function,
    Region,
}

/// Where `break`, `continue` and `return` go: flags, as loops and conditions of the IR
/// have one way out.
#[derive(Debug, Clone, Default)]
pub struct Exits {
    /// The loops and switches around, the innermost last.
    pub stack: Vec<Exit>,
    pub returned: Option<CellId>,
    /// Where the value goes.
    pub result: Option<LValue>,
    /// The cells of that place.
    pub result_cells: Vec<CellId>,
}

#[derive(Debug, Clone, Copy)]
pub struct Exit {
    pub broken: CellId,
    /// Of a loop.
    pub continued: Option<CellId>,
}

pub struct Lowerer<'a> {
    pub ctx: &'a mut Context,
    pub unit: &'a Unit,
    pub mode: Mode,
    /// An index into the unit's functions.
    pub function: usize,
    pub func: Op,
    pub entry: Block,
    /// New ops go to the end of this block.
    pub block: Block,
    pub loc: Loc,
    pub env: Env,
    pub cells: Vec<Cell>,
    pub pointers: Vec<PointerVar>,
    /// What local variables are, and globals that were used.
    pub objects: FxHashMap<VarId, Object>,
    /// Variables whose value is known while lowering.
    pub constants: FxHashMap<VarId, i128>,
    pub forms: FxHashMap<(Value, bool), Form>,
    /// Comparisons of forms that are (`false`) at least 0 or (`true`) 0, all of them.
    pub conditions: FxHashMap<Value, Vec<(Form, bool)>>,
    pub indices: FxHashMap<(Value, bool), Value>,
    pub sizes: FxHashMap<(Value, usize), Value>,
    pub rows: FxHashMap<Value, Value>,
    /// The objects outside the region that such rows are of.
    pub row_of: FxHashMap<Value, usize>,
    constant_cache: FxHashMap<(Attr, IrType), Value>,
    pub exits: Exits,
    /// A loop directive that waits for its loop.
    pub directive: Option<super::clauses::LoopDirective>,
    /// What a `collapse(force: n)` around says of the next loop: its words, and of how
    /// many loops.
    pub forced: Option<(Attr, usize)>,
    /// Which elements of what private pointers point to are the iteration's own.
    pub private_sections: FxHashMap<VarId, Dim>,
    /// Arrays that are private to an iteration of the loop with this body, by a directive
    /// on a loop around that collapses it.
    pub private_inside: FxHashMap<Span, Vec<VarId>>,
    /// Variables that loops around reduce by `&&` (true) or `||`; they are 0 or 1.
    pub logical: Vec<(VarId, bool)>,
    /// Pointers in memory may be followed: what the region does with the rows behind them
    /// is the program's word, not ours to prove.
    pub follows_pointers: bool,
    /// Functions that are being inlined, the outermost first.
    pub inlining: Vec<usize>,
    /// How often functions that are being inlined were called in themselves.
    pub recursions: usize,
    pub outers: Vec<Outer>,
    /// The region's captures, in the order of the function's arguments.
    pub captured: Vec<CapturedValue>,
    /// Records whose pointers are indexed or moved in the region: arrays of records.
    pub indexed_records: FxHashSet<usize>,
    /// What directives say of the scalars around the region.
    pub sharing: Option<std::rc::Rc<super::sharing::Sharing<'a>>>,
    /// What globals are of which directives give copies: functions that are called there
    /// mean these.
    pub beneath: FxHashMap<VarId, Option<Object>>,
    /// Scalars outside that are in memory because they are changed through pointers.
    pub to_memory: Vec<(VarId, Vec<super::capture::Step>)>,
    /// The gang whose part of loops is lowered, outside of loops that gangs share.
    pub gang: Option<super::gangs::Gang>,
    /// Functions and globals that the module needs.
    pub needs: super::unit::Needs,
    depth: u32,
}

impl<'a> Lowerer<'a> {
    pub fn new(
        ctx: &'a mut Context,
        unit: &'a Unit,
        mode: Mode,
        function: usize,
        func: Op,
        entry: Block,
    ) -> Self {
        let loc = func.loc(ctx);
        let mut l = Lowerer {
            ctx,
            unit,
            mode,
            function,
            func,
            entry,
            block: entry,
            loc,
            env: Env::default(),
            cells: Vec::new(),
            pointers: Vec::new(),
            objects: FxHashMap::default(),
            constants: FxHashMap::default(),
            forms: FxHashMap::default(),
            conditions: FxHashMap::default(),
            indices: FxHashMap::default(),
            sizes: FxHashMap::default(),
            rows: FxHashMap::default(),
            row_of: FxHashMap::default(),
            constant_cache: FxHashMap::default(),
            exits: Exits::default(),
            directive: None,
            forced: None,
            private_sections: FxHashMap::default(),
            private_inside: FxHashMap::default(),
            logical: Vec::new(),
            follows_pointers: false,
            inlining: vec![function],
            recursions: 0,
            outers: Vec::new(),
            captured: Vec::new(),
            indexed_records: FxHashSet::default(),
            sharing: None,
            beneath: FxHashMap::default(),
            to_memory: Vec::new(),
            gang: None,
            needs: super::unit::Needs::default(),
            depth: 0,
        };
        l.constant_globals();
        l
    }

    /// `const` variables of integer type with a constant initialiser.
    fn constant_globals(&mut self) {
        for (i, v) in self.unit.vars.iter().enumerate() {
            if v.is_const
                && !v.is_volatile
                && v.ty.is_integer()
                && let Some(Init::Expr(e)) = &v.init
                && let Some(n) = self.constant_as(e, &v.ty)
            {
                self.constants.insert(VarId(i as u32), n);
            }
        }
    }

    // ---- limits and places ----

    /// One level deeper; refuses what would overflow the stack.
    pub fn enter(&mut self, span: Span) -> Result<()> {
        if self.depth >= MAX_DEPTH {
            return Err(Refusal::new(span, "code that nests too deeply"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Whether not much more may be nested.
    pub fn is_deep(&self) -> bool {
        self.depth > MAX_DEPTH - 40
    }

    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Makes `span` the place of new ops; gives the place before.
    pub fn at(&mut self, span: Span) -> Loc {
        let new = self.location(span);
        std::mem::replace(&mut self.loc, new)
    }

    pub fn location(&self, span: Span) -> Loc {
        super::location(self.ctx, self.unit, span)
    }

    // ---- making ops ----

    pub fn b(&mut self) -> Builder<'_> {
        Builder::new(self.ctx, InsertPoint::End(self.block), self.loc)
    }

    /// Behind the definition of a value, with its place.
    pub fn behind(&self, v: Value) -> (InsertPoint, Loc) {
        let at = match (v.def_op(), v.arg_block()) {
            (Some(op), _) => InsertPoint::After(op),
            (None, Some(b)) => InsertPoint::Start(b),
            (None, None) => InsertPoint::End(self.block),
        };
        (at, v.loc(self.ctx))
    }

    /// An op of one result by its name, which is one of terrace's own.
    pub fn value(&mut self, name: &str, operands: &[Value], result: IrType) -> Value {
        let op = self.op(name, operands, &[result], &[]);
        self.folded(op)
    }

    /// The result of an op just made, or what it folds to.
    pub fn folded(&mut self, op: Op) -> Value {
        let v = op.result(self.ctx, 0);
        let with = match try_fold(self.ctx, op) {
            Fold::Results(r) => match r.as_slice() {
                [FoldResult::Attr(a)] => {
                    let (a, ty) = (*a, v.ty(self.ctx));
                    self.constant_value(a, ty)
                }
                [FoldResult::Value(with)] => *with,
                _ => return v,
            },
            _ => return v,
        };
        if with == v {
            return v;
        }
        op.erase(self.ctx);
        with
    }

    /// Whether a value is that of the op made last. What an op folded to was there
    /// before: what is known of it must hold wherever it is used.
    pub fn is_new(&self, v: Value) -> bool {
        v.def_op().is_some() && v.def_op() == self.block.last_op(self.ctx)
    }

    pub fn op(
        &mut self,
        name: &str,
        operands: &[Value],
        results: &[IrType],
        attrs: &[(&str, Attr)],
    ) -> Op {
        let mut state = match self.ctx.op_def(name) {
            Some(def) => OpState::new(def, self.loc),
            None => {
                let name = self.ctx.intern(name);
                OpState::unregistered(name, self.loc)
            }
        };
        state = state.operands(operands).results(results);
        for (k, a) in attrs {
            state.set_attr(self.ctx, k, *a);
        }
        self.b().create(state)
    }

    /// An op of two operands of the type of its result.
    pub fn binary(&mut self, name: &str, a: Value, b: Value) -> Value {
        let ty = a.ty(self.ctx);
        self.value(name, &[a, b], ty)
    }

    /// A constant at the start of the function, one for each value and type.
    pub fn constant_value(&mut self, a: Attr, ty: IrType) -> Value {
        if let Some(v) = self.constant_cache.get(&(a, ty)) {
            return *v;
        }
        let loc = self.func.loc(self.ctx);
        let mut b = Builder::at_start(self.ctx, self.entry, loc);
        let v = arith::constant(&mut b, a);
        self.constant_cache.insert((a, ty), v);
        v
    }

    // ---- cells ----

    /// A new cell that is no variable, without a value yet; `None` is a flag.
    pub fn new_cell(&mut self, ty: Option<Type>, name: &str) -> CellId {
        self.cell(Cell {
            root: None,
            path: Vec::new(),
            ty,
            name: name.to_string(),
        })
    }

    pub fn cell(&mut self, cell: Cell) -> CellId {
        self.cells.push(cell);
        self.env.cells.push(None);
        CellId(self.cells.len() - 1)
    }

    pub fn pointer_var(&mut self, p: PointerVar) -> PointerId {
        self.pointers.push(p);
        self.env.pointers.push(Target::Unset);
        PointerId(self.pointers.len() - 1)
    }

    pub fn cell_type(&self, c: CellId) -> IrType {
        match &self.cells[c.0].ty {
            Some(ty) => self.arithmetic_type(ty).unwrap_or_else(|| self.ctx.i1()),
            None => self.ctx.i1(),
        }
    }

    /// The value of a cell; one that has none yet is 0.
    pub fn read(&mut self, c: CellId) -> Value {
        match self.env.cells[c.0] {
            Some(v) => v,
            None => {
                let ty = self.cell_type(c);
                self.zero(ty)
            }
        }
    }

    pub fn set_flag(&mut self, c: CellId, to: bool) {
        let v = self.flag_constant(to);
        self.env.cells[c.0] = Some(v);
    }

    /// Grows an environment of before to the cells there are now.
    pub fn grown(&self, mut env: Env) -> Env {
        env.cells.resize(self.cells.len(), None);
        env.pointers.resize(self.pointers.len(), Target::Unset);
        env
    }
}
