//! How long the analysis and scheduling of each PolyBench kernel take.
//!
//! Runs what `terrace-opt` runs on each program in examples/polybench, in this process,
//! and prints the median of its milliseconds: text in and out, and what each of these
//! adds to that:
//!
//! - `deps`: the dependences, with distances, and their table (`affine-print-dependences`)
//! - `sched`: the dependences without distances, and a schedule from them (`auto-schedule`)
//! - `code`: loops for that schedule, not checked (`apply-schedule=check=false`)
//!
//! ```text
//! cargo bench --bench polybench [-- RUNS]
//! ```

use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is run: a name, and the flags.
const STAGES: [(&str, &[&str]); 4] = [
    ("text", &[]),
    ("deps", &["--affine-print-dependences"]),
    ("sched", &["--auto-schedule"]),
    ("code", &["--auto-schedule", "--apply-schedule=check=false"]),
];

/// Milliseconds of one run; none if it fails.
fn once(file: &Path, flags: &[&str]) -> Option<f64> {
    let mut args: Vec<String> = flags.iter().map(|f| (*f).to_string()).collect();
    args.push(file.display().to_string());
    let start = Instant::now();
    let outcome = terrace::opt::Tool::new("terrace-opt").run(&args, &mut std::io::empty());
    (outcome.code == 0).then(|| start.elapsed().as_secs_f64() * 1e3)
}

fn median(file: &Path, flags: &[&str], runs: usize) -> Option<f64> {
    once(file, flags)?;
    let mut times: Vec<f64> = (0..runs)
        .map(|_| once(file, flags))
        .collect::<Option<_>>()?;
    times.sort_by(f64::total_cmp);
    Some(times[times.len() / 2])
}

fn kernels() -> Result<Vec<PathBuf>, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/polybench");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    files.sort();
    Ok(files)
}

fn main() -> Result<(), String> {
    let asked = std::env::args().filter_map(|a| a.parse().ok()).next();
    let runs = asked.unwrap_or(5).max(1);
    print!("{:<16}", "kernel");
    STAGES.iter().for_each(|(name, _)| print!("{name:>9}"));
    println!("   milliseconds, median of {runs}");
    let mut worst = [0.0f64; STAGES.len()];
    for file in kernels()? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        print!("{name:<16}");
        let mut so_far = 0.0;
        for (k, (_, flags)) in STAGES.iter().enumerate() {
            let Some(all) = median(&file, flags, runs) else {
                print!("{:>9}", "failed");
                continue;
            };
            // Code comes on top of a schedule, the others on top of the text alone.
            let base = if k == 0 { 0.0 } else { so_far };
            let own = (all - base).max(0.0);
            if k != 1 {
                so_far = all;
            }
            worst[k] = worst[k].max(own);
            print!("{own:>9.2}");
        }
        println!();
    }
    print!("{:<16}", "most");
    worst.iter().for_each(|w| print!("{w:>9.2}"));
    println!();
    Ok(())
}
