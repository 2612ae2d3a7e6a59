//! The machines. Limits are from the CUDA programming guide's table of technical
//! specifications per compute capability; each rate says where it is from.

use super::Source::{DataSheet, Estimate, Guide, Measured, Study};
use super::{Arch, Machine, Part, Rate, Rates, Source};

const KB: u32 = 1024;

const fn sheet(value: f64) -> Rate {
    Rate::new(value, DataSheet)
}

const fn guide(value: f64) -> Rate {
    Rate::new(value, Guide)
}

const fn study(value: f64) -> Rate {
    Rate::new(value, Study)
}

const fn estimate(value: f64) -> Rate {
    Rate::new(value, Estimate)
}

const fn measured(value: f64) -> Rate {
    Rate::new(value, Measured)
}

/// What a machine does not have.
const NONE: Rate = Rate::new(0.0, Source::DataSheet);

const fn part(name: &str) -> Part {
    match Part::new(name) {
        Some(part) => part,
        None => panic!("the name of a part is too long"),
    }
}

/// What is the same in all of them, or in most.
const COMMON: Machine = Machine {
    arch: Arch::sm(70),
    part: part(""),
    sms: 0,
    l2_bytes: 0,
    l1_bytes: 128 * KB,
    sector_bytes: 32,
    line_bytes: 128,
    shared_banks: 32,
    bank_bytes: 4,
    warp_size: 32,
    max_threads_per_block: 1024,
    max_block: [1024, 1024, 64],
    max_grid: [0x7fff_ffff, 65535, 65535],
    max_threads_per_sm: 2048,
    max_blocks_per_sm: 32,
    registers_per_sm: 65536,
    sm_partitions: 4,
    max_registers_per_thread: 255,
    register_granularity: 256,
    shared_per_sm: 228 * KB,
    shared_per_block: 48 * KB,
    shared_per_block_opt_in: 227 * KB,
    shared_reserved_per_block: KB,
    shared_granularity: 128,
    local_per_thread: 512 * KB,
    constant_bytes: 64 * KB,
    rates: Rates {
        clock_ghz: NONE,
        memory_gb_s: NONE,
        l2_gb_s: NONE,
        l2_bytes_per_clock: sheet(64.0),
        l1_bytes_per_clock: sheet(128.0),
        // What the tag stage does for requests that touch many lines is not published.
        l1_lines_per_clock: estimate(1.0),
        shared_bytes_per_clock: guide(128.0),
        memory_latency: NONE,
        l2_latency: NONE,
        l1_latency: NONE,
        shared_latency: NONE,
        arithmetic_latency: study(4.0),
        issue_per_clock: guide(4.0),
        // That of the H200.
        blocks_per_clock: estimate(0.8),
        f32_per_clock: guide(128.0),
        f64_per_clock: guide(2.0),
        i32_per_clock: guide(64.0),
        special_per_clock: guide(16.0),
        convert_per_clock: guide(16.0),
        address_per_clock: sheet(32.0),
        f32_tflops: NONE,
        f64_tflops: NONE,
        f16_matrix_tflops: NONE,
        tf32_matrix_tflops: NONE,
        f64_matrix_tflops: NONE,
        launch_us: estimate(4.0),
        host_link_gb_s: estimate(25.0),
    },
};

/// Every machine known, oldest first.
pub const MACHINES: &[Machine] = &[
    Machine {
        arch: Arch::sm(70),
        part: part("V100 SXM2"),
        sms: 80,
        l2_bytes: 6 << 20,
        shared_per_sm: 96 * KB,
        shared_per_block_opt_in: 96 * KB,
        shared_reserved_per_block: 0,
        shared_granularity: 256,
        rates: Rates {
            clock_ghz: sheet(1.53),
            memory_gb_s: sheet(900.0),
            l2_gb_s: study(2155.0),
            memory_latency: study(375.0),
            l2_latency: study(193.0),
            l1_latency: study(28.0),
            shared_latency: study(19.0),
            f32_per_clock: guide(64.0),
            f64_per_clock: guide(32.0),
            f32_tflops: sheet(15.7),
            f64_tflops: sheet(7.8),
            f16_matrix_tflops: sheet(125.0),
            host_link_gb_s: estimate(12.0),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(75),
        part: part("T4"),
        sms: 40,
        l2_bytes: 4 << 20,
        l1_bytes: 96 * KB,
        max_threads_per_sm: 1024,
        max_blocks_per_sm: 16,
        shared_per_sm: 64 * KB,
        shared_per_block_opt_in: 64 * KB,
        shared_reserved_per_block: 0,
        shared_granularity: 256,
        rates: Rates {
            clock_ghz: sheet(1.59),
            memory_gb_s: sheet(320.0),
            l2_gb_s: study(1270.0),
            l1_bytes_per_clock: study(64.0),
            shared_bytes_per_clock: estimate(64.0),
            memory_latency: estimate(400.0),
            l2_latency: study(188.0),
            l1_latency: study(32.0),
            shared_latency: study(19.0),
            f32_per_clock: guide(64.0),
            address_per_clock: sheet(16.0),
            f32_tflops: sheet(8.1),
            f64_tflops: sheet(0.253),
            f16_matrix_tflops: sheet(65.0),
            host_link_gb_s: estimate(12.0),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(80),
        part: part("A100 SXM4 80GB"),
        sms: 108,
        l2_bytes: 40 << 20,
        l1_bytes: 192 * KB,
        shared_per_sm: 164 * KB,
        shared_per_block_opt_in: 163 * KB,
        rates: Rates {
            clock_ghz: sheet(1.41),
            memory_gb_s: sheet(2039.0),
            // The white paper has 5120 bytes a clock.
            l2_gb_s: sheet(7219.0),
            memory_latency: study(466.3),
            l2_latency: study(261.5),
            l1_latency: study(37.9),
            shared_latency: study(29.0),
            f32_per_clock: guide(64.0),
            f64_per_clock: guide(32.0),
            f32_tflops: sheet(19.5),
            f64_tflops: sheet(9.7),
            f16_matrix_tflops: sheet(312.0),
            tf32_matrix_tflops: sheet(156.0),
            f64_matrix_tflops: sheet(19.5),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(86),
        part: part("A40"),
        sms: 84,
        l2_bytes: 6 << 20,
        max_threads_per_sm: 1536,
        max_blocks_per_sm: 16,
        shared_per_sm: 100 * KB,
        shared_per_block_opt_in: 99 * KB,
        rates: Rates {
            clock_ghz: sheet(1.74),
            memory_gb_s: sheet(696.0),
            l2_gb_s: estimate(2800.0),
            memory_latency: estimate(500.0),
            l2_latency: estimate(245.0),
            l1_latency: estimate(38.0),
            shared_latency: estimate(29.0),
            f32_tflops: sheet(37.4),
            f64_tflops: sheet(0.584),
            f16_matrix_tflops: sheet(149.7),
            tf32_matrix_tflops: sheet(74.8),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(89),
        part: part("L40S"),
        sms: 142,
        l2_bytes: 96 << 20,
        max_threads_per_sm: 1536,
        max_blocks_per_sm: 24,
        shared_per_sm: 100 * KB,
        shared_per_block_opt_in: 99 * KB,
        rates: Rates {
            clock_ghz: sheet(2.52),
            memory_gb_s: sheet(864.0),
            l2_gb_s: estimate(5000.0),
            // Measured on the RTX 4090.
            memory_latency: study(541.5),
            l2_latency: study(273.0),
            l1_latency: study(43.4),
            shared_latency: study(30.1),
            f32_tflops: sheet(91.6),
            f64_tflops: sheet(1.43),
            f16_matrix_tflops: sheet(362.0),
            tf32_matrix_tflops: sheet(183.0),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(90),
        part: part("H200 SXM"),
        sms: 132,
        l2_bytes: 60 << 20,
        l1_bytes: 256 * KB,
        rates: Rates {
            clock_ghz: sheet(1.98),
            memory_gb_s: measured(4244.0),
            l2_gb_s: measured(8766.0),
            l2_bytes_per_clock: measured(94.3),
            memory_latency: measured(667.7),
            l2_latency: measured(285.2),
            l1_latency: measured(42.1),
            shared_latency: measured(28.2),
            // Kernels that do little, in blocks of 32 and 64 threads: 1600 blocks/us.
            blocks_per_clock: measured(0.81),
            f64_per_clock: guide(64.0),
            f32_tflops: measured(64.7),
            f64_tflops: measured(33.1),
            f16_matrix_tflops: measured(640.0),
            tf32_matrix_tflops: measured(319.0),
            f64_matrix_tflops: measured(66.7),
            launch_us: measured(3.7),
            host_link_gb_s: measured(54.7),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(100),
        part: part("B200 SXM"),
        sms: 148,
        l2_bytes: 126 << 20,
        l1_bytes: 256 * KB,
        rates: Rates {
            clock_ghz: sheet(1.965),
            memory_gb_s: sheet(8000.0),
            l2_gb_s: estimate(10000.0),
            memory_latency: estimate(600.0),
            l2_latency: estimate(300.0),
            l1_latency: estimate(40.0),
            shared_latency: estimate(29.0),
            f64_per_clock: guide(64.0),
            f32_tflops: sheet(75.0),
            f64_tflops: sheet(37.0),
            f16_matrix_tflops: sheet(2250.0),
            tf32_matrix_tflops: sheet(1120.0),
            f64_matrix_tflops: sheet(37.0),
            host_link_gb_s: estimate(54.0),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(120),
        part: part("RTX 5090"),
        sms: 170,
        l2_bytes: 96 << 20,
        max_threads_per_sm: 1536,
        max_blocks_per_sm: 24,
        shared_per_sm: 100 * KB,
        shared_per_block_opt_in: 99 * KB,
        rates: Rates {
            clock_ghz: sheet(2.41),
            memory_gb_s: sheet(1792.0),
            l2_gb_s: estimate(6000.0),
            memory_latency: estimate(650.0),
            l2_latency: estimate(300.0),
            l1_latency: estimate(40.0),
            shared_latency: estimate(30.0),
            i32_per_clock: sheet(128.0),
            f32_tflops: sheet(104.8),
            f64_tflops: sheet(1.64),
            f16_matrix_tflops: sheet(209.5),
            tf32_matrix_tflops: sheet(104.8),
            host_link_gb_s: estimate(54.0),
            ..COMMON.rates
        },
        ..COMMON
    },
];
