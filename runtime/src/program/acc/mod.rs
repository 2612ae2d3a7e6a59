//! The functions of OpenACC's C interface (3.1, chapter 3), as `include/openacc.h`
//! declares them.
//!
//! Where regions stay on the host, the host is a device that shares the program's
//! memory: everything is present, at its own address.

pub mod cuda;
pub mod data;
pub mod device;
pub mod memory;
pub mod prof;
pub mod queue;
