//! The machines. Limits are from the CUDA programming guide's table of
//! technical specifications per compute capability; rates from the vendor's
//! data sheets unless marked as measured.

use super::{Arch, Machine, Rates, Source};

const KB: u32 = 1024;

/// What is the same in all of them.
const COMMON: Machine = Machine {
    arch: Arch::sm(70),
    part: "",
    sms: 0,
    l2_bytes: 0,
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
        source: Source::DataSheet,
        memory_gb_s: 0.0,
        f32_tflops: 0.0,
        f64_tflops: 0.0,
        f16_matrix_tflops: 0.0,
        tf32_matrix_tflops: None,
        f64_matrix_tflops: None,
        launch_us: 4.0,
        host_link_gb_s: 25.0,
    },
};

/// Every machine known, oldest first.
pub const MACHINES: &[Machine] = &[
    Machine {
        arch: Arch::sm(70),
        part: "V100 SXM2",
        sms: 80,
        l2_bytes: 6 << 20,
        shared_per_sm: 96 * KB,
        shared_per_block_opt_in: 96 * KB,
        shared_reserved_per_block: 0,
        shared_granularity: 256,
        rates: Rates {
            memory_gb_s: 900.0,
            f32_tflops: 15.7,
            f64_tflops: 7.8,
            f16_matrix_tflops: 125.0,
            host_link_gb_s: 12.0,
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(75),
        part: "T4",
        sms: 40,
        l2_bytes: 4 << 20,
        max_threads_per_sm: 1024,
        max_blocks_per_sm: 16,
        shared_per_sm: 64 * KB,
        shared_per_block_opt_in: 64 * KB,
        shared_reserved_per_block: 0,
        shared_granularity: 256,
        rates: Rates {
            memory_gb_s: 320.0,
            f32_tflops: 8.1,
            f64_tflops: 0.253,
            f16_matrix_tflops: 65.0,
            host_link_gb_s: 12.0,
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(80),
        part: "A100 SXM4 80GB",
        sms: 108,
        l2_bytes: 40 << 20,
        shared_per_sm: 164 * KB,
        shared_per_block_opt_in: 163 * KB,
        rates: Rates {
            memory_gb_s: 2039.0,
            f32_tflops: 19.5,
            f64_tflops: 9.7,
            f16_matrix_tflops: 312.0,
            tf32_matrix_tflops: Some(156.0),
            f64_matrix_tflops: Some(19.5),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(86),
        part: "A40",
        sms: 84,
        l2_bytes: 6 << 20,
        max_threads_per_sm: 1536,
        max_blocks_per_sm: 16,
        shared_per_sm: 100 * KB,
        shared_per_block_opt_in: 99 * KB,
        rates: Rates {
            memory_gb_s: 696.0,
            f32_tflops: 37.4,
            f64_tflops: 0.584,
            f16_matrix_tflops: 149.7,
            tf32_matrix_tflops: Some(74.8),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(89),
        part: "L40S",
        sms: 142,
        l2_bytes: 96 << 20,
        max_threads_per_sm: 1536,
        max_blocks_per_sm: 24,
        shared_per_sm: 100 * KB,
        shared_per_block_opt_in: 99 * KB,
        rates: Rates {
            memory_gb_s: 864.0,
            f32_tflops: 91.6,
            f64_tflops: 1.43,
            f16_matrix_tflops: 362.0,
            tf32_matrix_tflops: Some(183.0),
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(90),
        part: "H200 SXM",
        sms: 132,
        l2_bytes: 60 << 20,
        rates: Rates {
            source: Source::Measured,
            memory_gb_s: 4244.0,
            f32_tflops: 64.7,
            f64_tflops: 33.1,
            f16_matrix_tflops: 640.0,
            tf32_matrix_tflops: Some(319.0),
            f64_matrix_tflops: Some(66.7),
            launch_us: 3.7,
            host_link_gb_s: 54.7,
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(100),
        part: "B200 SXM",
        sms: 148,
        l2_bytes: 126 << 20,
        rates: Rates {
            memory_gb_s: 8000.0,
            f32_tflops: 75.0,
            f64_tflops: 37.0,
            f16_matrix_tflops: 2250.0,
            tf32_matrix_tflops: Some(1120.0),
            f64_matrix_tflops: Some(37.0),
            host_link_gb_s: 54.0,
            ..COMMON.rates
        },
        ..COMMON
    },
    Machine {
        arch: Arch::sm(120),
        part: "RTX 5090",
        sms: 170,
        l2_bytes: 96 << 20,
        max_threads_per_sm: 1536,
        max_blocks_per_sm: 24,
        shared_per_sm: 100 * KB,
        shared_per_block_opt_in: 99 * KB,
        rates: Rates {
            memory_gb_s: 1792.0,
            f32_tflops: 104.8,
            f64_tflops: 1.64,
            f16_matrix_tflops: 209.5,
            tf32_matrix_tflops: Some(104.8),
            host_link_gb_s: 54.0,
            ..COMMON.rates
        },
        ..COMMON
    },
];
