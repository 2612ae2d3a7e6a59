//! The same passes of MLIR's own: what they make of a program must mean what it means, and be what
//! ours make but for the differences that `docs/reference/upstream.md` explains.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::check::{Kind, interpret, lowered, same, truth};
use super::generate::Generator;
use terrace_lit::feature::find_program;

/// Pipelines that both have. Of those behind the first three one is tried for each program.
/// Options stand behind a pass as `--pass-pipeline` takes them.
pub const PIPELINES: &[&[&str]] = &[
    &["canonicalize"],
    &["cse"],
    &["canonicalize", "cse"],
    &["sccp", "canonicalize"],
    &["inline"],
    &["symbol-dce"],
    &["loop-invariant-code-motion"],
    &["lower-affine"],
    &["lower-affine", "convert-scf-to-cf"],
    &["affine-loop-invariant-code-motion"],
    &["affine-loop-normalize"],
    &["affine-loop-unroll"],
    &["affine-loop-coalescing"],
    &["affine-simplify-structures"],
    &["affine-loop-tile{tile-size=3}"],
    &["affine-loop-fusion"],
    &["affine-loop-unroll-jam"],
    &["affine-parallelize"],
    &["affine-scalrep"],
    &["affine-super-vectorize{virtual-vector-size=4}"],
    &["affine-data-copy-generate{fast-mem-space=0}"],
];

/// So many of them are tried for every program.
const ALWAYS: usize = 3;

/// Passes of MLIR's that change what some programs compute. The first moves stores out of loops that
/// may not run, and past accesses of other dialects. The second's loop for what is left begins before
/// a loop that does not run, and so does the third's. The fourth stores whole vectors where a loop ends
/// inside of one. The last copies elements that nothing was written to.
const FAULTY: &[&str] = &[
    "affine-loop-invariant-code-motion",
    "affine-loop-unroll",
    "affine-loop-unroll-jam",
    "affine-super-vectorize",
    "affine-data-copy-generate",
];

/// Passes whose results have another form for some programs, as `docs/reference/upstream.md` says.
const OTHER_FORMS: &[&str] = &[
    "canonicalize",
    "cse",
    "sccp",
    "inline",
    "affine-loop-invariant-code-motion",
    "affine-loop-unroll",
    "affine-loop-coalescing",
    "affine-simplify-structures",
    "affine-loop-tile",
    "affine-loop-fusion",
    "affine-loop-unroll-jam",
    "affine-parallelize",
    "affine-scalrep",
    "affine-super-vectorize",
    "affine-data-copy-generate",
];

/// A pass without its options.
fn name_of(pass: &str) -> &str {
    pass.split('{').next().unwrap_or(pass)
}

/// Whether a pipeline gives one form for all programs.
pub fn one_form(passes: &[&str]) -> bool {
    !passes.iter().any(|p| OTHER_FORMS.contains(&name_of(p)))
}

/// MLIR's `mlir-opt`.
pub fn program() -> Option<PathBuf> {
    find_program("mlir-opt", &[PathBuf::from("/usr/lib/llvm-22/bin")])
}

/// What was found of a program.
#[derive(Default, Clone)]
pub struct Found {
    /// Upstream reads it.
    pub read: bool,
    /// Pipelines that upstream's own verifier refuses the results of.
    pub faults: u64,
    /// Programs that upstream's passes make compute something else; ours do not.
    pub wrong: u64,
    /// By pipeline, how often the forms were compared, and were the same.
    pub forms: [(u64, u64); PIPELINES.len()],
}

impl Found {
    /// What was found of both.
    pub fn add(&mut self, other: &Found) {
        self.faults += other.faults;
        self.wrong += other.wrong;
        for (all, one) in self.forms.iter_mut().zip(&other.forms) {
            *all = (all.0 + one.0, all.1 + one.1);
        }
    }
}

/// A text behind passes of upstream's.
fn through(opt: &Path, text: &str, passes: &[&str]) -> Result<String, String> {
    let nested = |p: &&str| match p.starts_with("affine-") {
        true => format!("func.func({p})"),
        false => p.to_string(),
    };
    let passes: Vec<String> = passes.iter().map(nested).collect();
    let mut child = Command::new(opt)
        .arg(format!(
            "--pass-pipeline=builtin.module({})",
            passes.join(",")
        ))
        .args(["--allow-unregistered-dialect", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut stdin = child.stdin.take().ok_or("its input is a pipe")?;
    // It prints nothing before it has read everything.
    let written = stdin.write_all(text.as_bytes());
    drop(stdin);
    let out = child.wait_with_output().map_err(|e| e.to_string())?;
    match out.status.success() && written.is_ok() {
        true => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}

/// Tries the pipelines on the program of a seed. The report of what is wrong.
pub fn one(opt: &Path, seed: u64) -> Result<Found, String> {
    let text = Generator::new(seed).program().text();
    let mut found = Found::default();
    if through(opt, &text, &[]).is_err() {
        return Ok(found);
    }
    found.read = true;
    let expected = truth(&text).map_err(|f| format!("seed {seed}: {}", f.message))?;
    let rest = PIPELINES.len() - ALWAYS;
    let tried = (0..ALWAYS).chain([ALWAYS + (seed as usize) % rest]);
    for k in tried {
        let passes = PIPELINES[k];
        let report = |what: &str, theirs: &str| {
            format!(
                "=== seed {seed}: {passes:?}: {what}\n--- program\n{text}\n--- upstream's\n{theirs}"
            )
        };
        // What its own verifier refuses afterwards is a fault of its passes.
        let Ok(theirs) = through(opt, &text, passes) else {
            found.faults += 1;
            continue;
        };
        let outcome = interpret(&text, &theirs).map_err(|f| {
            let what = if f.kind == Kind::Invalid {
                "not read here"
            } else {
                "not run here"
            };
            report(&format!("{what}: {}", f.message), &theirs)
        });
        let right = outcome.and_then(|o| same(&o, &expected).map_err(|m| report(&m, &theirs)));
        let faulty = passes.iter().any(|p| FAULTY.contains(&name_of(p)));
        match right {
            Err(m) if !faulty => return Err(m),
            wrong => found.wrong += u64::from(wrong.is_err()),
        }
        let passes: Vec<(String, String)> = passes
            .iter()
            .map(|p| p.split_once('{').unwrap_or((p, "")))
            .map(|(p, o)| (p.to_string(), o.trim_end_matches('}').to_string()))
            .collect();
        let ours = lowered(&text, &passes).map_err(|m| report(&m, &theirs))?;
        let outcome = interpret(&text, &ours).map_err(|f| report(&f.message, &ours))?;
        same(&outcome, &expected).map_err(|m| report(&format!("ours: {m}"), &ours))?;
        // How sums are grouped in maps is not written, and no difference: both are read again.
        let written = |text: &str| lowered(text, &[]).map_err(|m| report(&m, text));
        let (ours, theirs) = (written(&ours)?, written(&theirs)?);
        let (compared, alike) = &mut found.forms[k];
        *compared += 1;
        *alike += u64::from(ours == theirs);
        if ours != theirs && std::env::var_os("TERRACE_RANDOM_SHOW").is_some() {
            eprintln!("{}\n--- ours\n{ours}", report("another form", &theirs));
        }
    }
    Ok(found)
}
