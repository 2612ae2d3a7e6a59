//! Loops whose step or number of rounds only a launch knows, and loops with
//! barriers: unrolled they do what they did.

use super::{Case, Change, same};

const CHANGES: [Change; 2] = [Change::Alone("unroll"), Change::All];

fn kernel(params: &str, body: &str) -> String {
    super::common::kernel(params, body)
}

fn case(block: u32, numbers: &[i64]) -> Case<'static> {
    Case {
        name: "k",
        grid: [1, 1, 1],
        block: [block, 1, 1],
        buffers: vec![vec![0; 512]],
        numbers: numbers.iter().map(|n| *n as u64).collect(),
    }
}

/// From `p1` while below `p2` by steps of `p3`; what values there were.
fn striding(ty: &str, cmp: &str) -> String {
    kernel(
        ".u64 .u64 .u64 .u64",
        &format!(
            "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];
             ld.param.u64 %rd6, [p3]; mov.u64 %rd4, 7; mov.u64 %rd5, 0;
             setp.{cmp}.{ty} %p1, %rd2, %rd3; @!%p1 bra end;
             loop: mad.lo.s64 %rd4, %rd4, 31, %rd2; add.s64 %rd5, %rd5, 1;
             add.{ty} %rd2, %rd2, %rd6; setp.{cmp}.{ty} %p1, %rd2, %rd3; @%p1 bra loop;
             end: st.global.u64 [%rd1], %rd4; st.global.u64 [%rd1+8], %rd5;
             st.global.u64 [%rd1+16], %rd2; ret;"
        ),
    )
}

#[test]
fn steps_that_a_launch_gives() {
    for (ty, cmp) in [("s64", "lt"), ("s64", "le"), ("u64", "lt"), ("u64", "le")] {
        let text = striding(ty, cmp);
        let mut cases = Vec::new();
        for step in [1, 2, 7] {
            cases.extend((0..14).map(|n| case(1, &[100, 100 + n * step, step])));
        }
        same(&text, &cases, &CHANGES);
    }
}

#[test]
fn steps_that_are_too_large_or_lead_away() {
    let (min, max) = (i64::MIN, i64::MAX);
    let signed = [
        // Three steps overflow, or wrap to something small.
        [0, max - 1, max / 2],
        [min, max - 5, 0x5555_5555_5555_5555],
        [min, min + 2, 1],
        [min, min + 100, 9],
        [0, 5, 0x5555_5555_5555_5556],
        // Down and round.
        [min + 3, 5, -1],
        [min + 5, min + 9, -2],
    ];
    let cases: Vec<Case<'_>> = signed.iter().map(|n| case(1, n)).collect();
    same(&striding("s64", "lt"), &cases, &CHANGES);
    let unsigned = [
        [0, 2, 1],
        [0, -3, 0x5555_5555_5555_5555],
        [-9, -1, 4],
        [0, 9, 3],
        [1, 2, -1],
    ];
    let cases: Vec<Case<'_>> = unsigned.iter().map(|n| case(1, n)).collect();
    same(&striding("u64", "lt"), &cases, &CHANGES);
}

#[test]
fn barriers_in_loops_of_any_length() {
    // Each round every thread reads what its neighbour wrote in the last one.
    let body = |n: &str| {
        format!(
            ".shared .align 4 .b8 tile[256];
             ld.param.u64 %rd1, [p0]; {n}
             mov.u32 %r2, %tid.x; shl.b32 %r3, %r2, 2; mov.u32 %r4, tile; add.u32 %r5, %r4, %r3;
             add.u32 %r6, %r2, 1; and.b32 %r6, %r6, 63; shl.b32 %r6, %r6, 2; add.u32 %r6, %r4, %r6;
             mov.u32 %r7, 0; st.shared.u32 [%r5], %r2; bar.sync 0;
             setp.lt.s32 %p1, %r7, %r1; @!%p1 bra end;
             loop: ld.shared.u32 %r8, [%r6]; bar.sync 0;
             mad.lo.s32 %r8, %r8, 3, %r7; st.shared.u32 [%r5], %r8; bar.sync 0;
             add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, %r1; @%p1 bra loop;
             end: ld.shared.u32 %r8, [%r5]; cvt.u64.u32 %rd2, %r3; add.u64 %rd1, %rd1, %rd2;
             st.global.u32 [%rd1], %r8; st.global.u32 [%rd1+256], %r7; ret;"
        )
    };
    let given = kernel(".u64 .u64", &body("ld.param.u32 %r1, [p1];"));
    let cases: Vec<Case<'_>> = (-1..14).map(|n| case(64, &[n])).collect();
    same(&given, &cases, &CHANGES);
    for n in [40, 43] {
        let fixed = kernel(".u64", &body(&format!("mov.u32 %r1, {n};")));
        same(&fixed, &[case(64, &[])], &CHANGES);
    }
}

#[test]
fn sums_of_warps_in_loops_that_lanes_leave_apart() {
    let text = kernel(
        ".u64 .u64",
        "ld.param.u64 %rd1, [p0]; ld.param.u32 %r1, [p1];
         mov.u32 %r2, %tid.x; and.b32 %r3, %r2, 1; add.s32 %r1, %r1, %r3; mov.u32 %r4, 0; mov.u32 %r5, %r2;
         loop: activemask.b32 %r6; mad.lo.s32 %r5, %r5, 5, %r6;
         add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r4, %r1; @%p1 bra loop;
         mul.wide.u32 %rd2, %r2, 4; add.u64 %rd1, %rd1, %rd2; st.global.u32 [%rd1], %r5; ret;",
    );
    let cases: Vec<Case<'_>> = (1..10).map(|n| case(32, &[n])).collect();
    same(&text, &cases, &CHANGES);
}
