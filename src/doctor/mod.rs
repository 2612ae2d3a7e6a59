//! `terrace doctor`: what of the machine terrace can use, and what each lack costs.
//!
//! `gpu`, `tools` and `host` look, each at its own kind of thing, and give findings. Nothing is changed but
//! the folder of the cache, which is made as any program would make it.

mod gpu;
mod host;
mod tools;

use crate::c::driver::runtime::Runtime;
use crate::explain::json_writer::Writer;
use crate::opt::Outcome;
use crate::progress::step;
use std::fmt::Write as _;

/// How something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is there and works.
    Found,
    /// It is not there. What needs it cannot be done, and all else can.
    Lacking,
    /// It is there, or was asked for, and does not work.
    Wrong,
}

impl State {
    /// The word for it in the table and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            State::Found => "found",
            State::Lacking => "lacking",
            State::Wrong => "wrong",
        }
    }
}

/// One thing that was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is, as in `ptxas`.
    pub name: String,
    /// How it stands.
    pub state: State,
    /// What was found, or why nothing was.
    pub found: String,
    /// What cannot be done without it, and how to get it. Nothing where it costs nothing.
    pub cost: Option<String>,
}

impl Finding {
    fn found(name: impl Into<String>, found: impl Into<String>) -> Finding {
        Finding {
            name: name.into(),
            state: State::Found,
            found: found.into(),
            cost: None,
        }
    }

    fn lacking(name: impl Into<String>, found: impl Into<String>, cost: &str) -> Finding {
        Finding {
            state: State::Lacking,
            cost: Some(cost.to_string()),
            ..Finding::found(name, found)
        }
    }

    fn wrong(name: impl Into<String>, found: impl Into<String>, cost: &str) -> Finding {
        Finding {
            state: State::Wrong,
            ..Finding::lacking(name, found, cost)
        }
    }

    fn costing(self, cost: &str) -> Finding {
        Finding {
            cost: Some(cost.to_string()),
            ..self
        }
    }
}

/// How findings are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A table for people.
    Text,
    /// For programs.
    Json,
}

/// Looks at everything and shows it. The code is 1 where something is wrong, else 0.
pub fn doctor(runtime: Option<&Runtime>, form: Form) -> Outcome {
    let findings = examine(runtime);
    let is_wrong = findings.iter().any(|f| f.state == State::Wrong);
    Outcome {
        code: i32::from(is_wrong),
        stdout: match form {
            Form::Text => text(&findings),
            Form::Json => json(&findings),
        },
        ..Outcome::default()
    }
}

/// All findings: the GPUs first, then the programs that terrace calls, then the machine itself.
pub fn examine(runtime: Option<&Runtime>) -> Vec<Finding> {
    let mut all = Vec::new();
    let looking = step(|| "looking for GPUs".to_string());
    let gpus = gpu::devices(&mut all);
    drop(looking);
    let _looking = step(|| "trying ptxas and the C compiler".to_string());
    tools::ptxas(&mut all);
    tools::c_compiler(&mut all);
    tools::runtime(runtime, &mut all);
    tools::mlir(&mut all);
    host::threads(&mut all);
    host::vectors(&mut all);
    host::cache(&mut all);
    host::descriptions(&gpus, &mut all);
    all
}

/// A line for each finding, and below those that cost something what that is.
fn text(findings: &[Finding]) -> String {
    let width = findings.iter().map(|f| f.name.len()).max().unwrap_or(0);
    let mut out = format!("terrace {}\n", env!("CARGO_PKG_VERSION"));
    for f in findings {
        let word = f.state.word();
        let _ = writeln!(out, "{word:<7}  {:<width$}  {}", f.name, f.found);
        for line in f.cost.iter().flat_map(|c| c.lines()) {
            let _ = writeln!(out, "{:7}  {:width$}    {line}", "", "");
        }
    }
    out
}

fn json(findings: &[Finding]) -> String {
    let mut w = Writer::default();
    w.object(|w| {
        w.key("version").string(env!("CARGO_PKG_VERSION"));
        w.key("findings").array(|w| {
            for f in findings {
                w.object(|w| {
                    w.key("name").string(&f.name);
                    w.key("state").string(f.state.word());
                    w.key("found").string(&f.found);
                    match &f.cost {
                        Some(cost) => w.key("cost").string(cost),
                        None => w.key("cost").null(),
                    }
                });
            }
        });
    });
    w.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<Finding> {
        vec![
            Finding::found("threads", "2"),
            Finding::lacking(
                "C compiler",
                "there is none",
                "terrace cc fails.\nInstall one.",
            ),
        ]
    }

    #[test]
    fn costs_stand_below_what_lacks() {
        let lines = "found    threads     2\nlacking  C compiler  there is none\n\
                     \x20                      terrace cc fails.\n                       Install one.\n";
        let head = format!("terrace {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!(text(&some()), head + lines);
    }

    #[test]
    fn programs_read_the_same() {
        let read: serde_json::Value = serde_json::from_str(&json(&some())).unwrap();
        assert_eq!(read["findings"][0]["state"], "found");
        assert_eq!(read["findings"][0]["cost"], serde_json::Value::Null);
        assert_eq!(read["findings"][1]["name"], "C compiler");
        assert_eq!(
            read["findings"][1]["cost"],
            "terrace cc fails.\nInstall one."
        );
    }

    #[test]
    fn everything_is_looked_at_on_any_machine() {
        let all = examine(None);
        for name in [
            "CUDA driver",
            "ptxas",
            "C compiler",
            "runtime",
            "terrace-mlir",
            "mlir-opt",
        ] {
            assert!(all.iter().any(|f| f.name == name), "{name}: {all:?}");
        }
        for name in ["threads", "vectors", "cache", "cores' figures"] {
            assert!(all.iter().any(|f| f.name == name), "{name}: {all:?}");
        }
        for f in &all {
            let explained = f.state == State::Found || f.cost.is_some();
            assert!(!f.found.is_empty() && explained, "{f:?}");
        }
    }
}
