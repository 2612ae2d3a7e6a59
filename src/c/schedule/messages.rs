//! Schedules in words.

use super::{Spot, StepInput};
use crate::dialects::{affine, memref, scf};
use crate::ir::diag::{Diagnostic, Severity};
use crate::ir::{Context, Op};
use crate::passes::analysis::loop_names::iv_names;
use crate::passes::region::notes::{LoopNote, Reason, Verdict};
use terrace_c::directive::schedule::StepWord;

/// A loop's counter, quoted.
pub fn name(ctx: &Context, l: Op) -> String {
    format!("`{}`", iv_names(ctx, l).join(", "))
}

/// What a step is about to do to each of its loops.
pub fn done(ctx: &Context, s: &StepInput, loops: &[Op]) -> Vec<Reason> {
    let number = |i: usize| s.numbers.get(i).copied().unwrap_or(1);
    let names: Vec<String> = loops.iter().map(|l| iv_names(ctx, *l).join(", ")).collect();
    let text = |i: usize| -> Option<String> {
        let v = &names[i];
        let n = number(0);
        Some(match s.word {
            StepWord::Tile => format!(
                "the loop over {v} is cut into tiles of {}, which the loop over {v}_tile goes \
                 through",
                number(i)
            ),
            StepWord::StripMine => format!(
                "the loop over {v} is cut into strips of {n}, which the loop over {v}_tile goes \
                 through"
            ),
            StepWord::Interchange if i == 0 => {
                format!("the loops are nested in the order {}", names.join(", "))
            }
            StepWord::Unroll if s.numbers.is_empty() => {
                format!("the loop over {v} is unrolled, with a copy of its body for each iteration")
            }
            StepWord::Unroll => format!("the loop over {v} is unrolled {n} times"),
            StepWord::UnrollJam => {
                format!("the loop over {v} is unrolled {n} times, in the loops inside it too")
            }
            StepWord::Fuse if i == 0 => {
                format!("the loops over {} become one", names.join(" and "))
            }
            StepWord::Distribute => {
                let parts = s.numbers.len() + 1;
                format!(
                    "the loop over {v} becomes {parts} loops, {v}_0 and so on, each for a part of its body"
                )
            }
            StepWord::Skew if i == 1 => {
                format!("the loop over {v} is skewed by {n} times {}", names[0])
            }
            StepWord::Reverse => format!("the loop over {v} runs from its end to its start"),
            StepWord::Shift => format!("the numbers of the loop over {v} are shifted by {n}"),
            StepWord::Coalesce if i == 0 => {
                format!("the loops over {} become one", names.join(", "))
            }
            StepWord::PeelFront => format!(
                "the first {n} iterations of the loop over {v} are a loop of their own, over \
                 {v}_peeled"
            ),
            StepWord::PeelBack => format!(
                "the last {n} iterations of the loop over {v} are a loop of their own, over \
                 {v}_peeled"
            ),
            StepWord::Split => format!(
                "the loop over {v} is split at {n}, into loops over {v}_below and {v}_above"
            ),
            StepWord::Parallel => format!("the loop over {v} has to be parallel"),
            _ => return None,
        })
    };
    let mut out = Vec::new();
    for (i, l) in loops.iter().enumerate() {
        if let Some(t) = text(i) {
            let t = format!("{t} (`{}`)", s.text);
            out.push(Reason::new(ctx.diag_loc(l.loc(ctx)), t));
        }
    }
    out
}

/// Why a step was not done, at the word that asks for it.
pub fn refused(s: &StepInput, said: Vec<Diagnostic>) -> Diagnostic {
    let word = s.word.spelling();
    let first = said.into_iter().find(|d| d.severity == Severity::Error);
    let Some(d) = first else {
        return s.spot.error(format!("`{word}` cannot be done"));
    };
    let message = match d.message.split_once("' op ") {
        Some((_, rest)) => rest,
        None => &d.message,
    };
    let mut error = s.spot.error(format!("`{word}` {}", in_c(message)));
    error.notes = d.notes.into_iter().map(|(at, m)| (at, in_c(&m))).collect();
    error
}

/// A message without the names of ops.
fn in_c(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some((before, quoted)) = rest.split_once('\'') {
        out.push_str(before);
        let Some((inside, after)) = quoted.split_once('\'') else {
            out.push('\'');
            out.push_str(quoted);
            return out;
        };
        let is_op = inside.contains('.')
            && inside
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'_');
        match inside {
            affine::ForOp::NAME
            | scf::ForOp::NAME
            | scf::WhileOp::NAME
            | affine::ParallelOp::NAME => {
                out.push_str("another loop");
            }
            affine::IfOp::NAME | scf::IfOp::NAME => out.push_str("a condition"),
            affine::StoreOp::NAME | memref::StoreOp::NAME => out.push_str("an assignment"),
            affine::LoadOp::NAME | memref::LoadOp::NAME => out.push_str("a read of memory"),
            _ if is_op => out.push_str("other work"),
            _ => out.push_str(&format!("'{inside}'")),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// A loop was to be parallel and is not.
pub fn not_parallel(spot: &Spot, text: &str, l: &LoopNote) -> Diagnostic {
    let what = match l.variable.as_str() {
        "" => "the loop".to_string(),
        v => format!("the loop over {v}"),
    };
    let mut notes = Vec::new();
    let why = match &l.verdict {
        Verdict::Sequential(all) => match all.first() {
            Some(d) => {
                notes.push((d.from.place.clone(), d.from.text.clone()));
                let later = match d.distance.as_str() {
                    "" => String::new(),
                    far => format!(", {far} later"),
                };
                notes.push((d.to.place.clone(), format!("{}{later}", d.to.text)));
                d.meaning.clone()
            }
            None => "it runs in order".to_string(),
        },
        Verdict::Directive(why) => why.clone(),
        Verdict::Unknown(all) => match all.first() {
            Some(r) => {
                notes.push((r.place.clone(), r.text.clone()));
                "it is not known whether its iterations depend on each other".to_string()
            }
            None => "it is not known whether its iterations depend on each other".to_string(),
        },
        Verdict::Parallel(_) => String::new(),
    };
    let mut d = spot.error(format!(
        "`{text}` is not legal: {what} runs in order: {why}"
    ));
    d.notes.push((l.place.clone(), "this loop".to_string()));
    d.notes.extend(notes);
    d
}

#[cfg(test)]
mod tests {
    use super::in_c;

    #[test]
    fn ops_have_names_of_c() {
        for (op, word) in [
            ("affine.for", "another loop"),
            ("scf.if", "a condition"),
            ("memref.store", "an assignment"),
            ("affine.load", "a read of memory"),
            ("math.sqrt", "other work"),
        ] {
            let said = in_c(&format!("cannot move over '{op}' in loop 'i'"));
            assert_eq!(said, format!("cannot move over {word} in loop 'i'"));
        }
    }
}
