//! Matrix products and the loads and stores of their operands, against products
//! computed here. Operands are laid out in memory as plain arrays; the kernels
//! compute each lane's places as the PTX manual gives them.

mod common;

use common::{Device, clean, kernel, only};
use terrace_emulator::{Class, FindingKind};

/// `%r1` the lane, `%r2` its group of four, `%r3` its place in that.
const LANE: &str = "mov.u32 %r1, %laneid; shr.u32 %r2, %r1, 2; and.b32 %r3, %r1, 3;
ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];\n";

/// Whole numbers from -8 to 8.
fn whole(i: usize, j: usize) -> i32 {
    ((i * 7 + j * 5 + i * j) % 17) as i32 - 8
}

fn half(v: i32) -> u16 {
    // Numbers up to 2048 are exact: sign, exponent, fraction.
    let magnitude = v.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let exponent = magnitude.ilog2();
    let fraction = (magnitude << (10 - exponent)) & 1023;
    ((v < 0) as u16) << 15 | ((exponent + 15) as u16) << 10 | fraction as u16
}

fn bytes_of<T: Copy, const N: usize>(values: &[T], f: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|v| f(*v)).collect()
}

impl Device {
    fn put(&self, bytes: &[u8]) -> u64 {
        let at = self.memory.alloc(bytes.len() as u64).unwrap();
        self.memory.write(at, bytes).unwrap();
        at
    }

    fn bytes(&self, at: u64, n: usize) -> Vec<u8> {
        let mut out = vec![0; n];
        self.memory.read(at, &mut out).unwrap();
        out
    }
}

fn matrix(rows: usize, columns: usize, seed: usize) -> Vec<i32> {
    (0..rows * columns)
        .map(|i| whole(i / columns + seed, i % columns + 2 * seed))
        .collect()
}

fn product(a: &[i32], b: &[i32], m: usize, k: usize, c: impl Fn(usize, usize) -> i32) -> Vec<i32> {
    let n = b.len() / k;
    (0..m * n)
        .map(|at| {
            let (i, j) = (at / n, at % n);
            c(i, j) + (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum::<i32>()
        })
        .collect()
}

#[test]
fn halves_by_way_of_shared_memory() {
    // A and B are brought to shared memory, and from there by ldmatrix.
    let body = format!(
        "{LANE}.shared .align 16 .b8 ta[512]; .shared .align 16 .b8 tb[256];
         shl.b32 %r4, %r1, 4; cvt.u64.u32 %rd4, %r4; add.u64 %rd5, %rd1, %rd4;
         mov.u32 %r5, ta; add.u32 %r5, %r5, %r4;
         ld.global.v4.u32 {{%r6, %r7, %r8, %r9}}, [%rd5]; st.shared.v4.u32 [%r5], {{%r6, %r7, %r8, %r9}};
         shr.u32 %r10, %r4, 1; cvt.u64.u32 %rd4, %r10; add.u64 %rd5, %rd2, %rd4;
         mov.u32 %r5, tb; add.u32 %r5, %r5, %r10;
         ld.global.v2.u32 {{%r6, %r7}}, [%rd5]; st.shared.v2.u32 [%r5], {{%r6, %r7}};
         bar.warp.sync -1;
         and.b32 %r11, %r1, 15; shl.b32 %r12, %r11, 5; and.b32 %r13, %r1, 16; add.u32 %r12, %r12, %r13;
         mov.u32 %r14, ta; add.u32 %r12, %r12, %r14;
         ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r20, %r21, %r22, %r23}}, [%r12];
         shl.b32 %r12, %r11, 4; mov.u32 %r14, tb; add.u32 %r12, %r12, %r14;
         ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {{%r24, %r25}}, [%r12];
         mov.f32 %f1, 0f3f800000; mov.f32 %f2, 0f40000000; mov.f32 %f3, 0f40400000; mov.f32 %f4, 0f40800000;
         mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{%f5, %f6, %f7, %f8}},
           {{%r20, %r21, %r22, %r23}}, {{%r24, %r25}}, {{%f1, %f2, %f3, %f4}};
         shl.b32 %r15, %r2, 5; shl.b32 %r16, %r3, 3; add.u32 %r15, %r15, %r16;
         cvt.u64.u32 %rd4, %r15; add.u64 %rd5, %rd3, %rd4;
         st.global.v2.f32 [%rd5], {{%f5, %f6}}; st.global.v2.f32 [%rd5+256], {{%f7, %f8}}; ret;"
    );
    let device = Device::new(&kernel(".u64 .u64 .u64", &body));
    let (a, b) = (matrix(16, 16, 0), matrix(16, 8, 3));
    let halves = |v: &[i32]| bytes_of(v, |x| half(x).to_le_bytes());
    let (pa, pb) = (device.put(&halves(&a)), device.put(&halves(&b)));
    let out = device.memory.alloc(16 * 8 * 4).unwrap();
    let outcome = device.run(1, 32, &[pa, pb, out]);
    clean(&outcome);
    // Of each lane the first of C is 1, then 2; below 3, 4.
    let expected = product(&a, &b, 16, 16, |i, j| {
        1 + (j % 2) as i32 + if i >= 8 { 2 } else { 0 }
    });
    let got: Vec<i32> = device
        .bytes(out, 512)
        .chunks(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()) as i32)
        .collect();
    assert_eq!(got, expected);
    let counts = &outcome.counts;
    assert_eq!(counts.warp_instructions[Class::Matrix as usize], 1);
    // Rows of A lie 32 bytes apart: two passes a matrix. Those of B side by side.
    assert_eq!(
        (
            counts.shared_loads.wavefronts,
            counts.shared_loads.conflicts
        ),
        (4 * 2 + 2, 4)
    );
}

#[test]
fn bf16_and_half_sums() {
    // A of ones and B of the lane's number, so that layouts do not matter; what
    // matters are the formats.
    let body = format!(
        "{LANE}mov.b32 %r4, 0x3f803f80; mov.b32 %r5, 0x40004000; mov.f32 %f1, 0f00000000;
         mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {{%f5, %f6, %f7, %f8}}, {{%r4, %r4}}, {{%r5}},
           {{%f1, %f1, %f1, %f1}};
         mov.b32 %r6, 0x3c003c00; mov.b32 %r7, 0x44004000;
         mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {{%r8, %r9}}, {{%r6, %r6, %r6, %r6}}, {{%r6, %r6}},
           {{%r7, %r7}};
         cvt.rzi.u32.f32 %r10, %f8; mul.wide.u32 %rd4, %r1, 8; add.u64 %rd5, %rd3, %rd4;
         st.global.v2.u32 [%rd5], {{%r10, %r9}}; ret;"
    );
    let device = Device::new(&kernel(".u64 .u64 .u64", &body));
    let out = device.memory.alloc(256).unwrap();
    clean(&device.run(1, 32, &[0, 0, out]));
    // 8 products of 1 and 2; 16 of ones onto 2 and 4, as halves.
    let got = device.read_u32s(out, 64);
    assert!(got.chunks(2).all(|c| c == [16, 0x4d00_4c80]), "{got:x?}");
}

/// Fragments as single elements: `a` and `b` of 4- or 8-byte elements.
#[test]
fn tf32_and_doubles() {
    let body = format!(
        "{LANE}shl.b32 %r4, %r2, 3; add.u32 %r4, %r4, %r3; mul.wide.u32 %rd4, %r4, 4;
         add.u64 %rd5, %rd1, %rd4;
         ld.global.u32 %r10, [%rd5]; ld.global.u32 %r11, [%rd5+256]; ld.global.u32 %r12, [%rd5+16];
         ld.global.u32 %r13, [%rd5+272];
         shl.b32 %r5, %r3, 3; add.u32 %r5, %r5, %r2; mul.wide.u32 %rd4, %r5, 4; add.u64 %rd5, %rd2, %rd4;
         ld.global.u32 %r14, [%rd5]; ld.global.u32 %r15, [%rd5+128]; mov.f32 %f1, 0f3f000000;
         mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {{%f5, %f6, %f7, %f8}},
           {{%r10, %r11, %r12, %r13}}, {{%r14, %r15}}, {{%f1, %f1, %f1, %f1}};
         shl.b32 %r15, %r2, 5; shl.b32 %r16, %r3, 3; add.u32 %r15, %r15, %r16;
         cvt.u64.u32 %rd4, %r15; add.u64 %rd5, %rd3, %rd4;
         st.global.v2.f32 [%rd5], {{%f5, %f6}}; st.global.v2.f32 [%rd5+256], {{%f7, %f8}}; ret;"
    );
    let device = Device::new(&kernel(".u64 .u64 .u64", &body));
    let (a, b) = (matrix(16, 8, 1), matrix(8, 8, 2));
    let singles = |v: &[i32]| bytes_of(v, |x| (x as f32).to_le_bytes());
    let (pa, pb) = (device.put(&singles(&a)), device.put(&singles(&b)));
    let out = device.memory.alloc(512).unwrap();
    clean(&device.run(1, 32, &[pa, pb, out]));
    let expected = product(&a, &b, 16, 8, |_, _| 0);
    let got: Vec<f32> = device
        .bytes(out, 512)
        .chunks(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect();
    let halves: Vec<f32> = expected.iter().map(|v| *v as f32 + 0.5).collect();
    assert_eq!(got, halves);

    // Doubles that round: a chain of fused steps from C on.
    let body = format!(
        "{LANE}mul.wide.u32 %rd4, %r1, 8; add.u64 %rd5, %rd1, %rd4; ld.global.f64 %fd1, [%rd5];
         shl.b32 %r5, %r3, 3; add.u32 %r5, %r5, %r2; mul.wide.u32 %rd4, %r5, 8; add.u64 %rd5, %rd2, %rd4;
         ld.global.f64 %fd2, [%rd5]; mov.f64 %fd3, 0d3ff0000000000000; mov.f64 %fd4, 0dbff0000000000000;
         mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {{%fd5, %fd6}}, {{%fd1}}, {{%fd2}}, {{%fd3, %fd4}};
         shl.b32 %r15, %r2, 6; shl.b32 %r16, %r3, 4; add.u32 %r15, %r15, %r16;
         cvt.u64.u32 %rd4, %r15; add.u64 %rd5, %rd3, %rd4; st.global.v2.f64 [%rd5], {{%fd5, %fd6}}; ret;"
    );
    let device = Device::new(&kernel(".u64 .u64 .u64", &body));
    let a: Vec<f64> = (0..32).map(|i| 1.0 / f64::from(i + 1)).collect();
    let b: Vec<f64> = (0..32).map(|i| f64::from(i - 11) / 7.0).collect();
    let doubles = |v: &[f64]| bytes_of(v, f64::to_le_bytes);
    let (pa, pb) = (device.put(&doubles(&a)), device.put(&doubles(&b)));
    let out = device.memory.alloc(512).unwrap();
    clean(&device.run(1, 32, &[pa, pb, out]));
    for (at, got) in device.bytes(out, 512).chunks(8).enumerate() {
        let (i, j) = (at / 8, at % 8);
        let start = if j % 2 == 0 { 1.0 } else { -1.0 };
        let expected = (0..4).fold(start, |sum, k| a[i * 4 + k].mul_add(b[k * 8 + j], sum));
        assert_eq!(f64::from_le_bytes(got.try_into().unwrap()), expected);
    }
}

#[test]
fn bytes_of_both_signs() {
    let body = |ty: &str, sat: &str| {
        format!(
            "{LANE}shl.b32 %r4, %r2, 5; shl.b32 %r5, %r3, 2; add.u32 %r4, %r4, %r5; cvt.u64.u32 %rd4, %r4;
             add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4; ld.global.u32 %r10, [%rd5];
             ld.global.u32 %r11, [%rd5+256]; ld.global.u32 %r12, [%rd5+16]; ld.global.u32 %r13, [%rd5+272];
             ld.global.u32 %r14, [%rd6]; ld.global.u32 %r15, [%rd6+16]; mov.u32 %r16, 0x7ffffff0;
             mma.sync.aligned.m16n8k32.row.col{sat}.s32.{ty}.s8.s32 {{%r20, %r21, %r22, %r23}},
               {{%r10, %r11, %r12, %r13}}, {{%r14, %r15}}, {{%r16, %r16, %r16, %r16}};
             shl.b32 %r5, %r2, 5; shl.b32 %r6, %r3, 3; add.u32 %r5, %r5, %r6; cvt.u64.u32 %rd4, %r5;
             add.u64 %rd5, %rd3, %rd4; st.global.v2.u32 [%rd5], {{%r20, %r21}};
             st.global.v2.u32 [%rd5+256], {{%r22, %r23}}; ret;"
        )
    };
    let a: Vec<u8> = (0..512).map(|i| (i * 37 % 251) as u8).collect();
    // Columns of B one after the other.
    let b: Vec<u8> = (0..256).map(|i| (i * 91 % 253) as u8).collect();
    for (ty, sat) in [("u8", ""), ("s8", ".satfinite")] {
        let device = Device::new(&kernel(".u64 .u64 .u64", &body(ty, sat)));
        let (pa, pb) = (device.put(&a), device.put(&b));
        let out = device.memory.alloc(512).unwrap();
        clean(&device.run(1, 32, &[pa, pb, out]));
        for (at, got) in device.read_u32s(out, 128).into_iter().enumerate() {
            let (i, j) = (at / 8, at % 8);
            let left = |k: usize| match ty {
                "u8" => i64::from(a[i * 32 + k]),
                _ => i64::from(a[i * 32 + k] as i8),
            };
            let sum: i64 = (0..32)
                .map(|k| left(k) * i64::from(b[j * 32 + k] as i8))
                .sum();
            let sum = sum + 0x7fff_fff0;
            let expected = match sat {
                "" => sum as i32,
                _ => sum.min(i64::from(i32::MAX)) as i32,
            };
            assert_eq!(got as i32, expected, "{ty}{sat} at {i}, {j}");
        }
    }
}

#[test]
fn matrices_are_stored_as_they_are_loaded() {
    let body = format!(
        "{LANE}.shared .align 16 .b8 tile[512]; .shared .align 16 .b8 other[512];
         shl.b32 %r4, %r1, 4; mov.u32 %r5, tile; add.u32 %r5, %r5, %r4; mov.u32 %r6, other; add.u32 %r6, %r6, %r4;
         cvt.u64.u32 %rd4, %r4; add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd4;
         ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%rd5]; st.shared.v4.u32 [%r5], {{%r10, %r11, %r12, %r13}};
         bar.warp.sync -1;
         ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {{%r20, %r21, %r22, %r23}}, [%r5];
         stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r6], {{%r20, %r21, %r22, %r23}};
         bar.warp.sync -1; ld.shared.v4.u32 {{%r10, %r11, %r12, %r13}}, [%r6];
         st.global.v4.u32 [%rd6], {{%r10, %r11, %r12, %r13}}; ret;"
    );
    let device = Device::new(&kernel(".u64 .u64 .u64", &body));
    let words: Vec<u16> = (0..256).collect();
    let source = device.put(&bytes_of(&words, u16::to_le_bytes));
    let out = device.memory.alloc(512).unwrap();
    let outcome = device.run(1, 32, &[source, out, 0]);
    clean(&outcome);
    let got: Vec<u16> = device
        .bytes(out, 512)
        .chunks(2)
        .map(|c| u16::from_le_bytes(c.try_into().unwrap()))
        .collect();
    let expected: Vec<u16> = (0..256u16)
        .map(|i| (i & !63) + 8 * (i % 8) + (i / 8) % 8)
        .collect();
    assert_eq!(got, expected);
    let counts = &outcome.counts;
    assert_eq!(
        counts.shared_loads.conflicts + counts.shared_stores.conflicts,
        0
    );
    assert_eq!(counts.shared_stores.wavefronts, 8);
}

#[test]
fn a_product_takes_the_whole_warp() {
    let mma = "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd5, %fd6}, {%fd1}, {%fd1}, {%fd1, %fd1};";
    let run = |body: &str, threads: u32| {
        let text = format!("{LANE}mov.f64 %fd1, 0d3ff0000000000000; {body}");
        Device::new(&kernel(".u64 .u64 .u64", &text)).run(1, threads, &[0, 0, 0])
    };
    clean(&run(&format!("{mma} ret;"), 64));
    let branch = run(
        &format!("setp.lt.u32 %p1, %r1, 8; @%p1 bra done; {mma}\ndone: ret;"),
        32,
    );
    assert!(
        only(&branch, FindingKind::WarpDivergence)
            .message
            .contains("0-7")
    );
    let guard = run(&format!("setp.lt.u32 %p1, %r1, 8; @%p1 {mma} ret;"), 32);
    only(&guard, FindingKind::WarpDivergence);
    only(
        &run(&format!("{mma} ret;"), 20),
        FindingKind::WarpDivergence,
    );
    // Lanes that part and meet again before it are whole.
    clean(&run(
        &format!("setp.lt.u32 %p1, %r1, 8; @%p1 bra next; add.u32 %r4, %r1, 1;\nnext: {mma} ret;"),
        32,
    ));
}

#[test]
fn rows_of_matrices_are_aligned_and_inside() {
    let run = |offset: &str| {
        let text = format!(
            "{LANE}.shared .align 16 .b8 tile[512]; shl.b32 %r4, %r1, 4; mov.u32 %r5, tile;
             add.u32 %r5, %r5, %r4; st.shared.v4.u32 [%r5], {{%r1, %r1, %r1, %r1}}; bar.warp.sync -1;
             add.u32 %r5, %r5, {offset};
             ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r20, %r21, %r22, %r23}}, [%r5]; ret;"
        );
        Device::new(&kernel(".u64 .u64 .u64", &text)).run(1, 32, &[0, 0, 0])
    };
    clean(&run("0"));
    let misaligned = run("8");
    let finding = only(&misaligned, FindingKind::Misaligned);
    assert_eq!(finding.count, 32);
    assert!(finding.message.contains("16 bytes read"), "{finding}");
    assert_eq!(only(&run("256"), FindingKind::OutOfBounds).count, 16);
}

/// The product that `Inputs/gemm.cu` computes, of small whole numbers.
fn gemm(text: &str) -> (terrace_emulator::Outcome, Vec<f32>, Vec<i32>) {
    let (m, n, depth) = (128, 64, 96);
    let device = Device::new(text);
    let (a, b) = (matrix(m, depth, 0), matrix(depth, n, 3));
    let halves = |v: &[i32]| bytes_of(v, |x| half(x).to_le_bytes());
    let (pa, pb) = (device.put(&halves(&a)), device.put(&halves(&b)));
    let out = device.memory.alloc((m * n * 4) as u64).unwrap();
    let mut params = bytes_of(&[pa, pb, out], u64::to_le_bytes);
    params.extend((n as u32).to_le_bytes());
    params.extend((depth as u32).to_le_bytes());
    let run = terrace_emulator::Launch {
        kernel: device.module.kernel("gemm").expect("it is there"),
        config: terrace_emulator::Config {
            grid: [1, 2, 1],
            block: [128, 1, 1],
            shared_bytes: 0,
        },
        params: &params,
    };
    let outcome = terrace_emulator::launch(&device.memory, &run, &Default::default()).unwrap();
    let got = device
        .bytes(out, m * n * 4)
        .chunks(4)
        .map(|c| f32::from_le_bytes(c.try_into().unwrap()))
        .collect();
    (outcome, got, product(&a, &b, m, depth, |_, _| 0))
}

#[test]
fn a_product_with_copies_in_two_stages_by_nvcc() {
    let text = include_str!("Inputs/gemm.ptx");
    let (outcome, got, expected) = gemm(text);
    clean(&outcome);
    let expected: Vec<f32> = expected.iter().map(|v| *v as f32).collect();
    assert_eq!(got, expected);
    let counts = &outcome.counts;
    // Three tiles of two steps by eight products, for each of eight warps.
    let products = counts.warp_instructions[Class::Matrix as usize];
    assert_eq!(products, 3 * 2 * 8 * 8);
    assert_eq!(counts.shared_loads.conflicts, 0);
    assert_eq!(counts.shared_loads.wavefronts, 8 * 6 * (4 + 8 * 2));
}

#[test]
fn faults_of_a_product_with_copies() {
    let text = include_str!("Inputs/gemm.ptx");
    let kinds = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let (outcome, ..) = gemm(&text.replace(from, to));
        let mut kinds: Vec<FindingKind> = outcome.findings.iter().map(|f| f.kind).collect();
        kinds.dedup();
        kinds
    };
    // A wait too short, at the end and before it.
    let found = kinds("cp.async.wait_group 0;", "cp.async.wait_group 1;");
    assert!(found.contains(&FindingKind::CopyInFlight), "{found:?}");
    let found = kinds("cp.async.wait_group 1;", "cp.async.wait_group 2;");
    assert!(found.contains(&FindingKind::CopyInFlight), "{found:?}");
    // No barrier between the wait and the others' reads, or before the next copies.
    let found = kinds("bar.sync \t0;", "");
    assert!(found.contains(&FindingKind::Race), "{found:?}");
}
