//! One test for each rule, by its message.

use super::verify;
use crate::testing::{context, errors, in_func, module};

/// The errors of a function body; its first line is line 2.
#[track_caller]
fn check(body: &str, expected: &[&str]) {
    check_file(&in_func(body), expected);
}

#[track_caller]
fn check_file(text: &str, expected: &[&str]) {
    let mut ctx = context();
    ctx.config.allow_unregistered = text.contains("u.");
    let m = module(&mut ctx, text);
    let sound = verify(&ctx, m);
    let found = errors(&ctx);
    assert_eq!(found, expected, "\n{text}");
    assert_eq!(sound, expected.is_empty());
}

#[test]
fn sound_ir_passes() {
    check(
        r#"%0 = "t.const"() <{value = 1 : i32}> : () -> i32
%1 = "t.add"(%0, %0) : (i32, i32) -> i32
"t.br"(%1)[^bb1] : (i32) -> ()
^bb1(%2: i32):
"t.use"(%0, %1, %2) {t.good} : (i32, i32, i32) -> ()
"t.return"() : () -> ()"#,
        &[],
    );
}

#[test]
fn counts() {
    check(
        r#"%0 = "t.const"() <{value = 1 : index}> : () -> index
"t.add"() : () -> ()
"t.one"(%0, %0) <{n = 1 : i32}> : (index, index) -> ()
"t.two"(%0) : (index) -> ()
"t.maybe"(%0, %0) : (index, index) -> ()
"t.loop"() : () -> ()
"t.return"() ({}) : () -> ()"#,
        &[
            "3: 't.add' op requires one result",
            "3: 't.add' op expected 2 operands, but found 0",
            "4: 't.one' op requires a single operand",
            "5: 't.two' op expected 2 or more operands, but found 1",
            "6: 't.maybe' op operand group starting at #0 requires 0 or 1 element, but found 2",
            "7: 't.loop' op requires one region",
            "8: 't.return' op requires zero regions",
        ],
    );
}

#[test]
fn segment_sizes() {
    check(
        r#"%0 = "t.const"() <{value = 1 : index}> : () -> index
"t.groups"(%0) : (index) -> ()
"t.groups"(%0) <{operandSegmentSizes = array<i32: 2, -1>}> : (index) -> ()
"t.groups"(%0) <{operandSegmentSizes = array<i32: 1, 1>}> : (index) -> ()
"t.groups"(%0) <{operandSegmentSizes = array<i32: 1>}> : (index) -> ()
"t.groups"(%0) <{operandSegmentSizes = array<i32: 0, 1>}> : (index) -> ()
"t.groups"(%0) <{operandSegmentSizes = array<i32: 1, 0>}> : (index) -> ()
"t.return"() : () -> ()"#,
        &[
            "3: 't.groups' op requires dense i32 array attribute 'operandSegmentSizes'",
            "4: 't.groups' op 'operandSegmentSizes' attribute cannot have negative elements",
            "5: 't.groups' op operand count (1) does not match with the total size (2) specified \
             in attribute 'operandSegmentSizes'",
            "6: 't.groups' op 'operandSegmentSizes' attribute for specifying operand segments \
             must have 2 elements, but got 1",
            "7: 't.groups' op operand #0 must be variadic of 32-bit signless integer, but got \
             'index'",
        ],
    );
}

#[test]
fn constraints() {
    check(
        r#"%f = "t.const"() <{value = 1.0 : f32}> : () -> f32
%i = "t.const"() <{value = 1 : index}> : () -> index
"t.add"(%f, %i) : (f32, index) -> index
"t.one"(%i) : (index) -> ()
"t.one"(%i) <{n = 1 : i64}> : (index) -> ()
"t.same"(%f, %i) : (f32, index) -> ()
%c = "t.const"() <{value = 1 : i32}> : () -> i64
"t.checked"(%i) {bad} : (index) -> ()
"t.checked"(%f) {bad} : (f32) -> ()
"t.use"() {t.odd} : () -> ()
"t.return"() : () -> ()"#,
        &[
            "4: 't.add' op operand #0 must be signless-integer-like, but got 'f32'",
            "4: 't.add' op requires the same type for all operands and results",
            "5: 't.one' op requires attribute 'n'",
            "6: 't.one' op attribute 'n' failed to satisfy constraint: 32-bit signless integer \
             attribute",
            "7: 't.same' op failed to verify that all of {a, b} have same type",
            "8: 't.const' op failed to verify that all of {value, result} have same type",
            "9: 't.checked' op is marked bad",
            "10: 't.checked' op operand #0 must be index, but got 'f32'",
            "11: 't.use' op has unknown attribute 't.odd'",
        ],
    );
}

#[test]
fn elementwise() {
    let err = "all non-scalar operands/results must have the same shape and base type";
    let wrong = format!("7: 't.elem' op {err}");
    check(
        r#"%s = "u.s"() : () -> f32
%v = "u.v"() : () -> vector<4xf32>
%0 = "t.elem"(%s, %v) : (f32, vector<4xf32>) -> vector<4xi1>
%1 = "t.elem"(%s) : (f32) -> vector<4xf32>
%2 = "t.elem"(%v) : (vector<4xf32>) -> f32
%3 = "t.elem"(%v) : (vector<4xf32>) -> tensor<4xf32>
%4:2 = "t.elem"(%v) : (vector<4xf32>) -> (vector<4xf32>, f32)
"t.return"() : () -> ()"#,
        &[
            "5: 't.elem' op if a result is non-scalar, then at least one operand must be \
             non-scalar",
            "6: 't.elem' op if an operand is non-scalar, then there must be at least one \
             non-scalar result",
            &wrong,
            "8: 't.elem' op if an operand is non-scalar, then all results must be non-scalar",
        ],
    );
}

#[test]
fn regions_and_terminators() {
    let mut ctx = context();
    let text = in_func(
        r#""t.loop"() ({
  "t.use"() : () -> ()
}) : () -> ()
"t.loop"() ({
^bb0:
}) : () -> ()
"t.noargs"() ({
^bb0(%a: i32):
  "t.use"() : () -> ()
}) : () -> ()
"t.yield"() : () -> ()
"t.use"() : () -> ()"#,
    );
    let m = module(&mut ctx, &text);
    // Take out terminators that the parser may have put in.
    for l in m.find_all::<crate::testing::Loop>(&ctx) {
        let l = crate::opdef::OpKind::op(l);
        if let Some(y) = l
            .body(&ctx, 0)
            .last_op(&ctx)
            .filter(|o| o.name(&ctx) == "t.yield")
        {
            y.erase(&mut ctx);
        }
    }
    assert!(!verify(&ctx, m));
    assert_eq!(
        errors(&ctx),
        [
            "3: block with no terminator, has \"t.use\"() : () -> ()",
            "2: 't.loop' op expects regions to end with 't.yield', found 't.use'",
            "note 2: in custom textual format, the absence of terminator implies 't.yield'",
            "5: 't.loop' op expects a non-empty block",
            "5: empty block: expect at least a terminator",
            "8: 't.noargs' op region should have no arguments",
            "12: 't.yield' op expects parent op to be one of 't.loop, t.noargs'",
            "12: 't.yield' op must be the last operation in the parent block",
            "13: block with no terminator, has \"t.use\"() : () -> ()",
        ]
    );
}

#[test]
fn graph_regions_have_one_block_and_no_order() {
    check(
        r#"%d = "t.const"() <{value = 1 : i32}> : () -> i32
"t.graph"() ({
  "t.use"(%x) : (i32) -> ()
  %x = "t.add"(%x, %d) : (i32, i32) -> i32
}) : () -> ()
"t.graph"() ({
  "t.return"() : () -> ()
^bb1:
  "t.return"() : () -> ()
}) : () -> ()
"t.return"() : () -> ()"#,
        &[
            "7: 't.graph' op expects graph region #0 to have 0 or 1 blocks",
            "8: 't.return' op expects parent op 't.func'",
            "10: 't.return' op expects parent op 't.func'",
        ],
    );
}

#[test]
fn branches() {
    check(
        r#"%c = "t.const"() <{value = true}> : () -> i1
%i = "t.const"() <{value = 1 : i32}> : () -> i32
"t.cond_br"(%c, %i, %c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i1) -> ()
^bb1(%x: i64):
"t.br"(%x)[^bb3] : (i64) -> ()
^bb2(%y: i1):
"t.br"()[^bb3] : () -> ()
"t.use"() : () -> ()
"t.return"() : () -> ()
^bb3:
"t.return"() : () -> ()"#,
        &[
            "4: type mismatch for bb argument #0 of successor #0",
            "6: branch has 1 operands for successor #0, but target block has 0",
            "8: operation with block successors must terminate its parent block",
            "8: 't.br' op must be the last operation in the parent block",
        ],
    );
}

/// Text cannot say it, since labels are those of a region; a rewrite that moves blocks can
/// leave it.
#[test]
fn branches_stay_in_their_region() {
    let text = in_func(
        "\"t.br\"()[^bb1] : () -> ()\n^bb1:\n\"t.noargs\"() ({\n\"t.br\"()[^bb3] : () -> ()\n\
         ^bb3:\n\"t.yield\"() : () -> ()\n}) : () -> ()\n\"t.return\"() : () -> ()",
    );
    let mut ctx = context();
    let m = module(&mut ctx, &text);
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
    let outer = crate::testing::find(&ctx, m, "t.br");
    let around = outer.successor(&ctx, 0);
    let region = crate::testing::find(&ctx, m, "t.noargs").regions(&ctx)[0];
    let inner = region.entry(&ctx).and_then(|b| b.last_op(&ctx)).unwrap();
    let inside = inner.successor(&ctx, 0);
    for (op, to, line) in [(inner, around, 5), (outer, inside, 2)] {
        let before = op.successor(&ctx, 0);
        op.set_successor(&ctx, 0, to);
        assert!(!verify(&ctx, m));
        let expected = format!("{line}: 't.br' op branching to block of a different region");
        let found = errors(&ctx);
        assert!(found.contains(&expected), "no '{expected}' in {found:?}");
        op.set_successor(&ctx, 0, before);
    }
}

#[test]
fn entry_blocks_have_no_predecessors() {
    check(
        "\"t.br\"()[^bb1] : () -> ()\n^bb1:\n\"t.br\"()[^bb1] : () -> ()",
        &[],
    );
    check(
        "^bb0:\n\"t.br\"()[^bb0] : () -> ()",
        &["1: entry block of region may not have predecessors"],
    );
}

#[test]
fn dominance() {
    check(
        r#""t.use"(%z) : (i32) -> ()
%z = "t.const"() <{value = 1 : i32}> : () -> i32
%c = "t.const"() <{value = true}> : () -> i1
"t.cond_br"(%c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^bb1:
%y = "t.add"(%z, %z) : (i32, i32) -> i32
"t.br"()[^bb2] : () -> ()
^bb2:
"t.use"(%y) : (i32) -> ()
"t.use"(%z) : (i32) -> ()
"t.loop"() ({
  "t.use"(%y, %z) : (i32, i32) -> ()
  "t.use"(%w) : (i32) -> ()
  "t.yield"() : () -> ()
}) : () -> ()
%w = "t.add"(%z, %z) : (i32, i32) -> i32
"t.return"() : () -> ()
^bb3:
"t.use"(%dead) : (i32) -> ()
%dead = "t.add"(%dead, %y) : (i32, i32) -> i32
"t.return"() : () -> ()"#,
        &[
            "2: operand #0 does not dominate this use",
            "note 3: operand defined here (op in the same block)",
            "10: operand #0 does not dominate this use",
            "note 7: operand defined here (op in the same region)",
            "13: operand #0 does not dominate this use",
            "note 7: operand defined here (op in a parent region)",
            "14: operand #0 does not dominate this use",
            "note 17: operand defined here (op in a parent region)",
        ],
    );
}

#[test]
fn dominance_of_block_arguments_and_loops() {
    // The loop header's argument is seen in the body, which comes earlier in text.
    check(
        r#"%i = "t.const"() <{value = 1 : i32}> : () -> i32
"t.br"(%i)[^head] : (i32) -> ()
^body:
%n = "t.add"(%a, %i) : (i32, i32) -> i32
"t.br"(%n)[^head] : (i32) -> ()
^exit:
"t.use"(%a) : (i32) -> ()
"t.return"() : () -> ()
^head(%a: i32):
%c = "t.const"() <{value = true}> : () -> i1
"t.cond_br"(%c)[^body, ^exit] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()"#,
        &[],
    );
    check(
        r#"%c = "t.const"() <{value = true}> : () -> i1
"t.cond_br"(%c, %c)[^bb1, ^bb2] <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i1, i1) -> ()
^bb1(%a: i1):
"t.br"()[^bb2] : () -> ()
^bb2:
"t.use"(%a) : (i1) -> ()
"t.return"() : () -> ()"#,
        &[
            "7: operand #0 does not dominate this use",
            "note 1: operand defined as a block argument (block #1 in the same region)",
        ],
    );
}

#[test]
fn isolation() {
    let mut ctx = context();
    let m = module(
        &mut ctx,
        r#"%o = "t.const"() <{value = 1 : i32}> : () -> i32
"t.func"() <{sym_name = "f", function_type = () -> ()}> ({
  %i = "t.const"() <{value = 1 : i32}> : () -> i32
  "t.loop"() ({
    "t.use"(%i) : (i32) -> ()
    "t.yield"() : () -> ()
  }) : () -> ()
  "t.return"() : () -> ()
}) : () -> ()"#,
    );
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
    let outside = m.body(&ctx, 0).first_op(&ctx).unwrap().result(&ctx, 0);
    let user = crate::testing::find(&ctx, m, "t.use");
    // The text cannot say this: isolated regions do not see outer names.
    user.set_operand(&ctx, 0, outside);
    assert!(!verify(&ctx, m));
    assert_eq!(
        errors(&ctx),
        [
            "5: 't.use' op using value defined outside the region",
            "note 2: required by region isolation constraints",
        ]
    );
}

#[test]
fn symbols() {
    check_file(
        r#""t.func"() <{sym_name = "a", function_type = () -> ()}> ({
  "t.call"() <{callee = @a}> : () -> ()
  "t.call"() <{callee = @nothing}> : () -> ()
  "t.func"() <{sym_name = "inner", function_type = () -> ()}> ({
    "t.return"() : () -> ()
  }) : () -> ()
  "t.return"() : () -> ()
}) : () -> ()
"t.func"() <{sym_name = "a", function_type = () -> ()}> ({
  "t.return"() : () -> ()
}) : () -> ()
"t.func"() <{sym_name = "d", function_type = () -> ()}> ({}) : () -> ()
"t.func"() <{sym_name = "e", function_type = () -> ()}> ({}) {sym_visibility = "private"} : () -> ()
"t.func"() <{sym_name = "g", function_type = () -> ()}> ({}) {sym_visibility = "odd"} : () -> ()
"t.func"() <{sym_name = "h", function_type = (i32) -> ()}> ({
^bb0:
  "t.return"() : () -> ()
}) : () -> ()
"t.func"() <{sym_name = "i", function_type = (i32) -> ()}> ({
^bb0(%x: i64):
  "t.return"() : () -> ()
}) : () -> ()"#,
        &[
            "4: 't.func' op symbol's parent must have the SymbolTable trait",
            "12: 't.func' op symbol declaration cannot have public visibility",
            "14: 't.func' op visibility expected to be one of [\"public\", \"private\", \
             \"nested\"], but got \"odd\"",
            "15: 't.func' op entry block must have 1 arguments to match function signature",
            "19: 't.func' op type of entry block argument #0('i64') must match the type of the \
             corresponding argument in function signature('i32')",
            "9: redefinition of symbol named 'a'",
            "note 1: see existing symbol definition here",
            "3: @nothing does not reference a valid function",
        ],
    );
}

#[test]
fn unregistered_ops() {
    let mut ctx = context();
    ctx.config.allow_unregistered = true;
    let m = module(&mut ctx, "\"x.y\"() : () -> ()");
    assert!(verify(&ctx, m));
    ctx.config.allow_unregistered = false;
    assert!(!verify(&ctx, m));
    let e = errors(&ctx);
    assert!(
        e[0].starts_with("1: 'x.y' op created with unregistered dialect."),
        "{e:?}"
    );
    ctx.config.allow_unregistered = true;
    let m = module(&mut ctx, "\"t.unknown\"() : () -> ()");
    ctx.config.allow_unregistered = false;
    assert!(!verify(&ctx, m));
    assert_eq!(
        errors(&ctx),
        [
            "1: unregistered operation 't.unknown' found in dialect ('t') that does not allow \
          unknown operations"
        ]
    );
}

#[test]
fn first_error_of_each_function_only() {
    let mut ctx = context();
    ctx.config.first_error_only = true;
    let f = |name: &str| {
        format!(
            "\"t.func\"() <{{sym_name = \"{name}\", function_type = () -> ()}}> ({{\n\
             \"t.use\"(%x) : (i32) -> ()\n\
             \"t.add\"() : () -> ()\n\
             \"t.add\"() : () -> ()\n\
             %x = \"t.const\"() <{{value = 1 : i32}}> : () -> i32\n\
             \"t.call\"() <{{callee = @nothing}}> : () -> ()\n\
             \"t.return\"() : () -> ()\n}}) : () -> ()\n"
        )
    };
    let m = module(&mut ctx, &(f("a") + &f("b")));
    assert!(!verify(&ctx, m));
    assert_eq!(
        errors(&ctx),
        [
            "3: 't.add' op requires one result",
            "11: 't.add' op requires one result"
        ]
    );
}

#[test]
fn a_lone_op_may_use_values_from_outside() {
    let mut ctx = context();
    let m = module(
        &mut ctx,
        &in_func(
            "%0 = \"t.const\"() <{value = 1 : i32}> : () -> i32\n\
             \"t.loop\"() ({\n\"t.use\"(%0) : (i32) -> ()\n\"t.yield\"() : () -> ()\n}) : () -> ()\n\
             \"t.return\"() : () -> ()",
        ),
    );
    let l = crate::testing::find(&ctx, m, "t.loop");
    assert!(verify(&ctx, l), "{:?}", errors(&ctx));
}

#[test]
fn reused_arena_slots_do_not_confuse_dominance() {
    let mut ctx = context();
    let body = "%0 = \"t.const\"() <{value = 1 : i32}> : () -> i32\n\
                \"t.use\"(%0) : (i32) -> ()\n\"t.return\"() : () -> ()";
    for _ in 0..3 {
        let m = module(&mut ctx, &in_func(body));
        assert!(verify(&ctx, m), "{:?}", errors(&ctx));
        m.erase(&mut ctx);
    }
    let m = module(&mut ctx, &in_func(body));
    assert!(verify(&ctx, m), "{:?}", errors(&ctx));
}
