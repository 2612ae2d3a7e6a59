//! Fourier transforms by cuFFT, which is found at run time.
//!
//! Plans are kept, as they hold memory and take longer to make than many a transform.

use super::{CudaDevice, lock};
use crate::device::fourier::Transform;
use crate::device::{DeviceError, DevicePtr};
use cudarc::cufft::{result, sys};
use std::sync::OnceLock;

/// It is 1 where cuFFT is to transform. No test has run with it on a GPU yet, so that it is not used
/// unasked.
const VARIABLE: &str = "TERRACE_CUFFT";

/// How many plans are kept.
const MOST: usize = 16;

/// Plans of the library, the one that was used last behind the others.
#[derive(Default)]
pub(super) struct Plans(Vec<(Transform, sys::cufftHandle)>);

impl Plans {
    /// Gives all back, while their context is current.
    pub fn clear(&mut self) {
        for (_, plan) in self.0.drain(..) {
            // SAFETY: it is a plan, and nobody uses it any more. Where the library refuses, memory
            // stays until the process ends.
            let _ = unsafe { result::destroy(plan) };
        }
    }
}

/// Whether the library is asked for by [`VARIABLE`], and there.
fn is_there() -> bool {
    static THERE: OnceLock<bool> = OnceLock::new();
    *THERE.get_or_init(|| {
        let asked = std::env::var_os(VARIABLE).is_some_and(|v| v == "1");
        // SAFETY: opening the library runs its initialisers, as any use of it.
        asked && unsafe { sys::is_culib_present() }
    })
}

fn error(operation: &str, shape: Transform, e: result::CufftError) -> DeviceError {
    let Transform {
        outer, n, inner, ..
    } = shape;
    DeviceError::Invalid {
        operation: format!("{operation} {outer} x {inner} transforms of {n} numbers by cuFFT"),
        problem: format!("{e:?}"),
    }
}

impl CudaDevice {
    /// See [`crate::device::Device::transform`].
    pub(super) fn transformed(
        &self,
        ptr: DevicePtr,
        shape: Transform,
    ) -> Result<bool, DeviceError> {
        let number = |n: usize| i32::try_from(n).ok();
        // Rows that lie in one piece are one batch, and so are the lines of one row.
        let (batch, times, distance) = match shape.inner {
            1 => (shape.outer, 1, shape.n),
            _ => (shape.inner, shape.outer, 1),
        };
        let sizes = (
            number(shape.n),
            number(shape.inner),
            number(distance),
            number(batch),
        );
        let ((Some(n), Some(stride), Some(distance), Some(batch)), Some(bytes), true) =
            (sizes, shape.bytes(), is_there())
        else {
            return Ok(false);
        };
        self.check_range(ptr, bytes, || format!("transform {bytes} bytes"))?;
        self.enter()?;
        let mut plans = lock(&self.plans);
        let found = plans.0.iter().position(|(s, _)| *s == shape);
        let plan = match found {
            Some(k) => plans.0.remove(k).1,
            None => {
                if plans.0.len() >= MOST {
                    let (_, oldest) = plans.0.remove(0);
                    // SAFETY: it is a plan, and its transforms were waited for.
                    let _ = unsafe { result::destroy(oldest) };
                }
                let kind = match shape.double {
                    true => sys::cufftType::CUFFT_Z2Z,
                    false => sys::cufftType::CUFFT_C2C,
                };
                let mut size = n;
                let n: *mut i32 = &mut size;
                // SAFETY: the library reads one size from each pointer.
                let made = unsafe {
                    result::plan_many(1, n, n, stride, distance, n, stride, distance, kind, batch)
                };
                let plan = made.map_err(|e| error("plan", shape, e))?;
                // SAFETY: plan and stream are there, and the stream outlives the plan.
                let set = unsafe { result::set_stream(plan, self.main_stream.cast()) };
                if let Err(e) = set {
                    // SAFETY: nobody else knows the plan.
                    let _ = unsafe { result::destroy(plan) };
                    return Err(error("plan", shape, e));
                }
                plan
            }
        };
        plans.0.push((shape, plan));
        let step = (shape.n * shape.inner * shape.number_bytes()) as u64;
        for k in 0..times as u64 {
            let at = ptr.0 + k * step;
            // SAFETY: all numbers of the plan lie in one allocation, which was checked.
            let done = unsafe {
                match shape.double {
                    true => result::exec_z2z(plan, at as *mut _, at as *mut _, -1),
                    false => result::exec_c2c(plan, at as *mut _, at as *mut _, -1),
                }
            };
            done.map_err(|e| error("do", shape, e))?;
        }
        self.wait_main(|| format!("transform {bytes} bytes"))?;
        Ok(true)
    }
}
