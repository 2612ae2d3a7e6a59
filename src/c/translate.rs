//! One preprocessed C file: its regions compiled, its text rewritten.

use super::archs::Archs;
use super::compile::{
    CompileOptions, CompiledRegion, Estimated, Extent, RegionInput, compile_regions, region_symbol,
    would_take,
};
use super::costs::{CostRequest, in_variables, with_dimensions};
use super::found;
use super::left;
use super::plan::{ArrayExtent, Overwrite, Pays, RegionPlan};
use super::requests::{Request, Requests};
use super::rewrite::{Rewritten, rewrite_with_notes};
use super::schedule;
use super::sources::render;
pub use super::translated::Translated;
use crate::explain::{Explanation, line_of, text::info};
use crate::instruments::Instruments;
use crate::ir::Context;
use crate::ir::diag::{DiagLoc, Diagnostic, Severity};
use crate::passes::region::notes::{Reason, RegionNotes};
use crate::run::numerics::{IndexBits, Numerics};
use terrace_c::dialect::Dialect;
use terrace_c::directive::{ClauseKind, Compute, DirectiveKind, Target};
use terrace_c::hir::Unit;
use terrace_c::lower::{Options, lower_unit};
use terrace_c::read_as;
use terrace_c::region::{CapturedArray, Region, Size};

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
    /// Use all instructions of this machine.
    pub this_cpu: bool,
    /// Sums of floats may be computed in any order (`-fassociative-math`).
    pub reassociate: bool,
    /// How exactly GPU code computes with floats.
    pub numerics: Numerics,
    /// The bits of index arithmetic in kernels: 64, or 32.
    pub index_bitwidth: IndexBits,
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
}

/// Why a file cannot be translated.
#[derive(Debug, Clone)]
pub struct TranslateError {
    /// It is no C that terrace understands.
    pub language: bool,
    /// Errors, ready to show.
    pub text: String,
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
    let (mut unit, mut said) =
        read_as(text, options.dialect.clone()).map_err(|e| TranslateError {
            language: e.language,
            text: render(&e.diagnostics),
        })?;
    if !options.notes && !options.explain {
        said.retain(|d| d.severity != Severity::Remark);
    }
    let mut ctx = crate::dialects::context();
    let how = found::Wanted {
        reassociate: options.reassociate,
        openmp: options.openmp,
    };
    if options.auto {
        found::group(&mut unit, how);
    }
    // Who wants to know why hears of whole functions too.
    let regions_only = !options.explain;
    let mut lowered = lower_unit(&mut ctx, &unit, &Options { regions_only });
    let mut passed_over = Vec::new();
    if options.auto {
        let taken = |f: &str| {
            let regions = lowered.regions.iter();
            let made = regions.filter(|r| unit.functions[r.function].name == f);
            let kept = lowered.kept.iter().filter(|k| k.directive.is_some());
            made.count() + kept.filter(|k| k.function == f).count()
        };
        let module = lowered.module;
        let found = found::find(&mut ctx, module, &unit, taken, how);
        lowered.regions.extend(found.regions);
        passed_over = found.declined;
    }
    let told = options.explain || (options.notes && !passed_over.is_empty());
    if unit.directives.is_empty() && lowered.regions.is_empty() && !told {
        return Ok(None);
    }
    let mlir = match options.keep {
        true => ctx.op_text(lowered.module),
        false => String::new(),
    };
    said.extend(lowered.diagnostics);
    said.extend(modifiers(&unit, &lowered.regions));
    let requests = Requests::of(&unit);
    said.extend(requests.errors.iter().cloned());
    let asked: Vec<Request> = lowered
        .regions
        .iter()
        .map(|r| requests.region(r.directive))
        .collect();
    let inputs = inputs(&unit, &lowered.regions, &asked, options);
    let made = compile(&mut ctx, lowered.module, &inputs, options);
    let mut made = made.map_err(failed)?;
    for (region, m) in lowered.regions.iter().zip(&mut made.regions) {
        in_variables(&unit, region, &mut m.notes.kernels);
    }
    let mut left = Vec::new();
    for k in lowered.kept.iter().filter(|k| k.directive.is_some()) {
        let refused = left::refused(&unit, k, &requests.region(k.directive));
        said.extend(refused.said);
        left.extend(k.directive.filter(|_| refused.left));
    }
    let mut plans = Vec::new();
    let both = lowered.regions.iter().zip(&made.regions);
    for ((region, m), request) in both.zip(&asked) {
        said.extend(m.errors.iter().chain(&m.warnings).cloned());
        said.extend(missing(&unit, region, m, request, options));
        // What nobody asked for and no GPU can do stays C.
        if (m.cpu || m.gpu) && (region.directive.is_some() || m.gpu || !options.gpu) {
            plans.push(plan(region, m, request));
        }
    }
    let rewritten = match rewrite_with_notes(&unit, &plans, &left) {
        Ok(r) => r,
        Err(errors) if options.explain => {
            said.extend(errors);
            Rewritten::default()
        }
        Err(errors) => {
            said.extend(errors);
            return Err(failed(said));
        }
    };
    let wrong = said.iter().any(|d| d.severity == Severity::Error);
    if options.no_warnings {
        said.retain(|d| d.severity != Severity::Warning);
    }
    if wrong && !options.explain {
        return Err(failed(said));
    }
    let both = lowered.regions.iter().zip(&made.regions);
    let mut notes: Vec<RegionNotes> = both
        .zip(&asked)
        .map(|((r, m), request)| notes_of(&unit, r, m, request))
        .collect();
    let planned = notes
        .iter_mut()
        .filter(|n| plans.iter().any(|p| p.region.name == n.name));
    for ((n, arrays), declined) in planned.zip(rewritten.arrays).zip(rewritten.declined) {
        if n.target.is_none() || !n.kernels.is_empty() {
            n.arrays = arrays;
        }
        if n.declined.is_none() {
            n.declined = declined;
        }
    }
    notes.extend(passed_over);
    let explanation = (options.notes || options.explain).then(|| {
        let (regions, kept) = (&lowered.regions, &lowered.kept);
        Explanation::new(&options.file, &unit, regions, notes.clone(), kept)
    });
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
        regions: notes,
        explanation,
        wrong,
    }))
}

fn failed(diagnostics: Vec<Diagnostic>) -> TranslateError {
    TranslateError {
        language: false,
        text: render(&diagnostics),
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

fn place(unit: &Unit, region: &Region) -> DiagLoc {
    unit.source.loc(region.span.start as usize)
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
            place: place(unit, r),
            found: r.directive.is_none(),
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
    module: crate::ir::Op,
    inputs: &[RegionInput],
    options: &TranslateOptions,
) -> Result<super::compile::CompiledRegions, Vec<Diagnostic>> {
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
        reassociate: options.reassociate,
        resources: options.explain,
        costs: options.costs.clone(),
        instruments: options.instruments.clone(),
    };
    compile_regions(ctx, module, inputs, &options)
}

/// What to say of a region that has not the forms it should have.
fn missing(
    unit: &Unit,
    region: &Region,
    made: &CompiledRegion,
    request: &Request,
    options: &TranslateOptions,
) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    let target = request.target.as_ref().map(|(t, _)| t);
    if !made.errors.is_empty() || target == Some(&Target::Host) {
        return out;
    }
    let at = place(unit, region);
    let told = |d: &Diagnostic| match d.loc {
        DiagLoc::Unknown => at.clone(),
        _ => d.loc.clone(),
    };
    let scheduled = !request.schedules.is_empty();
    if !made.cpu && (target == Some(&Target::Cpu) || scheduled) {
        for d in &made.no_cpu {
            let m = format!("this has no form for the CPU: {}", d.message);
            out.push(
                Diagnostic::error(told(d), m)
                    .with_note(at.clone(), "in the region that begins here"),
            );
        }
    }
    let wanted = region.construct != Compute::Auto || target.is_some_and(Target::is_gpu);
    if options.gpu && !made.gpu {
        // Of a region whose loops all run in order there need be no form.
        let needed = |d: &&Diagnostic| wanted || scheduled && d.severity != Severity::Remark;
        let asks = scheduled || target.is_some_and(Target::is_gpu);
        let left = !asks && left::host_can(unit, region.directive);
        for d in made.no_gpu.iter().filter(needed) {
            let said = match left {
                true => {
                    let m = format!(
                        "this has no form for the GPU, so that the region runs on the host: {}",
                        d.message
                    );
                    Diagnostic::warning(told(d), m)
                }
                false => {
                    let m = format!("this has no form for the GPU: {}", d.message);
                    Diagnostic::error(told(d), m)
                }
            };
            out.push(said.with_note(at.clone(), "in the region that begins here"));
        }
    }
    out
}

fn plan(region: &Region, made: &CompiledRegion, request: &Request) -> RegionPlan {
    let extents = region.captures.iter().enumerate().map(|(i, c)| {
        if c.array().is_none() {
            return ArrayExtent::Scalar;
        }
        match made.extents.get(i) {
            Some(Extent::Computed) => ArrayExtent::Computed,
            Some(Extent::Unknown(why)) => ArrayExtent::Unknown(why.text.clone()),
            _ => ArrayExtent::Unknown("nothing says how large it is".into()),
        }
    });
    // What pointers in memory lead to may be any array.
    let mut arrays = region.captures.iter().filter_map(|c| c.array());
    let anywhere = arrays.any(|a| a.anywhere);
    let overwritten = region.captures.iter().enumerate().map(|(i, c)| {
        let array = c.array().filter(|a| !anywhere && is_whole(a))?;
        let found = made.overwritten.iter().find(|o| o.argument == i)?;
        // Elsewhere the compiler knows the sizes of the array.
        let hull = made.extents.get(i) == Some(&Extent::Computed);
        let known = matches!(array.sizes.first(), Some(Size::Const(_))) && !array.is_pointer;
        (hull || known).then(|| Overwrite {
            result: found.result,
            words: found.words.clone(),
        })
    });
    RegionPlan {
        overwritten: overwritten.collect(),
        extents: extents.collect(),
        extent_words: made.extent_words.clone(),
        extent_unsure: made.extent_unsure.clone(),
        region: region.clone(),
        symbol: made.symbol.clone(),
        gpu: made.gpu,
        cpu: made.cpu,
        at_home: matches!(&request.target, Some((Target::Host | Target::Cpu, _))),
        wants_gpu: request.target.as_ref().is_some_and(|(t, _)| t.is_gpu()),
        check_alias: !made.notes.assumed_distinct.is_empty(),
        coincide: coincide(region, &made.notes.may_coincide),
        pays: pays(region, made),
    }
}

/// Whether the elements are all there is in the array's memory.
fn is_whole(array: &CapturedArray) -> bool {
    array.field.is_none() && array.strides.is_none() && !array.pointers && !array.is_const
}

/// Arrays that may coincide, pair by pair, in groups of which any two may.
fn coincide(region: &Region, pairs: &[(String, String)]) -> Vec<(usize, u32)> {
    let capture = |name: &String| {
        let mut all = region.captures.iter();
        all.position(|c| c.text == *name && c.array().is_some())
    };
    let pairs: Vec<(usize, usize)> = pairs
        .iter()
        .filter_map(|(a, b)| Some((capture(a)?, capture(b)?)))
        .collect();
    let may = |a: usize, b: usize| pairs.contains(&(a, b)) || pairs.contains(&(b, a));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for one in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
        if groups.iter().flatten().any(|known| *known == one) {
            continue;
        }
        match groups.iter_mut().find(|g| g.iter().all(|k| may(*k, one))) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let numbered = groups.iter().zip(1..);
    numbered
        .flat_map(|(group, n)| group.iter().map(move |c| (*c, n)))
        .collect()
}

fn pays(region: &Region, made: &CompiledRegion) -> Option<Pays> {
    let estimate = made.estimate?;
    match (region.directive, estimate) {
        (None, e) => Some(Pays {
            known: e.known(),
            asked: false,
        }),
        (Some(_), Estimated::Never) => None,
        (Some(_), _) => Some(Pays {
            known: 2,
            asked: true,
        }),
    }
}

fn notes_of(unit: &Unit, region: &Region, made: &CompiledRegion, request: &Request) -> RegionNotes {
    let mut n = made.notes.clone();
    if let Some((target, id)) = &request.target {
        let at = unit.source.loc(unit.directive(*id).span.start as usize);
        let asks = format!("the directive at line {} asks for it", line_of(&at));
        match target {
            Target::Host => n.declined = Some(Reason::new(at, asks)),
            Target::Cpu => {
                n.target = Some(format!(
                    "it runs on the host's cores, as terrace compiles it: {asks}"
                ));
            }
            Target::Gpu => n.target = Some(format!("it runs on a GPU if there is one: {asks}")),
            Target::Arch(arch) => {
                n.target = Some(format!(
                    "it runs on a GPU of architecture {arch} or newer if there is one: {asks}"
                ));
            }
        }
    }
    // Arrays that are objects, or behind restrict, are different without a look.
    let loose = |name: &String| {
        let named = region.captures.iter().filter(|c| c.text == *name);
        let mut arrays = named.filter_map(|c| c.array());
        arrays.any(|a| a.is_pointer && !a.restrict)
    };
    n.assumed_distinct.retain(|(a, b)| loose(a) || loose(b));
    n.name = made.function.clone();
    if let Some(why) = made.no_gpu.first().filter(|_| !made.gpu) {
        n.declined = Some(Reason::new(why.loc.clone(), why.message.clone()));
    }
    if let (Some(e), true, Some(_)) = (&made.estimate, made.gpu, region.directive) {
        let one_thread = n.kernels.iter().all(|k| k.block == [1; 3]);
        n.stays = e.stays(one_thread);
    }
    if let (Some(e), true, None) = (&made.estimate, made.gpu, region.directive)
        && e.known() == 0
    {
        let text = match e {
            Estimated::Known(w) => would_take(w),
            _ => "a fault of terrace's own: what it costs has no code".to_string(),
        };
        n.declined = Some(Reason::new(n.place.clone(), text));
    }
    n
}
