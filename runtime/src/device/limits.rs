//! What a device is, and which launches it allows.

use super::LaunchConfig;

/// Facts of a device that do not change while it is open.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceInfo {
    /// As the vendor writes it, as in `NVIDIA H200`.
    pub name: String,
    /// Compute capability: (9, 0) for sm_90.
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Threads of a warp.
    pub warp_size: u32,
    pub max_threads_per_block: u32,
    /// Largest block in x, y, z.
    pub max_block: [u32; 3],
    /// Largest grid in x, y, z.
    pub max_grid: [u32; 3],
    pub max_threads_per_multiprocessor: u32,
    pub max_blocks_per_multiprocessor: u32,
    /// Shared memory in bytes: of a block by default, of a block that opts in,
    /// of a multiprocessor, and what the driver keeps for itself of each block.
    pub shared_per_block: u32,
    pub shared_per_block_optin: u32,
    pub shared_per_multiprocessor: u32,
    pub shared_reserved_per_block: u32,
    /// 32-bit registers.
    pub registers_per_block: u32,
    pub registers_per_multiprocessor: u32,
    /// Bytes of level-2 cache.
    pub l2_bytes: u32,
    /// Bytes of device memory.
    pub total_memory: usize,
    /// Peak clocks in kHz, and the memory bus in bits; 0 where unknown.
    pub clock_khz: u32,
    pub memory_clock_khz: u32,
    pub memory_bus_bits: u32,
    /// As the driver counts: 12080 for CUDA 12.8.
    pub driver_version: u32,
}

impl DeviceInfo {
    /// The name of the architecture, as in `sm_90`.
    pub fn architecture(&self) -> String {
        let (major, minor) = self.compute_capability;
        format!("sm_{major}{minor}")
    }
}

/// Facts of a loaded kernel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelInfo {
    /// Name of the entry.
    pub name: String,
    /// 32-bit registers of a thread.
    pub registers: u32,
    /// Bytes: shared memory declared in the kernel, local memory (spills and
    /// arrays) of a thread, constants.
    pub static_shared: u32,
    pub local: u32,
    pub constant: u32,
    /// The largest block that its registers allow.
    pub max_threads_per_block: u32,
    /// Bytes of each parameter; `None` where the driver is too old to say.
    pub parameters: Option<Vec<usize>>,
}

/// What [`check_launch`] says of a launch that is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Launch {
    /// There is work.
    Run,
    /// A dimension of the grid is 0: there is no block to run.
    Empty,
}

/// The grid of a launch whose blocks wait for each other: along x no more blocks than there is
/// `room` for in all, but one.
pub fn cooperative_grid(grid: [u32; 3], room: u32) -> [u32; 3] {
    let [x, y, z] = grid;
    let each = y.saturating_mul(z).max(1);
    [x.min((room / each).max(1)), y, z]
}

/// Checks a launch against the device and the kernel, so that the error names
/// the limit where a driver would only say "invalid value".
///
/// # Errors
/// The limit that is broken, with the value found.
pub fn check_launch(
    device: &DeviceInfo,
    kernel: &KernelInfo,
    config: &LaunchConfig,
) -> Result<Launch, String> {
    let size = |d: [u32; 3]| format!("{}x{}x{}", d[0], d[1], d[2]);
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let (block, grid) = (config.block[axis], config.grid[axis]);
        if block == 0 {
            return Err(format!(
                "block {} has no thread in {name}, expected at least 1",
                size(config.block)
            ));
        }
        if block > device.max_block[axis] {
            return Err(format!(
                "block {} has {block} threads in {name}, {} allows at most {}",
                size(config.block),
                device.name,
                device.max_block[axis]
            ));
        }
        if grid > device.max_grid[axis] {
            return Err(format!(
                "grid {} has {grid} blocks in {name}, {} allows at most {}",
                size(config.grid),
                device.name,
                device.max_grid[axis]
            ));
        }
    }
    let threads: u128 = config.block.iter().map(|d| u128::from(*d)).product();
    if threads > u128::from(device.max_threads_per_block) {
        return Err(format!(
            "block {} has {threads} threads, {} allows at most {}",
            size(config.block),
            device.name,
            device.max_threads_per_block
        ));
    }
    if threads > u128::from(kernel.max_threads_per_block) {
        return Err(format!(
            "block {} has {threads} threads, this kernel allows at most {} ({} registers a thread, \
             {} in a block)",
            size(config.block),
            kernel.max_threads_per_block,
            kernel.registers,
            device.registers_per_block
        ));
    }
    let shared = u64::from(kernel.static_shared) + u64::from(config.shared_bytes);
    let most = device.shared_per_block.max(device.shared_per_block_optin);
    if shared > u64::from(most) {
        return Err(format!(
            "a block needs {shared} bytes of shared memory ({} declared, {} dynamic), {} allows at \
             most {most}",
            kernel.static_shared, config.shared_bytes, device.name
        ));
    }
    if config.grid.contains(&0) {
        return Ok(Launch::Empty);
    }
    Ok(Launch::Run)
}

/// Checks the sizes of the arguments against the kernel's parameters, where
/// these are known.
///
/// # Errors
/// The first difference.
pub fn check_arguments(kernel: &KernelInfo, sizes: &[usize]) -> Result<(), String> {
    let Some(parameters) = &kernel.parameters else {
        return Ok(());
    };
    if parameters.len() != sizes.len() {
        return Err(format!(
            "found {} arguments, the kernel has {} parameters",
            sizes.len(),
            parameters.len()
        ));
    }
    for (i, (found, expected)) in sizes.iter().zip(parameters).enumerate() {
        if found != expected {
            return Err(format!(
                "argument {i} has {found} bytes, the kernel's parameter has {expected}"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::StreamId;

    fn h200() -> DeviceInfo {
        DeviceInfo {
            name: "NVIDIA H200".to_string(),
            compute_capability: (9, 0),
            max_threads_per_block: 1024,
            max_block: [1024, 1024, 64],
            max_grid: [2147483647, 65535, 65535],
            shared_per_block: 49152,
            shared_per_block_optin: 232448,
            registers_per_block: 65536,
            ..DeviceInfo::default()
        }
    }

    fn launch(grid: [u32; 3], block: [u32; 3], shared_bytes: u32) -> Result<Launch, String> {
        let kernel = KernelInfo {
            registers: 96,
            static_shared: 1024,
            max_threads_per_block: 640,
            ..KernelInfo::default()
        };
        let config = LaunchConfig {
            grid,
            block,
            shared_bytes,
            stream: StreamId::MAIN,
        };
        check_launch(&h200(), &kernel, &config)
    }

    #[test]
    fn every_limit_is_named() {
        assert_eq!(launch([1; 3], [640, 1, 1], 231424), Ok(Launch::Run));
        assert_eq!(launch([4, 0, 1], [32, 1, 1], 0), Ok(Launch::Empty));
        let error = |grid, block, shared| launch(grid, block, shared).unwrap_err();
        assert!(error([1; 3], [32, 0, 1], 0).contains("block 32x0x1 has no thread in y"));
        assert!(
            error([1; 3], [1, 1, 65], 0).contains("65 threads in z, NVIDIA H200 allows at most 64")
        );
        assert!(error([1, 65536, 1], [1; 3], 0).contains("65536 blocks in y"));
        assert!(
            error([1; 3], [64, 32, 1], 0)
                .contains("has 2048 threads, NVIDIA H200 allows at most 1024")
        );
        assert!(
            error([1; 3], [641, 1, 1], 0).contains("this kernel allows at most 640 (96 registers")
        );
        assert!(
            error([1; 3], [1; 3], 231425).contains("232449 bytes of shared memory (1024 declared")
        );
        assert!(error([1; 3], [1; 3], u32::MAX).contains("at most 232448"));
        assert!(error([1; 3], [1024, 1024, 64], 0).contains("67108864 threads"));
    }

    #[test]
    fn arguments_are_counted_and_measured() {
        let mut kernel = KernelInfo::default();
        assert_eq!(check_arguments(&kernel, &[8]), Ok(()));
        kernel.parameters = Some(vec![8, 4]);
        assert_eq!(check_arguments(&kernel, &[8, 4]), Ok(()));
        let error = check_arguments(&kernel, &[8]).unwrap_err();
        assert_eq!(error, "found 1 arguments, the kernel has 2 parameters");
        let error = check_arguments(&kernel, &[8, 8]).unwrap_err();
        assert_eq!(
            error,
            "argument 1 has 8 bytes, the kernel's parameter has 4"
        );
    }

    #[test]
    fn a_cooperative_grid_fits_along_x() {
        assert_eq!(cooperative_grid([65535, 1, 1], 264), [264, 1, 1]);
        assert_eq!(cooperative_grid([100, 1, 1], 264), [100, 1, 1]);
        assert_eq!(cooperative_grid([100, 4, 2], 264), [33, 4, 2]);
        // Too large however narrow: for the device to refuse.
        assert_eq!(cooperative_grid([100, 300, 1], 264), [1, 300, 1]);
        assert_eq!(cooperative_grid([0, 1, 1], 264), [0, 1, 1]);
    }
}
