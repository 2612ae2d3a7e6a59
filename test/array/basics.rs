//! Contexts, copies, assignments, and what is compiled for them.

use super::support::{assert_made, assert_same, context};
use terrace::array::{Context, Edge, Expr, constant, index, parameter};
use terrace::array::{count, cpu, max, min, position, sum};

#[test]
fn an_expression_is_one_kernel() {
    let cx = context();
    let host: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.01 - 3.0).collect();
    let x = cx.vector(&host).unwrap();
    let y = cx.zeros(&[1000]).unwrap();
    y.set(2.0 * &x - x.sqrt().copysign(&x)).unwrap();
    let expected: Vec<f64> = (host.iter())
        .map(|x| 2.0 * x - x.sqrt().copysign(*x))
        .collect();
    assert_same(&y.to_vec().unwrap(), &expected, "2x - sqrt x");
    assert_made(&cx, 1);
}

#[test]
fn other_numbers_and_sizes_are_the_same_kernel() {
    let cx = context();
    for (n, a) in [(10usize, 2.0), (1000, -3.5), (1, 0.0), (7, f64::NAN)] {
        let host: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let (x, y) = (cx.vector(&host).unwrap(), cx.zeros(&[n]).unwrap());
        y.set(a * &x + 1.0).unwrap();
        let expected: Vec<f64> = host.iter().map(|x| a * x + 1.0).collect();
        assert_same(&y.to_vec().unwrap(), &expected, "ax + 1");
    }
    assert_made(&cx, 1);
    // A constant is part of the kernel.
    let x = cx.vector(&[1.0, 2.0]).unwrap();
    x.set(constant(2.0) * &x + 1.0).unwrap();
    x.set(constant(3.0) * &x + 1.0).unwrap();
    assert_eq!(x.to_vec().unwrap(), [10.0, 16.0]);
    assert_made(&cx, 3);
}

#[test]
fn an_array_is_set_from_itself() {
    let cx = context();
    let x = cx.vector(&[1i32, 2, 3]).unwrap();
    x.set(&x * &x + 1).unwrap();
    assert_eq!(x.to_vec().unwrap(), [2, 5, 10]);
    x.fill(7).unwrap();
    assert_eq!(x.to_vec().unwrap(), [7, 7, 7]);
}

#[test]
fn several_outputs_see_what_was_before() {
    let cx = context();
    let x = cx.vector(&[1.0, 2.0, 3.0]).unwrap();
    let y = cx.vector(&[10.0, 20.0, 30.0]).unwrap();
    cx.assign((x.to(&y), y.to(&x))).unwrap();
    assert_eq!(x.to_vec().unwrap(), [10.0, 20.0, 30.0]);
    assert_eq!(y.to_vec().unwrap(), [1.0, 2.0, 3.0]);
    assert_made(&cx, 1);
    let flags = cx.zeros::<bool>(&[3]).unwrap();
    let all = vec![x.to(&x + &y), flags.to(x.gt(15.0)), y.to(1.0)];
    cx.assign(all).unwrap();
    assert_eq!(x.to_vec().unwrap(), [11.0, 22.0, 33.0]);
    assert_eq!(flags.to_vec().unwrap(), [false, true, true]);
    assert_eq!(y.to_vec().unwrap(), [1.0, 1.0, 1.0]);
}

#[test]
fn positions_are_counted_along_axes() {
    let cx = context();
    let a = cx.zeros::<i64>(&[2, 3]).unwrap();
    a.set(10 * index(0) + index(1)).unwrap();
    assert_eq!(a.to_vec().unwrap(), [0, 1, 2, 10, 11, 12]);
    let v = cx.zeros::<f32>(&[4]).unwrap();
    v.set(index(0).cast::<f32>() * 0.5).unwrap();
    assert_eq!(v.to_vec().unwrap(), [0.0, 0.5, 1.0, 1.5]);
}

/// A user's function, of expressions as of numbers.
fn hyp(x: &Expr<f64>, y: &Expr<f64>) -> Expr<f64> {
    (x * x + y * y).sqrt()
}

#[test]
fn functions_of_expressions_nest() {
    let cx = context();
    let x = cx.vector(&[3.0, 5.0]).unwrap();
    let y = cx.vector(&[4.0, 12.0]).unwrap();
    y.set(hyp(&hyp(&x, &y), &(&x - &x))).unwrap();
    assert_eq!(y.to_vec().unwrap(), [5.0, 13.0]);
}

#[test]
fn a_function_written_out_again_is_the_same_kernel() {
    let cx = context();
    let x = cx.vector(&[1.0, 2.0, 4.0]).unwrap();
    let y = cx.zeros(&[3]).unwrap();
    y.set(x.ln() * (x.ln() + &x)).unwrap();
    let l = x.ln();
    y.set(&l * (&x + &l)).unwrap();
    assert_made(&cx, 1);
}

#[test]
fn empty_arrays_are_arrays() {
    let cx = context();
    let x = cx.vector::<f64>(&[]).unwrap();
    x.set(&x + 1.0).unwrap();
    assert!(x.is_empty() && x.to_vec().unwrap().is_empty());
    assert_made(&cx, 0);
    let (s, lo) = cx.reduce((sum(&x), min(&x))).unwrap();
    assert!(s == 0.0 && lo.is_nan());
    let k = cx.vector::<i32>(&[]).unwrap();
    assert_eq!(cx.reduce((sum(&k), min(&k))).unwrap(), (0, i32::MAX));
}

#[test]
fn a_single_element_stands_for_itself_everywhere() {
    let cx = context();
    let v = cx.vector(&[1.0, 2.0, 3.0]).unwrap();
    let last = v.index_axis(0, 2);
    assert!(last.shape().is_empty());
    let w = cx.zeros(&[3]).unwrap();
    w.set(&v / &last).unwrap();
    assert_eq!(w.to_vec().unwrap(), [1.0 / 3.0, 2.0 / 3.0, 1.0]);
    w.set(&last).unwrap();
    assert_eq!(w.to_vec().unwrap(), [3.0; 3]);
    assert_eq!(cx.reduce(sum(&last)).unwrap(), 3.0);
    // The element is read before it is written.
    v.set(&v - &last).unwrap();
    assert_eq!(v.to_vec().unwrap(), [-2.0, -1.0, 0.0]);
    last.set(5.0).unwrap();
    assert_eq!(v.to_vec().unwrap(), [-2.0, -1.0, 5.0]);
}

#[test]
fn contexts_are_used_by_several_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    let cx = context();
    let x = cx.vector(&[0i64; 64]).unwrap();
    shared(&cx);
    shared(&x);
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                for _ in 0..25 {
                    x.set(&x + 1).unwrap();
                }
            });
        }
    });
    assert_eq!(x.to_vec().unwrap(), [100; 64]);
    assert_made(&cx, 1);
}

#[test]
fn devices_are_chosen_by_filters() {
    let cx = Context::select(cpu() & count(1)).unwrap();
    assert_eq!(cx.devices()[0].name, "cores of the host");
    assert!(cx.place().starts_with("cpu, "), "{}", cx.place());
    let none = Context::select(position(1000)).unwrap_err().to_string();
    let said = "no device passes the filter; there are: ";
    assert!(
        none.starts_with(said) && none.contains("cpu 0 (cores of the host)"),
        "{none}"
    );
}

#[test]
fn names_of_types_and_functions_are_exported() {
    // What a user needs to write signatures.
    let e: Expr<f32> = parameter(1.0f32).into_operand();
    assert_eq!(e.sizes().unwrap(), None);
    assert_ne!(Edge::Clamp::<f32>, Edge::Wrap);
    let cx = context();
    let x = cx.vector(&[1u32, 9]).unwrap();
    assert_eq!(cx.reduce(max(&x)).unwrap(), 9);
}

/// An operand as an expression, by the trait.
trait IntoOperand<T> {
    fn into_operand(self) -> Expr<T>;
}

impl<T, O: terrace::array::Operand<T>> IntoOperand<T> for O {
    fn into_operand(self) -> Expr<T> {
        self.expr()
    }
}
