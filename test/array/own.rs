//! Functions that are written as text, on arrays of a context.

use super::support::context;
use terrace::array::{ArrayError, Context, DeviceKind, Function};
use terrace::run::source::ProgramText;

const AXPY: &str = "func.func @axpy(%a: f64, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %p = affine.load %x[%i] : memref<?xf64>
    %q = affine.load %y[%i] : memref<?xf64>
    %r = arith.mulf %a, %p : f64
    %s = arith.addf %r, %q : f64
    affine.store %s, %y[%i] : memref<?xf64>
  }
  return
}";

fn made(cx: &Context, text: &str) -> Result<Function, ArrayError> {
    cx.function(&ProgramText::mlir("test.mlir", text), None)
}

#[test]
fn functions_of_text_and_expressions_share_arrays() {
    let cx = context();
    let axpy = made(&cx, AXPY).unwrap();
    for n in [0usize, 1, 5, 1000] {
        let host: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let (x, y) = (cx.vector(&host).unwrap(), cx.zeros(&[n]).unwrap());
        y.set(&x + 1.0).unwrap();
        // SAFETY: both arrays have as many elements.
        unsafe { axpy.call_unchecked((2.0, &x, &y)).unwrap() };
        y.set(&y * 0.5).unwrap();
        let expected: Vec<f64> = host.iter().map(|x| (2.0 * x + (x + 1.0)) * 0.5).collect();
        assert_eq!(y.to_vec().unwrap(), expected);
    }
}

#[test]
fn parts_of_arrays_are_arguments() {
    let cx = context();
    let axpy = made(&cx, AXPY).unwrap();
    let a = cx
        .array(&[2, 4], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
        .unwrap();
    let x = a.index_axis(0, 1);
    let y = a.index_axis(0, 0).invert_axis(0);
    // SAFETY: both arrays have four elements.
    unsafe { axpy.call_unchecked((10.0, &x, &y)).unwrap() };
    let expected = [70.0, 61.0, 52.0, 43.0, 4.0, 5.0, 6.0, 7.0];
    assert_eq!(a.to_vec().unwrap(), expected);
}

#[test]
fn arguments_that_do_not_fit() {
    let cx = context();
    let axpy = made(&cx, AXPY).unwrap();
    let (x, k) = (
        cx.zeros::<f64>(&[4]).unwrap(),
        cx.zeros::<i32>(&[2, 2]).unwrap(),
    );
    let said = |r: Result<(), ArrayError>| r.unwrap_err().to_string();
    // SAFETY: nothing of this runs.
    unsafe {
        assert_eq!(
            said(axpy.call_unchecked((1.0, &x))),
            "@axpy takes 3 arguments, found 2"
        );
        assert_eq!(
            said(axpy.call_unchecked((1.0f32, &k, 3))),
            "argument 0 is a number of type f64, found a number of type f32\n\
             argument 1 is an array ?xf64, found an array of shape 2 x 2 of i32\n\
             argument 2 is an array ?xf64, found a number of type i32"
        );
        assert_eq!(
            said(axpy.call_unchecked((1.0, &x, &x.range(1..3)))),
            "arguments 1 and 2 share elements, and @axpy may write them"
        );
        let y = x
            .reshaped(&[1, 4])
            .index_axis(0, 0)
            .range(0..1)
            .broadcast(&[1]);
        assert!(axpy.call_unchecked((1.0, &x, &y)).is_err());
        let repeated = x.range(0..1).broadcast(&[4]);
        assert_eq!(
            said(axpy.call_unchecked((1.0, &cx.zeros::<f64>(&[4]).unwrap(), &repeated))),
            "argument 2 may be written, found an array whose elements are repeated"
        );
        let other = context().zeros::<f64>(&[4]).unwrap();
        assert_eq!(
            said(axpy.call_unchecked((1.0, &other, &x))),
            "argument 1 is an array of another context than @axpy; bring it over by `to_vec` \
             and `vector`"
        );
        // A part that there is not says so itself.
        assert!(said(axpy.call_unchecked((1.0, &x, &x.range(3..9)))).contains("the range 3..9"));
    }
}

#[test]
fn accesses_are_checked_where_a_call_is_safe() {
    let cx = context();
    let axpy = made(&cx, AXPY).unwrap();
    let (x, y) = (cx.vector(&[1.0; 4]).unwrap(), cx.vector(&[1.0; 2]).unwrap());
    let text = axpy.call((1.0, &x, &y)).unwrap_err().to_string();
    match cx.devices()[0].kind {
        DeviceKind::Gpu => assert!(
            text.contains(
                "a GPU does not check the accesses of @axpy; call it by `call_unchecked`"
            ),
            "{text}"
        ),
        DeviceKind::Cpu => {
            assert!(
                text.contains("test.mlir:") && text.contains("out of bounds"),
                "{text}"
            );
            let lost = y.to_vec().unwrap_err().to_string();
            assert!(lost.contains("the array holds nothing"), "{lost}");
            y.fill(0.0).unwrap();
            assert_eq!(y.to_vec().unwrap(), [0.0; 2]);
        }
        DeviceKind::Emulator => assert!(!text.is_empty(), "{text}"),
    }
}

#[test]
fn programs_that_are_none() {
    let cx = context();
    let text = made(&cx, "func.func @f(%x: memref<?xf64>) { oops }")
        .unwrap_err()
        .to_string();
    assert!(text.contains("test.mlir:1:"), "{text}");
    let text = made(
        &cx,
        "func.func @f() -> f64 { %0 = arith.constant 1.0 : f64\n return %0 : f64 }",
    );
    let text = text.unwrap_err().to_string();
    assert!(
        text.contains(
            "@f gives back numbers; a function on arrays gives back nothing, and may write an \
             array of one element"
        ),
        "{text}"
    );
    let p = ProgramText::mlir("test.mlir", AXPY);
    let text = cx.function(&p, Some("g")).unwrap_err().to_string();
    assert!(text.contains("'g'") || text.contains("@g"), "{text}");
}

#[test]
fn a_device_alone_has_its_arrays() {
    let cx = context();
    // The host would have to read how many threads there are.
    let many = "func.func @many(%k: memref<?xi64>, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %v = memref.load %k[%c0] : memref<?xi64>
  %n = arith.index_cast %v : i64 to index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %one, %x[%i] : memref<?xf64>
    scf.reduce
  }
  return
}";
    let (k, x) = (cx.vector(&[2_i64]).unwrap(), cx.zeros::<f64>(&[3]).unwrap());
    let found = made(&cx, many);
    if cx.devices()[0].kind == DeviceKind::Cpu {
        found.unwrap().call((&k, &x)).unwrap();
        assert_eq!(x.to_vec().unwrap(), [1.0, 1.0, 0.0]);
        return;
    }
    let text = found.unwrap_err().to_string();
    assert!(
        text.contains(
            "this access is in no loop that becomes a kernel; the host cannot use arrays of a \
             device"
        ),
        "{text}"
    );
}

#[cfg(feature = "c")]
#[test]
fn functions_in_c_take_arrays() {
    let cx = context();
    let p = ProgramText::c(
        "rows.c",
        "
void rows(int n, int m, double a[n][m], double r[n]) {
#pragma scop
  for (int i = 0; i < n; i++) {
    r[i] = 0;
    for (int j = 0; j < m; j++)
      r[i] += a[i][j] * a[i][j];
  }
#pragma endscop
}
",
    );
    let rows = cx.function(&p, Some("rows")).unwrap();
    let host: Vec<f64> = (0..15).map(f64::from).collect();
    let (a, r) = (
        cx.array(&[3, 5], &host).unwrap(),
        cx.zeros::<f64>(&[3]).unwrap(),
    );
    // SAFETY: the sizes are those of the arrays.
    unsafe { rows.call_unchecked((3, 5, &a, &r)).unwrap() };
    let expected: Vec<f64> = host
        .chunks(5)
        .map(|r| r.iter().map(|v| v * v).sum())
        .collect();
    assert_eq!(r.to_vec().unwrap(), expected);
}
