//! The dialect affine as ops of pliron.
//!
//! Each has the name, the operands, the attributes and the regions that it has in terrace, so that it
//! becomes that without more.

use crate::attrs::{AffineMapAttr, IndexAttr, IntegerSetAttr};
use crate::op;
use crate::types::{IndexType, MemrefType};
use pliron::attribute::AttrObj;
use pliron::basic_block::BasicBlock;
use pliron::builtin::attributes::OperandSegmentSizesAttr;
use pliron::builtin::op_interfaces::{
    IsTerminatorInterface, NRegionsInterface, NResultsInterface, OneRegionInterface,
    OneResultInterface, SingleBlockRegionInterface,
};
use pliron::common_traits::Verify;
use pliron::context::{Context, Ptr};
use pliron::derive::pliron_op;
use pliron::identifier::Identifier;
use pliron::linked_list::ContainsLinkedList;
use pliron::op::Op;
use pliron::operation::Operation;
use pliron::printable::Printable;
use pliron::result::Result;
use pliron::r#type::{TypeHandle, Typed};
use pliron::value::Value;
use pliron::{ident, verify_err};
use terrace_ir::affine::{AffineMap, IntegerSet};

const MAP: Identifier = ident!("map");
const CONDITION: Identifier = ident!("condition");
const LOWER: Identifier = ident!("lowerBoundMap");
const UPPER: Identifier = ident!("upperBoundMap");
const STEP: Identifier = ident!("step");
const SEGMENTS: Identifier = ident!("operandSegmentSizes");

fn set(op: Ptr<Operation>, ctx: &Context, name: Identifier, attr: AttrObj) {
    op.deref_mut(ctx).attributes.0.insert(name, attr);
}

/// The map of an op, which has as many inputs as there are operands behind the first few.
fn check_map(op: Ptr<Operation>, ctx: &Context, before: usize) -> Result<()> {
    let op = op.deref(ctx);
    let Some(map) = op.attributes.get::<AffineMapAttr>(&MAP) else {
        return verify_err!(op.loc(), "it has no attribute 'map' of type AffineMapAttr");
    };
    let (inputs, given) = (map.0.num_inputs(), op.get_num_operands());
    if before + inputs != given {
        return verify_err!(
            op.loc(),
            "the map {} takes {inputs} operands, found {}",
            map.0,
            given.saturating_sub(before)
        );
    }
    check_indices(&op, ctx, before)
}

/// Operands from one on are indices.
fn check_indices(op: &Operation, ctx: &Context, from: usize) -> Result<()> {
    let index: TypeHandle = IndexType::get(ctx).into();
    for (k, ty) in op.operand_types(ctx).enumerate().skip(from) {
        if ty != index {
            let ty = ty.disp(ctx);
            return verify_err!(
                op.loc(),
                "operand {k} is of type {ty}; expected terrace.index"
            );
        }
    }
    Ok(())
}

/// The memref among the operands of an access, with as many axes as the map has results.
fn check_access(op: Ptr<Operation>, ctx: &Context, memref: usize, of: TypeHandle) -> Result<()> {
    check_map(op, ctx, memref + 1)?;
    let op = op.deref(ctx);
    let handle = op.get_operand(memref).get_type(ctx);
    let ty = handle.deref(ctx);
    let Some(ty) = ty.downcast_ref::<MemrefType>() else {
        let ty = handle.disp(ctx);
        return verify_err!(
            op.loc(),
            "operand {memref} is of type {ty}; expected terrace.memref"
        );
    };
    let results = op
        .attributes
        .get::<AffineMapAttr>(&MAP)
        .map_or(0, |m| m.0.num_results());
    if results != ty.shape().len() {
        let axes = ty.shape().len();
        return verify_err!(
            op.loc(),
            "the map gives {results} subscripts of {axes} axes"
        );
    }
    if ty.element() != of {
        let (element, of) = (ty.element(), of.disp(ctx));
        let element = element.disp(ctx);
        return verify_err!(op.loc(), "a value of type {of} in a memref of {element}");
    }
    Ok(())
}

op! {
    /// The one result of an affine map.
    ApplyOp = "affine.apply" [OneResultInterface, NResultsInterface<1>]
}

impl ApplyOp {
    /// The map at operands, dimensions first, then symbols.
    pub fn new(ctx: &mut Context, map: AffineMap, operands: Vec<Value>) -> ApplyOp {
        let index = IndexType::get(ctx).into();
        let info = Self::get_concrete_op_info();
        let op = Operation::new(ctx, info, vec![index], operands, vec![], 0);
        set(op, ctx, MAP, Box::new(AffineMapAttr(map)));
        ApplyOp { op }
    }
}

impl Verify for ApplyOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        check_map(self.op, ctx, 0)
    }
}

op! {
    /// The element of a memref at the results of an affine map.
    LoadOp = "affine.load" [OneResultInterface, NResultsInterface<1>]
}

impl LoadOp {
    /// `map` has a result for each axis, and an input for each operand: dimensions, then symbols.
    ///
    /// # Panics
    ///
    /// If the value is no memref.
    pub fn new(ctx: &mut Context, memref: Value, map: AffineMap, operands: &[Value]) -> LoadOp {
        let element = {
            let ty = memref.get_type(ctx);
            let ty = ty.deref(ctx);
            ty.downcast_ref::<MemrefType>()
                .expect("a load is of a memref")
                .element()
        };
        let info = Self::get_concrete_op_info();
        let operands = [&[memref], operands].concat();
        let op = Operation::new(ctx, info, vec![element], operands, vec![], 0);
        set(op, ctx, MAP, Box::new(AffineMapAttr(map)));
        LoadOp { op }
    }
}

impl Verify for LoadOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        if self.op.deref(ctx).get_num_operands() == 0 {
            return verify_err!(self.loc(ctx), "it has no operand; the first is the memref");
        }
        check_access(self.op, ctx, 0, self.get_result(ctx).get_type(ctx))
    }
}

op! {
    /// Stores a value into a memref at the results of an affine map.
    StoreOp = "affine.store" [NResultsInterface<0>]
}

impl StoreOp {
    /// As for [`LoadOp::new`].
    pub fn new(
        ctx: &mut Context,
        value: Value,
        memref: Value,
        map: AffineMap,
        operands: &[Value],
    ) -> StoreOp {
        let info = Self::get_concrete_op_info();
        let operands = [&[value, memref], operands].concat();
        let op = Operation::new(ctx, info, vec![], operands, vec![], 0);
        set(op, ctx, MAP, Box::new(AffineMapAttr(map)));
        StoreOp { op }
    }
}

impl Verify for StoreOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        if self.op.deref(ctx).get_num_operands() < 2 {
            return verify_err!(
                self.loc(ctx),
                "it has fewer than two operands; the first are the value and the memref"
            );
        }
        let of = self.op.deref(ctx).get_operand(0).get_type(ctx);
        check_access(self.op, ctx, 1, of)
    }
}

op! {
    /// Ends the body of an affine loop or condition, and hands on its operands.
    YieldOp = "affine.yield" [IsTerminatorInterface, NResultsInterface<0>]
}

impl YieldOp {
    /// Hands these on.
    pub fn new(ctx: &mut Context, values: Vec<Value>) -> YieldOp {
        let info = Self::get_concrete_op_info();
        let op = Operation::new(ctx, info, vec![], values, vec![], 0);
        YieldOp { op }
    }
}

impl Verify for YieldOp {
    fn verify(&self, _: &Context) -> Result<()> {
        Ok(())
    }
}

op! {
    /// A loop from the greatest result of one map to below the least of another.
    ForOp = "affine.for" [OneRegionInterface, NRegionsInterface<1>, SingleBlockRegionInterface]
}

/// A bound of a loop: a map, and its operands, dimensions first, then symbols.
#[derive(Debug, Clone)]
pub struct Bound {
    /// Its least or greatest result counts.
    pub map: AffineMap,
    /// Of type `terrace.index`.
    pub operands: Vec<Value>,
}

impl Bound {
    /// A number.
    pub fn constant(value: i64) -> Bound {
        Bound {
            map: AffineMap::constant(value),
            operands: Vec::new(),
        }
    }

    /// A value that does not change in the loop.
    pub fn value(value: Value) -> Bound {
        Bound {
            map: AffineMap::symbol_identity(),
            operands: vec![value],
        }
    }
}

impl ForOp {
    /// A loop whose body has the counter and the carried values as arguments, and nothing in it.
    pub fn new(ctx: &mut Context, lower: Bound, upper: Bound, step: i64, inits: &[Value]) -> ForOp {
        let carried: Vec<TypeHandle> = inits.iter().map(|v| v.get_type(ctx)).collect();
        let groups = [lower.operands.len(), upper.operands.len(), inits.len()];
        let sizes = groups.map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        let operands = [&lower.operands, &upper.operands, inits].concat();
        let info = Self::get_concrete_op_info();
        let op = Operation::new(ctx, info, carried.clone(), operands, vec![], 1);
        set(op, ctx, LOWER, Box::new(AffineMapAttr(lower.map)));
        set(op, ctx, UPPER, Box::new(AffineMapAttr(upper.map)));
        set(op, ctx, STEP, Box::new(IndexAttr(step)));
        set(
            op,
            ctx,
            SEGMENTS,
            Box::new(OperandSegmentSizesAttr(sizes.to_vec())),
        );
        let mut arguments = vec![IndexType::get(ctx).into()];
        arguments.extend(carried);
        let body = BasicBlock::new(ctx, None, arguments);
        let region = op.deref(ctx).get_region(0);
        body.insert_at_front(region, ctx);
        ForOp { op }
    }

    /// The only block.
    pub fn body(&self, ctx: &Context) -> Ptr<BasicBlock> {
        self.get_body(ctx, 0)
    }

    /// What counts.
    pub fn counter(&self, ctx: &Context) -> Value {
        self.body(ctx).deref(ctx).get_argument(0)
    }
}

impl Verify for ForOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let op = self.op.deref(ctx);
        let (lower, upper) = (
            op.attributes.get::<AffineMapAttr>(&LOWER),
            op.attributes.get::<AffineMapAttr>(&UPPER),
        );
        let sizes = op.attributes.get::<OperandSegmentSizesAttr>(&SEGMENTS);
        let (Some(lower), Some(upper), Some(sizes)) = (lower, upper, sizes) else {
            return verify_err!(
                op.loc(),
                "it lacks one of lowerBoundMap, upperBoundMap and operandSegmentSizes"
            );
        };
        if op
            .attributes
            .get::<IndexAttr>(&STEP)
            .is_none_or(|s| s.0 <= 0)
        {
            return verify_err!(
                op.loc(),
                "it has no attribute 'step' that is a positive IndexAttr"
            );
        }
        let [low, high, inits] = sizes.0[..] else {
            return verify_err!(op.loc(), "operandSegmentSizes has not three entries");
        };
        let inputs = (lower.0.num_inputs(), upper.0.num_inputs());
        if inputs != (low as usize, high as usize) {
            return verify_err!(
                op.loc(),
                "the bounds' maps take {} and {} operands, found {low} and {high}",
                inputs.0,
                inputs.1
            );
        }
        let all = [low, high, inits]
            .iter()
            .map(|n| *n as usize)
            .sum::<usize>();
        if all != op.get_num_operands() || op.get_num_results() != inits as usize {
            return verify_err!(
                op.loc(),
                "operandSegmentSizes are of {all} operands and {inits} results, found {} and {}",
                op.get_num_operands(),
                op.get_num_results()
            );
        }
        let index: TypeHandle = IndexType::get(ctx).into();
        let first = op.get_region(0).deref(ctx).get_head();
        let arguments = first.map(|b| {
            let b = b.deref(ctx);
            (
                b.get_num_arguments(),
                b.arguments().next().map(|a| a.get_type(ctx)),
            )
        });
        match arguments {
            Some((n, Some(ty))) if n == 1 + inits as usize && ty == index => Ok(()),
            _ => verify_err!(
                op.loc(),
                "its body has not the counter and the {inits} carried values as arguments"
            ),
        }
    }
}

op! {
    /// Runs its first region where the operands are in an integer set, else its second.
    IfOp = "affine.if" [NRegionsInterface<2>]
}

impl IfOp {
    /// A condition with two empty blocks, which give values of these types. One without results may
    /// leave the second region without a block.
    pub fn new(
        ctx: &mut Context,
        condition: IntegerSet,
        operands: Vec<Value>,
        results: Vec<TypeHandle>,
        with_else: bool,
    ) -> IfOp {
        let info = Self::get_concrete_op_info();
        let op = Operation::new(ctx, info, results, operands, vec![], 2);
        set(op, ctx, CONDITION, Box::new(IntegerSetAttr(condition)));
        for k in 0..1 + usize::from(with_else) {
            let block = BasicBlock::new(ctx, None, vec![]);
            let region = op.deref(ctx).get_region(k);
            block.insert_at_front(region, ctx);
        }
        IfOp { op }
    }

    /// The block that runs where the condition holds, or the other.
    pub fn block(&self, ctx: &Context, holds: bool) -> Option<Ptr<BasicBlock>> {
        let region = self.op.deref(ctx).get_region(usize::from(!holds));
        region.deref(ctx).get_head()
    }
}

impl Verify for IfOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let op = self.op.deref(ctx);
        let Some(set) = op.attributes.get::<IntegerSetAttr>(&CONDITION) else {
            return verify_err!(
                op.loc(),
                "it has no attribute 'condition' of type IntegerSetAttr"
            );
        };
        let (inputs, given) = (set.0.num_inputs(), op.get_num_operands());
        if inputs != given {
            return verify_err!(op.loc(), "the set takes {inputs} operands, found {given}");
        }
        check_indices(&op, ctx, 0)
    }
}
