//! Dependences as JSON.

use std::fmt::Write;

use terrace_ir::{Context, Loc, Op};
use terrace_presburger::Int;

use super::report::escape;
use crate::analysis::dependence::{Carrier, Dependence, Dependences, words};

/// One object a function, each on lines of its own.
pub fn json(ctx: &Context, function: Op, found: &Dependences) -> String {
    let name = function.symbol_name(ctx).unwrap_or("");
    let mut text = format!("{{\"function\": \"{}\",\n \"accesses\": [", escape(name));
    let sites = found.program.sites.iter().map(|s| {
        format!(
            "{{\"op\": \"{}\", \"array\": \"{}\", \"writes\": {}, {}}}",
            escape(s.op.name(ctx)),
            escape(&words::array(ctx, s.memref)),
            s.writes,
            position(ctx, s.op.loc(ctx))
        )
    });
    list(&mut text, sites);
    text.push_str("],\n \"dependences\": [");
    list(&mut text, found.all.iter().map(|d| dependence(ctx, d)));
    text.push_str("],\n \"carried\": [");
    let carried = found.carried.iter().filter_map(|c| {
        let l = c.carrying_loop()?;
        let reduction = match &c.reduction {
            Some(r) => format!("\"{}\"", words::reduction(r.kind)),
            None => "null".to_string(),
        };
        Some(format!(
            "{{\"loop\": \"{}\", \"value\": {}, \"reduction\": {reduction}, {}}}",
            escape(&words::loop_name(ctx, &l)),
            c.index,
            position(ctx, c.source.loc(ctx))
        ))
    });
    list(&mut text, carried);
    text.push_str("]}\n");
    text
}

fn list(text: &mut String, items: impl Iterator<Item = String>) {
    let all: Vec<String> = items.map(|i| format!("\n  {i}")).collect();
    text.push_str(&all.join(","));
}

fn position(ctx: &Context, loc: Loc) -> String {
    match loc.file_pos(ctx) {
        Some((_, line, column)) => format!("\"line\": {line}, \"column\": {column}"),
        None => "\"line\": null, \"column\": null".to_string(),
    }
}

fn dependence(ctx: &Context, d: &Dependence) -> String {
    let mut text = format!(
        "{{\"kind\": \"{}\", \"array\": \"{}\", \"from\": {}, \"to\": {}",
        d.kind.name(),
        escape(&words::array(ctx, d.memref)),
        d.source,
        d.sink
    );
    let level = d.level().map_or("null".to_string(), |l| l.to_string());
    let carrier = match d.carrier {
        Carrier::Independent => "null".to_string(),
        _ => format!("\"{}\"", escape(&words::carrier(ctx, d))),
    };
    let _ = write!(text, ", \"level\": {level}, \"carried_by\": {carrier}");
    let end = |v: &Option<Int>| v.as_ref().map_or("null".to_string(), Int::to_string);
    let distance: Vec<String> = d
        .distance
        .iter()
        .map(|e| format!("[{}, {}]", end(&e.min), end(&e.max)))
        .collect();
    let _ = write!(text, ", \"distance\": [{}]", distance.join(", "));
    let quoted =
        |s: Option<String>| s.map_or("null".to_string(), |s| format!("\"{}\"", escape(&s)));
    let _ = write!(
        text,
        ", \"reduction\": {}, \"exact\": {}, \"reason\": {}, \"relation\": {}}}",
        quoted(d.reduction.map(|k| words::reduction(k).to_string())),
        d.is_exact(),
        quoted(d.doubt.as_ref().map(|r| r.message.clone())),
        quoted(Some(d.relation().to_string())),
    );
    text
}
