//! Printing what a program becomes.

use super::RunError;
use super::annotate::annotate;
use super::dumps;
use super::executor::Program;
use super::options::{Emit, MachineChoice, RunOptions, Target};
use super::schedule::suggested_sizes;
use super::source::{Language, ProgramText};
use super::{cpu, gpu, tuned};
use crate::ir::text::printer::{PrintOptions, print};
use crate::targets::gpu_to_ptx::PassDump;
use crate::targets::machine::by_name;
use std::collections::HashSet;

/// An error where a program is in C, whose schedules stand at its loops.
pub(crate) fn takes_schedules(source: &ProgramText) -> Result<(), RunError> {
    match source.language {
        Language::Mlir | Language::Formulas => Ok(()),
        Language::C => {
            let m = "schedules in files are for MLIR; in C write them at the loops, as \
                     '#pragma terrace schedule'";
            Err(RunError::Usage(vec![m.to_string()]))
        }
    }
}

/// An error where a target has no kernels that a schedule could say something of.
pub(super) fn schedules_run_on(target: Target) -> Result<(), RunError> {
    match target {
        Target::Gpu | Target::Emulator => Ok(()),
        _ => Err(RunError::Usage(vec![format!(
            "--schedule is for --target gpu or emulator; found --target {}",
            target.name()
        )])),
    }
}

/// An error where choices by the cost model are wished for on a target that makes none.
pub(super) fn model_chooses_on(target: Target, options: &RunOptions) -> Result<(), RunError> {
    let named = [
        ("--cost-model", options.cost_model.is_some()),
        (
            "--machine",
            matches!(options.machine, MachineChoice::File(_)),
        ),
    ];
    let named = named.iter().find(|(_, given)| *given);
    match (target, named) {
        (Target::Cpu | Target::Interp, Some((option, _))) => Err(RunError::Usage(vec![format!(
            "{option} is for --target gpu or emulator; found --target {}",
            target.name()
        )])),
        _ => Ok(()),
    }
}

/// A form of the program made for `options.target`, and remarks.
pub(super) fn emit(
    source: &ProgramText,
    form: Emit,
    options: &RunOptions,
) -> Result<(String, String), RunError> {
    if matches!(form, Emit::Ptx | Emit::Schedule) {
        by_name(&options.arch).map_err(|m| RunError::Usage(vec![m]))?;
    }
    if form == Emit::Schedule || options.schedule.is_some() {
        takes_schedules(source)?;
    }
    match (source.language, form) {
        #[cfg(feature = "c")]
        (Language::C, Emit::Hir) => {
            let text = format!("{:#?}\n", source.unit()?);
            return Ok((text, String::new()));
        }
        (Language::Mlir | Language::Formulas, Emit::Hir) => {
            let m = "only C has the form hir".to_string();
            return Err(RunError::Usage(vec![m]));
        }
        _ => {}
    }
    let parsed = || match source.language {
        #[cfg(feature = "c")]
        Language::C => source.lowered(),
        _ => source.program().map(|p| (p, Vec::new())),
    };
    let (mut program, said) = options.instruments.time("Parser", parsed)?;
    program.is_whole()?;
    // PTX comes only from the GPU's form, whatever target was named.
    let target = match form {
        Emit::Ptx | Emit::Schedule => Target::Gpu,
        _ => options.target,
    };
    super::show_passes(&mut program, source, options, target);
    if options.schedule.is_some() {
        schedules_run_on(target)?;
    }
    model_chooses_on(target, options)?;
    if source.language != Language::C {
        super::plain_arguments(&mut program, target)?;
    }
    let mut known = options.clone();
    if let Ok(entry) = program.entry(options.entry.as_deref()) {
        known.known_sizes = suggested_sizes(&entry, &options.sizes);
    }
    let options = &known;
    let entry = program.entry(options.entry.as_deref()).ok();
    if form == Emit::Schedule {
        let kept = entry.and_then(|e| tuned::find(&program, &e, options, &options.arch, None));
        if let Some(kept) = kept {
            if options.instruments.are_on() {
                // The text is kept, but what the passes make of it is asked for.
                let mut given = options.clone();
                given.schedule = Some(kept.schedule.clone());
                let on = gpu::Machine::of(&given, None, &given.arch)?;
                gpu::schedule(&mut program, &given, &on)?;
            }
            return Ok((kept.schedule.text, kept.note + "\n" + &source.render(&said)));
        }
        let on = gpu::Machine::of(options, None, &options.arch)?;
        let text = gpu::schedule(&mut program, options, &on)?;
        return Ok((text, source.render(&said)));
    }
    // In the programs that terrace cc makes, C's pointers have no sizes to check.
    let checked = options.checks.are_on() && source.language != Language::C;
    let mut shown = String::new();
    match (target, &entry) {
        (Target::Interp, _) => {}
        (Target::Cpu, _) => {
            let algebra = options.numerics.algebra;
            cpu::lower(&mut program, checked, algebra, &options.cores.machine)?;
        }
        (_, entry) => {
            let on = gpu::Machine::of(options, None, &options.arch)?;
            match entry {
                Some(entry) => {
                    let note = tuned::prepare(&mut program, entry, options, &on, None)?;
                    shown.extend(note.map(|n| n + "\n"));
                }
                None => gpu::prepare(&mut program, options, &on)?,
            }
        }
    }
    let text = match form {
        Emit::Mlir if source.language == Language::C => with_places(&program),
        Emit::Mlir => program.text(),
        Emit::Hir | Emit::Schedule => String::new(),
        Emit::Ptx => {
            let binaries = gpu::binaries(&program, &options.arch, options)?;
            let all = || binaries.iter().map(|(_, binary)| binary);
            let dumps: Vec<PassDump> = all().flat_map(|b| b.dumps.iter().cloned()).collect();
            shown += &show(&dumps, options)?;
            let texts: Vec<String> = all().map(|b| b.ptx.clone()).collect();
            if texts.is_empty() {
                return Err(RunError::Usage(vec![
                    "the program has no parallel loop to make a kernel of".to_string(),
                ]));
            }
            finish(source, &texts, options)
        }
        Emit::Clif => cpu::compile(&program, checked)?.clif().to_string(),
        Emit::Asm => cpu::compile(&program, checked)?.asm().to_string(),
    };
    Ok((text, shown + &source.render(&said)))
}

/// The texts of modules as one, with source lines if they are wanted.
pub(crate) fn finish(source: &ProgramText, texts: &[String], options: &RunOptions) -> String {
    let text = join(texts);
    if !options.annotate {
        return text;
    }
    annotate(&text, |name| match source.language {
        Language::Mlir | Language::Formulas if name == source.name => Some(source.text.clone()),
        // The text that there is of C has been through the preprocessor.
        #[cfg(feature = "c")]
        _ => std::fs::read(name).map(terrace_c::preprocess::as_text).ok(),
        #[cfg(not(feature = "c"))]
        _ => None,
    })
}

pub(crate) fn show(dumps: &[PassDump], options: &RunOptions) -> Result<String, RunError> {
    match &options.dump_passes {
        Some(to) => dumps::tell(dumps, to).map_err(|m| RunError::Usage(vec![m])),
        None => Ok(String::new()),
    }
}

/// The program's text with the places in the source that its ops come from.
fn with_places(program: &Program) -> String {
    let options = PrintOptions {
        debug_info: true,
        ..PrintOptions::default()
    };
    print(&program.ctx, program.module, &options)
}

/// Several modules of one program and architecture as one text: the directives that
/// head a file stand once, in the newest version and for the newest architecture that
/// any of them needs, and source files once each, since all modules number the files of the program alike.
pub(crate) fn join(texts: &[String]) -> String {
    let is_head = |l: &str| {
        [".version", ".target", ".address_size", ".file"]
            .iter()
            .any(|d| l.starts_with(d))
    };
    // Tables of a C file are the same in all regions that use them, and the workgroup memory that
    // a launch gives has one name.
    let is_shared = |l: &str| {
        [".const ", ".global ", ".extern .shared "]
            .iter()
            .any(|d| l.starts_with(d))
    };
    let mut shared: HashSet<&str> = HashSet::new();
    let mut head: Vec<&str> = Vec::new();
    let mut body = String::new();
    for t in texts {
        for line in t.lines() {
            if !is_head(line) {
                if is_shared(line) && !shared.insert(line) {
                    continue;
                }
                body.push_str(line);
                body.push('\n');
            } else if !head.contains(&line) {
                head.push(line);
            }
        }
    }
    let version = head
        .iter()
        .filter(|l| l.starts_with(".version"))
        .max_by_key(|l| version_of(l));
    let version = version.copied().unwrap_or_default();
    head.retain(|l| !l.starts_with(".version") || *l == version);
    let is_target = |l: &&str| l.starts_with(".target");
    let target = head
        .iter()
        .copied()
        .filter(is_target)
        .max_by_key(|l| arch_of(l));
    head.retain(|l| !is_target(l) || Some(*l) == target);
    head.sort_by_key(|l| !l.starts_with(".version"));
    head.join("\n") + "\n" + &body
}

/// The numbers of a `.version 7.8` line.
fn version_of(line: &str) -> (u32, u32) {
    let text = line.trim_start_matches(".version").trim();
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
}

/// The number of a `.target sm_90a` line.
fn arch_of(line: &str) -> u32 {
    let digits = line.chars().skip_while(|c| !c.is_ascii_digit());
    let digits: String = digits.take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn one_head_for_all_modules() {
        let a = ".version 7.8\n.target sm_90\n.file 1 \"f\"\n\n.entry a".to_string();
        let b = ".version 7.10\n.target sm_75\n.file 1 \"f\"\n\n.entry b".to_string();
        let text = join(&[a, b]);
        assert_eq!(
            text,
            ".version 7.10\n.target sm_90\n.file 1 \"f\"\n\n.entry a\n\n.entry b\n"
        );
        let c = ".version 7.8\n.const .f32 w[2];\n.entry c".to_string();
        let d = c.replace(".entry c", ".entry d");
        assert_eq!(
            join(&[c, d]),
            ".version 7.8\n.const .f32 w[2];\n.entry c\n.entry d\n"
        );
        let e = ".version 7.8\n.extern .shared .align 16 .b8 m[];\n.entry e".to_string();
        let f = e.replace(".entry e", ".entry f");
        assert_eq!(
            join(&[e, f]),
            ".version 7.8\n.extern .shared .align 16 .b8 m[];\n.entry e\n.entry f\n"
        );
    }
}
