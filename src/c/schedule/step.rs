//! Steps of a directive as steps of the `schedule` dialect.

use super::{Applied, ScheduleInput, StepInput, find, messages};
use crate::dialects::attributes::ACC_LOOP;
use crate::dialects::attributes::OFFLOAD_PARALLEL;
use crate::dialects::schedule::SequenceOp;
use crate::ir::diag::Diagnostic;
use crate::ir::text::parser::{Source, parse};
use crate::ir::{Attr, Context, Op, verify};
use crate::passes::analysis::loop_names::place_of;
use crate::passes::region::Loop;
use crate::passes::region::notes::Reason;
use crate::passes::schedule::apply::{self as engine, Options};
use terrace_c::directive::schedule::StepWord;

/// Does the steps one after another.
///
/// # Errors
///
/// The first step that cannot be done; those before it are done.
pub fn apply(
    ctx: &mut Context,
    function: Op,
    input: &ScheduleInput,
    steps: &[StepInput],
    applied: &mut Applied,
) -> Result<(), Vec<Diagnostic>> {
    for s in steps {
        let mut loops = Vec::new();
        let mut errors = Vec::new();
        for l in &s.loops {
            match find::find(ctx, function, input, l) {
                Ok(op) if loops.contains(&op) => {
                    let m = format!("`{}` is named twice", l.name);
                    errors.push(l.spot.error(m));
                }
                Ok(op) => loops.push(op),
                Err(e) => errors.push(e),
            }
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let what = messages::done(ctx, s, &loops);
        if s.word == StepWord::Parallel {
            let number = ctx.i64_attr(i64::try_from(applied.parallel.len()).unwrap_or(i64::MAX));
            for l in &loops {
                l.set_attr(ctx, OFFLOAD_PARALLEL, number);
            }
            applied.parallel.push((s.spot.clone(), s.text.clone()));
        } else {
            let mut changed = loops.clone();
            if s.word == StepWord::UnrollJam {
                // The loops inside get the work of several iterations, too.
                for l in &loops {
                    changed.extend(l.pre_order(ctx));
                }
            }
            let gone = clauses_gone(ctx, &changed);
            one(ctx, function, s, &loops).map_err(|d| vec![d])?;
            applied.steps.extend(gone);
        }
        applied.steps.extend(what);
    }
    Ok(())
}

/// Takes the clauses off loops that a step changes, and off those that collapse them:
/// they were said of the loop as it is written.
fn clauses_gone(ctx: &Context, loops: &[Op]) -> Vec<Reason> {
    let mut out = Vec::new();
    for l in loops.iter().filter(|l| Loop::of(ctx, **l).is_some()) {
        let mut distance = 0;
        let mut at = Some(*l);
        while let Some(op) = at {
            if Loop::of(ctx, op).is_some() {
                if let Some(clauses) = op.attr(ctx, ACC_LOOP)
                    && (distance == 0 || collapse(ctx, clauses) > distance)
                {
                    op.remove_attr(ctx, ACC_LOOP);
                    let text = "the clauses of the directive on it give way to the schedule";
                    out.push(Reason::new(ctx.diag_loc(op.loc(ctx)), text));
                }
                distance += 1;
            }
            at = op.parent(ctx);
        }
    }
    out
}

/// How many loops the clauses of a loop are for.
fn collapse(ctx: &Context, clauses: Attr) -> i64 {
    let entries = clauses.as_dict(ctx).unwrap_or_default();
    let found = entries.iter().find(|(k, _)| ctx.str(*k) == "collapse");
    found.and_then(|(_, a)| a.as_i64(ctx)).unwrap_or(1)
}

/// Does one step.
fn one(ctx: &mut Context, function: Op, s: &StepInput, loops: &[Op]) -> Result<(), Diagnostic> {
    let fault = |m: &str| s.spot.error(format!("`{}` {m}", s.word.spelling()));
    let (loops, body) = operation(ctx, s, loops)?;
    let mut text = String::from("schedule.sequence @steps {\n");
    for (i, l) in loops.iter().enumerate() {
        let Some(place) = place_of(ctx, function, *l) else {
            return Err(fault("is for a loop that is not in the region"));
        };
        let place: Vec<String> = place.iter().map(i64::to_string).collect();
        text.push_str(&format!(
            "  %l{i} = schedule.find_loop {{nest = [{}]}} : !schedule.loop\n",
            place.join(", ")
        ));
    }
    text.push_str(&format!("  {body}\n}}\n"));
    let earlier = ctx.take_diagnostics();
    let holder = parse(ctx, &Source::new("<schedule>", &text));
    let done = holder.is_some_and(|h| {
        let verified = verify::verify(ctx, h);
        let sequences = h.find_all::<SequenceOp>(ctx);
        let applied = verified
            && sequences
                .into_iter()
                .all(|q| engine::apply(ctx, q, function, &Options::default()).is_ok());
        h.erase(ctx);
        applied
    });
    let said = ctx.take_diagnostics();
    ctx.restore_diagnostics(earlier);
    match done {
        true => Ok(()),
        false => Err(messages::refused(s, said)),
    }
}

/// The step in the dialect's words, and the loops that it is for, which are `%l0` and
/// so on in it.
fn operation(ctx: &Context, s: &StepInput, loops: &[Op]) -> Result<(Vec<Op>, String), Diagnostic> {
    let n = loops.len();
    let number = |i: usize| s.numbers.get(i).copied().unwrap_or(1);
    let list = |l: &[i64]| {
        let l: Vec<String> = l.iter().map(i64::to_string).collect();
        format!("[{}]", l.join(", "))
    };
    let first = || vec![loops[0]];
    Ok(match s.word {
        StepWord::Tile => {
            nested(ctx, s, loops)?;
            let text = format!(
                "%t:{} = schedule.tile %l0 sizes {}",
                2 * n,
                list(&s.numbers)
            );
            (first(), text)
        }
        StepWord::StripMine => {
            let text = format!("%t:2 = schedule.strip_mine %l0 by {}", number(0));
            (first(), text)
        }
        StepWord::Interchange => {
            let mut band = loops.to_vec();
            band.sort_by_key(|l| depth(ctx, *l));
            nested(ctx, s, &band)?;
            let place = |l: &Op| band.iter().position(|b| b == l).unwrap_or(0) as i64;
            let order: Vec<i64> = loops.iter().map(place).collect();
            let text = format!("%t:{n} = schedule.permute %l0 order {}", list(&order));
            (vec![band[0]], text)
        }
        StepWord::Unroll => match s.numbers.first() {
            Some(n) => (first(), format!("%t = schedule.unroll %l0 by {n}")),
            None => (first(), "schedule.unroll %l0 full".to_string()),
        },
        StepWord::UnrollJam => {
            let text = format!("%t = schedule.unroll_jam %l0 by {}", number(0));
            (first(), text)
        }
        StepWord::Fuse => (loops.to_vec(), "%t = schedule.fuse %l0, %l1".to_string()),
        StepWord::Distribute => {
            let text = format!(
                "%t:{} = schedule.distribute %l0 at {}",
                s.numbers.len() + 1,
                list(&s.numbers)
            );
            (first(), text)
        }
        StepWord::Skew => {
            let text = format!("%t:2 = schedule.skew %l0, %l1 by {}", number(0));
            (loops.to_vec(), text)
        }
        StepWord::Reverse => (first(), "%t = schedule.reverse %l0".to_string()),
        StepWord::Shift => {
            let text = format!("%t = schedule.shift %l0 by {}", number(0));
            (first(), text)
        }
        StepWord::Coalesce => {
            nested(ctx, s, loops)?;
            (first(), format!("%t = schedule.coalesce %l0 depth {n}"))
        }
        StepWord::PeelFront => {
            let text = format!("%t:2 = schedule.peel %l0 front {}", number(0));
            (first(), text)
        }
        StepWord::PeelBack => {
            let text = format!("%t:2 = schedule.peel %l0 back {}", number(0));
            (first(), text)
        }
        StepWord::Split => {
            let text = format!("%t:2 = schedule.split %l0 at {}", number(0));
            (first(), text)
        }
        // Done without the dialect.
        StepWord::Parallel => (Vec::new(), String::new()),
    })
}

fn depth(ctx: &Context, l: Op) -> usize {
    std::iter::successors(l.parent(ctx), |o| o.parent(ctx)).count()
}

/// Checks that each of the loops is the next one inside the one before it.
fn nested(ctx: &Context, s: &StepInput, loops: &[Op]) -> Result<(), Diagnostic> {
    for pair in loops.windows(2) {
        if pair[1].parent(ctx) == Some(pair[0]) {
            continue;
        }
        let (outer, inner) = (messages::name(ctx, pair[0]), messages::name(ctx, pair[1]));
        let swapped = pair[0].parent(ctx) == Some(pair[1]);
        let m = match swapped {
            true => format!(
                "`{}` takes its loops from the outside in, and the loop over {outer} is in that \
                 over {inner}",
                s.word.spelling()
            ),
            false => format!(
                "`{}` takes loops that are directly inside one another, and the loop over {inner} \
                 is not directly in that over {outer}",
                s.word.spelling()
            ),
        };
        let mut d = s.spot.error(m);
        for (l, n) in [(pair[0], outer), (pair[1], inner)] {
            d.notes
                .push((ctx.diag_loc(l.loc(ctx)), format!("the loop over {n}")));
        }
        return Err(d);
    }
    Ok(())
}
