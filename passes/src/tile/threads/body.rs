//! A block's code, op by op.

use super::Unable;
use super::hazards::{Hazards, Touch};
use super::place::coordinates_of_thread;
use super::registers::{Layouts, Registers, coordinates};
use crate::loops::build::index::{add_constant, constant};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use terrace_dialects::arith::elements::Elements;
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate, splat_float, splat_int};
use terrace_dialects::tile::{self, TileAccess};
use terrace_dialects::{gpu, scf, vector};
use terrace_ir::builder::OpState;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::{effects, is_memory_effect_free};
use terrace_ir::num::{Float, Int};
use terrace_ir::opdef::{EffectKind, traits};
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};
use terrace_layout::{Layout, Resource};

/// Makes the code of a block into that of one of its threads.
pub(super) struct Body<'a> {
    /// The number of the thread in its block.
    pub thread: Value,
    pub threads: i64,
    /// What numbers that all elements share are in the kernel.
    pub map: IrMapping,
    pub tiles: FxHashMap<Value, Registers>,
    pub layouts: Layouts,
    pub hazards: Hazards,
    /// The code may run several times.
    pub in_loop: bool,
    /// Buffers that hold something.
    pub used: FxHashSet<Value>,
    buffers: &'a FxHashMap<Op, Value>,
    places: Vec<(Rc<Layout>, Vec<Value>)>,
    /// Where places are computed: in front of all that may use them.
    top: InsertPoint,
}

impl<'a> Body<'a> {
    /// `top` is a place in front of the code, behind what defines `thread`.
    pub fn new(
        thread: Value,
        threads: i64,
        map: IrMapping,
        buffers: &'a FxHashMap<Op, Value>,
        top: InsertPoint,
    ) -> Body<'a> {
        Body {
            thread,
            threads,
            map,
            tiles: FxHashMap::default(),
            layouts: Layouts::default(),
            hazards: Hazards::default(),
            in_loop: false,
            used: FxHashSet::default(),
            buffers,
            places: Vec::new(),
            top,
        }
    }

    /// The code of all ops of `block` but its terminator.
    pub fn block(&mut self, b: &mut Builder, block: Block) -> Result<(), Unable> {
        let mut ops = block.ops(b.ctx);
        ops.pop();
        for op in ops {
            b.loc = op.loc(b.ctx);
            self.op(b, op)?;
        }
        Ok(())
    }

    fn op(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        match op.name(b.ctx) {
            tile::LoadOp::NAME => self.load(b, op),
            tile::StoreOp::NAME => self.store(b, op),
            tile::ReduceOp::NAME => self.reduce(b, op),
            tile::ConvertOp::NAME => self.convert(b, op),
            tile::MaskOp::NAME => {
                let bounds = tile::MaskOp::wrap(op).bounds(b.ctx);
                self.mask(b, op, &bounds)
            }
            vector::StepOp::NAME => self.step(b, op),
            vector::BroadcastOp::NAME => self.broadcast(b, op),
            vector::ShapeCastOp::NAME => self.shape_cast(b, op),
            scf::ForOp::NAME => self.for_loop(b, op),
            scf::IfOp::NAME => self.either(b, op),
            _ if has_tiles(b.ctx, op) => self.elementwise(b, op),
            _ if op.num_regions(b.ctx) > 0 => {
                Err(Unable::new(op, "is no loop that a block on tiles can have"))
            }
            _ => self.scalar_op(b, op),
        }
    }

    /// What a number that all elements share is in the kernel.
    pub fn scalar(&self, v: Value) -> Value {
        self.map.value(v)
    }

    /// Computes `v` in the kernel where it asks how arrays lie: only the kernel knows that of
    /// the device's. Gives whether it does.
    fn ask_here(&mut self, b: &mut Builder, v: Value) -> bool {
        let Some(def) = v.def_op().filter(|_| self.map.get(v).is_none()) else {
            return false;
        };
        let mut asks = def.isa::<gpu::RowsAlignedOp>(b.ctx);
        if !asks && is_memory_effect_free(b.ctx, def) && def.num_regions(b.ctx) == 0 {
            for o in def.operands(b.ctx) {
                asks |= self.ask_here(b, o);
            }
        }
        if asks {
            let (top, map) = (self.top, &mut self.map);
            b.with_point(top, |b| {
                let new = clone_op(b.ctx, def, map);
                b.insert(new);
            });
        }
        asks
    }

    /// What a thread has of a tile. One that was moved in front of the launch is made anew.
    ///
    /// # Errors
    ///
    /// No op makes it here; `user` is the op that asks.
    pub fn registers(&mut self, b: &mut Builder, user: Op, v: Value) -> Result<Registers, Unable> {
        if !self.tiles.contains_key(&v)
            && let Some(def) = v.def_op().filter(|d| is_memory_effect_free(b.ctx, *d))
        {
            // In front of all ways that may use it.
            let top = self.top;
            b.with_point(top, |b| self.op(b, def))?;
        }
        let found = self.tiles.get(&v).cloned();
        found.ok_or_else(|| Unable::new(user, "uses a tile that no op of the block makes"))
    }

    /// The buffer that was made for `op`.
    pub fn buffer_of(&self, op: Op) -> Result<Value, Unable> {
        let found = self.buffers.get(&op).copied();
        found.ok_or_else(|| Unable::new(op, "has no buffer"))
    }

    /// The coordinates of a thread's elements in a layout, but for what registers add.
    pub fn place(&mut self, b: &mut Builder, layout: &Rc<Layout>) -> Vec<Value> {
        if let Some((_, p)) = self.places.iter().find(|(l, _)| l == layout) {
            return p.clone();
        }
        let (thread, threads) = (self.thread, self.threads);
        let made = b.with_point(self.top, |b| {
            coordinates_of_thread(b, layout, thread, threads)
        });
        self.places.push((layout.clone(), made.clone()));
        made
    }

    /// Puts a barrier in front of these accesses where they need one.
    pub fn wait(&mut self, b: &mut Builder, touches: &[Touch]) {
        if self.hazards.meets(b.ctx, touches) {
            gpu::BarrierOp::build(b);
            self.hazards.clear();
        }
        self.hazards.add(touches);
    }

    fn step(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        let layout = self.layouts.of(b.ctx, op)?;
        let place = self.place(b, &layout);
        let all = (0..layout.size(Resource::Reg))
            .map(|i| add_constant(b, place[0], coordinates(&layout, i)[0]))
            .collect();
        self.tiles
            .insert(op.result(b.ctx, 0), Registers::Each(all, layout));
        Ok(())
    }

    fn elementwise(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        if let Some(v) = splat(b, op) {
            self.tiles.insert(op.result(b.ctx, 0), Registers::All(v));
            return Ok(());
        }
        let elementwise = op.has_trait(b.ctx, traits::ELEMENTWISE);
        if !elementwise {
            return Err(Unable::new(
                op,
                "is not done element by element, and is no op of tiles",
            ));
        }
        let mut given = Vec::new();
        for v in op.operands(b.ctx) {
            given.push(match v.ty(b.ctx).is_vector(b.ctx) {
                true => self.registers(b, op, v)?,
                false => Registers::All(self.scalar(v)),
            });
        }
        let layout = given.iter().find_map(|g| g.layout().cloned());
        let agree = |g: &Registers| match (g.layout(), &layout) {
            (Some(a), Some(l)) => a == l || a.is_same_as(l),
            _ => true,
        };
        if !given.iter().all(agree) {
            return Err(Unable::new(op, "has tiles of different layouts"));
        }
        let count = layout.as_ref().map_or(1, |l| l.size(Resource::Reg));
        let results = op.results(b.ctx);
        let mut all: Vec<Vec<Value>> = vec![Vec::new(); results.len()];
        for i in 0..count {
            let mut s = OpState::like(b.ctx, op);
            s.result_types = (results.iter())
                .map(|r| r.ty(b.ctx).element_or_self(b.ctx))
                .collect();
            for g in &given {
                let v = g
                    .at(i)
                    .ok_or_else(|| Unable::new(op, "has tiles of different layouts"))?;
                s.operands.push(v);
            }
            let new = b.create(s);
            for (own, v) in all.iter_mut().zip(new.results(b.ctx)) {
                own.push(v);
            }
        }
        for (r, own) in results.into_iter().zip(all) {
            let held = match &layout {
                Some(l) => Registers::Each(own, l.clone()),
                None => Registers::All(own[0]),
            };
            self.tiles.insert(r, held);
        }
        Ok(())
    }

    /// What all elements share: all threads compute it, and one stores it.
    fn scalar_op(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        if is_memory_effect_free(b.ctx, op) {
            let new = clone_op(b.ctx, op, &mut self.map);
            b.insert(new);
            return Ok(());
        }
        let touches = touches(b.ctx, op, &self.map)
            .ok_or_else(|| Unable::new(op, "touches memory that is not known"))?;
        self.wait(b, &touches);
        if !touches.iter().any(|t| t.writes) {
            let new = clone_op(b.ctx, op, &mut self.map);
            b.insert(new);
            return Ok(());
        }
        if op.num_results(b.ctx) > 0 {
            return Err(Unable::new(op, "writes memory and has a result"));
        }
        let zero = constant(b, 0);
        let first = CmpIOp::build(b, CmpIPredicate::Eq, self.thread, zero);
        let (_, then, _) = scf::IfOp::build(b, first, &[], false);
        b.with_point(InsertPoint::End(then), |b| {
            let new = clone_op(b.ctx, op, &mut self.map);
            b.insert(new);
            scf::YieldOp::build(b, &[]);
        });
        Ok(())
    }

    /// A condition that all threads see alike, whose results are numbers that all share.
    fn either(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        let types: Vec<_> = op.results(b.ctx).iter().map(|v| v.ty(b.ctx)).collect();
        if types.iter().any(|t| t.is_vector(b.ctx)) {
            return Err(Unable::new(op, "hands tiles on from a condition"));
        }
        let condition = op.operand(b.ctx, 0);
        self.ask_here(b, condition);
        let condition = self.scalar(condition);
        let old = op.regions(b.ctx);
        let ways: Vec<Block> = old.iter().flat_map(|r| r.blocks(b.ctx)).collect();
        let (new, then, other) = scf::IfOp::build(b, condition, &types, ways.len() > 1);
        let before = self.hazards.clone();
        let mut after = Hazards::default();
        for (from, to) in ways
            .into_iter()
            .zip([Some(then), other].into_iter().flatten())
        {
            self.hazards = before.clone();
            b.with_point(InsertPoint::End(to), |b| {
                self.block(b, from)?;
                let end = from
                    .last_op(b.ctx)
                    .map(|e| e.operands(b.ctx))
                    .unwrap_or_default();
                let end: Vec<Value> = end.into_iter().map(|v| self.scalar(v)).collect();
                scf::YieldOp::build(b, &end);
                Ok(())
            })?;
            after.join(&self.hazards);
        }
        after.join(&before);
        self.hazards = after;
        self.map
            .map_all(&op.results(b.ctx), &new.op().results(b.ctx));
        Ok(())
    }

    /// A loop that carries tiles, register by register.
    fn for_loop(&mut self, b: &mut Builder, op: Op) -> Result<(), Unable> {
        let l = scf::ForOp::wrap(op);
        let body = op.region(b.ctx, 0).blocks(b.ctx)[0];
        let inside = self.accesses(b.ctx, body)?;
        self.wait(b, &inside);
        let mut inits = Vec::new();
        let mut shapes: Vec<Option<(Rc<Layout>, usize)>> = Vec::new();
        for (i, v) in l.init_args(b.ctx).into_iter().enumerate() {
            if !v.ty(b.ctx).is_vector(b.ctx) {
                inits.push(self.scalar(v));
                shapes.push(None);
                continue;
            }
            // What the loop carries has the layout of what it yields.
            let layout = self.carried_layout(b.ctx, op, i)?;
            let given = self.registers(b, op, v)?;
            if given.layout().is_some_and(|l| !l.is_same_as(&layout)) {
                return Err(Unable::new(op, "begins with a tile of another layout"));
            }
            let count = layout.size(Resource::Reg);
            for k in 0..count {
                inits.push(
                    given
                        .at(k)
                        .ok_or_else(|| Unable::new(op, "begins with a tile of another layout"))?,
                );
            }
            shapes.push(Some((layout, count)));
        }
        let bounds =
            [l.lower_bound(b.ctx), l.upper_bound(b.ctx), l.step(b.ctx)].map(|v| self.scalar(v));
        let (new, block) = scf::ForOp::build(b, bounds[0], bounds[1], bounds[2], &inits);
        self.map.map(body.arg(b.ctx, 0), block.arg(b.ctx, 0));
        let args: Vec<Value> = (1..=inits.len()).map(|i| block.arg(b.ctx, i)).collect();
        let old: Vec<Value> = (1..=shapes.len()).map(|i| body.arg(b.ctx, i)).collect();
        self.give(&old, &args, &shapes);
        let around = std::mem::replace(&mut self.in_loop, true);
        let hazards = std::mem::take(&mut self.hazards);
        let made = b.with_point(InsertPoint::End(block), |b| {
            self.block(b, body)?;
            let mut yields = Vec::new();
            let last = body.last_op(b.ctx);
            for v in last.map(|o| o.operands(b.ctx)).unwrap_or_default() {
                match v.ty(b.ctx).is_vector(b.ctx) {
                    false => yields.push(self.scalar(v)),
                    true => match self.registers(b, op, v)? {
                        Registers::Each(own, _) => yields.extend(own),
                        Registers::All(_) => {
                            return Err(Unable::new(
                                op,
                                "carries a tile whose elements are all the same",
                            ));
                        }
                    },
                }
            }
            if self.hazards.meets(b.ctx, &inside) {
                gpu::BarrierOp::build(b);
            }
            scf::YieldOp::build(b, &yields);
            Ok(())
        });
        self.in_loop = around;
        self.hazards = hazards;
        made?;
        let results = new.op().results(b.ctx);
        self.give(&op.results(b.ctx), &results, &shapes);
        Ok(())
    }

    /// Lets registers stand for the tiles `old`, and numbers for the numbers.
    fn give(&mut self, old: &[Value], new: &[Value], shapes: &[Option<(Rc<Layout>, usize)>]) {
        let mut rest = new;
        for (v, s) in old.iter().zip(shapes) {
            let n = s.as_ref().map_or(1, |s| s.1);
            let (own, behind) = rest.split_at(n.min(rest.len()));
            rest = behind;
            match s {
                None => self.map.map(*v, own[0]),
                Some((layout, _)) => {
                    self.tiles
                        .insert(*v, Registers::Each(own.to_vec(), layout.clone()));
                }
            }
        }
    }

    /// The layout of a tile that a loop carries: that of what it yields.
    fn carried_layout(&mut self, ctx: &Context, op: Op, i: usize) -> Result<Rc<Layout>, Unable> {
        let body = op.region(ctx, 0).blocks(ctx)[0];
        let yielded = body
            .last_op(ctx)
            .and_then(|o| o.operands(ctx).get(i).copied());
        match yielded {
            Some(v) => self.layouts.behind(ctx, v, op),
            None => Err(Unable::new(op, "yields too little")),
        }
    }

    /// All accesses in a block.
    fn accesses(&mut self, ctx: &Context, block: Block) -> Result<Vec<Touch>, Unable> {
        let mut all = Vec::new();
        for op in block.ops(ctx).into_iter().flat_map(|o| o.pre_order(ctx)) {
            if let Some(mut a) = TileAccess::of(ctx, op) {
                a.memref = self.scalar(a.memref);
                all.push(Touch {
                    memref: a.memref,
                    writes: op.isa::<tile::StoreOp>(ctx),
                    who: None,
                });
                continue;
            }
            if op.num_regions(ctx) == 0 && !is_memory_effect_free(ctx, op) {
                let own = touches(ctx, op, &self.map)
                    .ok_or_else(|| Unable::new(op, "touches memory that is not known"))?;
                all.extend(own);
            }
        }
        Ok(all)
    }
}

/// What an op touches, where that is known.
fn touches(ctx: &Context, op: Op, map: &IrMapping) -> Option<Vec<Touch>> {
    let own = effects(ctx, op)?;
    (own.into_iter())
        .map(|e| {
            Some(Touch {
                memref: map.value(e.on?),
                writes: e.kind != EffectKind::Read,
                who: None,
            })
        })
        .collect()
}

fn has_tiles(ctx: &Context, op: Op) -> bool {
    let tile = |v: &Value| v.ty(ctx).is_vector(ctx);
    op.results(ctx).iter().any(tile) || op.operands(ctx).iter().any(tile)
}

/// The number that all elements of a constant are.
fn splat(b: &mut Builder, op: Op) -> Option<Value> {
    if !op.isa::<arith::ConstantOp>(b.ctx) {
        return None;
    }
    let ty = op.result(b.ctx, 0).ty(b.ctx);
    let elem = ty.element(b.ctx)?;
    let all = op.attr(b.ctx, "value")?;
    let value = match elem.is_float(b.ctx) {
        true => splat_float(b.ctx, elem, &Elements::<Float>::of(b.ctx, all)?.one()?),
        false => splat_int(b.ctx, elem, &Elements::<Int>::of(b.ctx, all)?.one()?),
    };
    Some(b.value::<arith::ConstantOp>(&[], elem, &[("value", value)]))
}
