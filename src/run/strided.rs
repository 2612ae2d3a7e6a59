//! Arguments and results of compiled code.
//!
//! Arrays are passed by their addresses. One whose parameter has a layout that its elements do not
//! lie in is copied into memory where they do, and back after the call.

use super::bind::{Value, is_float};
use super::entry::{Entry, Param, ParamKind};
use crate::dialects::memref::layout::Strides;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::runtime::buffer::HostBuffer;
use crate::runtime::dtype::{DType, Scalar};
use crate::targets::native::{MemRef, NativeArg, Returned};
use std::ops::Range;

/// Arguments for compiled code.
pub(super) struct Passed {
    /// In the order of the parameters.
    pub words: Vec<NativeArg>,
    /// Copies in the layouts of parameters, by their numbers.
    copies: Vec<(usize, Copied)>,
}

/// The elements of an array in another layout.
struct Copied {
    memory: HostBuffer,
    layout: Strides,
}

impl Passed {
    /// The arguments of a call, which fit the entry. The addresses in it are those of the arrays.
    ///
    /// # Errors
    ///
    /// An array of which no memory holds the layout.
    pub fn new(entry: &Entry, args: &mut [Value]) -> Result<Passed, Vec<Diagnostic>> {
        let mut passed = Passed {
            words: Vec::new(),
            copies: Vec::new(),
        };
        for (i, (p, v)) in entry.params.iter().zip(args).enumerate() {
            let word = match v {
                Value::Scalar(s) if is_float(s.dtype()) => NativeArg::Float(s.as_f64()),
                Value::Scalar(s) => NativeArg::Int(s.as_int()),
                Value::Array(b) => {
                    let sizes: Vec<i64> = b.shape().iter().map(|d| *d as i64).collect();
                    let plain = MemRef::row_major(b.as_mut_ptr(), &sizes);
                    match &p.layout {
                        None => NativeArg::MemRef(plain),
                        Some(layout) => {
                            let error = |m| vec![Diagnostic::error(DiagLoc::Unknown, m)];
                            let closed = of_parameter(p, layout, &sizes).map_err(error)?;
                            if closed.strides == plain.strides && closed.offset == 0 {
                                NativeArg::MemRef(plain)
                            } else {
                                let mut copied = Copied::of(b, closed).map_err(error)?;
                                let word = MemRef {
                                    ptr: copied.memory.as_mut_ptr(),
                                    offset: copied.layout.offset,
                                    sizes,
                                    strides: copied.layout.strides.clone(),
                                };
                                passed.copies.push((i, copied));
                                NativeArg::MemRef(word)
                            }
                        }
                    }
                }
            };
            passed.words.push(word);
        }
        Ok(passed)
    }

    /// Copies back what was copied.
    pub fn bring_back(&self, args: &mut [Value]) {
        for (i, copied) in &self.copies {
            if let Some(Value::Array(b)) = args.get_mut(*i) {
                copied.back(b);
            }
        }
    }
}

/// The layout that an array of these sizes gets where its parameter has one.
fn of_parameter(p: &Param, layout: &Strides, sizes: &[i64]) -> Result<Strides, String> {
    let closed = layout.closed(sizes);
    let fits = |s: &Strides| s.range(sizes).is_some_and(|(first, _)| first >= 0);
    closed.filter(fits).ok_or_else(|| {
        format!(
            "parameter {}: with these sizes its layout has elements in front of its memory, or more than 64 bits count",
            p.name
        )
    })
}

impl Copied {
    /// The elements of an array, laid out so. What lies between them is 0.
    fn of(array: &HostBuffer, layout: Strides) -> Result<Copied, String> {
        let sizes: Vec<i64> = array.shape().iter().map(|d| *d as i64).collect();
        let last = layout.range(&sizes).map_or(0, |r| r.1);
        let memory = HostBuffer::zeros(array.dtype(), &[last as usize + 1]);
        let mut memory = memory.map_err(|e| e.to_string())?;
        let (to, from) = (memory.bytes_mut(), array.bytes());
        each(
            array.shape(),
            array.dtype().size(),
            &layout,
            |here, there| {
                to[there].copy_from_slice(&from[here]);
            },
        );
        Ok(Copied { memory, layout })
    }

    fn back(&self, array: &mut HostBuffer) {
        let (shape, size) = (array.shape().to_vec(), array.dtype().size());
        let (to, from) = (array.bytes_mut(), self.memory.bytes());
        each(&shape, size, &self.layout, |here, there| {
            to[here].copy_from_slice(&from[there]);
        });
    }
}

/// The bytes of each element of an array, and those where a layout has it. Elements have `size`
/// bytes.
fn each(
    shape: &[usize],
    size: usize,
    layout: &Strides,
    mut f: impl FnMut(Range<usize>, Range<usize>),
) {
    let mut at = vec![0usize; shape.len()];
    for i in 0..shape.iter().product() {
        let steps = at.iter().zip(&layout.strides).map(|(i, s)| *i as i64 * s);
        let there = (layout.offset + steps.sum::<i64>()) as usize * size;
        f(i * size..(i + 1) * size, there..there + size);
        for k in (0..at.len()).rev() {
            at[k] += 1;
            if at[k] < shape[k] {
                break;
            }
            at[k] = 0;
        }
    }
}

/// Results of compiled code.
///
/// # Errors
///
/// Where there is no memory for an array.
pub(super) fn results(values: &[Returned], entry: &Entry) -> Result<Vec<Value>, Vec<Diagnostic>> {
    let mut all = Vec::new();
    for (v, kind) in values.iter().zip(&entry.results) {
        match (v, kind) {
            (Returned::Scalar(NativeArg::Float(f)), ParamKind::Scalar(d)) => {
                all.extend(Scalar::from_f64(*d, *f).ok().map(Value::Scalar));
            }
            (Returned::Scalar(NativeArg::Int(i)), ParamKind::Scalar(d)) => {
                all.push(Value::Scalar(Scalar::from_bits(*d, *i as u64)));
            }
            (Returned::Array { sizes, bytes }, ParamKind::Array { dtype, .. }) => {
                all.push(returned(*dtype, sizes, bytes)?);
            }
            _ => {}
        }
    }
    Ok(all)
}

/// An array that a program returned, of its elements in row-major order.
///
/// # Errors
///
/// Where there is no memory for it.
pub(super) fn returned(
    dtype: DType,
    sizes: &[i64],
    bytes: &[u8],
) -> Result<Value, Vec<Diagnostic>> {
    let error = |m: String| vec![Diagnostic::error(DiagLoc::Unknown, m)];
    let shape: Option<Vec<usize>> = sizes.iter().map(|n| usize::try_from(*n).ok()).collect();
    let shape = shape.ok_or_else(|| error(format!("a returned array has the sizes {sizes:?}")))?;
    let mut array = HostBuffer::zeros(dtype, &shape).map_err(|e| error(e.to_string()))?;
    if array.bytes().len() != bytes.len() {
        let m = format!(
            "a fault of terrace's own: a returned array of {} bytes, found {}",
            array.bytes().len(),
            bytes.len()
        );
        return Err(error(m));
    }
    array.bytes_mut().copy_from_slice(bytes);
    Ok(Value::Array(array))
}
