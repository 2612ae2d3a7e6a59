//! Kernels with a fault each, planted: all are found, with their places.

mod common;

use common::{Device, clean, kernel, listing, only};
use terrace_emulator::{Checks, FindingKind, Outcome};

/// A kernel over one array of 64 numbers, 64 threads.
fn run(body: &str) -> Outcome {
    run_grid(body, 1, 64)
}

fn run_grid(body: &str, grid: u32, block: u32) -> Outcome {
    let start = "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; mov.u32 %r1, %tid.x;
        mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; shl.b32 %r2, %r1, 2;\n";
    let device = Device::new(&kernel(".u64 .u64", &format!("{start}{body}")));
    let a = device.u32s(&(0..64).collect::<Vec<_>>());
    let fresh = device.memory.alloc(64 * 4).unwrap();
    let checks = Checks {
        steps: 1_000_000,
        ..Checks::default()
    };
    device.run_with(grid, block, &[a, fresh], checks)
}

const TILE: &str = ".shared .align 16 .b8 tile[256]; mov.u32 %r3, tile; add.u32 %r4, %r3, %r2;\n";

#[test]
fn accesses_out_of_bounds() {
    let past = run("ld.global.u32 %r5, [%rd4+4]; ret;");
    let finding = only(&past, FindingKind::OutOfBounds);
    assert_eq!((finding.thread, finding.count), ([63, 0, 0], 1));
    assert!(
        finding
            .message
            .contains("offset 256 of an allocation of 256 bytes"),
        "{finding}"
    );
    let before = run("st.global.u32 [%rd4+-8], %r1; ret;");
    assert_eq!(only(&before, FindingKind::OutOfBounds).count, 2);
    let null = run("mov.u64 %rd5, 0; st.global.u32 [%rd5], %r1; ret;");
    assert!(
        listing(&null).contains("a null pointer"),
        "{}",
        listing(&null)
    );
    let shared = run(&format!("{TILE}st.shared.u32 [%r4+128], %r1; ret;"));
    assert_eq!(only(&shared, FindingKind::OutOfBounds).count, 32);
    let atomic = run("red.global.add.u32 [%rd4+256], %r1; ret;");
    assert_eq!(only(&atomic, FindingKind::OutOfBounds).count, 64);
}

#[test]
fn freed_memory() {
    let device = Device::new(&kernel(
        ".u64",
        "ld.param.u64 %rd1, [p0]; ld.global.u32 %r1, [%rd1]; ret;",
    ));
    let a = device.u32s(&[1]);
    clean(&device.run(1, 1, &[a]));
    device.memory.free(a).unwrap();
    only(&device.run(1, 1, &[a]), FindingKind::OutOfBounds);
}

#[test]
fn misaligned_accesses() {
    let word = run("setp.lt.u32 %p1, %r1, 60; @%p1 ld.global.u32 %r5, [%rd4+2]; ret;");
    assert_eq!(only(&word, FindingKind::Misaligned).count, 60);
    let vector = run("setp.eq.u32 %p1, %r1, 1; @%p1 ld.global.v2.u32 {%r5, %r6}, [%rd4]; ret;");
    assert!(
        only(&vector, FindingKind::Misaligned)
            .message
            .contains("8 bytes")
    );
}

#[test]
fn uninitialised_reads() {
    let global = run("add.u64 %rd5, %rd2, %rd3; ld.global.u32 %r5, [%rd5]; ret;");
    assert_eq!(only(&global, FindingKind::Uninitialized).count, 64);
    // All but one thread write what all read.
    let shared = run(&format!(
        "{TILE}setp.ne.u32 %p1, %r1, 5; @%p1 st.shared.u32 [%r4], %r1; bar.sync 0;
         ld.shared.u32 %r5, [%r4]; ret;"
    ));
    assert_eq!(only(&shared, FindingKind::Uninitialized).thread, [5, 0, 0]);
    let register = run("setp.lt.u32 %p1, %r1, 40; @%p1 mov.u32 %r5, 1; add.u32 %r6, %r5, 1; ret;");
    assert_eq!(
        only(&register, FindingKind::UninitializedRegister).thread,
        [40, 0, 0]
    );
    let local = run(".local .align 4 .b8 mine[8]; ld.local.u32 %r5, [mine]; ret;");
    assert_eq!(only(&local, FindingKind::Uninitialized).count, 64);
}

#[test]
fn races_in_shared_memory() {
    // Each reads its neighbour's cell without a barrier.
    let missing = run(&format!(
        "{TILE}st.shared.u32 [%r4], %r1; xor.b32 %r5, %r2, 4; add.u32 %r5, %r3, %r5;
         ld.shared.u32 %r6, [%r5]; ret;"
    ));
    let finding = only(&missing, FindingKind::Race);
    let other = finding.other.as_ref().unwrap();
    assert!(
        finding.site.text.contains("ld.shared") && other.text.contains("st.shared"),
        "{finding}"
    );
    clean(&run(&format!(
        "{TILE}st.shared.u32 [%r4], %r1; bar.sync 0; xor.b32 %r5, %r2, 4; add.u32 %r5, %r3, %r5;
         ld.shared.u32 %r6, [%r5]; ret;"
    )));
    // The second round overwrites what others may still read.
    let second = run(&format!(
        "{TILE}st.shared.u32 [%r4], %r1; bar.sync 0; xor.b32 %r5, %r2, 128; add.u32 %r5, %r3, %r5;
         ld.shared.u32 %r6, [%r5]; add.u32 %r6, %r6, 1; st.shared.u32 [%r4], %r6; ret;"
    ));
    only(&second, FindingKind::Race);
    // Two threads write different values to one place.
    let both = run(&format!("{TILE}st.shared.u32 [%r3], %r1; ret;"));
    assert_eq!(
        only(&both, FindingKind::Race).other,
        Some(both.findings[0].site.clone())
    );
    // The same value is no race.
    clean(&run(&format!("{TILE}st.shared.u32 [%r3], 7; ret;")));
    // Within a warp a warp barrier is enough, and something must stand there.
    let exchange = |sync: &str| {
        run_grid(
            &format!(
                "{TILE}st.shared.u32 [%r4], %r1; {sync} xor.b32 %r5, %r2, 4; add.u32 %r5, %r3, %r5;
                 ld.shared.u32 %r6, [%r5]; ret;"
            ),
            1,
            32,
        )
    };
    clean(&exchange("bar.warp.sync -1;"));
    only(&exchange(""), FindingKind::Race);
    // Atomics and plain accesses race.
    let plain = run(&format!(
        "{TILE}st.shared.u32 [%r4], 0; bar.sync 0; red.shared.add.u32 [%r3], %r1;
         ld.shared.u32 %r5, [%r3]; ret;"
    ));
    only(&plain, FindingKind::Race);
}

#[test]
fn races_in_global_memory() {
    // Two blocks write the same cells.
    let blocks = run_grid(
        "mov.u32 %r5, %ctaid.x; add.u32 %r5, %r5, 100; st.global.u32 [%rd4], %r5; ret;",
        2,
        64,
    );
    assert!(
        only(&blocks, FindingKind::Race)
            .message
            .contains("of block (0, 0, 0) writes")
    );
    // One block reads what another writes, and a barrier does not help.
    let neighbours = run_grid(
        "mov.u32 %r5, %ctaid.x; setp.ne.u32 %p1, %r5, 0; @%p1 st.global.u32 [%rd4], 77; bar.sync 0;
         @!%p1 ld.global.u32 %r6, [%rd4]; ret;",
        2,
        64,
    );
    only(&neighbours, FindingKind::Race);
    // A sum without atomics.
    let sum =
        run("ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5; ret;");
    assert!(!sum.findings.is_empty() && sum.findings.iter().all(|f| f.kind == FindingKind::Race));
    clean(&run("red.global.add.u32 [%rd1], 1; ret;"));
}

/// Each block writes a word, meets the others, and reads its neighbour's, some times over.
fn meeting(fence: &str, load: &str) -> Outcome {
    run_grid(
        &format!(
            "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x; mov.u32 %r4, 0;
             setp.ne.u32 %p1, %r1, 0; add.u32 %r5, %r2, 1; rem.u32 %r5, %r5, %r3;
             mul.wide.u32 %rd5, %r2, 4; add.u64 %rd5, %rd5, %rd1;
             mul.wide.u32 %rd6, %r5, 4; add.u64 %rd6, %rd6, %rd1;
             again: @!%p1 st.global.u32 [%rd5+64], %r4;
             mov.u32 %r12, 0;
             both: bar.sync 0; @%p1 bra met; {fence}
             sub.u32 %r6, 0x80000001, %r3; setp.eq.u32 %p2, %r2, 0; selp.b32 %r6, %r6, 1, %p2;
             atom.global.add.u32 %r7, [%rd1], %r6;
             wait: {load} %r8, [%rd1]; xor.b32 %r9, %r7, %r8; setp.ge.s32 %p3, %r9, 0; @%p3 bra wait;
             met: bar.sync 0; setp.eq.u32 %p5, %r12, 1; @%p5 bra next;
             setp.eq.u32 %p4, %r1, 40; @%p4 ld.global.u32 %r10, [%rd6+64];
             mov.u32 %r12, 1; bra both;
             next: add.u32 %r4, %r4, 1; setp.lt.u32 %p4, %r4, 3; @%p4 bra again; ret;"
        ),
        4,
        64,
    )
}

#[test]
fn blocks_that_meet() {
    clean(&meeting("fence.acq_rel.gpu;", "ld.acquire.gpu.global.u32"));
    clean(&meeting("membar.gl;", "ld.volatile.global.u32"));
    // Without a fence nothing is handed on.
    let alone = meeting("", "ld.acquire.gpu.global.u32");
    assert!(!alone.findings.is_empty());
    assert!(alone.findings.iter().all(|f| f.kind == FindingKind::Race));
}

/// Each block but the first waits for a word of 64 bits of the one before and tells its own; beside it, it
/// writes another word, which the next one reads where `reads`.
fn telling(store: &str, reads: bool) -> Outcome {
    let read = if reads {
        "ld.global.u32 %r9, [%rd5+56];"
    } else {
        ""
    };
    run_grid(
        &format!(
            "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r1, 0; @%p1 bra done;
             mul.wide.u32 %rd5, %r2, 8; add.u64 %rd5, %rd5, %rd1; mov.u64 %rd6, 0x8000000000000000;
             setp.eq.u32 %p2, %r2, 0; @%p2 bra tell;
             wait: ld.relaxed.gpu.global.u64 %rd6, [%rd5+-8]; setp.lt.u64 %p3, %rd6, 0x8000000000000000; @%p3 bra wait;
             add.u64 %rd6, %rd6, 1; {read}
             tell: st.global.u32 [%rd5+64], %r2; {store} [%rd5], %rd6;
             done: ret;"
        ),
        4,
        64,
    )
}

#[test]
fn words_that_blocks_tell_each_other() {
    clean(&telling("st.relaxed.gpu.global.u64", false));
    // A word says nothing of what was written before it, and must itself be stored as one.
    for bad in [
        telling("st.relaxed.gpu.global.u64", true),
        telling("st.global.u64", false),
    ] {
        assert!(!bad.findings.is_empty());
        assert!(bad.findings.iter().all(|f| f.kind == FindingKind::Race));
    }
}

#[test]
fn divergent_barriers_and_deadlocks() {
    let half = run("setp.lt.u32 %p1, %r1, 16; @%p1 bra skip; bar.sync 0;\nskip: ret;");
    let finding = only(&half, FindingKind::BarrierDivergence);
    assert!(
        finding
            .message
            .contains("lanes 0-15 of the warp have ended"),
        "{finding}"
    );
    let two = run(
        "and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; @%p1 bra even; bar.sync 0; bra done;
         even: bar.sync 0;\ndone: ret;",
    );
    assert!(only(&two, FindingKind::BarrierDivergence).other.is_some());
    // A whole warp that ends early is no fault.
    clean(&run(
        "setp.lt.u32 %p1, %r1, 32; @%p1 bra skip; bar.sync 0;\nskip: ret;",
    ));
    let never = run(
        "setp.lt.u32 %p1, %r1, 32; @%p1 bra one; bar.sync 2; bra done;
         one: bar.sync 1;\ndone: ret;",
    );
    let finding = only(&never, FindingKind::Deadlock);
    assert!(!never.completed && finding.other.is_some(), "{finding}");
    let alone = run("setp.lt.u32 %p1, %r1, 32; @%p1 bra done; bar.sync 3, 64;\ndone: ret;");
    only(&alone, FindingKind::Deadlock);
}

#[test]
fn divergent_warp_operations() {
    let shuffle = run(
        "setp.lt.u32 %p1, %r1, 8; @!%p1 bra done; shfl.sync.down.b32 %r5, %r1, 1, 31, -1;\ndone: ret;",
    );
    // The other lanes have ended when they are waited for.
    assert!(
        shuffle
            .findings
            .iter()
            .all(|f| f.kind == FindingKind::WarpDivergence)
    );
    assert!(
        listing(&shuffle).contains("read from lanes that do not take part"),
        "{}",
        listing(&shuffle)
    );
    let waits = run(
        "setp.lt.u32 %p1, %r1, 8; @%p1 bra first; bar.sync 0; bra done;
         first: vote.sync.ballot.b32 %r5, %p1, -1; bar.sync 0;\ndone: ret;",
    );
    let kinds: Vec<_> = waits.findings.iter().map(|f| f.kind).collect();
    assert!(
        kinds.contains(&FindingKind::WarpDivergence),
        "{}",
        listing(&waits)
    );
}

#[test]
fn copies_that_are_not_waited_for() {
    let copy = |wait: &str, read: &str| {
        run(&format!(
            "{TILE}xor.b32 %r5, %r2, 128; add.u32 %r5, %r3, %r5;
             cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.commit_group; {wait}
             ld.shared.u32 %r6, [{read}]; ret;"
        ))
    };
    clean(&copy("cp.async.wait_group 0;", "%r4"));
    clean(&copy("cp.async.wait_group 0; bar.sync 0;", "%r5"));
    // No wait; one that leaves the copy running.
    for wait in ["", "bar.sync 0;", "cp.async.wait_group 1; bar.sync 0;"] {
        let outcome = copy(wait, "%r4");
        let finding = only(&outcome, FindingKind::CopyInFlight);
        let other = finding.other.as_ref().unwrap();
        assert!(
            finding.site.text.contains("ld.shared") && other.text.contains("cp.async.ca"),
            "{finding}"
        );
    }
    // Within a warp too, another lane's copy needs a barrier after the wait.
    let lane = run(&format!(
        "{TILE}xor.b32 %r5, %r2, 4; add.u32 %r5, %r3, %r5;
         cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.wait_all; ld.shared.u32 %r6, [%r5]; ret;"
    ));
    assert!(
        only(&lane, FindingKind::Race)
            .message
            .contains("4 bytes read at offset 4"),
        "{}",
        listing(&lane)
    );
    let misaligned = run(&format!(
        "{TILE}cp.async.ca.shared.global [%r4], [%rd4], 16; ret;"
    ));
    assert_eq!(only(&misaligned, FindingKind::Misaligned).count, 48);
}

#[test]
fn products_of_a_part_of_a_warp() {
    let mma = "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%f5, %f6, %f7, %f8}, {%r1, %r2}, {%r1},
        {%f1, %f1, %f1, %f1};";
    let part = run(&format!(
        "mov.f32 %f1, 0f00000000; setp.lt.u32 %p1, %r1, 48; @%p1 bra done; {mma}\ndone: ret;"
    ));
    assert!(
        only(&part, FindingKind::WarpDivergence)
            .message
            .contains("the lanes 0-15 do not"),
        "{}",
        listing(&part)
    );
    let rows = run(&format!(
        "{TILE}st.shared.u32 [%r4], %r1; bar.sync 0; and.b32 %r5, %r1, 7; mul.lo.u32 %r5, %r5, 20;
         add.u32 %r5, %r5, %r3; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {{%r6}}, [%r5]; ret;"
    ));
    assert_eq!(only(&rows, FindingKind::Misaligned).count, 12);
}

#[test]
fn kernels_that_do_not_end_or_give_up() {
    let forever = run("loop: bra loop;");
    assert!(
        only(&forever, FindingKind::TooLong)
            .message
            .contains("1000000 instructions")
    );
    let trap = run("setp.eq.u32 %p1, %r1, 33; @%p1 trap; ret;");
    let finding = only(&trap, FindingKind::Trap);
    assert_eq!((finding.thread, trap.completed), ([33, 0, 0], false));
}

/// As [`run`], with a file for `.loc`.
fn run_with_lines(body: &str) -> Outcome {
    run(&format!(
        "{body}\n}}\n.file 1 \"saxpy.c\"\n.func unused() {{ ret;"
    ))
}

#[test]
fn findings_read_like_those_of_the_sanitizer() {
    let outcome = run_with_lines(
        ".loc 1 12 7\nst.global.u32 [%rd4+512], 1;\n.loc 1 13 1\nst.shared.u32 [%r2], %r1;\nret;",
    );
    let text = listing(&outcome);
    let found = &outcome.findings[0];
    assert_eq!(
        found.to_string(),
        format!(
            "========= out-of-bounds access: 4 bytes written at {}, offset 512 of an allocation of \
             256 bytes\n\
             =========     at saxpy.c:12:7 in k: `st.global.u32 [%rd4+512], 1` (line {} of the PTX \
             text)\n\
             =========     by thread (0,0,0) in block (0,0,0), 64 times in all",
            found
                .message
                .split(' ')
                .nth(4)
                .unwrap()
                .trim_end_matches(','),
            found.site.ptx_line
        ),
        "{text}"
    );
}

/// A kernel for each kind of finding, the fault on line 3 of the source.
#[test]
fn every_kind_of_finding_names_its_source_line() {
    use FindingKind as K;
    let at = ".loc 1 3 1\n";
    let all = [
        (K::OutOfBounds, format!("{at}st.global.u32 [%rd4+256], 1;")),
        (K::Misaligned, format!("{at}ld.global.u32 %r5, [%rd4+2];")),
        (
            K::Uninitialized,
            format!("add.u64 %rd5, %rd2, %rd3;\n{at}ld.global.u32 %r5, [%rd5];"),
        ),
        (
            K::UninitializedRegister,
            format!("{at}add.u32 %r5, %r6, 1;"),
        ),
        (K::Race, format!("{TILE}{at}st.shared.u32 [%r3], %r1;")),
        (
            K::BarrierDivergence,
            format!("setp.lt.u32 %p1, %r1, 16; @%p1 bra skip;\n{at}bar.sync 0;\nskip: "),
        ),
        (
            K::Deadlock,
            format!("setp.lt.u32 %p1, %r1, 32; @%p1 bra skip;\n{at}bar.sync 1, 64;\nskip: "),
        ),
        (
            K::WarpDivergence,
            format!(
                "setp.lt.u32 %p1, %r1, 8; @!%p1 bra skip;\n{at}shfl.sync.down.b32 %r5, %r1, 1, 31, -1;\nskip: "
            ),
        ),
        (K::Trap, format!("{at}trap;")),
        (K::TooLong, format!("{at}loop: bra loop;")),
    ];
    assert_eq!(all.len(), K::ALL.len());
    for (kind, body) in all {
        let outcome = run_with_lines(&format!(".loc 1 2 1\n{body}\n.loc 1 4 1\nret;"));
        let finding = only(&outcome, kind);
        assert_eq!(
            (finding.site.file.as_str(), finding.site.line),
            ("saxpy.c", 3),
            "{finding}"
        );
        assert!(
            finding
                .to_string()
                .contains("\n=========     at saxpy.c:3:1 in k: "),
            "{finding}"
        );
        if let Some(other) = &finding.other {
            assert_eq!(
                (other.file.as_str(), other.line),
                ("saxpy.c", 3),
                "{finding}"
            );
        }
    }
}

/// As where a loop was unrolled.
#[test]
fn findings_at_one_place_of_the_source_are_one() {
    let body = |line: u32| {
        format!(
            ".loc 1 7 5\nst.global.u32 [%rd4+256], 1;\n.loc 1 {line} 5\nst.global.u32 [%rd4+260], 1;\nret;"
        )
    };
    let one = run_with_lines(&body(7));
    let finding = only(&one, FindingKind::OutOfBounds);
    assert_eq!((finding.count, finding.instructions), (128, 2));
    assert!(
        finding
            .to_string()
            .ends_with(", 128 times in all, by 2 instructions there"),
        "{finding}"
    );
    assert_eq!(run_with_lines(&body(8)).findings.len(), 2);
    // Without lines each instruction is a place of its own.
    let bare = run("st.global.u32 [%rd4+256], 1;\nst.global.u32 [%rd4+260], 1;\nret;");
    assert_eq!(bare.findings.len(), 2, "{}", listing(&bare));
}
