//! What becomes of ops, types and attributes, one's own among them.

use pliron::builtin::op_interfaces::{
    NOpdsInterface, NResultsInterface, OneResultInterface, SingleBlockRegionInterface,
};
use pliron::builtin::ops::{FuncOp, ModuleOp};
use pliron::builtin::types::{FP64Type, FunctionType, UnitType};
use pliron::context::{Context, Ptr};
use pliron::derive::{op_interface_impl, pliron_op};
use pliron::ident;
use pliron::op::{Op, verify_op};
use pliron::operation::Operation;
use pliron::parsable::parse_from_str;
use pliron::printable::Printable;
use pliron::result::Result;
use pliron::r#type::{TypeHandle, Typed};
use pliron::value::Value;
use terrace_dialects::arith;
use terrace_ir::affine::AffineMap;
use terrace_pliron::Module;
use terrace_pliron::affine::{ApplyOp, Bound, ForOp, LoadOp, StoreOp, YieldOp};
use terrace_pliron::attrs::{AffineMapAttr, IntegerSetAttr};
use terrace_pliron::ops::{ReturnOp, index_constant};
use terrace_pliron::read::{Reader, TerraceOp};
use terrace_pliron::sets::{self, Relation};
use terrace_pliron::types::MemrefType;

/// Twice a float, which says itself what it is.
#[pliron_op(
    name = "mine.twice",
    format,
    interfaces = [OneResultInterface, NResultsInterface<1>, NOpdsInterface<1>],
    verifier = "succ"
)]
struct TwiceOp;

#[op_interface_impl]
impl TerraceOp for TwiceOp {
    fn to_terrace(&self, ctx: &Context, to: &mut Reader<'_>) -> Result<()> {
        let operand = self.get_operation().deref(ctx).get_operand(0);
        let (x, ty) = (to.value(operand)?, to.ty(operand.get_type(ctx))?);
        let sum = to.builder().value::<arith::AddFOp>(&[x, x], ty, &[]);
        to.define(self.get_result(ctx), sum);
        Ok(())
    }
}

/// An op of a name that terrace has.
#[pliron_op(
    name = "math.sqrt",
    format,
    interfaces = [OneResultInterface, NResultsInterface<1>, NOpdsInterface<1>],
    verifier = "succ"
)]
struct SqrtOp;

/// An op that nobody knows.
#[pliron_op(
    name = "mine.unknown",
    format,
    interfaces = [OneResultInterface, NResultsInterface<1>, NOpdsInterface<1>],
    verifier = "succ"
)]
struct UnknownOp;

/// An op of one operand and the type of it.
fn unary<K: Op>(ctx: &mut Context, x: Value) -> Ptr<Operation> {
    let ty = x.get_type(ctx);
    Operation::new(ctx, K::get_concrete_op_info(), vec![ty], vec![x], vec![], 0)
}

/// `for i in 0..4 { x[i] = f(x[i]) }`, of ops of one operand.
fn program(ctx: &mut Context, f: &[fn(&mut Context, Value) -> Ptr<Operation>]) -> ModuleOp {
    let f64: TypeHandle = FP64Type::get(ctx).into();
    let array = MemrefType::get(ctx, vec![None], f64);
    let ty = FunctionType::get(ctx, vec![array.into()], vec![]);
    let module = ModuleOp::new(ctx, ident!("m"));
    let function = FuncOp::new(ctx, ident!("f"), ty);
    let top = module.get_body(ctx, 0);
    function.get_operation().insert_at_back(top, ctx);
    let entry = function.get_entry_block(ctx);
    let x = entry.deref(ctx).get_argument(0);
    let n = index_constant(ctx, 4);
    n.get_operation().insert_at_back(entry, ctx);
    let n = n.get_result(ctx);
    let each = ForOp::new(ctx, Bound::constant(0), Bound::value(n), 1, &[]);
    let (body, i) = (each.body(ctx), each.counter(ctx));
    let load = LoadOp::new(ctx, x, AffineMap::identity(1), &[i]);
    load.get_operation().insert_at_back(body, ctx);
    let mut value = load.get_result(ctx);
    for make in f {
        let made = make(ctx, value);
        made.insert_at_back(body, ctx);
        value = made.deref(ctx).get_result(0);
    }
    let store = StoreOp::new(ctx, value, x, AffineMap::identity(1), &[i]);
    store.get_operation().insert_at_back(body, ctx);
    let end = YieldOp::new(ctx, vec![]);
    end.get_operation().insert_at_back(body, ctx);
    each.get_operation().insert_at_back(entry, ctx);
    let end = ReturnOp::new(ctx, vec![]);
    end.get_operation().insert_at_back(entry, ctx);
    module
}

fn read(ctx: &Context, module: ModuleOp) -> std::result::Result<Module, String> {
    verify_op(&module, ctx).map_err(|e| e.disp(ctx).to_string())?;
    Module::read(ctx, module).map_err(|e| e.disp(ctx).to_string())
}

fn run(module: Module) -> [f64; 4] {
    let kernel = module.kernel(None).expect("the module is compiled");
    let f = kernel.bind::<(&mut [f64],)>().expect("it takes an array");
    let mut x = [1.0, 4.0, 9.0, 16.0];
    f.call((&mut x,)).expect("it runs");
    x
}

#[test]
fn own_ops() {
    let ctx = &mut Context::new();
    let made = program(ctx, &[unary::<SqrtOp>, unary::<TwiceOp>]);
    let module = read(ctx, made).expect("the module is read");
    assert!(module.text().contains("math.sqrt"), "{}", module.text());
    assert_eq!(run(module), [2.0, 4.0, 6.0, 8.0]);
}

#[test]
fn unknown_ops() {
    let ctx = &mut Context::new();
    let made = program(ctx, &[unary::<UnknownOp>]);
    let message = read(ctx, made).expect_err("the op is unknown");
    assert!(
        message.contains("the op 'mine.unknown' is unknown to terrace"),
        "{message}"
    );
}

#[test]
fn unknown_types() {
    let ctx = &mut Context::new();
    let unit: TypeHandle = UnitType::get(ctx).into();
    let ty = FunctionType::get(ctx, vec![unit], vec![]);
    let module = ModuleOp::new(ctx, ident!("m"));
    let function = FuncOp::new(ctx, ident!("f"), ty);
    let top = module.get_body(ctx, 0);
    function.get_operation().insert_at_back(top, ctx);
    let entry = function.get_entry_block(ctx);
    let end = ReturnOp::new(ctx, vec![]);
    end.get_operation().insert_at_back(entry, ctx);
    let message = read(ctx, module).expect_err("the type is unknown");
    assert!(
        message.contains("the type builtin.unit") && message.contains("is unknown to terrace"),
        "{message}"
    );
}

#[test]
fn text_of_pliron() {
    let ctx = &mut Context::new();
    let made = program(ctx, &[]);
    let text = made.get_operation().disp(ctx).to_string();
    let again = &mut Context::new();
    let parsed = parse_from_str(Operation::top_level_parser(), again, &text);
    let parsed = parsed.unwrap_or_else(|e| panic!("{e}\n{text}"));
    let parsed = Operation::get_op::<ModuleOp>(parsed, again).expect("it is a module");
    let module = read(again, parsed).expect("the module is read");
    assert_eq!(run(module), [1.0, 4.0, 9.0, 16.0]);
}

#[test]
fn wrong_maps() {
    let ctx = &mut Context::new();
    let one = index_constant(ctx, 1);
    let one = one.get_result(ctx);
    let apply = ApplyOp::new(ctx, AffineMap::identity(2), vec![one]);
    let wrong = verify_op(&apply, ctx).expect_err("the map takes another operand");
    let message = wrong.disp(ctx).to_string();
    assert!(message.contains("takes 2 operands, found 1"), "{message}");
}

#[test]
fn maps_and_sets() {
    let map = AffineMapAttr::parse_text("(i)[n] -> (i floordiv 2, n - i)").expect("it is a map");
    let map = sets::relation(&map.0).expect("it is affine");
    let expected =
        "[n] -> { [i] -> [a, b] : exists (q : a = q and 2q <= i <= 2q + 1) and b = n - i }";
    let expected = Relation::parse(expected).expect("it is a relation");
    assert_eq!(map.is_equal(&expected), Ok(true));
    let set = IntegerSetAttr::parse_text("(i)[n] : (i mod 3 - 1 == 0, i >= 0, n - i >= 0)");
    let set = sets::set(&set.expect("it is a set").0).expect("it is affine");
    let expected = Relation::parse("[n] -> { [i] : i mod 3 = 1 and 0 <= i <= n }");
    assert_eq!(set.is_equal(&expected.expect("it is a set")), Ok(true));
    let product = AffineMapAttr::parse_text("(i)[n] -> (i * n)").expect("it is semi-affine");
    assert_eq!(
        sets::relation(&product.0).map(|_| ()),
        Err(sets::SetError::SemiAffine)
    );
    let wrong = AffineMapAttr::parse_text("(i) -> (j)").expect_err("j is nothing");
    assert!(wrong.contains("'(i) -> (j)'"), "{wrong}");
}
