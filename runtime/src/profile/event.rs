//! What can happen.

use super::LaunchWork;

/// Which way bytes went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    HostToDevice,
    DeviceToHost,
    DeviceToDevice,
}

impl Direction {
    /// All, in the order of the tables.
    pub const ALL: [Direction; 3] = [
        Direction::HostToDevice,
        Direction::DeviceToHost,
        Direction::DeviceToDevice,
    ];

    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Direction::HostToDevice => "host to device",
            Direction::DeviceToHost => "device to host",
            Direction::DeviceToDevice => "on device",
        }
    }
}

/// One run of a kernel, or of a whole program or loop on the host.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelRun {
    pub name: String,
    /// Where it ran, as in `gpu` or `cpu`.
    pub target: String,
    /// Blocks and threads of a block, where there are any.
    pub launch: Option<([u32; 3], [u32; 3])>,
    pub microseconds: f64,
    /// Floating-point operations, where the program says them.
    pub flops: Option<f64>,
    /// What the compiler counted.
    pub work: Option<LaunchWork>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Kernel(KernelRun),
    Copy {
        direction: Direction,
        bytes: u64,
        microseconds: f64,
    },
    Alloc {
        target: String,
        bytes: u64,
    },
    Free {
        target: String,
        bytes: u64,
    },
    /// A step on the host that is not the program: compiling, loading.
    Step {
        name: String,
        microseconds: f64,
    },
}
