//! What the cost model says of kernels, as sentences.

use terrace_ir::diag::DiagLoc;
use terrace_passes::gpu::model::number;
use terrace_passes::region::cost::note::{AccessCost, CostNote, KernelCost, TermNote};
use terrace_passes::region::notes::KernelNote;
use terrace_passes::region::sentences::{Mark, Sentence};

/// What a kernel costs, or what has to be known for that, or why the model has no answer.
pub fn sentence(k: &KernelNote) -> Option<Sentence> {
    let name = &k.name;
    let text = match &k.cost {
        KernelCost::NotAsked => return None,
        KernelCost::Of(cost) => {
            return Some(Sentence {
                mark: Mark::Plain,
                text: format!("{name}: {}", summary(cost)),
                places: details(cost),
            });
        }
        KernelCost::Wants(names) => {
            let wants: Vec<String> = names.iter().map(|n| format!("--size {n}=N")).collect();
            format!(
                "{name}: what it costs depends on {}: say {}",
                names.join(", "),
                wants.join(" ")
            )
        }
        KernelCost::Unknown(why) => format!("{name}: no estimate of its time: {why}"),
    };
    Some(Sentence::new(Mark::Plain, text))
}

fn summary(c: &CostNote) -> String {
    let machine = format!("{} ({})", c.arch, c.part);
    if let Some(lines) = c.table_lines {
        return format!(
            "{} cache lines by the table of classes for {machine}",
            number(lines)
        );
    }
    let binds = c
        .binding()
        .map_or(String::new(), |t| format!(", {} binds", t.name));
    let launches = match c.launches > 1.0 {
        true => format!("; {} launches", number(c.launches)),
        false => String::new(),
    };
    let exact = match (c.exact, c.estimated.is_empty()) {
        (true, true) => "counts are exact",
        _ => "counts are in part estimates",
    };
    format!(
        "{:.3} us a launch by the cost model for {machine}{binds}{launches}; {exact}",
        c.us
    )
}

/// The mapping, accesses and terms, a line each.
fn details(c: &CostNote) -> Vec<(DiagLoc, String)> {
    let nowhere = |text: String| (DiagLoc::Unknown, text);
    let mut out = vec![nowhere(mapping(c))];
    out.extend(c.accesses.iter().map(|a| (a.place.clone(), access(a))));
    if c.table_lines.is_none() {
        out.extend(c.terms.iter().map(|t| nowhere(term(t))));
    }
    if let Some([rows, cols]) = c.not_run {
        let text = format!("not run at these sizes: blocks of {rows} x {cols} take less time");
        out.push(nowhere(text));
    }
    out.extend((c.estimated.iter()).map(|why| nowhere(format!("estimate: {why}"))));
    out
}

/// `j along x, i along y: 32 x 128 blocks of 32 x 8 threads, 4 of i a thread; ...`.
fn mapping(c: &CostNote) -> String {
    if let Some(t) = &c.tile {
        return format!(
            "tiles of {} x {} of {} and {}: {} x {} blocks of {} threads; {} of {} at a time, {} \
             slabs; {} registers a thread (a guess), {} warps an SM, {:.2} waves",
            t.size[0],
            t.size[1],
            t.rows,
            t.cols,
            t.tiles[0],
            t.tiles[1],
            c.block[0],
            t.slab,
            t.depth,
            t.slabs,
            c.registers,
            c.warps_per_sm,
            c.waves
        );
    }
    let axes = c.axes.iter().zip(["x", "y", "z"]);
    let axes: Vec<String> = axes.map(|(l, a)| format!("{l} along {a}")).collect();
    let used = c.axes.len().clamp(1, 3);
    let shape = |n: Vec<String>| n[..used].join(" x ");
    let rows = match &c.rows {
        Some((l, n)) => format!(", {n} of {l} a thread"),
        None => String::new(),
    };
    format!(
        "{}: {} blocks of {} threads{rows}; {} registers a thread (a guess), {} warps an SM, \
         {:.2} waves",
        axes.join(", "),
        shape(c.grid.map(|n| n.to_string()).to_vec()),
        shape(c.block.map(|n| n.to_string()).to_vec()),
        c.registers,
        c.warps_per_sm,
        c.waves
    )
}

fn access(a: &AccessCost) -> String {
    let verb = if a.writes { "write" } else { "read" };
    if let Some(lines) = a.table_lines {
        return format!(
            "the {verb} of {}: {lines:.4} lines a thread each time",
            a.text
        );
    }
    format!(
        "the {verb} of {}: {:.2} sectors a request; {} requests, {} sectors, {} bytes ({})",
        a.text,
        a.sectors / a.requests.max(1.0),
        number(a.requests),
        number(a.sectors),
        number(a.bytes),
        if a.exact { "exact" } else { "estimate" }
    )
}

fn term(t: &TermNote) -> String {
    let mark = if t.binds { " <- binds" } else { "" };
    format!("{:<13} {:>12.3} us  {}{mark}", t.name, t.us, t.what)
}
