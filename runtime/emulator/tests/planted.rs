//! Kernels that people write, each with the fault that people make in it, and the same
//! without the fault: the one is found, with its place, the other is clean.

mod common;

use common::{Device, clean, kernel, kernel_with, listing, only};
use terrace_emulator::{Checks, Config, FindingKind, Launch, Outcome, launch};

fn checks() -> Checks {
    Checks {
        steps: 200_000,
        ..Checks::default()
    }
}

/// Runs a kernel of two arrays, the first of `n` numbers, the second fresh or zeros.
fn run(text: &str, grid: [u32; 3], block: [u32; 3], n: u32, fresh: bool) -> Outcome {
    let device = Device::new(text);
    let a = device.u32s(&(0..n).collect::<Vec<_>>());
    let b = match fresh {
        true => device.memory.alloc(u64::from(n) * 4).unwrap(),
        false => device.u32s(&vec![0; n as usize]),
    };
    let params: Vec<u8> = [a, b].iter().flat_map(|v| v.to_le_bytes()).collect();
    let run = Launch {
        kernel: device.module.kernel("k").unwrap(),
        config: Config {
            grid,
            block,
            shared_bytes: 0,
        },
        params: &params,
    };
    launch(&device.memory, &run, &checks()).unwrap()
}

/// `%rd1`, `%rd2` the arrays, `%r1` the thread, `%r2` the block, `%r3` the thread in
/// the grid, `%rd3` its bytes.
fn line(grid: u32, block: u32, body: &str) -> Outcome {
    let start = "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x;
        mov.u32 %r2, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r3, %r2, %r4, %r1;
        mul.wide.u32 %rd3, %r3, 4;\n";
    let text = kernel(".u64 .u64", &format!("{start}{body}"));
    run(&text, [grid, 1, 1], [block, 1, 1], 256, false)
}

#[test]
fn vectors_at_addresses_of_scalars() {
    // Sums of four neighbours by one load: right from multiples of four only.
    let load = |stride: u32| {
        line(
            1,
            32,
            &format!(
                "mul.wide.u32 %rd4, %r1, {stride}; add.u64 %rd5, %rd1, %rd4; add.u64 %rd6, %rd2, %rd3;
                 ld.global.v4.u32 {{%r5, %r6, %r7, %r8}}, [%rd5]; add.u32 %r5, %r5, %r8;
                 st.global.u32 [%rd6], %r5; ret;"
            ),
        )
    };
    clean(&load(16));
    let outcome = load(8);
    let finding = only(&outcome, FindingKind::Misaligned);
    assert_eq!((finding.count, finding.thread), (16, [1, 0, 0]));
    assert!(finding.message.contains("16 bytes"), "{finding}");
    // A padded row of a shared tile is no place for vectors.
    let tile = |pitch: u32| {
        line(
            1,
            8,
            &format!(
                ".shared .align 16 .b8 tile[2048]; mov.u32 %r5, tile; mul.lo.u32 %r6, %r1, {pitch};
                 add.u32 %r5, %r5, %r6; mov.u64 %rd4, 7; st.shared.v2.u64 [%r5], {{%rd4, %rd4}}; ret;"
            ),
        )
    };
    clean(&tile(144));
    assert_eq!(only(&tile(132), FindingKind::Misaligned).count, 6);
}

#[test]
fn a_pipeline_that_waits_for_too_few_copies() {
    // Two stages ahead; the wait must leave one group running, not two.
    let pipeline = |left: u32| {
        line(
            1,
            32,
            &format!(
                ".shared .align 16 .b8 tile[512]; mov.u32 %r5, tile; shl.b32 %r6, %r1, 2; add.u32 %r5, %r5, %r6;
                 add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3; mov.u32 %r7, 0; mov.u32 %r12, 0;
                 cp.async.ca.shared.global [%r5], [%rd4], 4; cp.async.commit_group;
                 cp.async.ca.shared.global [%r5+128], [%rd4+128], 4; cp.async.commit_group;
                 loop: cp.async.wait_group {left};
                 and.b32 %r8, %r7, 3; shl.b32 %r8, %r8, 7; add.u32 %r8, %r8, %r5; ld.shared.u32 %r9, [%r8];
                 add.u32 %r12, %r12, %r9;
                 add.u32 %r10, %r7, 2; and.b32 %r11, %r10, 3; shl.b32 %r11, %r11, 7; add.u32 %r11, %r11, %r5;
                 mul.wide.u32 %rd6, %r10, 128; add.u64 %rd6, %rd6, %rd4; setp.lt.u32 %p1, %r10, 6;
                 @%p1 cp.async.ca.shared.global [%r11], [%rd6], 4; cp.async.commit_group;
                 add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, 6; @%p2 bra loop;
                 st.global.u32 [%rd5], %r12; ret;"
            ),
        )
    };
    clean(&pipeline(1));
    // Of each place that starts a copy.
    let outcome = pipeline(2);
    assert_eq!(outcome.findings.len(), 3, "{}", listing(&outcome));
    for finding in &outcome.findings {
        assert_eq!(finding.kind, FindingKind::CopyInFlight, "{finding}");
        assert!(finding.site.text.contains("ld.shared"), "{finding}");
        let other = finding.other.as_ref().unwrap();
        assert!(other.text.contains("cp.async.ca"), "{finding}");
    }
}

#[test]
fn a_tail_that_leaves_part_of_a_tile_unwritten() {
    // 50 numbers in tiles of 32: the last block fills 18 cells and sums 32.
    let sums = |limit: &str| {
        line(
            2,
            32,
            &format!(
                ".shared .align 4 .b8 tile[128]; mov.u32 %r5, tile; shl.b32 %r6, %r1, 2; add.u32 %r6, %r6, %r5;
                 setp.ge.u32 %p1, %r3, 50; @%p1 bra filled; add.u64 %rd4, %rd1, %rd3;
                 ld.global.u32 %r7, [%rd4]; st.shared.u32 [%r6], %r7;
                 filled: bar.sync 0; setp.ne.u32 %p2, %r1, 0; @%p2 bra done;
                 mov.u32 %r8, 0; mov.u32 %r9, 0; {limit}
                 loop: shl.b32 %r11, %r8, 2; add.u32 %r11, %r11, %r5; ld.shared.u32 %r12, [%r11];
                 add.u32 %r9, %r9, %r12; add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, %r10; @%p3 bra loop;
                 add.u64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r9;
                 done: ret;"
            ),
        )
    };
    clean(&sums("sub.u32 %r10, 50, %r3; min.u32 %r10, %r10, 32;"));
    let outcome = sums("mov.u32 %r10, 32;");
    let finding = only(&outcome, FindingKind::Uninitialized);
    assert_eq!(
        (finding.block, finding.thread, finding.count),
        ([1, 0, 0], [0, 0, 0], 14)
    );
}

#[test]
fn a_barrier_in_a_loop_that_lanes_leave_one_by_one() {
    let rounds = |count: &str| {
        line(
            1,
            64,
            &format!(
                "{count} mov.u32 %r6, 0;
                 loop: bar.sync 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r5; @%p1 bra loop; ret;"
            ),
        )
    };
    clean(&rounds("mov.u32 %r5, 5;"));
    let outcome = rounds("and.b32 %r5, %r1, 3;");
    let finding = only(&outcome, FindingKind::BarrierDivergence);
    assert!(finding.message.contains("have ended"), "{finding}");
    // Left to another barrier.
    let outcome = line(
        1,
        64,
        "mov.u32 %r6, 0;
         loop: bar.sync 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, %r1; @%p1 bra loop;
         bar.sync 1; ret;",
    );
    assert!(
        outcome.findings.iter().any(|f| matches!(
            f.kind,
            FindingKind::BarrierDivergence | FindingKind::Deadlock
        )),
        "{}",
        listing(&outcome)
    );
}

#[test]
fn locks_that_are_never_free_again() {
    // A thread that finds nothing to do leaves with the lock.
    let locked = |before: &str| {
        line(
            2,
            32,
            &format!(
                "try: atom.global.cas.b32 %r5, [%rd2], 0, 1; setp.ne.u32 %p1, %r5, 0; @%p1 bra try;
                 {before}
                 ld.volatile.global.u32 %r6, [%rd2+4]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd2+4], %r6;
                 membar.gl; atom.global.exch.b32 %r7, [%rd2], 0;\ndone: ret;"
            ),
        )
    };
    clean(&locked(""));
    let outcome = locked("setp.eq.u32 %p2, %r3, 7; @%p2 bra done;");
    assert!(!outcome.completed);
    assert!(
        matches!(outcome.findings[..], [ref f] if f.kind == FindingKind::TooLong && f.site.text.contains("%p1")
            || f.site.text.contains("atom.global.cas") || f.site.text.contains("setp.ne")),
        "{}",
        listing(&outcome)
    );
    // Two locks, taken in either order by the lanes of a warp.
    let outcome = line(
        1,
        2,
        "shl.b32 %r5, %r1, 2; cvt.u64.u32 %rd4, %r5; xor.b32 %r6, %r5, 4; cvt.u64.u32 %rd5, %r6;
         add.u64 %rd4, %rd4, %rd2; add.u64 %rd5, %rd5, %rd2;
         first: atom.global.cas.b32 %r7, [%rd4], 0, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra first;
         second: atom.global.cas.b32 %r7, [%rd5], 0, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra second;
         atom.global.exch.b32 %r8, [%rd5], 0; atom.global.exch.b32 %r8, [%rd4], 0; ret;",
    );
    assert!(!outcome.completed);
    only(&outcome, FindingKind::TooLong);
}

#[test]
fn a_stencil_one_plane_too_far() {
    // Seven points of 8 x 8 x 8; the guard of the uppermost plane is missing, so what
    // lies above is read: 64 words past the end, then some sectors of them only.
    let stencil = |last: u32, ahead: u32| {
        kernel(
            ".u64 .u64",
            &format!(
                "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y;
                 mov.u32 %r3, %ctaid.x; setp.lt.u32 %p1, %r1, 1; setp.gt.u32 %p2, %r1, 6; or.pred %p1, %p1, %p2;
                 setp.lt.u32 %p2, %r2, 1; or.pred %p1, %p1, %p2; setp.gt.u32 %p2, %r2, 6; or.pred %p1, %p1, %p2;
                 setp.lt.u32 %p2, %r3, 1; or.pred %p1, %p1, %p2; setp.gt.u32 %p2, %r3, {last};
                 or.pred %p1, %p1, %p2; @%p1 bra done;
                 mad.lo.u32 %r4, %r3, 8, %r2; mad.lo.u32 %r4, %r4, 8, %r1; mul.wide.u32 %rd3, %r4, 4;
                 add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
                 ld.global.u32 %r5, [%rd4]; ld.global.u32 %r6, [%rd4+4]; add.u32 %r5, %r5, %r6;
                 ld.global.u32 %r6, [%rd4+-4]; add.u32 %r5, %r5, %r6; ld.global.u32 %r6, [%rd4+32];
                 add.u32 %r5, %r5, %r6; ld.global.u32 %r6, [%rd4+-32]; add.u32 %r5, %r5, %r6;
                 ld.global.u32 %r6, [%rd4+{ahead}]; add.u32 %r5, %r5, %r6; ld.global.u32 %r6, [%rd4+-256];
                 add.u32 %r5, %r5, %r6; st.global.u32 [%rd5], %r5;\ndone: ret;"
            ),
        )
    };
    let all = |text: &str| run(text, [8, 1, 1], [8, 8, 1], 512, true);
    clean(&all(&stencil(6, 256)));
    let plane = all(&stencil(7, 256));
    let finding = only(&plane, FindingKind::OutOfBounds);
    assert_eq!((finding.block, finding.count), ([7, 0, 0], 36));
    // Two rows further: of the last plane's upper rows one sector lies behind the end.
    let sector = all(&stencil(6, 256 + 64));
    let finding = only(&sector, FindingKind::OutOfBounds);
    assert_eq!(
        (finding.block, finding.thread, finding.count),
        ([6, 0, 0], [1, 6, 0], 6)
    );
    assert!(
        finding
            .message
            .contains("offset 2052 of an allocation of 2048"),
        "{finding}"
    );
}

#[test]
fn sums_of_blocks_without_atomics() {
    // A histogram; each block adds its share to what others add to as well.
    let histogram = |add: &str| {
        line(
            4,
            64,
            &format!(
                "add.u64 %rd4, %rd1, %rd3; ld.global.u32 %r5, [%rd4]; and.b32 %r5, %r5, 63;
                 mul.wide.u32 %rd5, %r5, 4; add.u64 %rd5, %rd5, %rd2; {add} ret;"
            ),
        )
    };
    clean(&histogram("red.global.add.u32 [%rd5], 1;"));
    let outcome =
        histogram("ld.global.u32 %r6, [%rd5]; add.u32 %r6, %r6, 1; st.global.u32 [%rd5], %r6;");
    assert!(
        !outcome.findings.is_empty()
            && outcome.findings.iter().all(|f| f.kind == FindingKind::Race),
        "{}",
        listing(&outcome)
    );
    assert!(
        listing(&outcome).contains("of block"),
        "{}",
        listing(&outcome)
    );

    // The last block to arrive sums what the others wrote, which nothing makes known
    // to it without the fence.
    let last = |fence: &str| {
        line(
            4,
            1,
            &format!(
                "mul.wide.u32 %rd4, %r2, 4; add.u64 %rd5, %rd1, %rd4; add.u32 %r5, %r2, 100;
                 st.global.u32 [%rd5], %r5; {fence} atom.global.add.u32 %r6, [%rd2], 1;
                 setp.ne.u32 %p1, %r6, 3; @%p1 bra done;
                 ld.global.v4.u32 {{%r7, %r8, %r9, %r10}}, [%rd1]; add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9;
                 add.u32 %r7, %r7, %r10; st.global.u32 [%rd2+4], %r7;\ndone: ret;"
            ),
        )
    };
    clean(&last("membar.gl;"));
    only(&last(""), FindingKind::Race);
    // A fence of the block only.
    only(&last("membar.cta;"), FindingKind::Race);
}

#[test]
fn atomics_of_the_block_among_blocks() {
    // What `.cta` orders, other blocks need not see.
    let add = |scope: &str| {
        line(
            4,
            32,
            &format!("red.{scope}.global.add.u32 [%rd2], 1; ret;"),
        )
    };
    clean(&add("gpu"));
    only(&add("cta"), FindingKind::Race);
}

#[test]
fn read_only_loads_of_what_the_kernel_writes() {
    let doubled = |load: &str| {
        line(
            1,
            32,
            &format!(
                "add.u64 %rd4, %rd1, %rd3; mul.lo.u32 %r5, %r1, 3; st.global.u32 [%rd4], %r5; bar.sync 0;
                 {load} %r6, [%rd4]; add.u64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r6; ret;"
            ),
        )
    };
    clean(&doubled("ld.global.u32"));
    only(&doubled("ld.global.nc.u32"), FindingKind::Race);
}

#[test]
fn a_tile_that_the_next_round_overwrites() {
    // Sums over tiles: a barrier before the tile is filled and one before it is read.
    let rounds = |second: &str| {
        line(
            1,
            64,
            &format!(
                ".shared .align 4 .b8 tile[256]; mov.u32 %r5, tile; shl.b32 %r6, %r1, 2; add.u32 %r7, %r5, %r6;
                 xor.b32 %r8, %r6, 252; add.u32 %r8, %r8, %r5; add.u64 %rd4, %rd1, %rd3; mov.u32 %r9, 0;
                 mov.u32 %r10, 0;
                 loop: ld.global.u32 %r11, [%rd4]; st.shared.u32 [%r7], %r11; bar.sync 0;
                 ld.shared.u32 %r12, [%r8]; add.u32 %r10, %r10, %r12; {second}
                 add.u64 %rd4, %rd4, 256; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra loop;
                 add.u64 %rd5, %rd2, %rd3; st.global.u32 [%rd5], %r10; ret;"
            ),
        )
    };
    clean(&rounds("bar.sync 0;"));
    let outcome = rounds("");
    let finding = only(&outcome, FindingKind::Race);
    assert!(finding.site.text.contains("shared"), "{finding}");
}

#[test]
fn a_stack_that_overflows_and_a_table_read_past_its_end() {
    let stack = |words: u32| {
        line(
            1,
            32,
            &format!(
                ".local .align 4 .b8 mine[64]; mov.u64 %rd4, mine; mov.u32 %r5, 0;
                 loop: mul.wide.u32 %rd5, %r5, 4; add.u64 %rd5, %rd5, %rd4; st.local.u32 [%rd5], %r5;
                 add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, {words}; @%p1 bra loop; ret;"
            ),
        )
    };
    clean(&stack(16));
    assert_eq!(only(&stack(17), FindingKind::OutOfBounds).count, 32);
    let table = |mask: u32| {
        let text = kernel_with(
            ".const .align 4 .b32 lut[8] = {1, 2, 3, 4, 5, 6, 7, 8};",
            ".u64 .u64",
            &format!(
                "ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, {mask}; mul.wide.u32 %rd3, %r2, 4;
                 mov.u64 %rd4, lut; add.u64 %rd4, %rd4, %rd3; ld.const.u32 %r3, [%rd4];
                 mul.wide.u32 %rd5, %r1, 4; add.u64 %rd5, %rd5, %rd2; st.global.u32 [%rd5], %r3; ret;"
            ),
        );
        run(&text, [1, 1, 1], [32, 1, 1], 32, true)
    };
    clean(&table(7));
    assert_eq!(only(&table(15), FindingKind::OutOfBounds).count, 16);
}

#[test]
fn a_warp_sum_that_lets_its_tail_stay_behind() {
    // 40 threads: the second warp has 8 lanes, and shuffles name all 32.
    let sum = |mask: &str| {
        line(
            1,
            40,
            &format!(
                "{mask} mov.u32 %r6, %r1; shfl.sync.bfly.b32 %r7|%p2, %r6, 1, 31, %r5; add.u32 %r6, %r6, %r7;
                 add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r6; ret;"
            ),
        )
    };
    clean(&sum(
        "setp.ge.u32 %p1, %r1, 32; selp.b32 %r5, 0xff, 0xffffffff, %p1;",
    ));
    // Lanes that a launch does not have are never waited for.
    clean(&sum("mov.u32 %r5, 0xffffffff;"));
    // Lanes that went another way are.
    let outcome = line(
        1,
        32,
        "setp.ge.u32 %p1, %r1, 20; @%p1 bra done; shfl.sync.bfly.b32 %r7|%p2, %r1, 16, 31, 0xffffffff;
         add.u64 %rd4, %rd2, %rd3; st.global.u32 [%rd4], %r7;\ndone: ret;",
    );
    assert!(
        !outcome.findings.is_empty()
            && outcome.findings.iter().all(|f| matches!(
                f.kind,
                FindingKind::WarpDivergence | FindingKind::UninitializedRegister
            )),
        "{}",
        listing(&outcome)
    );
}
