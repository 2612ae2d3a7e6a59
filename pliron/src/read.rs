//! From pliron to terrace.
//!
//! An op of a name that terrace knows becomes that op, with its operands, attributes, regions and
//! successors. `builtin.func` becomes `func.func` and `builtin.constant` `arith.constant`. Any other op
//! says itself what becomes of it, by the interface [`TerraceOp`].

use crate::{attrs, types};
use pliron::attribute::Attribute;
use pliron::basic_block::BasicBlock;
use pliron::builtin::op_interfaces::{ATTR_KEY_SYM_NAME, SymbolOpInterface};
use pliron::builtin::ops::{ConstantOp, FuncOp, ModuleOp};
use pliron::context::{Context, Ptr};
use pliron::derive::op_interface;
use pliron::identifier::Identifier;
use pliron::input_err;
use pliron::linked_list::ContainsLinkedList;
use pliron::location::{Location, Source};
use pliron::op::{Op, op_cast};
use pliron::operation::Operation;
use pliron::region::Region;
use pliron::result::Result;
use pliron::r#type::{TypeHandle, Typed};
use pliron::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::{arith, builtin, func};
use terrace_ir as ir;
use terrace_ir::{Builder, OpKind};

/// An op that says itself what it is in terrace.
#[op_interface]
pub trait TerraceOp {
    /// Makes ops of terrace by [`Reader::builder`], and says by [`Reader::define`] what the results
    /// are.
    ///
    /// # Errors
    ///
    /// That there is no such op.
    fn to_terrace(&self, ctx: &Context, to: &mut Reader<'_>) -> Result<()>;

    /// Every such op is one.
    fn verify(_op: &dyn Op, _ctx: &Context) -> Result<()>
    where
        Self: Sized,
    {
        Ok(())
    }
}

/// What of a module is read.
pub struct Reader<'c> {
    ctx: &'c Context,
    to: ir::Context,
    values: FxHashMap<Value, ir::Value>,
    blocks: FxHashMap<Ptr<BasicBlock>, ir::Block>,
    /// The op of pliron that each op of terrace is of.
    pub(crate) origins: FxHashMap<ir::Op, Ptr<Operation>>,
    /// Where ops are made.
    at: Option<ir::Block>,
    /// What they are made of.
    of: Ptr<Operation>,
}

/// A module of terrace, and what its ops are of.
pub(crate) struct Read {
    pub(crate) ctx: ir::Context,
    pub(crate) module: ir::Op,
    pub(crate) origins: FxHashMap<ir::Op, Ptr<Operation>>,
}

/// Reads a module.
pub(crate) fn read(ctx: &Context, module: ModuleOp) -> Result<Read> {
    let mut to = terrace_dialects::context();
    to.config.keep_names = true;
    to.config.allow_unregistered_attrs = true;
    let loc = location(&module.loc(ctx), ctx, &to);
    let name = attrs::name_to_terrace(&module.get_symbol_name(ctx));
    let state = ir::OpState::new(builtin::ModuleOp::DEF, loc)
        .attr(&to, "sym_name", to.string_attr(&name))
        .regions(1);
    let made = state.create(&mut to);
    let mut reader = Reader {
        ctx,
        to,
        values: FxHashMap::default(),
        blocks: FxHashMap::default(),
        origins: FxHashMap::default(),
        at: None,
        of: module.get_operation(),
    };
    reader.origins.insert(made, module.get_operation());
    let region = module.get_operation().deref(ctx).get_region(0);
    reader.region(region, made.region(&reader.to, 0))?;
    Ok(Read {
        ctx: reader.to,
        module: made,
        origins: reader.origins,
    })
}

/// A location in terrace.
fn location(loc: &Location, ctx: &Context, to: &ir::Context) -> ir::Loc {
    let inner = |l: &Location| location(l, ctx, to);
    let data = match loc {
        Location::Unknown => return ir::Loc::Unknown,
        Location::SrcPos { src, pos } => {
            let place = |n: i32| u32::try_from(n).unwrap_or(0);
            let file = match src {
                Source::File(key) => pliron::uniqued_any::get(ctx, *key).display().to_string(),
                Source::InMemory => "<in-memory>".to_string(),
            };
            return to.file_loc(&file, place(pos.line), place(pos.column));
        }
        Location::Named { name, child_loc } => ir::LocData::Name {
            name: to.intern(name),
            child: inner(child_loc),
        },
        Location::CallSite { callee, caller } => ir::LocData::CallSite {
            callee: inner(callee),
            caller: inner(caller),
        },
        Location::Fused { locations, .. } => ir::LocData::Fused {
            metadata: None,
            locs: locations.iter().map(inner).collect(),
        },
    };
    ir::Loc::from_data(to, data)
}

impl Reader<'_> {
    /// The value of terrace that stands for one of pliron.
    ///
    /// # Errors
    ///
    /// That what defines it does not come before.
    pub fn value(&self, value: Value) -> Result<ir::Value> {
        match self.values.get(&value) {
            Some(found) => Ok(*found),
            None => input_err!(
                self.of.deref(self.ctx).loc(),
                "a value is used that nothing before it defines"
            ),
        }
    }

    /// What a type is in terrace.
    ///
    /// # Errors
    ///
    /// That it is nothing there.
    pub fn ty(&self, ty: TypeHandle) -> Result<ir::Type> {
        let made = types::to_terrace(ty, self.ctx, &self.to);
        made.map_err(|e| self.placed(e))
    }

    /// What an attribute is in terrace.
    ///
    /// # Errors
    ///
    /// That it is nothing there.
    pub fn attr(&self, attr: &dyn Attribute) -> Result<ir::Attr> {
        let made = attrs::to_terrace(attr, self.ctx, &self.to);
        made.map_err(|e| self.placed(e))
    }

    /// Makes ops where the op stands that is read, with its location.
    pub fn builder(&mut self) -> Builder<'_> {
        let loc = location(self.of.deref(self.ctx).loc(), self.ctx, &self.to);
        let point = self
            .at
            .map_or(ir::InsertPoint::Detached, ir::InsertPoint::End);
        Builder::new(&mut self.to, point, loc)
    }

    /// Says which value stands for one of pliron.
    pub fn define(&mut self, value: Value, is: ir::Value) {
        self.values.insert(value, is);
    }

    /// The error, at the op that is read if it is nowhere.
    fn placed(&self, mut e: pliron::result::Error) -> pliron::result::Error {
        if *e.loc() == Location::Unknown {
            e.set_loc(self.of.deref(self.ctx).loc().clone());
        }
        e
    }

    fn region(&mut self, region: Ptr<Region>, into: ir::Region) -> Result<()> {
        let blocks: Vec<Ptr<BasicBlock>> = region.deref(self.ctx).iter(self.ctx).collect();
        for block in &blocks {
            let arguments: Vec<Value> = block.deref(self.ctx).arguments().collect();
            let types = arguments.iter().map(|a| self.ty(a.get_type(self.ctx)));
            let types = types.collect::<Result<Vec<_>>>()?;
            let made = into.add_block(&mut self.to, &types);
            made.set_loc(
                &self.to,
                location(block.deref(self.ctx).loc(), self.ctx, &self.to),
            );
            for (value, is) in arguments.into_iter().zip(made.args(&self.to)) {
                self.define(value, is);
            }
            self.blocks.insert(*block, made);
        }
        // A block comes behind those through which alone it is reached.
        let mut seen = FxHashSet::default();
        for first in &blocks {
            let mut open = vec![*first];
            while let Some(block) = open.pop() {
                if seen.insert(block) {
                    self.block(block)?;
                    open.extend(block.deref(self.ctx).succs(self.ctx));
                }
            }
        }
        Ok(())
    }

    fn block(&mut self, block: Ptr<BasicBlock>) -> Result<()> {
        let into = self.blocks[&block];
        let ops: Vec<Ptr<Operation>> = block.deref(self.ctx).iter(self.ctx).collect();
        for op in ops {
            (self.at, self.of) = (Some(into), op);
            let before = into.last_op(&self.to);
            self.op(op)?;
            // Whatever was made of it.
            let mut made = into.last_op(&self.to);
            while let Some(m) = made.filter(|m| Some(*m) != before) {
                self.origins.insert(m, op);
                made = m.prev(&self.to);
            }
        }
        Ok(())
    }

    fn op(&mut self, op: Ptr<Operation>) -> Result<()> {
        if let Some(function) = Operation::get_op::<FuncOp>(op, self.ctx) {
            return self.function(function);
        }
        if let Some(constant) = Operation::get_op::<ConstantOp>(op, self.ctx) {
            let value = constant.get_attr_builtin_constant_value(self.ctx);
            let value = value.as_deref().map(|v| self.attr(&**v)).transpose()?;
            let result = op.deref(self.ctx).get_result(0);
            let ty = self.ty(result.get_type(self.ctx))?;
            let Some(value) = value else {
                return input_err!(op.deref(self.ctx).loc(), "a constant without a value");
            };
            let mut b = self.builder();
            let is = b.value::<arith::ConstantOp>(&[], ty, &[("value", value)]);
            self.define(result, is);
            return Ok(());
        }
        let name = Operation::get_opid(op, self.ctx).to_string();
        if let Some(def) = self.to.op_def(&name) {
            let attributes = op.deref(self.ctx).attributes.clone_skip_outlined(self.ctx);
            let attributes = attrs::dictionary(&attributes, self.ctx, &self.to);
            let attributes = attributes.map_err(|e| self.placed(e))?;
            return self.same(op, def, &attributes);
        }
        let obj = Operation::get_op_dyn(op, self.ctx);
        match op_cast::<dyn TerraceOp>(obj.as_ref()) {
            Some(foreign) => foreign.to_terrace(self.ctx, self),
            None => input_err!(
                op.deref(self.ctx).loc(),
                "the op '{name}' is unknown to terrace; expected one that terrace declares, or one \
                 with the interface TerraceOp"
            ),
        }
    }

    fn function(&mut self, function: FuncOp) -> Result<()> {
        let op = function.get_operation();
        let ty = self.ty(function.get_type(self.ctx))?;
        let mut attributes = op.deref(self.ctx).attributes.clone_skip_outlined(self.ctx);
        let own = [ATTR_KEY_SYM_NAME.clone(), FUNCTION_TYPE];
        attributes.0.retain(|name, _| !own.contains(name));
        let attributes = attrs::dictionary(&attributes, self.ctx, &self.to);
        let mut attributes = attributes.map_err(|e| self.placed(e))?;
        let name = attrs::name_to_terrace(&function.get_symbol_name(self.ctx));
        attributes.push(("sym_name".into(), self.to.string_attr(&name)));
        attributes.push(("function_type".into(), self.to.type_attr(ty)));
        self.same(op, func::FuncOp::DEF, &attributes)
    }

    /// An op with these attributes, and the operands, results, successors and regions of one of
    /// pliron's.
    fn same(
        &mut self,
        op: Ptr<Operation>,
        def: &'static ir::OpDef,
        attributes: &[(String, ir::Attr)],
    ) -> Result<()> {
        let (ctx, o) = (self.ctx, op.deref(self.ctx));
        let operands = o
            .operands()
            .map(|v| self.value(v))
            .collect::<Result<Vec<_>>>()?;
        let results = o
            .result_types()
            .map(|t| self.ty(t))
            .collect::<Result<Vec<_>>>()?;
        let successors: Vec<ir::Block> = o.successors().map(|b| self.blocks[&b]).collect();
        let mut state = ir::OpState::new(def, location(o.loc(), ctx, &self.to))
            .operands(&operands)
            .results(&results)
            .successors(&successors)
            .regions(o.num_regions());
        for (name, value) in attributes {
            state.set_attr(&self.to, name, *value);
        }
        let made = state.create(&mut self.to);
        if let Some(at) = self.at {
            at.push_back(&self.to, made);
        }
        for (value, is) in o.results().zip(made.results(&self.to)) {
            self.define(value, is);
        }
        let into = self.at;
        for (k, region) in o.regions().enumerate() {
            self.region(region, made.region(&self.to, k))?;
        }
        (self.at, self.of) = (into, op);
        Ok(())
    }
}

/// The attribute of a function that is its type.
const FUNCTION_TYPE: Identifier = pliron::ident!("builtin_func_type");
