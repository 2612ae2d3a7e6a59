//! What warps and blocks do together but for shuffles, votes and products, and
//! arithmetic with a carry.

mod common;

use common::{Device, clean, kernel, kernel_with, listing, only};
use terrace_emulator::{Checks, FindingKind, Outcome};

/// Runs `threads` threads; the words that they store at `%rd2`, `per` each.
fn run(body: &str, threads: u32, per: u32) -> (Outcome, Vec<u32>) {
    let start = format!(
        "ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %laneid;
         mul.wide.u32 %rd3, %r1, {}; add.u64 %rd2, %rd1, %rd3;\n",
        4 * per
    );
    let device = Device::new(&kernel(".u64", &format!("{start}{body}")));
    let out = device.u32s(&vec![0; (threads * per) as usize]);
    let checks = Checks {
        steps: 1_000_000,
        ..Checks::default()
    };
    let outcome = device.run_with(1, threads, &[out], checks);
    (outcome, device.read_u32s(out, (threads * per) as usize))
}

#[test]
fn lanes_with_the_same_value() {
    let (outcome, got) = run(
        "and.b32 %r3, %r2, 3; match.any.sync.b32 %r4, %r3, -1;
         match.all.sync.b32 %r5|%p1, %r3, -1; selp.u32 %r6, 1, 0, %p1;
         mov.u64 %rd4, 7; match.all.sync.b64 %r7|%p2, %rd4, -1; selp.u32 %r8, 2, 0, %p2; or.b32 %r6, %r6, %r8;
         st.global.v4.u32 [%rd2], {%r4, %r5, %r7, %r6}; ret;",
        32,
        4,
    );
    clean(&outcome);
    for (lane, words) in got.chunks(4).enumerate() {
        assert_eq!(words, [0x1111_1111 << (lane % 4), 0, u32::MAX, 2]);
    }
}

#[test]
fn reductions_of_a_warp_and_of_parts_of_it() {
    let (outcome, got) = run(
        "sub.u32 %r3, %r2, 16; redux.sync.add.s32 %r4, %r3, -1; redux.sync.min.s32 %r5, %r3, -1;
         redux.sync.min.u32 %r6, %r3, -1; shl.b32 %r7, 1, %r2; redux.sync.xor.b32 %r7, %r7, -1;
         setp.lt.u32 %p1, %r2, 8; selp.b32 %r8, 0xff, 0xffffff00, %p1; redux.sync.max.u32 %r9, %r2, %r8;
         st.global.v4.u32 [%rd2], {%r4, %r5, %r6, %r7}; st.global.u32 [%rd2+16], %r9; ret;",
        32,
        8,
    );
    clean(&outcome);
    for (lane, words) in got.chunks(8).enumerate() {
        let most = if lane < 8 { 7 } else { 31 };
        assert_eq!(
            words[..5],
            [(-16i32) as u32, (-16i32) as u32, 0, u32::MAX, most]
        );
    }
    // Lanes that are named and never come.
    let (outcome, _) = run(
        "setp.lt.u32 %p1, %r2, 8; @%p1 bra other; redux.sync.add.u32 %r4, %r2, -1;
         bar.sync 0; bra done;\nother: bar.sync 0;\ndone: ret;",
        32,
        1,
    );
    assert!(
        outcome
            .findings
            .iter()
            .any(|f| f.kind == FindingKind::WarpDivergence),
        "{}",
        listing(&outcome)
    );
}

#[test]
fn parts_of_a_warp_vote_apart() {
    let (outcome, got) = run(
        "setp.lt.u32 %p1, %r2, 10; setp.lt.u32 %p2, %r2, 8; selp.b32 %r3, 0xff, 0xffffff00, %p2;
         vote.sync.ballot.b32 %r4, %p1, %r3; vote.sync.all.pred %p3, %p1, %r3; selp.u32 %r5, 1, 0, %p3;
         st.global.v2.u32 [%rd2], {%r4, %r5}; ret;",
        32,
        2,
    );
    clean(&outcome);
    for (lane, words) in got.chunks(2).enumerate() {
        let expected = if lane < 8 { [0xff, 1] } else { [0x300, 0] };
        assert_eq!(words, expected, "{lane}");
    }
}

#[test]
fn barriers_that_reduce() {
    let (outcome, got) = run(
        "setp.lt.u32 %p1, %r1, 70; setp.lt.u32 %p2, %r1, 200;
         bar.red.popc.u32 %r3, 0, %p1; bar.red.and.pred %p3, 1, %p2; bar.red.or.pred %p4, 2, 96, !%p2;
         barrier.red.popc.u32 %r6, 3, !%p1;
         selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 1, 0, %p4; st.global.v4.u32 [%rd2], {%r3, %r4, %r5, %r6}; ret;",
        96,
        4,
    );
    clean(&outcome);
    assert!(got.chunks(4).all(|w| w == [70, 1, 0, 26]), "{got:?}");
    assert_eq!(outcome.counts.barriers, 4);
}

/// The second warp makes what the first one uses.
const PRODUCE: &str = ".shared .align 4 .b8 tile[128]; shl.b32 %r3, %r2, 2; mov.u32 %r4, tile;
    add.u32 %r5, %r4, %r3; xor.b32 %r6, %r3, 4; add.u32 %r6, %r6, %r4; setp.ge.u32 %p1, %r1, 32;
    @%p1 bra produce;\n";

#[test]
fn arriving_without_waiting() {
    let body = |arrive: &str| {
        format!(
            "{PRODUCE}bar.sync 1, 64; ld.shared.u32 %r7, [%r6]; st.global.u32 [%rd2], %r7; ret;
             produce: st.shared.u32 [%r5], %r1; {arrive} ret;"
        )
    };
    let (outcome, got) = run(&body("bar.arrive 1, 64;"), 64, 1);
    clean(&outcome);
    let expected: Vec<u32> = (0..32).map(|i| 32 + (i ^ 1)).collect();
    assert_eq!(got[..32], expected);
    let (outcome, _) = run(&body(""), 64, 1);
    only(&outcome, FindingKind::Deadlock);
    // What comes after the arrival is not ordered.
    let late = body("").replace(
        "st.shared.u32 [%r5], %r1;",
        "bar.arrive 1, 64; st.shared.u32 [%r5], %r1;",
    );
    let (outcome, _) = run(&late, 64, 1);
    assert!(
        outcome.findings.iter().any(|f| f.kind == FindingKind::Race),
        "{}",
        listing(&outcome)
    );
    // The number of a barrier may be in a register.
    let (outcome, _) = run(&body("mov.u32 %r8, 1; bar.arrive %r8, 64;"), 64, 1);
    clean(&outcome);
    let (outcome, _) = run("mov.u32 %r8, 16; bar.sync %r8; ret;", 64, 1);
    assert!(
        only(&outcome, FindingKind::Trap)
            .message
            .contains("number 16"),
        "{}",
        listing(&outcome)
    );
}

#[test]
fn a_barrier_of_two_warps_orders_no_third() {
    // Two warps meet, and a third one reads what they wrote.
    let body = |third: &str| {
        format!(
            ".shared .align 4 .b8 tile[256]; shl.b32 %r3, %r1, 2; mov.u32 %r4, tile; add.u32 %r5, %r4, %r3;
             setp.ge.u32 %p1, %r1, 64; @%p1 bra third; st.shared.u32 [%r5], %r1; bar.sync 1, 64;
             xor.b32 %r3, %r3, 128; add.u32 %r5, %r4, %r3; ld.shared.u32 %r6, [%r5]; {third} bra done;
             third: {third} ld.shared.u32 %r6, [%r5+-256];
             done: st.global.u32 [%rd2], %r6; ret;"
        )
    };
    let (outcome, got) = run(&body("bar.sync 2, 96;"), 96, 1);
    clean(&outcome);
    assert_eq!((got[3], got[40], got[70]), (35, 8, 6));
    let (outcome, _) = run(&body(""), 96, 1);
    assert!(
        outcome
            .findings
            .iter()
            .all(|f| matches!(f.kind, FindingKind::Race | FindingKind::Uninitialized))
            && outcome.findings.iter().any(|f| f.kind == FindingKind::Race),
        "{}",
        listing(&outcome)
    );
}

#[test]
fn lanes_of_a_warp_may_come_to_a_barrier_by_different_ways() {
    let body = |barrier: &str| {
        format!(
            "and.b32 %r3, %r2, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bra even; {barrier} 0; bra done;
             even: {barrier} 0;\ndone: ret;"
        )
    };
    clean(&run(&body("barrier.sync"), 64, 1).0);
    only(
        &run(&body("bar.sync"), 64, 1).0,
        FindingKind::BarrierDivergence,
    );
}

#[test]
fn numbers_of_128_bits() {
    let device = Device::new(&kernel(
        ".u64 .u64",
        "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.global.v2.u64 {%rd3, %rd4}, [%rd1];
         ld.global.v2.u64 {%rd5, %rd6}, [%rd1+16];
         add.cc.u64 %rd7, %rd3, %rd5; addc.u64 %rd8, %rd4, %rd6; st.global.v2.u64 [%rd2], {%rd7, %rd8};
         sub.cc.u64 %rd7, %rd3, %rd5; subc.u64 %rd8, %rd4, %rd6; st.global.v2.u64 [%rd2+16], {%rd7, %rd8};
         mul.lo.u64 %rd7, %rd3, %rd5; mul.hi.u64 %rd8, %rd3, %rd5;
         mad.lo.cc.u64 %rd7, %rd3, %rd5, %rd3; madc.hi.u64 %rd8, %rd3, %rd5, %rd4;
         st.global.v2.u64 [%rd2+32], {%rd7, %rd8};
         mov.b64 {%r1, %r2}, %rd3; mov.b64 {%r3, %r4}, %rd5;
         add.cc.u32 %r5, %r1, %r3; addc.cc.u32 %r6, %r2, %r4; addc.u32 %r7, 0, 0;
         st.global.v2.u32 [%rd2+48], {%r5, %r6}; st.global.u32 [%rd2+56], %r7; ret;",
    ));
    let x: u128 = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210;
    let y: u128 = 0x0f0e_0d0c_0b0a_0908_ff00_ff00_ff00_ff00;
    let words = |v: u128| [0, 32, 64, 96].map(|s| (v >> s) as u32);
    let a = device.u32s(&[words(x), words(y)].concat());
    let out = device.u32s(&[0; 15]);
    clean(&device.run(1, 1, &[a, out]));
    let got = device.read_u32s(out, 15);
    let low = |v: u128| v & u128::from(u64::MAX);
    assert_eq!(got[0..4], words(x.wrapping_add(y)));
    assert_eq!(got[4..8], words(x.wrapping_sub(y)));
    assert_eq!(got[8..12], words((low(x) * low(y)).wrapping_add(x)));
    let sum = low(x) + low(y);
    assert_eq!(got[12..15], words(sum)[..3]);
    // A carry that nobody wrote.
    let (outcome, _) = run("addc.u32 %r3, %r1, 1; ret;", 32, 1);
    only(&outcome, FindingKind::UninitializedRegister);
}

#[test]
fn spaces_of_generic_addresses() {
    let body = ".shared .align 4 .b8 tile[64]; .local .align 4 .b8 mine[8]; ld.param.u64 %rd1, [p0];
        mov.u64 %rd2, tile; cvta.shared.u64 %rd2, %rd2; mov.u64 %rd3, mine; cvta.local.u64 %rd3, %rd3;
        mov.u64 %rd4, lut; cvta.const.u64 %rd4, %rd4; mov.u32 %r1, 0;\n";
    let mut text = body.to_string();
    // Four addresses, five questions.
    for address in ["%rd1", "%rd2", "%rd3", "%rd4"] {
        for space in ["global", "shared", "local", "const", "param"] {
            text += &format!(
                "isspacep.{space} %p1, {address}; selp.u32 %r2, 1, 0, %p1; shl.b32 %r1, %r1, 1; or.b32 %r1, %r1, %r2;\n"
            );
        }
    }
    text += "nanosleep.u32 20; st.global.u32 [%rd1], %r1; ret;";
    let device = Device::new(&kernel_with(
        ".const .align 4 .b8 lut[4] = {1, 2, 3, 4};",
        ".u64",
        &text,
    ));
    let out = device.u32s(&[0]);
    clean(&device.run(1, 1, &[out]));
    assert_eq!(device.read_u32s(out, 1), [0b10000_01000_00100_00010]);
}
