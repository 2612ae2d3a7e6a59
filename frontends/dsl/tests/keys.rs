//! What a kernel depends on is its program, and each part of a program counts.

use std::collections::HashSet;
use std::panic::Location;
use std::sync::Arc;
use terrace_dsl::node::{Graph, row_major};
use terrace_dsl::program::{
    Access, Assigned, Binding, Folded, Layout, Op, Place, Program, Reduced, Slot, Store, Value,
};
use terrace_dsl::{
    Binary, Compare, Complex, Edge, Element, ElementType, Expr, Fold, Kept, Part, Scatter, Unary,
    View, Within, bf16, constant, f16, index, iterate, iterate_over, parameter,
};

fn view(sizes: &[usize]) -> View {
    // Two empty values may have one address, and memories are told apart by it.
    View::row_major(Arc::new(0u8), sizes)
}

fn array<T: Element>(sizes: &[usize]) -> Expr<T> {
    Expr::array(view(sizes))
}

fn assigned(target: &View, ty: ElementType, graph: &Graph) -> Assigned {
    Assigned {
        target: target.clone(),
        ty,
        graph: graph.clone(),
        place: None,
        at: Location::caller(),
    }
}

/// The program that sets a new array to an expression.
fn program<T: Element>(e: &Expr<T>) -> Program {
    bound(e).0
}

fn bound<T: Element>(e: &Expr<T>) -> (Program, Binding) {
    let sizes = e.sizes().unwrap().unwrap_or(&[5]).to_vec();
    Program::assign(&[assigned(&view(&sizes), T::TYPE, e.graph())], None).unwrap()
}

/// Fails unless all programs differ, as values and as text.
fn all_differ(programs: &[Program]) {
    let values: HashSet<&Program> = programs.iter().collect();
    let texts: HashSet<String> = programs.iter().map(|p| format!("{p:?}")).collect();
    assert_eq!(values.len(), programs.len(), "{programs:#?}");
    assert_eq!(texts.len(), programs.len());
}

#[test]
fn numbers_and_sizes_do_not_count() {
    let of = |a: f64, n: usize| {
        let x = array::<f64>(&[n]);
        program(&(a * &x + (-a)))
    };
    assert_eq!(of(1.0, 10), of(-7.5, 3000));
}

#[test]
fn expressions_that_differ_have_programs_that_differ() {
    let (x, y) = (array::<f64>(&[5]), array::<f64>(&[5]));
    let (i, j) = (array::<i64>(&[5]), array::<i64>(&[5]));
    let known: Expr<f64> = constant(2.0);
    let passed: Expr<f64> = parameter(2.0);
    let mut all = vec![
        program(&x),
        program(&i),
        program(&array::<f32>(&[5])),
        program(&array::<u64>(&[5])),
        program(&array::<bool>(&[5])),
        program(&array::<f16>(&[5])),
        program(&array::<bf16>(&[5])),
        program(&array::<Complex<f64>>(&[5])),
        program(&array::<Complex<f32>>(&[5])),
        program(&array::<Complex<f64>>(&[5]).real()),
        program(&array::<Complex<f64>>(&[5]).imag()),
        program(&x.cast::<f16>()),
        program(&x.cast::<bf16>()),
        program(&passed),
        program(&parameter(2.0f32)),
        program(&known),
        program(&constant(3.0)),
        program(&constant(2.0f32)),
        program(&constant(0.0)),
        program(&constant(-0.0)),
        program(&index(0)),
        program(&(&x + &known)),
        program(&(&x + &passed)),
        // The same array twice is not two arrays.
        program(&(&x - &x)),
        program(&(&x - &y)),
        program(&(&x / &y)),
        program(&(&x % &y)),
        program(&x.powf(&y)),
        program(&x.mul_add(&y, &x)),
        program(&x.mul_add(&y, &y)),
        program(&x.lt(&y)),
        program(&x.lt(&y).select(&x, &y)),
        program(&x.lt(&y).select(&y, &x)),
        program(&x.cast::<f32>()),
        program(&x.cast::<i64>()),
        program(&i.cast::<f64>()),
        program(&(&i - &j)),
        program(&(&i << &j)),
        program(&(&i >> &j)),
        program(&(array::<u64>(&[5]) >> array::<u64>(&[5]))),
    ];
    // What is written apart and means the same is the same.
    assert_eq!(program(&(&x + &y)), program(&(&y + &x)));
    // Rank and layout count, unless all lies in one piece.
    assert_eq!(program(&array::<f64>(&[4, 5])), program(&x));
    let columns = |strides: &[isize]| {
        let mut v = view(&[4, 5]);
        v.strides = strides.into();
        program(&Expr::<f64>::array(v))
    };
    all.push(columns(&[1, 4]));
    all.push(columns(&[9, 1]));
    all.push(program(&(array::<i64>(&[4, 5]) + index(0))));
    all.push(program(&(array::<i64>(&[4, 5]) + index(1))));
    all_differ(&all);
    assert_eq!(columns(&[1, 4]), columns(&[2, 77]));
}

#[test]
fn operations_count() {
    let (x, i) = (array::<f64>(&[5]), array::<i64>(&[5]));
    let unary = [
        -&x,
        x.abs(),
        x.sqrt(),
        x.rsqrt(),
        x.cbrt(),
        x.exp(),
        x.exp2(),
        x.exp_m1(),
        x.ln(),
        x.log2(),
        x.log10(),
        x.ln_1p(),
        x.sin(),
        x.cos(),
        x.tan(),
        x.asin(),
        x.acos(),
        x.atan(),
        x.sinh(),
        x.cosh(),
        x.tanh(),
        x.asinh(),
        x.acosh(),
        x.atanh(),
        x.erf(),
        x.erfc(),
        x.floor(),
        x.ceil(),
        x.trunc(),
        x.round(),
        x.round_ties_even(),
        x.atan2(1.0),
        x.copysign(1.0),
        x.min(1.0),
        x.max(1.0),
        &x + 1.0,
        &x - 1.0,
        &x * 1.0,
        &x / 1.0,
        &x % 1.0,
        x.powf(1.0),
    ];
    let mut all: Vec<Program> = unary.iter().map(program).collect();
    let ints = [
        !&i,
        i.count_ones(),
        i.leading_zeros(),
        i.trailing_zeros(),
        &i & 1,
        &i | 1,
        &i ^ 1,
        i.and_not(1),
        i.min(1),
        i.max(1),
    ];
    all.extend(ints.iter().map(program));
    let compared = [
        x.eq(1.0),
        x.ne(1.0),
        x.lt(1.0),
        x.le(1.0),
        x.gt(1.0),
        x.ge(1.0),
    ];
    all.extend(compared.iter().map(program));
    all_differ(&all);
}

#[test]
fn neighbours_and_loops_count() {
    let (x, y) = (array::<f64>(&[5]), array::<f64>(&[5]));
    let looped = |f: &dyn Fn(&Expr<f64>) -> Expr<f64>| {
        let [r] = iterate(3, [&x], |[s]| [f(&s)]);
        program(&r)
    };
    let two = |n: usize| {
        let all = iterate(3, [&x, &y], |[a, b]| [b, a]);
        program(&all[n])
    };
    all_differ(&[
        program(&x),
        program(&x.gather(index(0))),
        program(&x.gather(index(0) * 1)),
        program(&x.neighbour([1], Edge::Clamp)),
        program(&x.neighbour([-1], Edge::Clamp)),
        program(&x.neighbour([1], Edge::Wrap)),
        program(&x.neighbour([1], Edge::Constant(0.0))),
        program(&x.neighbour([1], Edge::Constant(1.0))),
        looped(&|s| s + 1.0),
        looped(&|s| s * 1.0),
        looped(&|s| s + &x),
        looped(&|_| x.clone()),
        two(0),
        two(1),
        program(&iterate_over(0, 3, [&x], |_, [s]| [s + 1.0])[0]),
        program(&iterate_over(1, index(0), [&x], |_, [s]| [s + 1.0])[0]),
        program(&iterate_over(0, 3, [&x], |k, [s]| [s + k.cast::<f64>()])[0]),
    ]);
    // How often it goes round does not.
    let of = |n| program(&iterate(n, [&x], |[s]| [s + 1.0])[0]);
    assert_eq!(of(1), of(1_000_000));
}

#[test]
fn reductions_count() {
    let x = array::<f64>(&[4, 5]);
    let reduced = |fold, graph: &Graph, in_order, axes: Option<&[usize]>, sizes: &[usize]| {
        let r = Reduced {
            fold,
            graph: graph.clone(),
            target: view(sizes),
            keeps: Kept::Last,
            in_order,
            anew: None,
            at: Location::caller(),
        };
        Program::reduce(&[r], axes).unwrap().0
    };
    let flags = x.gt(0.0);
    all_differ(&[
        reduced(Fold::Sum, x.graph(), false, None, &[1]),
        reduced(Fold::Sum, x.graph(), true, None, &[1]),
        reduced(Fold::Product, x.graph(), false, None, &[1]),
        reduced(Fold::Min, x.graph(), false, None, &[1]),
        reduced(Fold::Max, x.graph(), false, None, &[1]),
        reduced(Fold::All, flags.graph(), false, None, &[1]),
        reduced(Fold::Any, flags.graph(), false, None, &[1]),
        reduced(Fold::Sum, x.graph(), false, Some(&[1]), &[4]),
        // Rows are turned, so the array has another layout.
        reduced(Fold::Sum, x.graph(), false, Some(&[0]), &[5]),
    ]);
}

/// A program with one of everything.
fn whole() -> Program {
    let slot = |ty, layout, written| Slot {
        ty,
        rank: 2,
        layout,
        written,
    };
    let value = |op, operands: &[u32]| Value {
        op,
        ty: ElementType::F64,
        operands: operands.into(),
    };
    Program {
        rank: 2,
        kept: 2,
        part: false,
        slots: vec![
            slot(ElementType::F64, Layout::Contiguous, false),
            slot(ElementType::F64, Layout::Rows, true),
        ],
        parameters: vec![ElementType::F64],
        accesses: vec![Access {
            slot: 0,
            part: Part::Real,
            neighbour: Some(([0, 1].as_slice().into(), Edge::Clamp)),
        }],
        values: vec![
            value(Op::Load(0), &[]),
            value(Op::Parameter(0), &[]),
            value(Op::Constant(7), &[]),
            value(Op::Index(0), &[]),
            value(Op::Unary(Unary::Sin), &[0]),
            value(Op::Binary(Binary::Add), &[0, 1]),
            value(Op::Compare(Compare::Lt), &[0, 1]),
            value(Op::Select, &[6, 0, 1]),
            value(Op::MulAdd, &[0, 1, 2]),
            value(Op::Cast, &[0]),
            value(Op::Carried(0, 0), &[]),
            value(Op::Loop(0), &[2, 1, 0, 10]),
            value(Op::Result(0), &[11]),
            value(Op::Gather(0, Part::Whole, Within::Nearest), &[3]),
            value(Op::Counter(0), &[]),
            value(Op::Reinterpret, &[0]),
            value(Op::Narrow(ElementType::F16), &[0]),
        ],
        stores: vec![Store {
            slot: 1,
            part: Part::Imaginary,
            value: 8,
            place: Some(Place {
                value: 3,
                scatter: Scatter::Unique,
                when: Some(6),
                within: Within::Nearest,
            }),
        }],
        folds: vec![Folded {
            fold: Fold::Sum,
            value: 8,
            slot: 1,
            part: Part::Whole,
            keeps: Kept::Last,
            in_order: false,
            anew: Some(6),
        }],
        fault: Some(0),
        in_order: false,
    }
}

#[test]
fn each_field_of_a_program_counts() {
    // Without `..`, so that a new field must get a line below.
    let Program {
        rank: _,
        kept: _,
        part: _,
        slots: _,
        parameters: _,
        accesses: _,
        values: _,
        stores: _,
        folds: _,
        fault: _,
        in_order: _,
    } = whole();
    fn at(p: &mut Program) -> &mut Place {
        p.stores[0].place.as_mut().unwrap()
    }
    let changes: Vec<fn(&mut Program)> = vec![
        |_| (),
        |p| p.rank = 3,
        |p| p.kept = 1,
        |p| p.part = true,
        |p| p.slots[0].ty = ElementType::U64,
        |p| p.slots[0].rank = 1,
        |p| p.slots[0].layout = Layout::Strided,
        |p| p.slots[0].written = true,
        |p| p.slots.truncate(1),
        |p| p.parameters[0] = ElementType::F32,
        |p| p.parameters.push(ElementType::F64),
        |p| p.accesses[0].slot = 1,
        |p| p.accesses[0].part = Part::Whole,
        |p| p.accesses[0].part = Part::Imaginary,
        |p| p.accesses[0].neighbour = None,
        |p| p.accesses[0].neighbour = Some(([0, 2].as_slice().into(), Edge::Clamp)),
        |p| p.accesses[0].neighbour = Some(([0, 1].as_slice().into(), Edge::Wrap)),
        |p| p.accesses[0].neighbour = Some(([0, 1].as_slice().into(), Edge::Constant(0))),
        |p| p.accesses[0].neighbour = Some(([0, 1].as_slice().into(), Edge::Constant(1))),
        |p| p.values[0].op = Op::Load(1),
        |p| p.values[0].ty = ElementType::I64,
        |p| p.values[1].op = Op::Parameter(1),
        |p| p.values[2].op = Op::Constant(8),
        |p| p.values[3].op = Op::Index(1),
        |p| p.values[4].op = Op::Unary(Unary::Cos),
        |p| p.values[4].operands[0] = 1,
        |p| p.values[5].op = Op::Binary(Binary::Mul),
        |p| p.values[5].operands[1] = 2,
        |p| p.values[6].op = Op::Compare(Compare::Le),
        |p| p.values[7].op = Op::MulAdd,
        |p| p.values[7].operands[2] = 2,
        |p| p.values[8].operands[0] = 2,
        |p| p.values[9].ty = ElementType::F32,
        |p| p.values[10].op = Op::Carried(1, 0),
        |p| p.values[10].op = Op::Carried(0, 1),
        |p| p.values[11].op = Op::Loop(1),
        |p| p.values[11].operands[3] = 0,
        |p| p.values[12].op = Op::Result(1),
        |p| p.values[13].op = Op::Gather(1, Part::Whole, Within::Nearest),
        |p| p.values[13].op = Op::Gather(0, Part::Whole, Within::Sure),
        |p| p.values[13].op = Op::Gather(0, Part::Real, Within::Nearest),
        |p| p.values[14].op = Op::Counter(1),
        |p| p.values[15].op = Op::Cast,
        |p| p.values[16].op = Op::Narrow(ElementType::BF16),
        |p| p.stores[0].part = Part::Real,
        |p| p.folds[0].part = Part::Real,
        |p| p.stores[0].slot = 0,
        |p| p.stores[0].value = 7,
        |p| p.stores[0].place = None,
        |p| at(p).value = 4,
        |p| at(p).scatter = Scatter::Distinct,
        |p| at(p).scatter = Scatter::Fold(Fold::Sum),
        |p| at(p).scatter = Scatter::Fold(Fold::Max),
        |p| at(p).when = None,
        |p| at(p).within = Within::Sure,
        |p| at(p).when = Some(7),
        |p| p.fault = None,
        |p| p.fault = Some(1),
        |p| p.in_order = true,
        |p| p.folds[0].fold = Fold::Max,
        |p| p.folds[0].value = 7,
        |p| p.folds[0].slot = 0,
        |p| p.folds[0].keeps = Kept::Inclusive,
        |p| p.folds[0].keeps = Kept::Exclusive,
        |p| p.folds[0].in_order = true,
        |p| p.folds[0].anew = None,
        |p| p.folds[0].anew = Some(7),
    ];
    let changed: Vec<Program> = (changes.iter())
        .map(|f| {
            let mut p = whole();
            f(&mut p);
            p
        })
        .collect();
    all_differ(&changed);
}

#[test]
fn what_is_written_twice_is_computed_once() {
    let (x, z) = (array::<f64>(&[5]), array::<f64>(&[5]));
    let p = program(&(x.ln() * (x.ln() + &z)));
    let loads = p.values.iter().filter(|v| matches!(v.op, Op::Load(_)));
    let logs = p.values.iter().filter(|v| v.op == Op::Unary(Unary::Ln));
    assert_eq!((loads.count(), logs.count(), p.values.len()), (2, 1, 5));
}

#[test]
fn lines_of_the_program_are_kept() {
    let x = array::<f64>(&[5]);
    let (line, e) = (line!(), x.sin());
    let (p, b) = bound(&e);
    let sine = p.values.iter().position(|v| v.op == Op::Unary(Unary::Sin));
    let at = b.places[sine.unwrap()];
    assert_eq!((at.file(), at.line()), (file!(), line));
}

#[test]
fn deep_graphs_are_taken_apart() {
    let mut e = array::<f64>(&[5]) + 1.0;
    for _ in 0..60_000 {
        e = e.sin();
    }
    assert_eq!(program(&e).values.len(), 60_003);
    let mut doubled = array::<i64>(&[5]) + 1;
    // As many paths as no machine could count.
    for _ in 0..200 {
        doubled = &doubled + &doubled;
    }
    assert_eq!(program(&doubled).values.len(), 203);
    assert_eq!(row_major(&[2, 3, 4])[..], [12, 4, 1]);
}

#[test]
fn a_program_is_lowered_to_affine_loops() {
    let x = array::<f64>(&[5]);
    let mut ctx = terrace_dialects::context();
    let module = terrace_dsl::lower::lower(&mut ctx, &program(&(2.0 * &x - x.sin())));
    assert!(terrace_ir::verify::verify(&ctx, module));
    let text = ctx.op_text(module);
    let expected = "\
module {
  func.func @assign(%arg0: index, %arg1: memref<?xf64>, %arg2: memref<?xf64>, %arg3: f64) {
    affine.for %arg4 = 0 to %arg0 {
      %0 = affine.load %arg1[%arg4] : memref<?xf64>
      %1 = arith.mulf %arg3, %0 : f64
      %2 = math.sin %0 : f64
      %3 = arith.subf %1, %2 : f64
      affine.store %3, %arg2[%arg4] : memref<?xf64>
    }
    return
  }
}";
    assert_eq!(text.trim_end(), expected);
}
