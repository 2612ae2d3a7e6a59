use super::*;
use crate::optimize::testing::after;

/// The lines of a kernel whose pointer is `noalias` (if so), after the pass.
fn marked(noalias: bool, body: &str) -> Vec<String> {
    let body = format!("ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n{body}\nret;");
    after(&body, |_, f| {
        f.params[0].noalias = noalias;
        mark(f)
    })
}

fn is_marked(noalias: bool, body: &str) -> bool {
    marked(noalias, body).iter().any(|l| l.contains(".nc"))
}

#[test]
fn what_nothing_writes_is_read_only() {
    let load =
        "mad.wide.u32 %d2, %r1, 4, %d1; ld.global.f32 %f1, [%d2]; st.shared.f32 [tile], %f1;";
    let lines = marked(true, load);
    assert!(
        lines.contains(&"ld.global.nc.f32 %f1, [%rd2];".to_string()),
        "{lines:?}"
    );
    assert!(!is_marked(false, load));
    assert!(!is_marked(
        true,
        &format!("{load} st.global.f32 [%d1+64], %f1;")
    ));
    assert!(!is_marked(
        true,
        &format!("{load} red.global.add.f32 [%d1], %f1;")
    ));
    // A number that nobody knows to be a pointer is not derived from it.
    assert!(is_marked(
        true,
        &format!("{load} cvt.u64.u32 %d3, %r1; st.global.f32 [%d3], %f1;")
    ));
    // What was loaded is a number as long as no address was stored.
    let chase = "ld.global.u64 %d3, [%d1+8]; st.global.f32 [%d3], %f1;";
    assert!(is_marked(true, &format!("{load} {chase}")));
    assert!(!is_marked(
        true,
        &format!("st.shared.u64 [tile+8], %d1; {load} {chase}")
    ));
}

#[test]
fn ordered_loads_stay() {
    assert!(!is_marked(
        true,
        "ld.volatile.global.f32 %f1, [%d1]; st.shared.f32 [tile], %f1;"
    ));
    assert!(!is_marked(
        true,
        "ld.relaxed.gpu.global.f32 %f1, [%d1]; st.shared.f32 [tile], %f1;"
    ));
    assert!(is_marked(
        true,
        "ld.global.cs.v2.f32 {%f1, %f2}, [%d1]; st.shared.f32 [tile], %f1;"
    ));
    assert!(!is_marked(
        true,
        "ld.global.lu.f32 %f1, [%d1]; st.shared.f32 [tile], %f1;"
    ));
}

/// A function that is called may write through a pointer that it finds in memory.
#[test]
fn where_a_function_is_called_nothing_is_read_only() {
    let text = |call: &str| {
        format!(
            ".version 7.8\n.target sm_90\n.address_size 64\n.func f() {{ ret; }}\n\
             .visible .entry k(.param .u64 .ptr .global .align 16 p)\n{{\n\
             .reg .b32 %r<10>;\n.reg .b64 %d<10>;\n.shared .align 16 .b8 tile[1024];\n\
             ld.param.u64 %d1, [p];\nld.global.u32 %r1, [%d1];\n{call}\n\
             st.shared.u32 [tile], %r1;\nret;\n}}\n"
        )
    };
    let marks = |call: &str| {
        let mut module = crate::parse::parse(&text(call)).unwrap().module;
        let funcs = module.funcs.iter_mut().map(|f| f.1);
        let kernel = funcs.filter(|f| f.kind == FuncKind::Kernel).last().unwrap();
        kernel.params[0].noalias = true;
        mark(kernel)
    };
    assert_eq!(marks(""), 1);
    assert_eq!(marks("call.uni f;"), 0);
}
