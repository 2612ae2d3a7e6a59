//! What `terrace tune` prints.

use super::bench::Bench;
use super::choose::{Choice, Tried};
use super::plan::TuningPlan;
use crate::run::source::ProgramText;

/// A line about what was found, which whoever uses the schedule is told.
pub fn summary(found: &Choice, bench: &Bench) -> String {
    let device = bench.device_name();
    let (before, after) = (bench.words(found.before), bench.words(found.after));
    match found.picks.iter().all(|p| *p == 0) {
        true => format!("by terrace tune on {device}: as the model chooses, kernels {before}"),
        false => format!("by terrace tune on {device}: kernels {after} instead of {before}"),
    }
}

/// The table of all candidates, what is kept, and what went wrong.
pub fn table(
    source: &ProgramText,
    about: &[String],
    plan: &TuningPlan,
    found: &Choice,
    bench: &Bench,
    (kept, limit): (bool, &str),
) -> String {
    let mut out = format!(
        "{}: {} on {}\n",
        source.name,
        about.join(" "),
        bench.device_name()
    );
    let measured = match bench.unit() {
        "us" => "measured us".to_string(),
        unit => unit.to_string(),
    };
    let head = ["nest", "mapping", "predicted us", &measured, ""].map(String::from);
    let mut rows = vec![head];
    for ((nest, tried), pick) in plan.nests.iter().zip(&found.tried).zip(&found.picks) {
        for (i, (c, t)) in nest.candidates.iter().zip(tried).enumerate() {
            let said = match t {
                Tried::Cost(c) if bench.unit() == "us" => format!("{c:.2}"),
                Tried::Cost(c) => format!("{c:.0}"),
                Tried::NotRun => "not run".into(),
                Tried::Refused(_) => "refused".into(),
                Tried::Wrong(_) => "wrong".into(),
                Tried::Skipped => "not tried".into(),
            };
            let mut marks: Vec<String> = Vec::new();
            if i == *pick {
                marks.push("chosen".into());
            }
            if let (0, Some((rank, of))) = (i, rank(tried)) {
                marks.push(format!(
                    "the model's choice, number {rank} of {of} measured"
                ));
            }
            if let Tried::Refused(m) | Tried::Wrong(m) = t {
                marks.push(m.clone());
            }
            rows.push([
                if i == 0 {
                    nest.name.clone()
                } else {
                    String::new()
                },
                c.mapping.clone(),
                c.us.map_or("-".into(), |us| format!("{us:.2}")),
                said,
                marks.join("; "),
            ]);
        }
    }
    let width = |k: usize| rows.iter().map(|r| r[k].chars().count()).max().unwrap_or(0);
    let [a, b, c, d] = [0, 1, 2, 3].map(width);
    for [nest, mapping, predicted, measured, marks] in &rows {
        let line = format!("{nest:<a$}  {mapping:<b$}  {predicted:>c$}  {measured:>d$}  {marks}");
        out.push_str(line.trim_end());
        out.push('\n');
    }
    for w in &found.wrong {
        out.push_str(&format!("results differ: {w}\n"));
    }
    let rest = (found.tried.iter().flatten())
        .filter(|t| **t == Tried::Skipped)
        .count();
    if rest > 0 {
        out.push_str(&format!(
            "the time was up ({limit}): {rest} mappings were not tried\n"
        ));
    }
    out.push_str(&format!(
        "kernels {} as the model chooses, {} as it was found\n",
        bench.words(found.before),
        bench.words(found.after)
    ));
    out.push_str(match kept {
        true => "kept for terrace run and terrace compile\n",
        false => "not kept: there is no cache, or it cannot be written\n",
    });
    out
}

/// Which place the first of some candidates has among those that were measured, and how many
/// these are.
fn rank(tried: &[Tried]) -> Option<(usize, usize)> {
    let first = tried.first()?.cost()?;
    let costs: Vec<f64> = tried.iter().filter_map(Tried::cost).collect();
    let faster = costs.iter().filter(|c| **c < first).count();
    Some((faster + 1, costs.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_one_has_a_rank() {
        let cost = |n: f64| Tried::Cost(n);
        let refused = Tried::Refused("no".into());
        assert_eq!(
            rank(&[cost(3.0), cost(2.0), refused, cost(1.0)]),
            Some((3, 3))
        );
        assert_eq!(rank(&[cost(1.0), cost(1.0)]), Some((1, 2)));
        assert_eq!(rank(&[Tried::NotRun]), None);
    }
}
