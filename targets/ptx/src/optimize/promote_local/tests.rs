use super::promote;
use crate::module::Module;
use crate::optimize::testing::{lines, run};

/// A kernel with local arrays `a` of 16 bytes and `b` of 8.
fn promoted(body: &str) -> (Vec<String>, Module, usize) {
    let text = format!(".local .align 8 .b8 a[16];\n.local .align 8 .b8 b[8];\n{body}\n  ret;");
    let (module, changes) = run(&text, |_, f| promote(f));
    let lines = lines(&module);
    let code = lines.into_iter().filter(|l| !l.starts_with(".local"));
    (code.collect(), module, changes)
}

#[test]
fn elements_become_registers() {
    let (lines, module, changes) = promoted(
        "
  ld.param.u32 %r1, [n];
  st.local.u32 [a], %r1;
  st.local.f32 [a+4], 0f3F800000;
  st.local.v2.u32 [a+8], {%r1, %r1};
  setp.eq.s32 %p1, %r1, 3;
  @%p1 st.local.u32 [a], 5;
  ld.local.u32 %r2, [a];
  ld.local.f32 %f1, [a+12];
  ld.local.f32 %f2, [a+4];
  st.shared.u32 [tile], %r2;
  st.shared.f32 [tile+4], %f1;
  st.shared.f32 [tile+8], %f2;",
    );
    assert_eq!(changes, 2, "the one without accesses too");
    assert!(module.funcs.iter().all(|(_, f)| f.vars.len() == 1));
    assert_eq!(
        lines,
        [
            "ld.param.u32 %r1, [n];",
            "mov.b32 %r2, %r1;",
            "mov.f32 %f1, 0f3F800000;",
            "mov.b32 %r3, %r1;",
            "mov.b32 %r4, %r1;",
            "setp.eq.s32 %p1, %r1, 3;",
            "@%p1 mov.b32 %r2, 5;",
            "mov.b32 %r5, %r2;",
            "mov.b32 %f2, %r4;",
            "mov.f32 %f3, %f1;",
            "st.shared.u32 [tile], %r5;",
            "st.shared.f32 [tile+4], %f2;",
            "st.shared.f32 [tile+8], %f3;",
            "ret;"
        ]
    );
}

#[test]
fn one_stays_and_keeps_its_name() {
    let (lines, module, changes) = promoted(
        "
  mov.u64 %d1, b;
  st.local.u32 [%d1], 1;
  st.local.u32 [a], 2;
  ld.local.u32 %r1, [b];
  st.shared.u32 [tile], %r1;",
    );
    assert_eq!(changes, 1);
    let names = module
        .funcs
        .iter()
        .flat_map(|(_, f)| f.vars.iter().map(|v| v.name.clone()));
    assert_eq!(names.collect::<Vec<_>>(), ["tile", "b"]);
    assert!(
        lines.contains(&"ld.local.u32 %r2, [b];".to_string()),
        "{lines:#?}"
    );
}

#[test]
fn what_is_read_before_it_is_written_is_zero() {
    let (lines, ..) = promoted("ld.local.f32 %f1, [b]; st.shared.f32 [tile], %f1;");
    assert_eq!(lines[0], "mov.f32 %f1, 0f00000000;");
}

#[test]
fn accesses_that_are_not_of_whole_elements_keep_the_array() {
    for body in [
        // Halves of an element; bytes; a change of width.
        "st.local.u64 [a], 1; ld.local.u32 %r1, [a+4]; st.shared.u32 [tile], %r1;",
        "st.local.u32 [a+4], 1; st.local.u64 [a], 1;",
        "st.local.u8 [a], 1;",
        "ld.local.u16 %r1, [a]; st.shared.u32 [tile], %r1;",
    ] {
        assert_eq!(promoted(body).2, 1, "{body}");
    }
}
