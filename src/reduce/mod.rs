//! `terrace-reduce`: the smallest module that a command still says yes to.

mod candidate;
mod command;
mod edits;
mod search;
mod size;

#[cfg(test)]
mod tests;

use crate::ir::diag::{Renderer, SourceFile, SourceMap};
use crate::ir::pass::write_atomically;
use crate::opt::{Outcome, read_input};
use crate::progress::step;
use candidate::{Module, Reader};
use command::{Folder, Test};
use search::{Counts, Search};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What to reduce, and how.
#[derive(Debug, Clone)]
pub struct Options {
    /// The module; `-` for standard input.
    pub file: String,
    /// The command, a line for the shell.
    pub test: String,
    /// Where the result goes, whenever it has become smaller; standard output at the end
    /// where there is none.
    pub output: Option<String>,
    /// How many tests run at a time.
    pub jobs: usize,
    /// How long one may take.
    pub timeout: Option<Duration>,
    /// Stop after so many tests, with the smallest module found by then.
    pub max_tests: Option<usize>,
    /// Accept operations of dialects that are not registered.
    pub allow_unregistered: bool,
}

/// Reduce a module; `progress` is told of every step, in a line.
pub fn run(o: &Options, progress: &mut (dyn FnMut(&str) + Send)) -> Outcome {
    match crate::with_stack(|| reduce(o, progress)) {
        Ok(stdout) => Outcome {
            stdout,
            ..Outcome::default()
        },
        Err(stderr) => Outcome {
            code: 1,
            stderr,
            ..Outcome::default()
        },
    }
}

fn reduce(o: &Options, progress: &mut (dyn FnMut(&str) + Send)) -> Result<String, String> {
    let error = |m: String| format!("error: {m}\n");
    let start = Instant::now();
    let reader = Reader {
        allow_unregistered: o.allow_unregistered,
    };
    let (file, module) = read(o, reader)?;
    let _step = step(|| format!("reducing {}", o.file));
    let test = Test {
        command: o.test.clone(),
        timeout: o.timeout,
    };
    let folder = Folder::new()
        .map_err(|e| error(format!("cannot make a folder for temporary files: {e}")))?;
    let mut search = Search {
        reader,
        test: &test,
        folder: folder.path(),
        file_name: &file_name(&o.file),
        jobs: o.jobs.max(1),
        max_tests: o.max_tests,
        counts: Counts::default(),
        refused: HashSet::new(),
    };
    let ask = |search: &Search, what: String, text: &str| {
        let path = search.file(0, text)?;
        let said = search.folder.join("said");
        let verdict = test.run(&path, Some(&said), &|| false);
        let verdict = verdict.map_err(|e| format!("the test cannot be run: {e}"))?;
        match verdict.is_yes() {
            true => Ok(()),
            false => Err(format!(
                "the test refuses {what}: {}{}",
                verdict.said(),
                last_lines(&said)
            )),
        }
    };
    ask(&search, format!("{} itself", o.file), file.text()).map_err(error)?;
    let printed = format!("{} as terrace prints it", o.file);
    ask(&search, printed, &module.text).map_err(error)?;
    search.counts.tests = 2;
    save(o, &module).map_err(error)?;
    let original = module.text.len();
    let mut found = |m: &Module, edit: &edits::Edit, counts: &Counts| {
        progress(&format!(
            "{} bytes, {} lines after {} tests: fewer {}",
            m.text.len(),
            m.text.lines().count(),
            counts.tests,
            edit.name
        ));
        save(o, m)
    };
    let smallest = search.run(module, &mut found).map_err(error)?;
    progress(&format!(
        "from {original} to {} bytes, {} tests, {:.1} s",
        smallest.text.len(),
        search.counts.tests,
        start.elapsed().as_secs_f64()
    ));
    Ok(match &o.output {
        Some(_) => String::new(),
        None => smallest.text.to_string(),
    })
}

/// The file, and the module in it; else what is wrong, as terrace-opt says it.
fn read(o: &Options, reader: Reader) -> Result<(Arc<SourceFile>, Module), String> {
    let bytes = read_input(&o.file, &mut std::io::stdin())?;
    let name = match o.file.as_str() {
        "-" => "<stdin>",
        name => name,
    };
    let file = SourceFile::from_bytes(name, bytes).map_err(|e| format!("{name}:{e}\n"))?;
    let file = Arc::new(file);
    match reader.read(name, file.text()) {
        Ok(module) => Ok((file, module)),
        Err(diagnostics) => {
            let mut sources = SourceMap::new();
            sources.add(file);
            Err(Renderer::new(&sources).render_all(&diagnostics))
        }
    }
}

/// What candidates are called: as the file, so that what a test looks for may have its name.
fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name().filter(|_| path != "-");
    name.map_or("input.mlir".into(), |n| n.to_string_lossy().into_owned())
}

/// The result so far, in the file for it.
fn save(o: &Options, module: &Module) -> Result<(), String> {
    let Some(path) = &o.output else {
        return Ok(());
    };
    write_atomically(path.as_ref(), module.text.as_bytes())
        .map_err(|e| format!("cannot open output file '{path}': {e}"))
}

/// The end of what a command has printed, behind the line that it belongs to.
fn last_lines(said: &Path) -> String {
    const MOST: usize = 10;
    let text = std::fs::read(said).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let last = &lines[lines.len().saturating_sub(MOST)..];
    last.iter().map(|l| format!("\n    {l}")).collect()
}
