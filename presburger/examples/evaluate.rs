//! Evaluates operations on sets and maps, one per line: `operation|text|text`.
//!
//! For each line the result as text, `true` or `false`, a number, `infinite`, or
//! `unknown: why`. A line that is not understood gives `error: why`. It is what
//! `oracle/islpy_oracle.py` talks to.

use std::io::{self, BufRead, Write};

use terrace_presburger::{Count, Extreme, Relation, Unknown};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match evaluate(&line) {
            Ok(Ok(answer)) => answer,
            Ok(Err(unknown)) => format!("unknown: {unknown}"),
            Err(error) => format!("error: {error}"),
        };
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

type Answer = Result<Result<String, Unknown>, String>;

fn evaluate(line: &str) -> Answer {
    let parts: Vec<&str> = line.split('|').collect();
    let parse = |at: usize| {
        let text = parts.get(at).ok_or("an operand is missing")?;
        Relation::parse(text).map_err(|error| error.to_string())
    };
    let a = parse(1)?;
    let relation = |r: Result<Relation, Unknown>| Ok(r.map(|r| r.to_string()));
    let truth = |r: Result<bool, Unknown>| Ok(r.map(|r| r.to_string()));
    match parts[0] {
        "same" => relation(Ok(a)),
        "complement" => relation(a.complement()),
        "simplify" => relation(Ok(a.simplify())),
        "coalesce" => relation(Ok(a.coalesce())),
        "disjoint-pieces" => relation(a.make_disjoint()),
        "domain" => relation(Ok(a.domain())),
        "range" => relation(Ok(a.range())),
        "inverse" => relation(Ok(a.inverse())),
        "lexmin" => relation(a.lexmin()),
        "lexmax" => relation(a.lexmax()),
        "project-first" => {
            let first = a.space().params;
            relation(Ok(a.project_out(first..first + 1)))
        }
        "is-empty" => truth(a.is_empty()),
        "count" => Ok(a.count().map(|count| match count {
            Count::Finite(number) => number.to_string(),
            Count::Infinite => "infinite".to_owned(),
        })),
        "lexmin-point" => Ok(a.lexmin_point().map(|point| match point {
            Extreme::Empty => "empty".to_owned(),
            Extreme::Unbounded => "unbounded".to_owned(),
            Extreme::At(point) => {
                let values: Vec<String> = point.iter().map(ToString::to_string).collect();
                values.join(" ")
            }
        })),
        "intersect" => relation(Ok(a.intersect(&parse(2)?))),
        "union" => relation(Ok(a.union(&parse(2)?))),
        "subtract" => relation(a.subtract(&parse(2)?)),
        "gist" => relation(a.gist(&parse(2)?)),
        "compose" => relation(Ok(a.compose(&parse(2)?))),
        "is-subset" => truth(a.is_subset(&parse(2)?)),
        "is-equal" => truth(a.is_equal(&parse(2)?)),
        "is-disjoint" => truth(a.is_disjoint(&parse(2)?)),
        other => Err(format!("no operation '{other}'")),
    }
}
