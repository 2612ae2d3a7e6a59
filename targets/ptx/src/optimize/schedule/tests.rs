//! What moves, what stays, and how long it takes.

use super::*;
use crate::optimize::pressure::Pressure;
use crate::optimize::testing::{after, kernel, lines};

fn scheduled(body: &str) -> Vec<String> {
    after(body, schedule)
}

/// The same where a thread has next to no registers, so that there is always a reason.
fn limited(body: &str) -> Vec<String> {
    after(body, |module, func| {
        func.bounds.max_registers = Some(RESERVED);
        schedule(module, func)
    })
}

/// The places of lines that hold each of the words.
fn places(lines: &[String], words: &[&str]) -> Vec<usize> {
    let place = |w: &&str| {
        lines
            .iter()
            .position(|l| l.contains(*w))
            .unwrap_or_else(|| panic!("no {w} in {lines:#?}"))
    };
    words.iter().map(place).collect()
}

#[test]
fn what_the_assembler_can_see_is_left_to_it() {
    let body = "ld.param.u64 %d0, [p];
         cvta.to.global.u64 %d1, %d0;
         mov.u32 %r0, %tid.x;
         ld.global.f32 %f0, [%d1];
         add.f32 %f1, %f0, 0f3F800000;
         st.global.f32 [%d1], %f1;
         ld.global.f32 %f2, [%d1+4];
         add.f32 %f3, %f2, 0f40000000;
         add.f32 %f4, %f1, %f3;
         st.global.f32 [%d1+4], %f4;
         ret;";
    assert_eq!(crate::optimize::testing::run(body, schedule).1, 0);
}

#[test]
fn a_load_passes_a_store_to_other_bytes_only() {
    let pass = |first: &str, second: &str| {
        let lines = scheduled(&format!(
            "mov.u32 %r0, %tid.x;
             mov.u32 %r1, tile;
             cvt.rn.f32.u32 %f0, %r0;
             sqrt.rn.f32 %f1, %f0;
             {first}
             {second}
             sqrt.rn.f32 %f3, %f2;
             add.f32 %f4, %f3, %f1;
             st.shared.f32 [tile+64], %f4;
             ret;"
        ));
        let at = places(&lines, &["st.shared.f32 [tile+8]", "shared.f32 %"]);
        at[1] < at[0]
    };
    let store = "st.shared.f32 [tile+8], %f1;";
    assert!(pass(store, "ld.shared.f32 %f2, [%r1+12];"));
    assert!(!pass(store, "ld.shared.f32 %f2, [%r1+8];"));
    assert!(!pass(
        store,
        "ld.shared.v2.f32 {%f5, %f6}, [%r1+8]; ld.shared.f32 %f2, [%r1+8];"
    ));
    // Volatile accesses and barriers are not passed.
    assert!(!pass(store, "ld.volatile.shared.f32 %f2, [%r1+12];"));
    assert!(!pass(
        &format!("{store} bar.sync 0;"),
        "ld.shared.f32 %f2, [%r1+12];"
    ));
    assert!(!pass(
        &format!("{store} membar.cta;"),
        "ld.shared.f32 %f2, [%r1+12];"
    ));
}

#[test]
fn registers_written_several_times_keep_their_order() {
    let lines = limited(
        "mov.u32 %r0, %tid.x;
         mov.u32 %r1, 1;
         mul.lo.s32 %r2, %r0, 3;
         add.s32 %r0, %r0, %r1;
         mul.lo.s32 %r3, %r0, 5;
         add.s32 %r0, %r0, %r1;
         add.s32 %r4, %r2, %r3;
         add.s32 %r4, %r4, %r0;
         st.shared.u32 [tile], %r4;
         ret;",
    );
    let at = places(
        &lines,
        &["mul.lo.s32 %r3", "add.s32 %r1, %r1, %r2", "mul.lo.s32 %r4"],
    );
    assert!(at[0] < at[1] && at[1] < at[2], "{lines:#?}");
}

/// A block whose loads all come first and whose sums come one after the other: 24
/// values wait that could be loaded when they are wanted.
fn many_early_loads(n: usize) -> String {
    let mut body = String::from(
        "ld.param.u64 %d0, [p]; cvta.to.global.u64 %d1, %d0; mov.f32 %f0, 0f00000000;\n",
    );
    for i in 0..n {
        body.push_str(&format!(
            ".reg .f32 %v{i}; ld.global.f32 %v{i}, [%d1+{}];\n",
            4 * i
        ));
    }
    for i in 0..n {
        body.push_str(&format!("add.f32 %f0, %f0, %v{i};\n"));
    }
    body.push_str("st.global.f32 [%d1], %f0;\nret;");
    body
}

#[test]
fn values_that_need_more_registers_than_there_are_come_late() {
    let words = |module: &Module| {
        let (_, func) = module.funcs.iter().next().unwrap();
        Pressure::new(func).most().words
    };
    let body = many_early_loads(300);
    assert_eq!(words(&kernel(&body)), 301);
    let (module, moved) = crate::optimize::testing::run(&body, schedule);
    assert!(moved > 100);
    let most = words(&module);
    assert!(most <= MAX - RESERVED, "{most}");
    // Few enough stay as they are.
    let few = many_early_loads(200);
    assert_eq!(crate::optimize::testing::run(&few, schedule).1, 0);
}

#[test]
fn a_bound_on_registers_is_the_limit() {
    let mut module = kernel(&many_early_loads(32));
    let id = module.funcs.iter().next().unwrap().0;
    module.funcs[id].bounds.max_registers = Some(24);
    let mut func = module.funcs[id].clone();
    schedule(&module, &mut func);
    assert!(Pressure::new(&func).most().words <= 24 - RESERVED + 1);
    module.funcs[id].bounds.max_registers = None;
    module.funcs[id].bounds.max_threads = Some([512, 1, 1]);
    module.funcs[id].bounds.min_blocks_per_sm = Some(4);
    // 65,536 registers for 2,048 threads: 32 each.
    assert_eq!(limit(&module, &module.funcs[id]), 32 - RESERVED);
}

#[test]
fn long_blocks_take_little_time_and_the_same_order_each_time() {
    let body = many_early_loads(2500);
    let module = kernel(&body);
    let id = module.funcs.iter().next().unwrap().0;
    let start = std::time::Instant::now();
    let mut func = module.funcs[id].clone();
    schedule(&module, &mut func);
    // A second unoptimised on a busy machine; it takes some milliseconds.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    let mut again = module.funcs[id].clone();
    schedule(&module, &mut again);
    let of = |func: &Func| {
        func.blocks
            .iter()
            .map(|b| b.1.insts.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&func), of(&again));
}

#[test]
fn what_leaves_the_block_is_a_wall() {
    let body = "mov.u32 %r0, %tid.x;
         st.shared.u32 [tile], %r0;
         setp.ge.u32 %p0, %r0, 100;
         @%p0 trap;
         ld.param.u64 %d0, [p];
         cvta.to.global.u64 %d0, %d0;
         ld.global.u32 %r1, [%d0];
         st.shared.u32 [tile+4], %r1;
         ret;";
    let before = lines(&kernel(body));
    let after = scheduled(body);
    let trap = places(&after, &["trap"])[0];
    assert_eq!(trap, places(&before, &["trap"])[0]);
    assert!(
        places(&after, &["ld.global", "st.shared.u32 [tile+4]"])
            .iter()
            .all(|p| *p > trap)
    );
}

#[test]
fn the_carry_flag_goes_from_hand_to_hand() {
    let lines = limited(
        "mov.u32 %r0, %tid.x;
         mov.u32 %r1, %ctaid.x;
         add.cc.u32 %r2, %r0, %r1;
         addc.u32 %r3, %r0, 0;
         mul.lo.s32 %r4, %r1, %r1;
         add.cc.u32 %r5, %r4, %r1;
         addc.u32 %r6, %r1, 0;
         st.shared.u32 [tile], %r2; st.shared.u32 [tile+4], %r3;
         st.shared.u32 [tile+8], %r5; st.shared.u32 [tile+12], %r6;
         ret;",
    );
    let carries: Vec<&str> = (lines.iter())
        .filter_map(|l| l.split('.').next())
        .zip(&lines)
        .filter(|(_, l)| l.starts_with("add"))
        .map(|(op, _)| op)
        .collect();
    assert_eq!(carries, ["add", "addc", "add", "addc"], "{lines:#?}");
}

#[test]
fn a_load_passes_a_store_through_another_pointer_that_is_known_to_be_apart() {
    let body = "ld.param.u64 %d0, [p];
         cvta.to.global.u64 %d1, %d0;
         mov.u32 %r0, %tid.x;
         mul.wide.u32 %d2, %r0, 4;
         add.s64 %d3, %d1, %d2;
         ld.global.f32 %f0, [%d3];
         sqrt.rn.f32 %f1, %f0;
         st.global.f32 [%d3], %f1;
         add.s64 %d4, %d3, 128;
         ld.global.f32 %f2, [%d4];
         sqrt.rn.f32 %f3, %f2;
         st.global.f32 [%d4], %f3;
         ret;";
    let lines = scheduled(body);
    let at = places(&lines, &["ld.global.f32 %f2", "st.global.f32"]);
    assert!(at[0] < at[1], "{lines:#?}");
}

#[test]
fn a_sum_by_levels_is_made_branch_by_branch() {
    let n = 256;
    let mut body = String::from("ld.param.u64 %d0, [p]; cvta.to.global.u64 %d1, %d0;\n");
    for i in 0..2 * n {
        body.push_str(&format!(".reg .f32 %v{i};\n"));
    }
    for i in 0..n {
        body.push_str(&format!("ld.global.f32 %v{i}, [%d1+{}];\n", 4 * i));
    }
    for i in 0..n - 1 {
        let (a, b) = (2 * i, 2 * i + 1);
        body.push_str(&format!("add.f32 %v{}, %v{a}, %v{b};\n", n + i));
    }
    body.push_str(&format!("st.global.f32 [%d1], %v{};\nret;", 2 * n - 2));
    let (module, _) = crate::optimize::testing::run(&body, schedule);
    let (_, func) = module.funcs.iter().next().unwrap();
    let most = Pressure::new(func).most().words;
    assert!(most <= MAX - RESERVED, "{most}");
    // As few as a stack machine needs, where that is wanted.
    let mut module = kernel(&body);
    let id = module.funcs.iter().next().unwrap().0;
    module.funcs[id].bounds.max_registers = Some(RESERVED);
    let mut func = module.funcs[id].clone();
    schedule(&module, &mut func);
    assert_eq!(Pressure::new(&func).most().words, 9);
}
