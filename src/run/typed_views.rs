//! Views of `ndarray` as arguments of functions that are bound to types. They are not copied, and
//! have as many axes as the function's arrays.
//!
//! ```
//! use ndarray::{ArrayView2, ArrayViewMut2, arr2};
//! use terrace::run::executor::Program;
//! use terrace::run::typed::Kernel;
//!
//! let program = Program::new("double.mlir", "
//! func.func @double(%x: memref<?x?xf64>, %y: memref<?x?xf64>) {
//!   %c0 = arith.constant 0 : index
//!   %c1 = arith.constant 1 : index
//!   %n = memref.dim %x, %c0 : memref<?x?xf64>
//!   %m = memref.dim %x, %c1 : memref<?x?xf64>
//!   affine.for %i = 0 to %n {
//!     affine.for %j = 0 to %m {
//!       %v = affine.load %x[%i, %j] : memref<?x?xf64>
//!       %w = arith.addf %v, %v : f64
//!       affine.store %w, %y[%i, %j] : memref<?x?xf64>
//!     }
//!   }
//!   return
//! }").map_err(terrace::run::RunError::from)?;
//! let kernel = Kernel::new(program, None)?;
//! let double = kernel.bind::<(ArrayView2<f64>, ArrayViewMut2<f64>)>()?;
//! let (x, mut y) = (arr2(&[[1.0, 2.0], [3.0, 4.0]]), arr2(&[[0.0; 2]; 2]));
//! double.call((x.view(), y.view_mut()))?;
//! assert_eq!(y, arr2(&[[2.0, 4.0], [6.0, 8.0]]));
//! # Ok::<(), terrace::run::RunError>(())
//! ```

use super::entry::{Param, ParamKind, open_words};
use super::typed::{Argument, Words, element_mismatch, kind_text, write_mismatch};
use crate::runtime::dtype::Element;
use ndarray::{ArrayView, ArrayViewMut, Dimension};

/// What is wrong with a view of so many axes for a parameter.
fn axes_mismatch(param: &Param, axes: Option<usize>) -> Option<String> {
    let ParamKind::Array { shape, .. } = &param.kind else {
        return None;
    };
    let (name, kind) = (&param.name, kind_text(&param.kind));
    axes.filter(|n| *n != shape.len())
        .map(|n| format!("argument {name} is {kind}, found a view of another number of axes, {n}"))
}

/// The words of a view.
fn push_view(
    at: u64,
    sizes: &[usize],
    lies_in_order: bool,
    param: &Param,
    words: &mut Words,
) -> Result<(), String> {
    let ParamKind::Array { shape, .. } = &param.kind else {
        return Ok(());
    };
    let same = |(d, n): (&Option<usize>, &usize)| d.is_none_or(|d| d == *n);
    if shape.len() != sizes.len() || !shape.iter().zip(sizes).all(same) {
        let (name, kind) = (&param.name, kind_text(&param.kind));
        return Err(format!(
            "argument {name} is {kind}, found a view of the sizes {sizes:?}"
        ));
    }
    if !lies_in_order {
        let name = &param.name;
        return Err(format!(
            "argument {name} is a view whose elements do not lie in row-major order without gaps; \
             `as_standard_layout` copies them"
        ));
    }
    words.push(at);
    words.extend(open_words(shape, sizes));
    Ok(())
}

macro_rules! views {
    ($($of:ident $written:expr, $address:ident, [$($mutable:tt)*];)*) => {$(
        impl<T: Element, D: Dimension> Argument for $of<'_, T, D> {
            type With<'c> = $of<'c, T, D>;

            fn mismatch(param: &Param, written: bool) -> Option<String> {
                element_mismatch::<T>(param, "a view")
                    .or_else(|| axes_mismatch(param, D::NDIM))
                    .or_else(|| write_mismatch(param, written && !$written, "view"))
            }

            fn push($($mutable)* with: $of<'_, T, D>, param: &Param, words: &mut Words) -> Result<(), String> {
                let (at, order) = (with.$address() as u64, with.is_standard_layout());
                push_view(at, with.shape(), order, param, words)
            }
        }
    )*};
}

views! {
    ArrayView false, as_ptr, [];
    ArrayViewMut true, as_mut_ptr, [mut];
}

#[cfg(test)]
mod tests {
    use super::super::executor::Program;
    use super::super::typed::Kernel;
    use ndarray::{Array1, Array2, ArrayView1, ArrayView2, ArrayViewD, ArrayViewMut2, s};

    fn kernel() -> Kernel {
        let text = "func.func @f(%x: memref<?x3xf32>, %y: memref<?x3xf32>) {
          %c0 = arith.constant 0 : index
          %n = memref.dim %x, %c0 : memref<?x3xf32>
          affine.for %i = 0 to %n {
            affine.for %j = 0 to 3 {
              %v = affine.load %x[%i, 2 - %j] : memref<?x3xf32>
              affine.store %v, %y[%i, %j] : memref<?x3xf32>
            }
          }
          return
        }";
        let program = Program::new("test.mlir", text).expect("a right program");
        Kernel::new(program, None).expect("a program for the cores")
    }

    #[test]
    fn views_are_not_copied() {
        let k = kernel();
        let f = k.bind::<(ArrayView2<f32>, ArrayViewMut2<f32>)>().unwrap();
        for rows in [0, 1, 5] {
            let x = Array2::from_shape_fn((rows, 3), |(i, j)| (10 * i + j) as f32);
            // Some rows of a larger array: what is beside them stays.
            let mut y = Array2::from_elem((rows + 2, 3), -1.0);
            f.call((x.view(), y.slice_mut(s![1..rows + 1, ..])))
                .unwrap();
            let expected =
                Array2::from_shape_fn((rows + 2, 3), |(i, j)| match i > 0 && i <= rows {
                    true => x[(i - 1, 2 - j)],
                    false => -1.0,
                });
            assert_eq!(y, expected);
        }
    }

    #[test]
    fn views_that_do_not_fit() {
        let k = kernel();
        let said = |r: Result<(), super::super::RunError>| r.unwrap_err().to_string();
        let f = k.bind::<(ArrayView1<f32>, ArrayView2<f64>)>();
        assert_eq!(
            said(f.map(|_| ())),
            "argument 0 is an array ?x3xf32, found a view of another number of axes, 1\n\
             argument 1 is an array ?x3xf32, found a view of f64"
        );
        let f = k.bind::<(ArrayView2<f32>, ArrayView2<f32>)>();
        assert_eq!(
            said(f.map(|_| ())),
            "argument 1 may be written, found a shared view; bind it to `&mut`"
        );
        let f = k.bind::<(ArrayViewD<f32>, ArrayViewMut2<f32>)>().unwrap();
        let (x, mut y) = (Array2::zeros((2, 4)), Array2::zeros((2, 3)));
        assert_eq!(
            said(f.call((x.view().into_dyn(), y.view_mut()))),
            "argument 0 is an array ?x3xf32, found a view of the sizes [2, 4]"
        );
        let line = Array1::zeros(3);
        assert_eq!(
            said(f.call((line.view().into_dyn(), y.view_mut()))),
            "argument 0 is an array ?x3xf32, found a view of the sizes [3]"
        );
        let x = x.slice(s![.., ..3]);
        assert_eq!(
            said(f.call((x.into_dyn(), y.view_mut()))),
            "argument 0 is a view whose elements do not lie in row-major order without gaps; \
             `as_standard_layout` copies them"
        );
    }
}
