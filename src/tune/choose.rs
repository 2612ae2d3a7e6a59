//! Which candidate each nest gets.
//!
//! All nests try their first candidates in one run, then all their second ones, and so on:
//! the times of kernels tell them apart. A run that fails is done again for one nest at a
//! time, to see whose candidate it is. At the end the fastest of all nests run together,
//! and are kept if the program's kernels are faster so than as they are without tuning. When
//! the time is up ([`Budget`]), the fastest of what was tried by then are.

use super::bench::{Bench, Failed, Timed};
use super::budget::Budget;
use super::plan::TuningPlan;
use crate::run::RunError;
use std::time::Instant;

/// A candidate is chosen over the model's that is faster by more than measurements differ.
const MARGIN: f64 = 0.99;

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Tried {
    /// What one launch costs.
    Cost(f64),
    /// The kernel is not launched with these arguments.
    NotRun,
    /// It cannot be run, with the reason.
    Refused(String),
    /// Its results differ, in words.
    Wrong(String),
    /// The time was up.
    Skipped,
}

impl Tried {
    pub fn cost(&self) -> Option<f64> {
        match self {
            Tried::Cost(c) => Some(*c),
            _ => None,
        }
    }
}

/// What was found.
pub struct Choice {
    /// For each nest and candidate.
    pub tried: Vec<Vec<Tried>>,
    /// The candidate of each nest that is taken.
    pub picks: Vec<usize>,
    /// What all kernels of the program cost as the model chooses and as it was found.
    pub before: f64,
    pub after: f64,
    /// Results that differ from those of the first run, in words; there should be none.
    pub wrong: Vec<String>,
}

/// Tries all candidates.
///
/// # Errors
///
/// What keeps the program from running as the model chooses.
pub fn choose(
    plan: &TuningPlan,
    bench: &mut Bench,
    budget: &mut Budget,
) -> Result<Choice, RunError> {
    let count = plan.nests.len();
    let base = vec![0; count];
    let first = match run(plan, bench, budget, &base, "as the model chooses") {
        Ok(timed) => timed,
        Err(Failed::Error(e)) => return Err(e),
        Err(Failed::Wrong(m)) => {
            let m = format!(
                "the program as it is without tuning has other results than in the interpreter: {m}"
            );
            return Err(RunError::Usage(vec![m]));
        }
    };
    let one = |timed: &Timed, nest: usize| timed.nests[nest].map_or(Tried::NotRun, Tried::Cost);
    let mut tried: Vec<Vec<Tried>> = (0..count).map(|i| vec![one(&first, i)]).collect();
    for k in 1..plan.most() {
        let has = |i: usize| k < plan.nests[i].candidates.len();
        let of: Vec<usize> = (0..count).filter(|i| has(*i)).collect();
        let number = format!("mapping {} of {}", k + 1, plan.most());
        if !budget.allows_another() {
            for i in of {
                tried[i].push(Tried::Skipped);
            }
            continue;
        }
        let picks: Vec<usize> = (0..count).map(|i| if has(i) { k } else { 0 }).collect();
        let together = run(plan, bench, budget, &picks, &number);
        for i in of.iter().copied() {
            let result = match (&together, &of[..]) {
                (Ok(timed), _) => one(timed, i),
                (Err(e), [_]) => failed(e),
                (Err(_), _) if !budget.allows_another() => Tried::Skipped,
                (Err(_), _) => {
                    let mut alone = base.clone();
                    alone[i] = k;
                    let what = format!("{number}, {} alone", plan.nests[i].name);
                    match run(plan, bench, budget, &alone, &what) {
                        Ok(timed) => one(&timed, i),
                        Err(e) => failed(&e),
                    }
                }
            };
            tried[i].push(result);
        }
    }
    let mut wrong = Vec::new();
    for (nest, all) in plan.nests.iter().zip(&tried) {
        for (c, t) in nest.candidates.iter().zip(all) {
            if let Tried::Wrong(m) = t {
                wrong.push(format!("{}, {}: {m}", nest.name, c.mapping));
            }
        }
    }
    let mut picks: Vec<usize> = tried.iter().map(|all| fastest(all)).collect();
    let mut after = first.all;
    if picks != base {
        match run(plan, bench, budget, &picks, "the fastest together") {
            Ok(timed) if timed.all < first.all => after = timed.all,
            Ok(_) => picks = base,
            Err(Failed::Wrong(m)) => {
                wrong.push(format!("the fastest of all nests together: {m}"));
                picks = base;
            }
            Err(Failed::Error(_)) => picks = base,
        }
    }
    Ok(Choice {
        tried,
        picks,
        before: first.all,
        after,
        wrong,
    })
}

/// Runs the program with some candidate of each nest, and says so.
fn run(
    plan: &TuningPlan,
    bench: &mut Bench,
    budget: &mut Budget,
    picks: &[usize],
    what: &str,
) -> Result<Timed, Failed> {
    let start = Instant::now();
    let timed = bench.time(&plan.schedule(picks), plan.nests.len(), budget.end());
    let took = start.elapsed();
    budget.took(took);
    let said = match &timed {
        Ok(t) => format!("kernels {}", bench.words(t.all)),
        Err(Failed::Wrong(_)) => "results differ".to_string(),
        Err(Failed::Error(_)) => "refused".to_string(),
    };
    budget.say(&format!("{what}: {said}; {:.1} s", took.as_secs_f64()));
    timed
}

fn failed(e: &Failed) -> Tried {
    match e {
        Failed::Wrong(m) => Tried::Wrong(m.clone()),
        Failed::Error(e) => {
            let text = e.to_string();
            let line = text.lines().next().unwrap_or_default();
            Tried::Refused(line.trim_start_matches("error: ").to_string())
        }
    }
}

/// The place of the fastest; of the first unless another one is faster by a margin.
fn fastest(all: &[Tried]) -> usize {
    let Some(first) = all.first().and_then(Tried::cost) else {
        return 0;
    };
    let costs = all
        .iter()
        .enumerate()
        .filter_map(|(i, t)| Some((i, t.cost()?)));
    let best = costs.min_by(|a, b| a.1.total_cmp(&b.1));
    best.filter(|(_, c)| *c < MARGIN * first)
        .map_or(0, |(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_is_taken_where_it_is_faster_than_noise() {
        let cost = |n: f64| Tried::Cost(n);
        assert_eq!(fastest(&[cost(10.0), cost(9.95), cost(11.0)]), 0);
        assert_eq!(fastest(&[cost(10.0), cost(8.0), cost(7.0)]), 2);
        let refused = Tried::Refused("no".into());
        assert_eq!(fastest(&[cost(10.0), refused, cost(9.0)]), 2);
        let wrong = Tried::Wrong("A".into());
        assert_eq!(fastest(&[cost(10.0), wrong]), 0);
        assert_eq!(fastest(&[Tried::NotRun, Tried::NotRun]), 0);
        assert_eq!(fastest(&[cost(10.0), cost(8.0), Tried::Skipped]), 1);
    }
}
