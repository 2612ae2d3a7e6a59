//! Reports on a run: execution times, statistics.

use super::manager::{Item, OpPassManager, PassManager};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// How a report is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportStyle {
    /// Nested as the pipeline is.
    Tree,
    /// One line or entry for each pass, all its runs together.
    List,
}

fn heading(title: &str) -> String {
    let line = format!("==={}===", "-".repeat(73));
    let title = format!("... {title} ...");
    let pad = " ".repeat((80 - title.len()) / 2);
    format!("{line}\n{pad}{title}\n{line}\n")
}

/// A node of the timing tree.
#[derive(Debug, Clone)]
pub struct Timer {
    /// What was timed.
    pub name: String,
    /// Wall time, inner timers included.
    pub time: Duration,
    /// The parts timed by themselves.
    pub inner: Vec<Timer>,
}

impl Timer {
    /// What a tool timed by itself, such as `Parser`.
    pub fn new(name: impl Into<String>, time: Duration) -> Timer {
        Timer {
            name: name.into(),
            time,
            inner: Vec::new(),
        }
    }

    /// Those of the passes and nested pipelines of a pipeline that ran.
    pub fn of_passes(pm: &PassManager) -> Vec<Timer> {
        item_timers(&pm.root)
    }
}

fn pipeline_timer(pm: &OpPassManager) -> Timer {
    let name = format!("'{}' Pipeline", pm.anchor());
    Timer {
        name,
        time: pm.time,
        inner: item_timers(pm),
    }
}

fn item_timers(pm: &OpPassManager) -> Vec<Timer> {
    let mut timers = Vec::new();
    for item in &pm.items {
        match item {
            Item::Pass(p) => timers.push(Timer::new(p.info.title, p.time)),
            Item::Nested { pipelines, time } => {
                let inner: Vec<Timer> = pipelines.iter().map(pipeline_timer).collect();
                if pipelines.len() == 1 {
                    timers.extend(inner);
                } else {
                    let names: Vec<String> = pipelines
                        .iter()
                        .map(|p| format!("'{}'", p.anchor()))
                        .collect();
                    let name = format!("Pipeline Collection : [{}]", names.join(", "));
                    timers.push(Timer {
                        name,
                        time: *time,
                        inner,
                    });
                }
            }
        }
    }
    timers
}

/// The execution time report of these timers, one after the other; `total` is the time of
/// everything.
pub fn timing_report(timers: &[Timer], style: ReportStyle, total: Duration) -> String {
    let known: Duration = timers.iter().map(|t| t.time).sum();
    let rest = total.saturating_sub(known);

    let mut s = heading("Execution time report");
    let seconds = total.as_secs_f64();
    // Writing to a string does not fail.
    let _ = write!(s, "  Total Execution Time: {seconds:.4} seconds\n\n");
    s.push_str("  ----Wall Time----  ----Name----\n");
    let row = |s: &mut String, time: Duration, indent: usize, name: &str| {
        let t = time.as_secs_f64();
        let percent = if seconds > 0.0 {
            100.0 * t / seconds
        } else {
            100.0
        };
        let _ = writeln!(s, "  {t:8.4} ({percent:5.1}%)  {:indent$}{name}", "");
    };
    match style {
        ReportStyle::Tree => {
            fn rows(
                s: &mut String,
                timers: &[Timer],
                indent: usize,
                row: &impl Fn(&mut String, Duration, usize, &str),
            ) {
                for t in timers {
                    row(s, t.time, indent, &t.name);
                    rows(s, &t.inner, indent + 2, row);
                }
            }
            rows(&mut s, timers, 0, &row);
        }
        ReportStyle::List => {
            let mut sums: BTreeMap<&str, Duration> = BTreeMap::new();
            fn add<'t>(sums: &mut BTreeMap<&'t str, Duration>, timers: &'t [Timer]) {
                for t in timers {
                    *sums.entry(&t.name).or_default() += t.time;
                    add(sums, &t.inner);
                }
            }
            add(&mut sums, timers);
            let mut sums: Vec<_> = sums.into_iter().collect();
            sums.sort_by_key(|(_, t)| std::cmp::Reverse(*t));
            for (name, time) in sums {
                row(&mut s, time, 0, name);
            }
        }
    }
    row(&mut s, rest, 0, "Rest");
    row(&mut s, total, 0, "Total");
    s
}

/// A pass with the values of its statistics.
struct Counts {
    title: &'static str,
    /// Name, description, value.
    values: Vec<(&'static str, &'static str, u64)>,
}

fn write_counts(s: &mut String, indent: usize, c: &Counts) {
    let _ = writeln!(s, "{:indent$}{}", "", c.title);
    let mut values = c.values.clone();
    values.sort_by_key(|v| v.0);
    let name_width = values.iter().map(|v| v.0.len()).max().unwrap_or(0);
    let width = values
        .iter()
        .map(|v| v.2.to_string().len())
        .max()
        .unwrap_or(0);
    for (name, doc, n) in values {
        let indent = indent + 2;
        let _ = writeln!(s, "{:indent$}(S) {n:width$} {name:name_width$} - {doc}", "");
    }
}

/// The statistics report.
pub fn statistics_report(pm: &PassManager, style: ReportStyle) -> String {
    let mut s = heading("Pass statistics report");
    match style {
        ReportStyle::Tree => write_tree(&mut s, &pm.root, 0),
        ReportStyle::List => {
            let mut sums: BTreeMap<&'static str, Counts> = BTreeMap::new();
            add_counts(&mut sums, &pm.root);
            for c in sums.values().filter(|c| !c.values.is_empty()) {
                write_counts(&mut s, 0, c);
            }
        }
    }
    s.push('\n');
    s
}

fn counts_of(p: &super::manager::Instance) -> Counts {
    let values = p
        .info
        .statistics
        .iter()
        .zip(&p.counts)
        .map(|(i, n)| (i.name, i.doc, *n));
    Counts {
        title: p.info.title,
        values: values.collect(),
    }
}

fn add_counts(sums: &mut BTreeMap<&'static str, Counts>, pm: &OpPassManager) {
    for item in &pm.items {
        match item {
            Item::Pass(p) => {
                let c = counts_of(p);
                match sums.get_mut(p.info.title) {
                    Some(sum) => {
                        for (a, b) in sum.values.iter_mut().zip(c.values) {
                            a.2 += b.2;
                        }
                    }
                    None => {
                        sums.insert(p.info.title, c);
                    }
                }
            }
            Item::Nested { pipelines, .. } => {
                pipelines.iter().for_each(|pm| add_counts(sums, pm));
            }
        }
    }
}

fn write_tree(s: &mut String, pm: &OpPassManager, indent: usize) {
    for item in &pm.items {
        match item {
            Item::Pass(p) => write_counts(s, indent, &counts_of(p)),
            Item::Nested { pipelines, .. } => {
                for pm in pipelines {
                    let _ = writeln!(s, "{:indent$}'{}' Pipeline", "", pm.anchor());
                    write_tree(s, pm, indent + 2);
                }
            }
        }
    }
}
