//! How many emptiness questions a second are answered.
//!
//!     cargo bench -p terrace-presburger --bench emptiness -- FILE [PASSES] [ANSWERS]
//!
//! The file has one relation a line, in isl's notation; lines that are blank or begin
//! with `#` are skipped. Reading is not timed. Prints the best and the median pass,
//! and writes the answers to the file ANSWERS, one a line: what
//! `oracle/islpy_emptiness.py` compares with isl's.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use terrace_presburger::Relation;

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let Some(file) = arguments.first() else {
        eprintln!("nothing measured: give a file of relations, one a line");
        return ExitCode::SUCCESS;
    };
    let passes = arguments.get(1).and_then(|p| p.parse().ok()).unwrap_or(15);
    match measure(file, passes, arguments.get(2)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{file}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure(file: &str, passes: usize, answers: Option<&String>) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut relations = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if !line.trim().is_empty() && !line.starts_with('#') {
            let relation =
                Relation::parse(line).map_err(|error| format!("line {}, {}", number + 1, error))?;
            relations.push(relation);
        }
    }
    let mut seconds = Vec::new();
    for _ in 0..passes.max(1) {
        let start = Instant::now();
        for relation in &relations {
            let _ = black_box(black_box(relation).is_empty());
        }
        seconds.push(start.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let rate = |seconds: f64| relations.len() as f64 / seconds;
    println!(
        "terrace: {} questions, {} passes: best {:.0} per second, median {:.0} per second",
        relations.len(),
        seconds.len(),
        rate(seconds[0]),
        rate(seconds[seconds.len() / 2]),
    );
    if let Some(path) = answers {
        let lines: Vec<String> = relations
            .iter()
            .map(|relation| match relation.is_empty() {
                Ok(empty) => empty.to_string(),
                Err(unknown) => format!("unknown: {unknown}"),
            })
            .collect();
        std::fs::write(path, lines.join("\n") + "\n").map_err(|error| error.to_string())?;
    }
    Ok(())
}
