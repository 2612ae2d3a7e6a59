use super::coalesce;
use crate::optimize::testing::after;

#[test]
fn a_copy_whose_source_changes_while_it_is_wanted_stays() {
    // A swap in each round: neither may be merged with both others.
    let body = "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 1;
  mov.u32 %r3, 2;
loop:
  mov.u32 %r4, %r2;
  mov.u32 %r2, %r3;
  mov.u32 %r3, %r4;
  st.shared.u32 [tile], %r2;
  setp.lt.s32 %p1, %r3, %r1;
  @%p1 bra loop;
  ret;";
    let lines = after(body, |_, f| coalesce(f));
    let copies = lines
        .iter()
        .filter(|l| l.starts_with("mov.u32 %r") && l.contains(", %r"));
    assert_eq!(copies.count(), 3, "{lines:#?}");
}

#[test]
fn copies_of_values_that_end_there_go() {
    let body = "
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %r1;
  add.s32 %r3, %r2, 1;
  mov.u32 %r4, %r3;
  st.shared.u32 [tile], %r4;
  ret;";
    let lines = after(body, |_, f| coalesce(f));
    assert_eq!(
        lines,
        [
            "ld.param.u32 %r1, [n];",
            "add.s32 %r2, %r1, 1;",
            "st.shared.u32 [tile], %r2;",
            "ret;"
        ]
    );
}

#[test]
fn registers_of_other_types_stay_apart() {
    let body = "
  ld.param.u32 %r1, [n];
  mov.b32 %f1, %r1;
  st.shared.f32 [tile], %f1;
  ret;";
    assert_eq!(after(body, |_, f| coalesce(f)).len(), 4);
}

/// A register that is written many more times than the other is touched is looked at only
/// where the other is.
#[test]
fn one_of_many_writes_while_the_other_is_wanted_is_seen() {
    let writes = "add.s32 %r2, %r2, %r1;\n".repeat(20 * super::MANY);
    for (between, copies) in [("", 0), ("st.shared.u32 [tile+4], %r3;", 1)] {
        let body = format!(
            "ld.param.u32 %r1, [n];
             add.s32 %r3, %r1, 1;
             mov.u32 %r2, %r3;
             {writes}
             {between}
             st.shared.u32 [tile], %r2;
             ret;"
        );
        let lines = after(&body, |_, f| coalesce(f));
        let found = lines.iter().filter(|l| l.starts_with("mov.u32"));
        assert_eq!(found.count(), copies, "{between}");
    }
}
