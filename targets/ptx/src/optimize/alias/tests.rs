use super::*;
use crate::cfg::points;
use crate::parse::parse;

/// Accesses (not of parameters) of a kernel with two `noalias` pointers `a`
/// and `b`, a pointer `c`, a number `n`, and two shared arrays; `%d1..%d4` are
/// the parameters, `%d5` the thread.
fn accesses(body: &str) -> (Aliases, Vec<InstId>) {
    let text = format!(
        ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(
            .param .u64 .ptr .global .align 4 a, .param .u64 .ptr .global .align 4 b,
            .param .u64 .ptr .global .align 4 c, .param .u64 n)
        {{ .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .pred %p<4>; .reg .f32 %f<4>;
        .shared .align 4 .b8 x[64]; .shared .align 4 .b8 y[64];
        ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];
        ld.param.u64 %d4, [n]; mov.u32 %r1, %tid.x; cvt.u64.u32 %d5, %r1;
        {body} ret; }}"
    );
    let mut module = parse(&text).unwrap().module;
    let func = module.funcs.iter_mut().next().unwrap().1;
    for param in &mut func.params[..2] {
        param.noalias = true;
    }
    let aliases = Aliases::new(func);
    let found = points(func)
        .map(|p| p.1)
        .filter(|id| aliases.access(*id).is_some_and(|a| a.space != Space::Param))
        .collect();
    (aliases, found)
}

fn overlap(body: &str) -> bool {
    let (aliases, found) = accesses(body);
    let [.., a, b] = found[..] else {
        panic!("two accesses in {body}");
    };
    let both = aliases.may_overlap(a, b);
    assert_eq!(both, aliases.may_overlap(b, a), "{body}");
    both
}

#[test]
fn a_parameter_marked_so_is_apart_from_all_others() {
    let index = "mad.lo.u64 %d6, %d5, 4, ";
    for (a, b, expected) in [
        ("%d1", "%d2", false),
        ("%d1", "%d3", false),
        ("%d3", "%d1", false),
        ("%d1", "%d4", false),
        ("%d3", "%d4", true),
        ("%d3", "%d3", true),
        ("%d1", "%d1", true),
    ] {
        let body = format!(
            "{index}{a}; shl.b64 %d7, %d4, 2; add.u64 %d7, {b}, %d7;
             ld.global.u32 %r2, [%d6]; st.global.u32 [%d7], %r2;"
        );
        assert_eq!(overlap(&body), expected, "{a} {b}");
    }
}

#[test]
fn a_pointer_that_may_be_either_is_not_followed() {
    let body = "setp.eq.u64 %p1, %d4, 0; selp.u64 %d6, %d1, %d3, %p1;
        ld.global.u32 %r2, [%d6]; st.global.u32 [%d3], %r2;";
    assert!(overlap(body));
    let body = "setp.eq.u64 %p1, %d4, 0; mov.u64 %d6, %d3; @%p1 mov.u64 %d6, %d1;
        ld.global.u32 %r2, [%d6]; st.global.u32 [%d1], %r2;";
    assert!(overlap(body));
    let body = "mov.u64 %d6, %d1;
        head: ld.global.u32 %r2, [%d6]; st.global.u32 [%d2], %r2; add.u64 %d6, %d6, 4;
        setp.ne.u64 %p1, %d6, %d4; @%p1 bra head;";
    assert!(!overlap(body), "a pointer that walks stays in its array");
}

#[test]
fn what_was_stored_may_be_loaded_again() {
    let load = "ld.global.u64 %d6, [%d3]; ld.global.u32 %r2, [%d6]; st.global.u32 [%d1], %r2;";
    assert!(!overlap(load));
    assert!(overlap(&format!("st.global.u64 [%d3], %d1; {load}")));
    // An index that was loaded is a number.
    let gather = "ld.global.u64 %d6, [%d2]; mad.lo.u64 %d6, %d6, 4, %d2;
        ld.global.u32 %r2, [%d6]; st.global.u32 [%d1], %r2;";
    assert!(!overlap(gather));
}

#[test]
fn variables_and_spaces_are_apart() {
    let body = "mov.u64 %d6, x; mov.u64 %d7, y; shl.b64 %d8, %d5, 2; add.u64 %d6, %d6, %d8;
        add.u64 %d7, %d7, %d4; st.shared.u32 [%d6], %r1; ld.shared.u32 %r2, [%d7];";
    assert!(!overlap(body));
    assert!(!overlap(
        "st.shared.u32 [x], %r1; ld.global.u32 %r2, [%d4];"
    ));
    let body = "mov.u64 %d6, x; cvta.shared.u64 %d6, %d6; st.u32 [%d6], %r1; ld.u32 %r2, [%d3];";
    assert!(!overlap(body));
}

#[test]
fn constant_distances_and_strides_tell_apart() {
    let two = |first: &str, second: &str| {
        overlap(&format!(
            "shl.b64 %d6, %d5, 4; add.u64 %d6, %d6, %d3; st.global.{first}; st.global.{second};"
        ))
    };
    assert!(!two("u32 [%d6], %r1", "u32 [%d6+4], %r1"));
    assert!(two("u32 [%d6], %r1", "u32 [%d6+3], %r1"));
    assert!(two("u32 [%d6+4], %r1", "v2.u32 [%d6], {%r1, %r1}"));
    assert!(!two("u32 [%d6+8], %r1", "v2.u32 [%d6], {%r1, %r1}"));
    // Two fields of a structure of 16 bytes, of unknown elements.
    let fields = |offset: u32| {
        overlap(&format!(
            "shl.b64 %d6, %d5, 4; add.u64 %d6, %d6, %d3; shl.b64 %d7, %d4, 4;
             add.u64 %d7, %d7, %d3; st.global.u32 [%d6], %r1; st.global.u32 [%d7+{offset}], %r1;"
        ))
    };
    assert!(!fields(4));
    assert!(fields(2));
    assert!(fields(13));
    assert!(fields(16));
}

#[test]
fn what_changes_in_a_loop_is_not_the_same_all_along() {
    let (aliases, found) = accesses(
        "mov.u64 %d6, 0;
         head: mad.lo.u64 %d7, %d6, 4, %d3; ld.global.u32 %r2, [%d7+4]; st.global.u32 [%d7], %r2;
         ld.global.u32 %r3, [%d3+40]; ld.global.u32 %r4, [%d2];
         add.u64 %d6, %d6, 1; setp.ne.u64 %p1, %d6, %d4; @%p1 bra head;",
    );
    let [load, store, fixed, other] = found[..] else {
        panic!("four accesses");
    };
    let outside = |block: u32| block == 0;
    assert!(!aliases.may_overlap(load, store));
    assert!(aliases.may_ever_overlap(load, store, outside));
    assert!(aliases.may_ever_overlap(fixed, store, outside));
    assert!(!aliases.may_ever_overlap(other, store, outside));
    assert!(aliases.is_never_written(other));
    assert!(!aliases.is_never_written(fixed));
}

#[test]
fn what_is_no_access_may_overlap_with_all() {
    let text = ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k() {
        .reg .b32 %r<4>; .shared .align 4 .b8 x[64];
        mov.u32 %r1, %tid.x; bar.sync 0; st.shared.u32 [x], %r1; ret; }";
    let mut module = parse(text).unwrap().module;
    let func = module.funcs.iter_mut().next().unwrap().1;
    let aliases = Aliases::new(func);
    let all: Vec<InstId> = points(func).map(|p| p.1).collect();
    let (barrier, store) = (all[1], all[2]);
    assert!(aliases.access(barrier).is_none() && aliases.access(store).is_some());
    assert!(aliases.may_overlap(barrier, store) && aliases.may_overlap(store, barrier));
    assert!(aliases.may_ever_overlap(barrier, store, |_| true));
}

/// A number that an address was rounded to is the address of something else, maybe.
#[test]
fn an_address_through_a_floating_point_number_is_not_followed() {
    let through = |there: &str, back: &str| {
        format!("{there} {back} ld.global.u32 %r2, [%d6]; st.global.u32 [%d3], %r2;")
    };
    assert!(!overlap(&through(
        "cvt.u32.u64 %r3, %d1;",
        "cvt.u64.u32 %d6, %r3;"
    )));
    assert!(overlap(&through(
        "cvt.rn.f32.u64 %f1, %d1;",
        "cvt.rzi.u64.f32 %d6, %f1;"
    )));
}
