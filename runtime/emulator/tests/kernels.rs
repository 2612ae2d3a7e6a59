//! Kernels that are right: what they compute, and what is counted.

mod common;

use common::{Device, clean, kernel, kernel_with};
use terrace_emulator::Class;

/// `%r1` is the thread's number in the grid.
const INDEX: &str = "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
mad.lo.s32 %r1, %r2, %r3, %r4;\n";

#[test]
fn a_grid_of_threads_adds_vectors() {
    let device = Device::new(&kernel(
        ".u64 .u64 .u64 .u64",
        &format!(
            "{INDEX}ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];
             ld.param.u32 %r5, [p3]; setp.ge.u32 %p1, %r1, %r5; @%p1 bra done;
             mul.wide.u32 %rd4, %r1, 4; add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4;
             add.u64 %rd3, %rd3, %rd4; ld.global.u32 %r6, [%rd1]; ld.global.u32 %r7, [%rd2];
             add.u32 %r8, %r6, %r7; st.global.u32 [%rd3], %r8;\ndone: ret;"
        ),
    ));
    let n = 1000u32;
    let a = device.u32s(&(0..n).collect::<Vec<_>>());
    let b = device.u32s(&(0..n).map(|i| i * i).collect::<Vec<_>>());
    let c = device.memory.alloc(u64::from(n) * 4).unwrap();
    let outcome = device.run(8, 128, &[a, b, c, u64::from(n)]);
    clean(&outcome);
    let expected: Vec<u32> = (0..n).map(|i| i + i * i).collect();
    assert_eq!(device.read_u32s(c, n as usize), expected);
    // 31 full warps and one of 8 threads; the divergent branch is in that one.
    let counts = &outcome.counts;
    assert_eq!(counts.loads.requests, 64);
    assert_eq!(counts.loads.sectors, 2 * (31 * 4 + 1));
    assert_eq!((counts.stores.sectors, counts.stores.bytes), (125, 4000));
    assert_eq!(counts.divergences, 1);
    let footprint = counts.footprint;
    assert_eq!(
        (footprint.sectors, footprint.read, footprint.written),
        (375, 250, 125)
    );
    assert_eq!((counts.windows, counts.window_footprint), (1, footprint));
    assert_eq!(counts.thread_instructions[Class::Store as usize], 1000);
}

#[test]
fn a_block_sums_through_shared_memory() {
    let device = Device::new(&kernel(
        ".u64 .u64",
        "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; .shared .align 4 .b8 tile[1024];
         mov.u32 %r1, %tid.x; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3;
         ld.global.u32 %r2, [%rd1]; mov.u32 %r3, tile; shl.b32 %r4, %r1, 2; add.u32 %r3, %r3, %r4;
         st.shared.u32 [%r3], %r2; mov.u32 %r5, 128;
         loop: bar.sync 0; setp.ge.u32 %p1, %r1, %r5; @%p1 bra skip;
         shl.b32 %r6, %r5, 2; add.u32 %r6, %r6, %r3; ld.shared.u32 %r7, [%r6];
         ld.shared.u32 %r8, [%r3]; add.u32 %r7, %r7, %r8; st.shared.u32 [%r3], %r7;
         skip: shr.u32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra loop;
         setp.ne.u32 %p1, %r1, 0; @!%p1 st.global.u32 [%rd2], %r7; ret;",
    ));
    let a = device.u32s(&(1..=256).collect::<Vec<_>>());
    let out = device.memory.alloc(4).unwrap();
    let outcome = device.run(1, 256, &[a, out]);
    clean(&outcome);
    assert_eq!(device.read_u32s(out, 1), [256 * 257 / 2]);
    assert_eq!(outcome.counts.barriers, 8);
    assert_eq!(outcome.counts.shared_loads.conflicts, 0);
}

#[test]
fn a_warp_sums_by_shuffles_and_votes() {
    let device = Device::new(&kernel(
        ".u64",
        "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %laneid; mov.u32 %r2, %r1;
         shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1; add.u32 %r2, %r2, %r3;
         shfl.sync.bfly.b32 %r3, %r2, 8, 31, -1; add.u32 %r2, %r2, %r3;
         shfl.sync.bfly.b32 %r3, %r2, 4, 31, -1; add.u32 %r2, %r2, %r3;
         shfl.sync.bfly.b32 %r3, %r2, 2, 31, -1; add.u32 %r2, %r2, %r3;
         shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; add.u32 %r2, %r2, %r3;
         shfl.sync.up.b32 %r4|%p1, %r1, 1, 0, -1; selp.u32 %r4, %r4, 99, %p1;
         setp.lt.u32 %p2, %r1, 5; vote.sync.ballot.b32 %r5, %p2, -1;
         shfl.sync.idx.b32 %r6, %r1, 3, 0x181f, -1;
         mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2;
         st.global.v4.u32 [%rd1], {%r2, %r4, %r5, %r6}; ret;",
    ));
    let out = device.memory.alloc(32 * 16).unwrap();
    clean(&device.run(1, 32, &[out]));
    let got = device.read_u32s(out, 128);
    for lane in 0..32u32 {
        let i = lane as usize * 4;
        let before = lane.checked_sub(1).unwrap_or(99);
        // The segments of the last one are of 8 lanes.
        assert_eq!(
            got[i..i + 4],
            [496, before, 31, (lane & 24) + 3],
            "lane {lane}"
        );
    }
}

#[test]
fn lanes_diverge_in_loops_and_meet_again() {
    // Collatz steps of each number.
    let device = Device::new(&kernel(
        ".u64",
        &format!(
            "{INDEX}ld.param.u64 %rd1, [p0]; add.u32 %r5, %r1, 1; mov.u32 %r6, 0;
             loop: setp.eq.u32 %p1, %r5, 1; @%p1 bra done; and.b32 %r7, %r5, 1;
             setp.eq.u32 %p2, %r7, 0; @%p2 bra even; mad.lo.u32 %r5, %r5, 3, 1; bra.uni next;
             even: shr.u32 %r5, %r5, 1;
             next: add.u32 %r6, %r6, 1; bra loop;
             done: mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r6; ret;"
        ),
    ));
    let out = device.memory.alloc(256 * 4).unwrap();
    let outcome = device.run(2, 128, &[out]);
    clean(&outcome);
    let steps = |n: u32| {
        let (mut n, mut s) = (n, 0);
        while n != 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            s += 1;
        }
        s
    };
    assert_eq!(
        device.read_u32s(out, 256),
        (1..=256).map(steps).collect::<Vec<_>>()
    );
    // All lanes meet before they store.
    assert_eq!(outcome.counts.stores.requests, 8);
}

#[test]
fn atomics_of_all_blocks_add_up() {
    let device = Device::new(&kernel(
        ".u64",
        &format!(
            "{INDEX}ld.param.u64 %rd1, [p0]; red.global.add.u32 [%rd1], %r1;
             atom.global.max.u32 %r5, [%rd1+4], %r1; atom.global.inc.u32 %r6, [%rd1+8], 6;
             atom.global.cas.b32 %r7, [%rd1+12], 0, %r1; ret;"
        ),
    ));
    let cells = device.u32s(&[0; 4]);
    clean(&device.run(40, 96, &[cells]));
    let n = 40 * 96;
    let got = device.read_u32s(cells, 4);
    assert_eq!(got[..3], [n * (n - 1) / 2, n - 1, n % 7]);
    assert!(got[3] < n);
}

#[test]
fn device_functions_are_called_by_some_lanes() {
    let device = Device::new(&kernel_with(
        ".func (.reg .b32 %result) square(.reg .b32 %arg0)
         { .reg .pred %q; setp.lt.s32 %q, %arg0, 4; @%q bra small; mul.lo.s32 %result, %arg0, %arg0; ret;
         small: neg.s32 %result, %arg0; ret; }
         .func nothing() { ret; }",
        ".u64",
        "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, 7; setp.ne.u32 %p1, %r1, 2;
         @%p1 call (%r2), square, (%r1); call nothing;
         mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r2; ret;",
    ));
    let out = device.memory.alloc(8 * 4).unwrap();
    clean(&device.run(1, 8, &[out]));
    let got: Vec<i32> = device
        .read_u32s(out, 8)
        .into_iter()
        .map(|v| v as i32)
        .collect();
    assert_eq!(got, [0, -1, 7, -3, 16, 25, 36, 49]);
}

#[test]
fn local_memory_is_each_threads_own() {
    let device = Device::new(&kernel(
        ".u64",
        ".local .align 8 .b8 mine[64]; ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;
         mov.u64 %rd3, mine; cvta.local.u64 %rd4, %rd3; st.local.u32 [%rd3+60], %r1;
         ld.u32 %r2, [%rd4+60]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;
         st.global.u32 [%rd1], %r2; ret;",
    ));
    let out = device.memory.alloc(64 * 4).unwrap();
    clean(&device.run(1, 64, &[out]));
    assert_eq!(device.read_u32s(out, 64), (0..64).collect::<Vec<_>>());
}

#[test]
fn module_variables_have_their_values() {
    let device = Device::new(&kernel_with(
        ".const .align 4 .b32 table[4] = {10, 20, -1};\n.global .align 4 .b32 counter[1];",
        ".u64",
        "ld.param.u64 %rd1, [p0]; ld.const.u32 %r1, [table+4]; mov.u64 %rd2, table;
         ld.const.u32 %r2, [%rd2+8]; mov.u64 %rd3, counter; atom.global.add.u32 %r3, [%rd3], 1;
         st.global.v2.u32 [%rd1], {%r1, %r2}; st.global.u32 [%rd1+8], %r3; ret;",
    ));
    let out = device.memory.alloc(12).unwrap();
    clean(&device.run(1, 1, &[out]));
    clean(&device.run(1, 1, &[out]));
    assert_eq!(device.read_u32s(out, 3), [20, u32::MAX, 1]);
}

#[test]
fn blocks_wait_for_each_other_through_fences() {
    // Each block writes, and the last to arrive sums what all wrote.
    let device = Device::new(&kernel(
        ".u64 .u64 .u64",
        ".shared .align 4 .b8 last[4]; ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];
         ld.param.u64 %rd3, [p2]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r9, %nctaid.x;
         setp.ne.u32 %p1, %r1, 0; @%p1 bra wait; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd1, %rd4;
         st.global.u32 [%rd4], %r2; membar.gl; atom.global.add.u32 %r3, [%rd2], 1;
         add.u32 %r3, %r3, 1; setp.eq.u32 %p2, %r3, %r9; selp.u32 %r4, 1, 0, %p2;
         st.shared.u32 [last], %r4;
         wait: bar.sync 0; ld.shared.u32 %r5, [last]; setp.eq.u32 %p3, %r5, 0; @%p3 bra done;
         @%p1 bra done; mov.u32 %r6, 0; mov.u32 %r7, 0;
         loop: mul.wide.u32 %rd5, %r6, 4; add.u64 %rd5, %rd1, %rd5; ld.global.u32 %r8, [%rd5];
         add.u32 %r7, %r7, %r8; add.u32 %r6, %r6, 1; setp.lt.u32 %p4, %r6, %r9; @%p4 bra loop;
         st.global.u32 [%rd3], %r7;
         done: ret;",
    ));
    let parts = device.memory.alloc(100 * 4).unwrap();
    let count = device.u32s(&[0]);
    let sum = device.memory.alloc(4).unwrap();
    clean(&device.run(100, 64, &[parts, count, sum]));
    assert_eq!(device.read_u32s(sum, 1), [99 * 100 / 2]);
}

#[test]
fn a_lock_is_passed_between_lanes_of_a_warp() {
    // A spin lock that older GPUs could not run: the holder must get on while
    // the others of its warp spin.
    let device = Device::new(&kernel(
        ".u64",
        "ld.param.u64 %rd1, [p0];
         try: atom.global.cas.b32 %r1, [%rd1], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra try;
         ld.volatile.global.u32 %r2, [%rd1+4]; add.u32 %r2, %r2, 1;
         st.volatile.global.u32 [%rd1+4], %r2; membar.gl; atom.global.exch.b32 %r3, [%rd1], 0; ret;",
    ));
    let cells = device.u32s(&[0, 0]);
    clean(&device.run(3, 40, &[cells]));
    assert_eq!(device.read_u32s(cells, 2), [0, 120]);
}

#[test]
fn named_barriers_hold_part_of_a_block() {
    // Warp 0 produces for warp 1, warp 2 has its own way.
    let device = Device::new(&kernel(
        ".u64",
        ".shared .align 4 .b8 box[128]; ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x;
         and.b32 %r2, %r1, 31; shl.b32 %r3, %r2, 2; mov.u32 %r4, box; add.u32 %r4, %r4, %r3;
         setp.ge.u32 %p1, %r1, 64; @%p1 bra done; setp.ge.u32 %p2, %r1, 32; @%p2 bra take;
         st.shared.u32 [%r4], %r2; bar.sync 1, 64; bra done;
         take: bar.sync 1, 64; ld.shared.u32 %r5, [%r4+0]; mul.wide.u32 %rd2, %r2, 4;
         add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r5;
         done: ret;",
    ));
    let out = device.memory.alloc(128).unwrap();
    clean(&device.run(1, 96, &[out]));
    assert_eq!(device.read_u32s(out, 32), (0..32).collect::<Vec<_>>());
}

/// What the manual leaves out, as the machine code that NVIDIA's assembler makes does it.
#[test]
fn corners_of_fns_and_of_moves_of_halves() {
    // Mask, base, n, position.
    let searches = [
        [0xaaaa_aaaa, 3, 1, 3],
        [0xaaaa_aaaa, 3, u32::MAX, 3],
        [0xaaaa_aaaa, 2, 1, 3],
        [0xaaaa_aaaa, 2, u32::MAX, 1],
        [0xaaaa_aaaa, 3, 0, 3],
        [0xaaaa_aaaa, 2, 0, u32::MAX],
        [0xaaaa_aaaa, 0, 16, 31],
        [0xaaaa_aaaa, 0, 17, u32::MAX],
        [0xaaaa_aaaa, 31, 0x8000_0001, u32::MAX],
        [0xaaaa_aaaa, 32, 1, u32::MAX],
        [0xaaaa_aaaa, 31, 0x8000_0000, 0],
        [0, 40, 0x8000_0000, 0],
    ];
    let device = Device::new(&kernel(
        ".u64",
        "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 16;
         add.u64 %rd1, %rd1, %rd2; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];
         fns.b32 %r6, %r2, %r3, %r4; st.global.u32 [%rd1], %r6; ret;",
    ));
    let a = device.u32s(&searches.concat());
    clean(&device.run(1, searches.len() as u32, &[a]));
    let got = device.read_u32s(a, searches.len() * 4);
    for (search, got) in searches.iter().zip(got.chunks(4)) {
        assert_eq!(search[3], got[0], "{search:x?}");
    }

    // Of a half every NaN becomes one; all else, subnormals among it, stays.
    let moves = [
        [0x7e00, 0x7fff],
        [0xfc01, 0x7fff],
        [0x8001, 0x8001],
        [0x8000, 0x8000],
        [0xfc00, 0xfc00],
        [0x3c01, 0x3c01],
    ];
    let device = Device::new(&kernel(
        ".u64",
        "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 8;
         add.u64 %rd1, %rd1, %rd2; ld.global.u32 %r2, [%rd1]; cvt.u16.u32 %h1, %r2;
         cvt.f16.f16 %h2, %h1; cvt.u32.u16 %r3, %h2; st.global.u32 [%rd1], %r3; ret;",
    ));
    let a = device.u32s(&moves.concat());
    clean(&device.run(1, moves.len() as u32, &[a]));
    let got = device.read_u32s(a, moves.len() * 2);
    for (m, got) in moves.iter().zip(got.chunks(2)) {
        assert_eq!(m[1], got[0], "{m:x?}");
    }
}
