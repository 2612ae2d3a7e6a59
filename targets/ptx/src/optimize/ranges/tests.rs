//! Ranges at places of small kernels: each store of the text asks about the
//! register that it stores.

use super::*;
use crate::cfg::points;
use crate::module::Module;
use crate::optimize::testing::kernel;

fn stored(module: &Module) -> Vec<Range> {
    let (_, func) = module.funcs.iter().next().expect("a kernel");
    let (cfg, defs) = (Cfg::new(func), Defs::new(func));
    let ranges = Ranges::new(func, &cfg, &defs);
    let mut found = Vec::new();
    for (point, id) in points(func) {
        let inst = &func.insts[id];
        if let (Op::St, Some(Operand::Reg(r))) = (inst.op, inst.operands.get(1)) {
            found.push(ranges.at(*r, point));
        }
    }
    found
}

/// The signed bounds of what each store stores.
fn bounds(body: &str) -> Vec<(i64, i64)> {
    let all = stored(&kernel(body));
    all.iter().map(|r| (r.smin(), r.smax())).collect()
}

#[test]
fn special_registers_and_arithmetic() {
    let mut module = kernel(
        "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.y;\nmov.u32 %r2, %ntid.x;\n\
         mad.lo.u32 %r3, %r1, %r2, %r0;\nst.shared.u32 [tile], %r3;\n\
         and.b32 %r4, %r3, 31;\nst.shared.u32 [tile], %r4;\n\
         shr.u32 %r5, %r0, 5;\nst.shared.u32 [tile], %r5;\n\
         rem.u32 %r6, %r3, 7;\nst.shared.u32 [tile], %r6;\n\
         cvt.u64.u32 %d0, %r0;\nshl.b64 %d1, %d0, 3;\nst.shared.u64 [tile], %d1;\n\
         sub.s32 %r7, %r4, %r5;\nst.shared.u32 [tile], %r7;\n\
         ld.shared.u8 %r8, [tile];\nst.shared.u32 [tile], %r8;\n\
         cvt.s32.s8 %r9, %r8;\nst.shared.u32 [tile], %r9;\nret;",
    );
    for (_, func) in module.funcs.iter_mut() {
        func.bounds.max_threads = Some([32, 8, 1]);
    }
    let all: Vec<_> = stored(&module)
        .iter()
        .map(|r| (r.smin(), r.smax()))
        .collect();
    let expected = [
        (0, 65534 * 256 + 255),
        (0, 31),
        (0, 7),
        (0, 6),
        (0, 255 * 8),
        (-7, 31),
        (0, 255),
        (-128, 127),
    ];
    assert_eq!(all, expected);
}

#[test]
fn a_loop_up_to_a_bound() {
    let body = |last: &str| {
        format!(
            "ld.param.u32 %r1, [n];\nmin.u32 %r1, %r1, 100;\nmov.u32 %r0, 0;\n\
             loop:\nst.shared.u32 [tile], %r0;\n\
             setp.lt.s32 %p0, %r0, %r1;\n@!%p0 bra end;\n\
             st.shared.u32 [tile], %r0;\n\
             {last}\nst.shared.u32 [tile], %r0;\nbra loop;\nend:\n\
             st.shared.u32 [tile], %r0;\nret;"
        )
    };
    assert_eq!(
        bounds(&body("add.s32 %r0, %r0, 1;")),
        [(0, 100), (0, 99), (1, 100), (0, 100)]
    );
    // By copies, as single assignment has it, and by a step over one.
    assert_eq!(
        bounds(&body("add.s32 %r2, %r0, 4;\nmov.u32 %r0, %r2;")),
        [(0, 103), (0, 99), (4, 103), (0, 103)]
    );
}

#[test]
fn a_loop_that_tests_at_its_end() {
    let all = bounds(
        "mov.u32 %r0, 0;\nloop:\nst.shared.u32 [tile], %r0;\n\
         add.s32 %r1, %r0, 1;\nsetp.lt.s32 %p0, %r1, 16;\nmov.u32 %r0, %r1;\n\
         @%p0 bra loop;\nst.shared.u32 [tile], %r0;\nret;",
    );
    assert_eq!(all, [(0, 15), (16, 16)]);
    // Against an unknown bound: the next value is below it, so nothing wraps.
    let all = bounds(
        "ld.param.u32 %r2, [n];\nsetp.lt.s32 %p1, %r2, 1;\n@%p1 bra end;\n\
         mov.u32 %r0, 0;\nloop:\nst.shared.u32 [tile], %r0;\n\
         add.s32 %r0, %r0, 1;\nsetp.lt.s32 %p0, %r0, %r2;\n\
         @%p0 bra loop;\nend:\nret;",
    );
    assert_eq!(all, [(0, i64::from(i32::MAX) - 1)]);
}

#[test]
fn a_loop_that_ends_by_inequality_and_one_downwards() {
    let all = bounds(
        "mov.u32 %r0, 0;\nloop:\nst.shared.u32 [tile], %r0;\n\
         add.s32 %r0, %r0, 1;\nsetp.ne.s32 %p0, %r0, 16;\n\
         @%p0 bra loop;\nret;",
    );
    assert_eq!(all, [(0, 15)]);
    let all = bounds(
        "mov.u32 %r0, 50;\nloop:\nsetp.lt.s32 %p0, %r0, 0;\n@%p0 bra end;\n\
         st.shared.u32 [tile], %r0;\nsub.s32 %r0, %r0, 1;\nbra loop;\nend:\nret;",
    );
    assert_eq!(all, [(0, 50)]);
}

#[test]
fn nested_loops_keep_both_bounds() {
    let all = bounds(
        "mov.u32 %r0, 0;\nouter:\nsetp.ge.s32 %p0, %r0, 10;\n@%p0 bra end;\n\
         mov.u32 %r1, %r0;\ninner:\nsetp.ge.s32 %p1, %r1, 20;\n@%p1 bra next;\n\
         st.shared.u32 [tile], %r0;\nst.shared.u32 [tile], %r1;\n\
         add.s32 %r1, %r1, 1;\nbra inner;\n\
         next:\nadd.s32 %r0, %r0, 1;\nbra outer;\nend:\nret;",
    );
    assert_eq!(all, [(0, 9), (0, 19)]);
}

#[test]
fn branches_bound_what_they_compare_and_what_it_comes_from() {
    let all = bounds(
        "ld.param.u32 %r0, [n];\nadd.s32 %r2, %r0, 5;\nmul.wide.s32 %d0, %r0, 8;\n\
         cvt.s64.s32 %d1, %r0;\n\
         setp.lt.s64 %p0, %d1, 100;\nsetp.ge.and.s32 %p1, %r0, 0, %p0;\n@!%p1 bra end;\n\
         st.shared.u32 [tile], %r0;\nst.shared.u32 [tile], %r2;\n\
         st.shared.u64 [tile], %d0;\nret;\n\
         end:\nst.shared.u32 [tile], %r0;\nret;",
    );
    let full = (i64::from(i32::MIN), i64::from(i32::MAX));
    assert_eq!(all, [(0, 99), (5, 104), (0, 792), full]);
}

#[test]
fn a_condition_does_not_outlive_its_operand() {
    // The register changes between the comparison and the branch.
    let all = bounds(
        "ld.param.u32 %r0, [n];\nand.b32 %r0, %r0, 1023;\nsetp.lt.s32 %p0, %r0, 4;\n\
         add.s32 %r0, %r0, 100;\n@!%p0 bra end;\nst.shared.u32 [tile], %r0;\nend:\nret;",
    );
    assert_eq!(all, [(100, 1123)]);
    // The predicate is another by then.
    let all = bounds(
        "ld.param.u32 %r0, [n];\nand.b32 %r1, %r0, 1023;\nsetp.lt.s32 %p0, %r1, 4;\n\
         setp.lt.s32 %p1, %r0, 4;\n@%p1 not.pred %p0, %p0;\n\
         @!%p0 bra end;\nst.shared.u32 [tile], %r1;\nend:\nret;",
    );
    assert_eq!(all, [(0, 1023)]);
}

#[test]
fn guards_and_selections() {
    let all = bounds(
        "ld.param.u32 %r0, [n];\nmov.u32 %r1, 7;\nsetp.lt.s32 %p0, %r0, 0;\n\
         @%p0 mov.u32 %r1, 9;\nst.shared.u32 [tile], %r1;\n\
         sub.s32 %r2, -1, %r0;\nselp.b32 %r3, %r2, %r0, %p0;\n\
         st.shared.u32 [tile], %r3;\n\
         mov.u32 %r4, 1;\n@!%p0 mov.u32 %r4, %r0;\nst.shared.u32 [tile], %r4;\nret;",
    );
    let most = i64::from(i32::MAX);
    assert_eq!(all, [(7, 9), (0, most), (0, most)]);
}

#[test]
fn two_edges_between_the_same_blocks_say_nothing() {
    let all = bounds(
        "ld.param.u32 %r0, [n];\nand.b32 %r1, %r0, 63;\nsetp.lt.s32 %p0, %r1, 4;\n\
         @%p0 bra next;\nbra next;\nnext:\nst.shared.u32 [tile], %r1;\nret;",
    );
    assert_eq!(all, [(0, 63)]);
}

#[test]
fn unreachable_and_irreducible_code() {
    // Two ways into a cycle without a header.
    let all = bounds(
        "ld.param.u32 %r1, [n];\nmov.u32 %r0, 0;\nsetp.eq.s32 %p0, %r1, 0;\n@%p0 bra two;\n\
         one:\nadd.s32 %r0, %r0, 1;\nst.shared.u32 [tile], %r0;\n\
         two:\nadd.s32 %r0, %r0, 2;\nst.shared.u32 [tile], %r0;\n\
         setp.lt.s32 %p1, %r0, 50;\n@%p1 bra one;\nret;\n\
         lost:\nmov.u32 %r5, 3;\nst.shared.u32 [tile], %r5;\nbra lost;",
    );
    assert_eq!(all[..2], [(1, 50), (2, 52)]);
    assert_eq!(all[2], (i64::from(i32::MIN), i64::from(i32::MAX)));
    // What a constant condition excludes is not reached either.
    let all = bounds(
        "mov.u32 %r0, 4;\nmov.u32 %r1, 1;\nsetp.gt.s32 %p0, %r0, 3;\n@%p0 bra end;\n\
         mov.u32 %r1, 77;\nend:\nst.shared.u32 [tile], %r1;\nret;",
    );
    assert_eq!(all, [(1, 1)]);
}

#[test]
fn promises_of_parameters_and_of_the_grid() {
    let mut module = kernel(
        "ld.param.u32 %r0, [n];\nst.shared.u32 [tile], %r0;\n\
         mov.u32 %r1, %ctaid.x;\nst.shared.u32 [tile], %r1;\n\
         mov.u32 %r2, %nctaid.x;\nst.shared.u32 [tile], %r2;\nret;",
    );
    for (_, func) in module.funcs.iter_mut() {
        func.params[1].range = Some((0, 4000));
        func.bounds.grid = Some([20, 1, 1]);
    }
    let all: Vec<_> = stored(&module)
        .iter()
        .map(|r| (r.smin(), r.smax()))
        .collect();
    assert_eq!(all, [(0, 4000), (0, 19), (20, 20)]);
}

#[test]
fn overflow_is_never_overlooked() {
    let all = bounds(
        "ld.param.u32 %r0, [n];\nshr.u32 %r1, %r0, 1;\nadd.s32 %r2, %r1, 1;\n\
         st.shared.u32 [tile], %r2;\nmov.u32 %r3, 1;\n\
         loop:\nst.shared.u32 [tile], %r3;\nadd.s32 %r3, %r3, %r3;\nbra loop;",
    );
    let full = (i64::from(i32::MIN), i64::from(i32::MAX));
    assert_eq!(all, [full, full]);
}

#[test]
fn what_the_way_into_a_loop_says_holds_in_it() {
    let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let found = bounds(
        "ld.shared.u32 %r0, [tile];\nld.shared.u32 %r1, [tile+4];\n\
         cvt.s64.s32 %d0, %r0;\ncvt.s64.s32 %d1, %r1;\nmov.u64 %d2, %d0;\n\
         setp.lt.s64 %p0, %d0, %d1;\n@!%p0 bra end;\n\
         add.s64 %d3, %d1, -3;\nst.shared.u64 [tile], %d3;\n\
         setp.lt.s64 %p1, %d3, %d1;\nsetp.lt.and.s64 %p2, %d0, %d3, %p1;\n@!%p2 bra end;\n\
         loop:\nst.shared.u64 [tile], %d2;\nst.shared.u64 [tile], %d3;\n\
         add.s64 %d4, %d2, 4;\nst.shared.u64 [tile], %d4;\n\
         setp.lt.s64 %p3, %d4, %d3;\nmov.u64 %d2, %d4;\n@%p3 bra loop;\nend:\nret;",
    );
    assert_eq!(
        found,
        [
            (low - 3 + 1, high - 3),
            (low, high - 4),
            (low + 1, high - 3),
            (low + 4, high),
        ]
    );
}
