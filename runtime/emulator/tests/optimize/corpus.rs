//! Kernels of loops by hand: what unrolling and its company must get right.

use super::{Case, Change, changes, floats, run, same};

fn kernel(params: &str, body: &str) -> String {
    super::common::kernel(params, body)
}

/// One thread; an output of 64 words and numbers.
fn scalar(numbers: &[i64]) -> Case<'static> {
    Case {
        name: "k",
        grid: [1, 1, 1],
        block: [1, 1, 1],
        buffers: vec![vec![0; 256]],
        numbers: numbers.iter().map(|n| *n as u64).collect(),
    }
}

/// A loop over `%rd2` from the second parameter while `cmp` the third: a hash
/// of the values and how many they are; at the bottom or the top.
fn counting(ty: &str, cmp: &str, step: i64, bottom: bool) -> String {
    let test = format!("setp.{cmp}.{ty} %p1, %rd2, %rd3;");
    let body = format!(
        "mad.lo.s64 %rd4, %rd4, 31, %rd2; add.s64 %rd5, %rd5, 1; add.{ty} %rd2, %rd2, {step};"
    );
    let code = if bottom {
        format!("loop: {body} {test} @%p1 bra loop;")
    } else {
        format!("loop: {test} @!%p1 bra end; {body} bra loop; end:")
    };
    kernel(
        ".u64 .u64 .u64",
        &format!(
            "ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];
             mov.u64 %rd4, 7; mov.u64 %rd5, 0; {code}
             st.global.u64 [%rd1], %rd4; st.global.u64 [%rd1+8], %rd5; st.global.u64 [%rd1+16], %rd2; ret;"
        ),
    )
}

#[test]
fn every_number_of_iterations_up_and_down() {
    for (ty, cmp, step) in [
        ("s64", "lt", 1),
        ("s64", "le", 3),
        ("u64", "lt", 2),
        ("u64", "le", 1),
        ("s64", "gt", -1),
        ("s64", "ge", -2),
        ("u64", "gt", -1),
        ("s64", "ne", 1),
    ] {
        for bottom in [false, true] {
            let text = counting(ty, cmp, step, bottom);
            let cases: Vec<Case<'_>> = (0..14)
                .map(|n| match step > 0 {
                    true => scalar(&[100, 100 + n * step]),
                    false => scalar(&[200, 200 + n * step]),
                })
                // Inequality runs on for ever if it starts behind the end.
                .skip(usize::from(bottom && cmp == "ne"))
                .collect();
            same(&text, &cases, &[Change::Alone("unroll"), Change::All]);
        }
    }
}

#[test]
fn bounds_at_the_ends_of_the_type() {
    let (min, max) = (i64::MIN, i64::MAX);
    for (ty, cmp, step, cases) in [
        // The bound less the steps of four iterations is below all numbers.
        (
            "s64",
            "lt",
            1,
            [[min, min + 2], [min, min + 3], [min, min + 9]],
        ),
        (
            "s64",
            "lt",
            5,
            [[min, min + 2], [min, min + 15], [min, min + 16]],
        ),
        (
            "s64",
            "le",
            1,
            [[max - 9, max - 1], [max - 2, max - 1], [max - 3, max - 1]],
        ),
        (
            "s64",
            "gt",
            -1,
            [[max, max - 2], [max, max - 3], [max, max - 9]],
        ),
        (
            "s64",
            "ge",
            -3,
            [[min + 20, min + 3], [min + 3, min + 3], [max, max - 7]],
        ),
        ("u64", "lt", 1, [[0, 1], [0, 3], [0, 7]]),
        ("u64", "lt", 7, [[0, 1], [0, 3], [0, 21]]),
        ("u64", "lt", 1, [[-9, -1], [-2, -1], [max, min + 6]]),
        ("u64", "gt", -1, [[9, 0], [2, 0], [min + 3, max - 3]]),
        ("u64", "gt", -1, [[-1, -3], [-1, -9], [-1, -2]]),
    ] {
        for bottom in [false, true] {
            let text = counting(ty, cmp, step, bottom);
            let cases: Vec<Case<'_>> = cases.iter().map(|c| scalar(c)).collect();
            same(&text, &cases, &[Change::Alone("unroll"), Change::All]);
        }
    }
}

#[test]
fn numbers_of_iterations_that_are_known() {
    for n in [1, 2, 3, 5, 31, 64, 65, 66, 67, 97, 1000, 1003] {
        for bottom in [false, true] {
            let text = counting("s64", "lt", 3, bottom)
                .replace("ld.param.u64 %rd2, [p1]", "mov.u64 %rd2, -4")
                .replace(
                    "ld.param.u64 %rd3, [p2]",
                    &format!("mov.u64 %rd3, {}", 3 * n - 4),
                );
            let changes = [
                Change::Alone("unroll"),
                Change::Alone("unroll-fully"),
                Change::All,
            ];
            same(&text, &[scalar(&[0, 0])], &changes);
        }
    }
}

/// A product of matrices through tiles of 16 by 16 in shared memory.
fn tiled() -> String {
    kernel(
        ".u64 .u64 .u64 .u64",
        "
  .shared .align 16 .b8 ta[1024];
  .shared .align 16 .b8 tb[1024];
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2]; ld.param.u64 %rd4, [p3];
  cvt.u32.u64 %r1, %rd4;
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ctaid.y;
  mad.lo.s32 %r6, %r4, 16, %r2; mad.lo.s32 %r7, %r5, 16, %r3;
  mad.lo.s32 %r8, %r3, 16, %r2; shl.b32 %r8, %r8, 2;
  mov.u32 %r9, ta; mov.u32 %r10, tb; add.s32 %r11, %r9, %r8; add.s32 %r12, %r10, %r8;
  mov.f32 %f1, 0f00000000;
  mov.u32 %r13, 0;
tiles:
  setp.lt.s32 %p1, %r13, %r1;
  @!%p1 bra done;
  add.s32 %r14, %r13, %r2; mad.lo.s32 %r15, %r7, %r1, %r14; mul.wide.s32 %rd5, %r15, 4; add.s64 %rd6, %rd1, %rd5;
  ld.global.f32 %f2, [%rd6]; st.shared.f32 [%r11], %f2;
  add.s32 %r16, %r13, %r3; mad.lo.s32 %r17, %r16, %r1, %r6; mul.wide.s32 %rd7, %r17, 4; add.s64 %rd8, %rd2, %rd7;
  ld.global.f32 %f3, [%rd8]; st.shared.f32 [%r12], %f3;
  bar.sync 0;
  mov.u32 %r18, 0;
inner:
  setp.lt.s32 %p2, %r18, 16;
  @!%p2 bra after;
  mad.lo.s32 %r19, %r3, 16, %r18; shl.b32 %r19, %r19, 2; add.s32 %r20, %r9, %r19; ld.shared.f32 %f4, [%r20];
  mad.lo.s32 %r21, %r18, 16, %r2; shl.b32 %r21, %r21, 2; add.s32 %r22, %r10, %r21; ld.shared.f32 %f5, [%r22];
  fma.rn.f32 %f1, %f4, %f5, %f1;
  add.s32 %r18, %r18, 1;
  bra inner;
after:
  bar.sync 0;
  add.s32 %r13, %r13, 16;
  bra tiles;
done:
  mad.lo.s32 %r23, %r7, %r1, %r6; mul.wide.s32 %rd9, %r23, 4; add.s64 %rd10, %rd3, %rd9;
  st.global.f32 [%rd10], %f1;
  ret;",
    )
}

fn product(n: usize) -> Case<'static> {
    Case {
        name: "k",
        grid: [n as u32 / 16, n as u32 / 16, 1],
        block: [16, 16, 1],
        buffers: vec![floats(n * n, 1), floats(n * n, 2), vec![0; 4 * n * n]],
        numbers: vec![n as u64],
    }
}

#[test]
fn a_product_through_shared_tiles() {
    same(&tiled(), &[product(48)], &changes());
}

#[test]
fn inner_loops_of_known_length_leave_few_instructions() {
    let count = |change| {
        run(&super::changed(&tiled(), change), &product(48))
            .1
            .threads()
    };
    let (before, after) = (count(Change::Nothing), count(Change::All));
    // Two loads and an fma are what an iteration needs, of 13.
    assert!(after * 2 < before, "{before} {after}");
}

/// Accumulators of 4 by 4 in a local array, indexed by loops.
#[test]
fn blocks_of_registers() {
    let text = kernel(
        ".u64 .u64 .u64",
        "
  .local .align 16 .b8 acc[64];
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2];
  mov.u64 %rd20, acc;
  mov.u32 %r1, 0;
zero:
  mul.wide.s32 %rd4, %r1, 4; add.s64 %rd5, %rd20, %rd4; st.local.f32 [%rd5], 0f00000000;
  add.s32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, 16; @%p1 bra zero;
  mov.u64 %rd6, 0;
k:
  setp.lt.s64 %p2, %rd6, %rd3; @!%p2 bra write;
  mov.u32 %r2, 0;
i:
  mov.u32 %r3, 0;
j:
  mul.wide.s32 %rd7, %r2, 4; shl.b64 %rd8, %rd6, 4; add.s64 %rd9, %rd7, %rd8; add.s64 %rd10, %rd1, %rd9;
  ld.global.f32 %f1, [%rd10];
  mul.wide.s32 %rd11, %r3, 4; add.s64 %rd12, %rd11, %rd8; add.s64 %rd13, %rd1, %rd12;
  ld.global.f32 %f2, [%rd13];
  mad.lo.s32 %r4, %r2, 4, %r3; mul.wide.s32 %rd14, %r4, 4; add.s64 %rd15, %rd20, %rd14;
  ld.local.f32 %f3, [%rd15]; fma.rn.f32 %f3, %f1, %f2, %f3; st.local.f32 [%rd15], %f3;
  add.s32 %r3, %r3, 1; setp.lt.s32 %p3, %r3, 4; @%p3 bra j;
  add.s32 %r2, %r2, 1; setp.lt.s32 %p4, %r2, 4; @%p4 bra i;
  add.s64 %rd6, %rd6, 1; bra k;
write:
  mov.u32 %r5, 0;
out:
  mul.wide.s32 %rd16, %r5, 4; add.s64 %rd17, %rd20, %rd16; ld.local.f32 %f4, [%rd17];
  add.s64 %rd18, %rd2, %rd16; st.global.f32 [%rd18], %f4;
  add.s32 %r5, %r5, 1; setp.lt.s32 %p5, %r5, 16; @%p5 bra out;
  ret;",
    );
    let case = |n: u64| Case {
        name: "k",
        grid: [1, 1, 1],
        block: [1, 1, 1],
        buffers: vec![floats(4 * 32, 5), vec![0; 64]],
        numbers: vec![n],
    };
    let cases: Vec<Case<'_>> = [0, 1, 5, 32].into_iter().map(case).collect();
    same(&text, &cases, &changes());
    let after = super::changed(&text, Change::All);
    assert!(!after.contains("local"), "{after}");
}

#[test]
fn sums_of_threads_with_different_numbers_of_iterations() {
    // Each thread sums the elements below its number, skipping some.
    let text = kernel(
        ".u64 .u64",
        "
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];
  mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.f32 %f1, 0f00000000;
loop:
  setp.lt.u32 %p1, %r2, %r1; @!%p1 bra end;
  mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f2, [%rd4];
  setp.gt.f32 %p2, %f2, 0f00000000; @!%p2 bra next;
  add.rn.f32 %f1, %f1, %f2;
next:
  add.u32 %r2, %r2, 1; bra loop;
end:
  mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd2, %rd5; st.global.f32 [%rd6], %f1;
  ret;",
    );
    let case = Case {
        name: "k",
        grid: [1, 1, 1],
        block: [100, 1, 1],
        buffers: vec![floats(100, 9), vec![0; 400]],
        numbers: vec![],
    };
    same(&text, &[case], &changes());
}
