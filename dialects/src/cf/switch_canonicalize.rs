//! Patterns of `cf.switch`.

use super::canonicalize::{past_empty_block, replace_with_branch, single_predecessor};
use super::{SwitchCase, SwitchOp};
use terrace_ir::num::Int;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Op, OpKind};

pub(super) fn patterns(set: &mut PatternSet) {
    set.add::<SwitchOp>(only_default);
    set.add::<SwitchOp>(cases_like_default);
    set.add::<SwitchOp>(constant_flag);
    set.add::<SwitchOp>(past_empty_blocks);
    set.add::<SwitchOp>(same_flag_as_predecessor);
}

fn to_default(rw: &mut Rewriter, op: Op) -> bool {
    let s = SwitchOp::wrap(op);
    let (dest, operands) = (s.default_dest(rw.ctx), s.default_operands(rw.ctx));
    replace_with_branch(rw, op, dest, &operands);
    true
}

/// Take the way of a flag known to be `value`.
fn take_case(rw: &mut Rewriter, op: Op, value: &Int) -> bool {
    let cases = SwitchOp::wrap(op).cases(rw.ctx);
    match cases.into_iter().find(|c| c.value == *value) {
        Some(c) => {
            replace_with_branch(rw, op, c.dest, &c.operands);
            true
        }
        None => to_default(rw, op),
    }
}

fn with_cases(rw: &mut Rewriter, op: Op, cases: &[SwitchCase]) {
    let s = SwitchOp::wrap(op);
    let (flag, dest) = (s.flag(rw.ctx), s.default_dest(rw.ctx));
    let operands = s.default_operands(rw.ctx);
    SwitchOp::build(rw, flag, (dest, &operands), cases);
    rw.erase(op);
}

fn only_default(rw: &mut Rewriter, op: Op) -> bool {
    op.num_successors(rw.ctx) == 1 && to_default(rw, op)
}

fn cases_like_default(rw: &mut Rewriter, op: Op) -> bool {
    let s = SwitchOp::wrap(op);
    let (dest, operands) = (s.default_dest(rw.ctx), s.default_operands(rw.ctx));
    let mut cases = s.cases(rw.ctx);
    let before = cases.len();
    cases.retain(|c| c.dest != dest || c.operands != operands);
    if cases.len() == before {
        return false;
    }
    with_cases(rw, op, &cases);
    true
}

fn constant_flag(rw: &mut Rewriter, op: Op) -> bool {
    let flag = SwitchOp::wrap(op).flag(rw.ctx);
    let value = rw
        .ctx
        .constant_of(flag)
        .and_then(|a| a.as_int(rw.ctx).cloned());
    value.is_some_and(|v| take_case(rw, op, &v))
}

fn past_empty_blocks(rw: &mut Rewriter, op: Op) -> bool {
    let s = SwitchOp::wrap(op);
    let mut changed = false;
    let mut cases = s.cases(rw.ctx);
    for c in &mut cases {
        if let Some((dest, operands)) = past_empty_block(rw.ctx, c.dest, &c.operands) {
            (c.dest, c.operands) = (dest, operands);
            changed = true;
        }
    }
    let (mut dest, mut operands) = (s.default_dest(rw.ctx), s.default_operands(rw.ctx));
    if let Some((d, o)) = past_empty_block(rw.ctx, dest, &operands) {
        (dest, operands) = (d, o);
        changed = true;
    }
    if changed {
        let flag = s.flag(rw.ctx);
        SwitchOp::build(rw, flag, (dest, &operands), &cases);
        rw.erase(op);
    }
    changed
}

/// A switch over the same flag led here, so the flag is known, or some of its values
/// are ruled out.
fn same_flag_as_predecessor(rw: &mut Rewriter, op: Op) -> bool {
    let s = SwitchOp::wrap(op);
    let Some(here) = op.block(rw.ctx) else {
        return false;
    };
    let Some(before) = single_predecessor(rw.ctx, here) else {
        return false;
    };
    let earlier = before
        .terminator(rw.ctx)
        .and_then(|t| t.cast::<SwitchOp>(rw.ctx));
    let Some(earlier) = earlier.filter(|e| e.op() != op) else {
        return false;
    };
    if earlier.flag(rw.ctx) != s.flag(rw.ctx) {
        return false;
    }
    let taken = earlier.cases(rw.ctx);
    if let Some(c) = taken.iter().find(|c| c.dest == here) {
        return take_case(rw, op, &c.value);
    }
    // Here by default: the values of the other cases do not occur.
    let mut cases = s.cases(rw.ctx);
    let all = cases.len();
    cases.retain(|c| taken.iter().all(|t| t.value != c.value));
    if cases.len() == all {
        return false;
    }
    with_cases(rw, op, &cases);
    true
}
