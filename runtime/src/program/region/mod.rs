//! Running a region, and the functions that its native code calls for the device.
//!
//! Native code names ops by number; the region tells where each is in the source. The
//! device, the stream and the image of the region that a thread runs are in
//! thread-local storage.
//!
//! | file | what |
//! | --- | --- |
//! | `run` | a region from its begin to its end, on the device or on the host |
//! | `image` | the kernels of an image on one device |
//! | `running` | what a thread runs, and what fails of it |
//! | `calls` | the functions that native code calls |
//! | `site` | names and places of regions and their ops |

mod calls;
mod image;
mod run;
mod running;
mod site;

pub use calls::{
    terrace_gpu_alloc, terrace_gpu_free, terrace_gpu_launch, terrace_gpu_memset,
    terrace_gpu_profiled, terrace_gpu_sync, terrace_gpu_work,
};
pub use image::Loaded;
pub(super) use run::expect;
pub use run::run_cpu;
pub(super) use running::{FAILED, OK, Running, with};
pub use site::{check, describe};
