//! From terrace to pliron.
//!
//! The ops are those that this crate declares, `builtin.func` and `builtin.constant`.

use crate::{affine, attrs, ops, types};
use pliron::attribute::AttributeDict;
use pliron::basic_block::BasicBlock;
use pliron::builtin::attributes::IdentifierAttr;
use pliron::builtin::attributes::TypeAttr;
use pliron::builtin::op_interfaces::ATTR_KEY_SYM_NAME;
use pliron::builtin::ops::{ConstantOp, FuncOp, ModuleOp};
use pliron::combine::stream::position::SourcePosition;
use pliron::context::{Context, Ptr};
use pliron::ident;
use pliron::identifier::Identifier;
use pliron::input_err;
use pliron::linked_list::ContainsLinkedList;
use pliron::location::{Location, Source};
use pliron::op::{Op, OpObj};
use pliron::operation::Operation;
use pliron::region::Region;
use pliron::result::Result;
use pliron::value::Value;
use rustc_hash::FxHashMap;
use terrace_dialects::{arith, func};
use terrace_ir as ir;

/// What pliron needs to make an op.
type Info = (fn(Ptr<Operation>) -> OpObj, std::any::TypeId);

/// The ops that this crate declares.
fn declared(name: &str) -> Option<Info> {
    macro_rules! find {
        ($($op:ty),* $(,)?) => {{
            $(if <$op>::get_opid_static().to_string() == name {
                return Some(<$op>::get_concrete_op_info());
            })*
            None
        }};
    }
    find!(
        affine::ApplyOp,
        affine::LoadOp,
        affine::StoreOp,
        affine::YieldOp,
        affine::ForOp,
        affine::IfOp,
        ops::AddFOp,
        ops::SubFOp,
        ops::MulFOp,
        ops::DivFOp,
        ops::MaximumFOp,
        ops::MinimumFOp,
        ops::AddIOp,
        ops::SubIOp,
        ops::MulIOp,
        ops::DivSIOp,
        ops::RemSIOp,
        ops::IndexCastOp,
        ops::SIToFPOp,
        ops::FPToSIOp,
        ops::ExtFOp,
        ops::TruncFOp,
        ops::AllocOp,
        ops::DeallocOp,
        ops::DimOp,
        ops::ReturnOp,
        ops::CallOp,
    )
}

struct Writer<'c> {
    from: &'c ir::Context,
    ctx: &'c mut Context,
    values: FxHashMap<ir::Value, Value>,
    blocks: FxHashMap<ir::Block, Ptr<BasicBlock>>,
}

/// Writes a module.
pub(crate) fn write(from: &ir::Context, module: ir::Op, ctx: &mut Context) -> Result<ModuleOp> {
    let name = module.symbol_name(from).unwrap_or("module");
    let name = attrs::name_from_terrace(name)?;
    let made = ModuleOp::new(ctx, name);
    let body = made.get_operation().deref(ctx).get_region(0);
    let body = body.deref(ctx).get_head();
    let mut writer = Writer {
        from,
        ctx,
        values: FxHashMap::default(),
        blocks: FxHashMap::default(),
    };
    if let Some(body) = body {
        writer.blocks.insert(module.body(from, 0), body);
        writer.ops(module.body(from, 0))?;
    }
    Ok(made)
}

/// A location in pliron.
fn location(loc: ir::Loc, from: &ir::Context, ctx: &Context) -> Location {
    let inner = |l: ir::Loc| Box::new(location(l, from, ctx));
    let place = |n: u32| i32::try_from(n).unwrap_or(i32::MAX);
    match loc.data(from) {
        ir::LocData::Unknown => Location::Unknown,
        ir::LocData::File { .. } | ir::LocData::Range { .. } => match loc.file_pos(from) {
            Some((file, line, column)) => Location::SrcPos {
                src: match &*from.file_name(file) {
                    "<in-memory>" => Source::InMemory,
                    file => Source::new_from_file(ctx, file),
                },
                pos: SourcePosition {
                    line: place(line),
                    column: place(column),
                },
            },
            None => Location::Unknown,
        },
        ir::LocData::Name { name, child } => Location::Named {
            name: from.str(name).to_string(),
            child_loc: inner(child),
        },
        ir::LocData::CallSite { callee, caller } => Location::CallSite {
            callee: inner(callee),
            caller: inner(caller),
        },
        ir::LocData::Fused { locs, .. } => Location::Fused {
            metadata: None,
            locations: locs.iter().map(|l| location(*l, from, ctx)).collect(),
        },
    }
}

impl Writer<'_> {
    fn region(&mut self, region: ir::Region, into: Ptr<Region>) -> Result<()> {
        let blocks = region.blocks(self.from);
        for block in &blocks {
            let types = block.arg_types(self.from);
            let types = types
                .iter()
                .map(|t| types::from_terrace(*t, self.from, self.ctx));
            let types = types.collect::<Result<Vec<_>>>()?;
            let made = BasicBlock::new(self.ctx, None, types);
            made.insert_at_back(into, self.ctx);
            let arguments: Vec<Value> = made.deref(self.ctx).arguments().collect();
            self.values
                .extend(block.args(self.from).into_iter().zip(arguments));
            self.blocks.insert(*block, made);
        }
        // A block comes behind those through which alone it is reached.
        let mut seen = rustc_hash::FxHashSet::default();
        for first in &blocks {
            let mut open = vec![*first];
            while let Some(block) = open.pop() {
                if seen.insert(block) {
                    self.ops(block)?;
                    open.extend(block.successors(self.from));
                }
            }
        }
        Ok(())
    }

    fn ops(&mut self, block: ir::Block) -> Result<()> {
        let into = self.blocks[&block];
        for op in block.ops(self.from) {
            let made = self.op(op)?;
            made.insert_at_back(into, self.ctx);
        }
        Ok(())
    }

    fn op(&mut self, op: ir::Op) -> Result<Ptr<Operation>> {
        let (from, name) = (self.from, op.name(self.from));
        let loc = location(op.loc(from), from, self.ctx);
        let (info, names): (Info, &[(&str, Identifier)]) = match name {
            _ if op.isa::<func::FuncOp>(from) => (
                FuncOp::get_concrete_op_info(),
                &[
                    ("sym_name", ident!("builtin_sym_name")),
                    ("function_type", ident!("builtin_func_type")),
                ],
            ),
            _ if op.isa::<arith::ConstantOp>(from) => (
                ConstantOp::get_concrete_op_info(),
                &[("value", ident!("builtin_constant_value"))],
            ),
            name => match declared(name) {
                Some(info) => (info, &[]),
                None => {
                    return input_err!(
                        loc,
                        "the op '{name}' is none that terrace-pliron declares; passes that make \
                         it stay in terrace"
                    );
                }
            },
        };
        let mut attributes = AttributeDict::default();
        for (key, value) in op.attrs(from) {
            let key = from.str(key);
            let name = match names.iter().find(|n| n.0 == key) {
                Some((_, name)) => name.clone(),
                None => attrs::name_from_terrace(key)?,
            };
            // The name of a function is an identifier in pliron, and its type one of pliron's.
            match key {
                "sym_name" => {
                    let symbol =
                        attrs::name_from_terrace(op.symbol_name(from).unwrap_or_default())?;
                    attributes.set(ATTR_KEY_SYM_NAME.clone(), IdentifierAttr::new(symbol));
                }
                "function_type" => {
                    let ty = value.as_type(from).unwrap_or_else(|| from.none_type());
                    let ty = types::from_terrace(ty, from, self.ctx)?;
                    attributes.set(name, TypeAttr::new(ty));
                }
                _ => {
                    let value = attrs::from_terrace(value, from, self.ctx)?;
                    attributes.0.insert(name, value);
                }
            }
        }
        let operands = op.operands(from);
        let operands = operands.iter().map(|v| self.values.get(v).copied());
        let Some(operands) = operands.collect::<Option<Vec<Value>>>() else {
            return input_err!(loc, "a value is used that nothing before it defines");
        };
        let results = op.result_types(from);
        let results = results
            .iter()
            .map(|t| types::from_terrace(*t, from, self.ctx));
        let results = results.collect::<Result<Vec<_>>>()?;
        let successors = op.successors(from).iter().map(|b| self.blocks[b]).collect();
        let regions = op.num_regions(from);
        let made = Operation::new(self.ctx, info, results, operands, successors, regions);
        made.deref_mut(self.ctx).attributes = attributes;
        made.deref_mut(self.ctx).set_loc(loc);
        let defined: Vec<Value> = made.deref(self.ctx).results().collect();
        self.values
            .extend(op.results(from).into_iter().zip(defined));
        for k in 0..regions {
            let into = made.deref(self.ctx).get_region(k);
            self.region(op.region(from, k), into)?;
        }
        Ok(made)
    }
}
