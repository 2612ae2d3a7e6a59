//! One preprocessed C file: its regions compiled, its text rewritten.

use super::archs::Archs;
use super::compile::{
    CompileOptions, CompiledRegions, RegionInput, compile_regions, region_symbol,
};
use super::costs::{CostRequest, in_variables, with_dimensions};
use super::host::Around;
use super::joined::Joined;
use super::plan::{Compiled, RegionPlan};
use super::requests::{Request, Requests};
use super::rewrite::{Rewritten, rewrite_with_notes, runs_in_slices};
use super::sources::{region_place, render};
pub use super::translated::Translated;
pub use super::unsaved::Unsaved;
use super::{found, left, notes, schedule};
use crate::dialects;
use crate::explain::{Explanation, text::info};
use crate::instruments::Instruments;
use crate::ir::diag::{Diagnostic, Severity};
use crate::ir::{Context, Op};
use crate::passes::region::notes::RegionNotes;
use crate::progress::step;
use crate::run::numerics::{IndexBits, Numerics};
use crate::targets::machine::Cores;
use terrace_c::dialect::Dialect;
use terrace_c::directive::{ClauseKind, DirectiveKind};
use terrace_c::hir::{Span, Unit};
use terrace_c::lower::{Lowered, Options, lower_unit, merge_constructs};
use terrace_c::read_source;
use terrace_c::region::Region;

/// How to translate a file.
#[derive(Debug, Clone, Default)]
pub struct TranslateOptions {
    /// As the user names it.
    pub file: String,
    /// The language that the compiler's options make of C.
    pub dialect: Dialect,
    /// The architectures of PTX.
    pub archs: Archs,
    /// Whether code for a GPU is wanted.
    pub gpu: bool,
    /// Look for regions outside directives too.
    pub auto: bool,
    /// Among those also loops that are done before a region would have been called.
    pub short: bool,
    /// Use all instructions of this machine.
    pub this_cpu: bool,
    /// Sums of floats may be computed in any order (`-fassociative-math`).
    pub reassociate: bool,
    /// How exactly GPU code computes with floats.
    pub numerics: Numerics,
    /// The bits of index arithmetic in kernels: 64, or 32.
    pub index_bitwidth: IndexBits,
    /// Subnormal numbers are zero in code for the cores.
    pub flush_subnormals: bool,
    /// The C compiler computes with floats as the text says, operation by operation.
    pub exact_statements: bool,
    /// The cores that loops are made fast for.
    pub cores: Cores,
    /// The file is made for a shared library, whose functions others may replace.
    pub interposed: bool,
    /// The file is the whole program.
    pub whole: bool,
    /// The compiler follows OpenMP's pragmas (`-fopenmp`).
    pub openmp: bool,
    /// Say what became of each region.
    pub notes: bool,
    /// Warnings are not wanted (`-w`).
    pub no_warnings: bool,
    /// Keep all forms as text.
    pub keep: bool,
    /// Keep the host's code of regions as text.
    pub listing: bool,
    /// Keep kernels after each pass of the machine form's optimiser.
    pub dump_passes: bool,
    /// Explain the file, also where it has no regions or its regions are wrong.
    pub explain: bool,
    /// Ask the cost model about kernels.
    pub costs: Option<CostRequest>,
    /// What shows the passes over regions.
    pub instruments: Instruments,
    /// Files that are not as on the disk.
    pub unsaved: Unsaved,
}

/// Why a file cannot be translated.
#[derive(Debug, Clone)]
pub struct TranslateError {
    /// It is no C that terrace understands.
    pub language: bool,
    /// Errors, ready to show.
    pub text: String,
    /// The same as data.
    pub diagnostics: Vec<Diagnostic>,
}

/// Translate the regions of a preprocessed file; `None` where it has none.
///
/// # Errors
///
/// What is wrong with the file, and what a directive asks for that cannot be had.
pub fn translate(
    text: String,
    options: &TranslateOptions,
) -> Result<Option<Translated>, TranslateError> {
    let _step = step(|| format!("translating {}", options.file));
    // Constructs that are joined and then have no form stay apart after all.
    let mut apart = Vec::new();
    loop {
        let before = apart.len();
        let made = translate_joined(text.clone(), options, &mut apart);
        if apart.len() == before {
            return made;
        }
    }
}

/// The same with constructs joined where that does, but for those whose statements are
/// `apart`. Where others should have been it adds them, and what it returns is of no use.
fn translate_joined(
    text: String,
    options: &TranslateOptions,
    apart: &mut Vec<Span>,
) -> Result<Option<Translated>, TranslateError> {
    let (mut unit, mut said) = read_source(options.unsaved.source_map(text, &options.dialect))
        .map_err(|e| TranslateError {
            language: e.language,
            ..failed(e.diagnostics)
        })?;
    if !options.notes && !options.explain {
        said.retain(|d| d.severity != Severity::Remark);
    }
    let joined = Joined(merge_constructs(&mut unit, apart));
    let mut ctx = dialects::context();
    let (lowered, passed_over) = lower(&mut ctx, &mut unit, options);
    let told = options.explain || (options.notes && !passed_over.is_empty());
    let warned = said.iter().any(|d| d.severity == Severity::Warning);
    if unit.directives.is_empty() && lowered.regions.is_empty() && !told && !warned {
        return Ok(None);
    }
    let mlir = match options.keep {
        true => ctx.op_text(lowered.module),
        false => String::new(),
    };
    let (regions, kept) = (lowered.regions, lowered.kept);
    let refused = kept.iter().filter_map(|k| k.directive);
    if joined.any_apart(refused, apart) {
        return Ok(None);
    }
    said.extend(lowered.diagnostics);
    said.extend(modifiers(&unit, &regions));
    let requests = Requests::of(&unit);
    said.extend(requests.errors.iter().cloned());
    let asked: Vec<Request> = (regions.iter())
        .map(|r| requests.region(r.directive))
        .collect();
    let inputs = inputs(&unit, &regions, &asked, options);
    let made = compile(&mut ctx, lowered.module, &inputs, options);
    let mut made = made.map_err(failed)?;
    let formless = regions.iter().zip(&made.regions).filter(|(_, m)| {
        let told = !m.errors.is_empty() || !m.warnings.is_empty();
        told || options.gpu && !m.gpu || !m.cpu
    });
    if joined.any_apart(formless.filter_map(|(r, _)| r.directive), apart) {
        return Ok(None);
    }
    for (region, m) in regions.iter().zip(&mut made.regions) {
        in_variables(&unit, region, &mut m.notes.kernels);
    }
    let mut left = Vec::new();
    for k in kept.iter().filter(|k| k.directive.is_some()) {
        let refused = left::refused(&unit, k, &requests.region(k.directive));
        said.extend(refused.said);
        left.extend(k.directive.filter(|_| refused.left));
    }
    let both = regions.iter().zip(&made.regions).zip(&asked);
    let compiled = both.map(|((region, made), request)| Compiled {
        region,
        made,
        request,
    });
    let compiled: Vec<Compiled> = compiled.collect();
    let plans = plans(&unit, &compiled, options, &mut said);
    let around = Around {
        whole: options.whole,
        interposed: options.interposed,
        openmp: options.openmp,
    };
    let rewritten = rewrite_with_notes(&unit, &plans, &left, around);
    if rewritten.is_err() && joined.any_apart(joined.ids(), apart) {
        return Ok(None);
    }
    let rewritten = rewritten_or_said(rewritten, options, &mut said)?;
    let planned = plans.iter().zip(&rewritten.declined);
    let declined = planned.filter(|(_, declined)| declined.is_some());
    if joined.any_apart(declined.filter_map(|(p, _)| p.region.directive), apart) {
        return Ok(None);
    }
    let wrong = said.iter().any(|d| d.severity == Severity::Error);
    if options.no_warnings {
        said.retain(|d| d.severity != Severity::Warning);
    }
    if wrong && !options.explain {
        return Err(failed(said));
    }
    let mut notes = notes::of(
        &unit,
        &compiled,
        &plans,
        rewritten.arrays,
        rewritten.declined,
    );
    for (n, region) in notes.iter_mut().zip(&regions) {
        n.joined = joined.places(&unit, region.directive);
    }
    notes.extend(passed_over);
    let explanation = (options.notes || options.explain)
        .then(|| Explanation::new(&options.file, &unit, &regions, notes, &kept));
    let mut messages = render(&said);
    if let (true, Some(e)) = (options.notes, &explanation) {
        messages.push_str(&info(e));
    }
    Ok(Some(Translated {
        text: rewritten.text,
        object: made.object,
        messages,
        made: made.regions,
        mlir,
        explanation,
        wrong,
        diagnostics: said,
    }))
}

/// The unit as a module, with the regions that directives ask for and those that are found;
/// and why others were not taken.
fn lower(
    ctx: &mut Context,
    unit: &mut Unit,
    options: &TranslateOptions,
) -> (Lowered, Vec<RegionNotes>) {
    let how = found::Wanted {
        reassociate: options.reassociate,
        openmp: options.openmp,
        short: options.short || std::env::var_os("TERRACE_RUN_SHORT").is_some_and(|v| v == "1"),
    };
    if options.auto {
        found::group(unit, how);
    }
    // Who wants to know why hears of whole functions too.
    let regions_only = !options.explain;
    let mut lowered = lower_unit(ctx, unit, &Options { regions_only });
    if !options.auto {
        return (lowered, Vec::new());
    }
    let taken = |f: &str| {
        let regions = lowered.regions.iter();
        let made = regions.filter(|r| unit.functions[r.function].name == f);
        let kept = lowered.kept.iter().filter(|k| k.directive.is_some());
        made.count() + kept.filter(|k| k.function == f).count()
    };
    let found = found::find(ctx, lowered.module, unit, taken, how);
    lowered.regions.extend(found.regions);
    (lowered, found.declined)
}

/// What is called of the regions, after what is wrong with them was `said`.
fn plans(
    unit: &Unit,
    compiled: &[Compiled],
    options: &TranslateOptions,
    said: &mut Vec<Diagnostic>,
) -> Vec<RegionPlan> {
    let mut plans = Vec::new();
    for c in compiled {
        let m = c.made;
        said.extend(m.errors.iter().chain(&m.warnings).cloned());
        said.extend(left::missing(unit, *c, options.gpu));
        // What nobody asked for and no GPU can do stays C, but for what cores gain from.
        let asked = c.region.directive.is_some();
        if (m.cpu || m.gpu) && (asked || m.gpu || m.for_cores || !options.gpu) {
            plans.push(RegionPlan::of(*c));
        }
    }
    plans
}

/// The text with calls of the regions; nothing of a text in which something is wrong and
/// that is only to be explained.
fn rewritten_or_said(
    rewritten: Result<Rewritten, Vec<Diagnostic>>,
    options: &TranslateOptions,
    said: &mut Vec<Diagnostic>,
) -> Result<Rewritten, TranslateError> {
    let errors = match rewritten {
        Ok(rewritten) => return Ok(rewritten),
        Err(errors) => errors,
    };
    said.extend(errors);
    match options.explain {
        true => Ok(Rewritten::default()),
        false => Err(failed(std::mem::take(said))),
    }
}

fn failed(diagnostics: Vec<Diagnostic>) -> TranslateError {
    TranslateError {
        language: false,
        text: render(&diagnostics),
        diagnostics,
    }
}

/// Modifiers of data clauses that change nothing where they stand.
fn modifiers(unit: &Unit, regions: &[Region]) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for (i, d) in unit.directives.iter().enumerate() {
        let region = regions
            .iter()
            .find(|r| r.directive.is_some_and(|d| d.0 as usize == i));
        let compute = matches!(d.kind, DirectiveKind::Compute { .. });
        for c in &d.clauses {
            let ClauseKind::Data { vars, .. } = &c.kind else {
                continue;
            };
            for s in vars {
                let text = s.base.text.trim();
                let is_scalar = s.base.expr.as_ref().is_some_and(|e| e.ty.is_arithmetic());
                let captures = region.map_or(&[][..], |r| &r.captures);
                let in_memory = captures
                    .iter()
                    .any(|c| c.text == text && c.array().is_some());
                let by_value = compute && s.dims.is_empty() && is_scalar && !in_memory;
                for m in &s.modifiers {
                    let why = match m.as_str() {
                        "capture" => "a device has memory of its own, or the host's is used",
                        "readonly" => continue,
                        _ if by_value => "the region gets the scalar by its value",
                        _ => continue,
                    };
                    let m = format!("`{m}` has no effect on `{text}`: {why}");
                    let at = unit.source.loc(s.span.start as usize);
                    out.push(Diagnostic::warning(at, m));
                }
            }
        }
    }
    out
}

fn inputs(
    unit: &Unit,
    regions: &[Region],
    asked: &[Request],
    options: &TranslateOptions,
) -> Vec<RegionInput> {
    let file = std::fs::canonicalize(&options.file)
        .map_or(options.file.clone(), |p| p.to_string_lossy().into_owned());
    regions
        .iter()
        .zip(asked)
        .map(|(r, request)| RegionInput {
            function: r.name.clone(),
            symbol: region_symbol(&r.name, &file, unit.source.text()),
            place: region_place(unit, r),
            found: r.directive.is_none(),
            slices: r.directive.is_none() && runs_in_slices(unit, r),
            target: request.target.as_ref().map(|(t, _)| t.clone()),
            schedules: schedule::inputs(unit, request),
            sizes: match &options.costs {
                Some(costs) => with_dimensions(unit, r, &costs.sizes),
                None => Vec::new(),
            },
        })
        .collect()
}

fn compile(
    ctx: &mut Context,
    module: Op,
    inputs: &[RegionInput],
    options: &TranslateOptions,
) -> Result<CompiledRegions, Vec<Diagnostic>> {
    let options = CompileOptions {
        arch: options.archs.oldest().to_string(),
        newer: options.archs.newer().to_vec(),
        gpu: options.gpu,
        this_cpu: options.this_cpu,
        source: options.file.clone(),
        texts: options.keep,
        listing: options.listing,
        dump_passes: options.dump_passes,
        numerics: options.numerics,
        index_bitwidth: options.index_bitwidth.number(),
        flush_subnormals: options.flush_subnormals,
        exact_statements: options.exact_statements,
        cores: options.cores,
        reassociate: options.reassociate,
        resources: options.explain,
        costs: options.costs.clone(),
        instruments: options.instruments.clone(),
    };
    compile_regions(ctx, module, inputs, &options)
}
