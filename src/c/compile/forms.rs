//! One region compiled to its forms.

use super::gpu::Copy;
use super::versions::{self, Version};
use super::{CompileOptions, CompiledRegion, Extent, RegionInput};
use super::{clause_limits, estimated, extents, gpu};
use crate::c::schedule::{self, Applied};
use crate::dialects::attributes::ACC_ACCESS;
use crate::dialects::function::arg_attr;
use crate::dialects::rows;
use crate::ir::diag::{Diagnostic, Severity};
use crate::ir::{Context, Op};
use crate::order::{OrderOnCores, extract};
use crate::passes::pipeline;
use crate::passes::region::only_threads;
use crate::passes::region::parallelize::{Options, Reductions, Schedule};
use crate::passes::region::slices::{runs_in_parts, slices_of};
use crate::passes::schedule::apply as apply_schedule;
use crate::run::cpu;
use crate::shown::Passes;
use crate::targets::native::GpuImage;
use terrace_c::directive::Target;

/// A region's forms before they are put into the object file.
#[derive(Default)]
pub(super) struct Forms {
    pub made: CompiledRegion,
    pub cpu: Option<Op>,
    pub gpu: Option<(Op, GpuImage)>,
    /// As many as the notes have.
    pub versions: Vec<Version>,
    /// With the name of the function.
    pub extents: Option<(Op, String)>,
    /// As well.
    pub estimate: Option<(Op, String)>,
}

/// A region's function in a module of its own, on its way to the forms.
struct Compilation<'a> {
    region: &'a RegionInput,
    options: &'a CompileOptions,
    passes: Passes,
    part: Op,
    function: Op,
    forms: Forms,
}

impl Forms {
    /// Compile the region's function in `module`, which stays as it is.
    pub fn of(
        ctx: &mut Context,
        module: Op,
        region: &RegionInput,
        options: &CompileOptions,
    ) -> Forms {
        let mut forms = Forms::default();
        forms.made.function.clone_from(&region.function);
        forms.made.symbol.clone_from(&region.symbol);
        let Some((part, function)) = extract::alone(ctx, module, &region.function) else {
            let name = &region.function;
            let m = format!("a fault of terrace's own: there is no function '@{name}'");
            let why = vec![Diagnostic::error(region.place.clone(), m)];
            forms.made.no_cpu = why.clone();
            forms.made.no_gpu = why;
            return forms;
        };
        let mut compilation = Compilation {
            region,
            options,
            passes: Passes::over(
                &options.instruments,
                format!("region {} of {}", region.function, options.source),
            ),
            part,
            function,
            forms,
        };
        if let Err(why) = compilation.compile(ctx) {
            compilation.forms.made.errors = why;
        }
        compilation.forms
    }
}

impl Compilation<'_> {
    fn compile(&mut self, ctx: &mut Context) -> Result<(), Vec<Diagnostic>> {
        self.inline(ctx)?;
        self.passes
            .run(ctx, self.part, &pipeline::region_numbers())?;
        self.extents(ctx);
        self.passes
            .run(ctx, self.part, &pipeline::region_subscripts())?;
        let applied = self.schedule(ctx)?;
        let sums = pipeline::region_accumulators(self.options.reassociate);
        self.passes.run(ctx, self.part, &sums)?;
        let rules = Options {
            reassociate: self.options.reassociate,
            reductions: Reductions::All,
            atomics: false,
            schedule: applied.order.unwrap_or(Schedule::Auto),
        };
        let written = match self.may_stay(ctx) {
            true => self.copy(ctx),
            false => None,
        };
        let sizes = self.clause_warnings(ctx);
        let is_wanted = !matches!(self.region.target, Some(Target::Host | Target::Cpu));
        let tables = self.tables(ctx);
        let for_device = self.options.gpu && is_wanted;
        let copy = match for_device && tables.is_empty() {
            true => self.copy(ctx),
            false => None,
        };
        if self.region.slices && self.is_exact(ctx) {
            self.passes
                .run(ctx, self.part, &pipeline::region_slices())?;
            self.forms.made.slices = slices_of(ctx, self.function);
        }
        let in_order = match rules.schedule {
            Schedule::Auto => self.copy(ctx),
            _ => None,
        };
        self.parallelize(ctx, &rules, sizes, applied)?;
        if let Some((_, written)) = written {
            self.estimate(ctx, written);
        }
        if self.region.target == Some(Target::Host) {
            return Ok(());
        }
        if let Some(copy) = in_order {
            let order = OrderOnCores {
                passes: self.passes.of("its order on a core"),
                cores: &self.options.cores,
                rules: &rules,
                is_found: self.forms.made.notes.schedule.is_some(),
            };
            let found = (self.part, self.function);
            (self.part, self.function) = order.better(ctx, found, copy);
        }
        match self.unknown_rows(ctx, &tables) {
            Some(why) => self.forms.made.no_cpu = why,
            None => self.cpu_form(ctx),
        }
        if for_device && !tables.is_empty() {
            let text = "rows that lie where pointers in memory say are followed on cores alone";
            let place = self.region.place.clone();
            self.forms.made.for_cores = self.forms.made.cpu;
            self.forms.made.no_gpu = match self.forms.made.no_cpu.as_slice() {
                [] => vec![Diagnostic::error(place, text)],
                why => why.to_vec(),
            };
        }
        match copy {
            Some(copy) if self.is_for_cores(ctx, copy) => {
                let text = "its loops run in order; on cores some of its rows go side by side";
                let place = self.region.place.clone();
                self.forms.made.for_cores = self.forms.made.cpu;
                self.forms.made.no_gpu = vec![Diagnostic::error(place, text)];
            }
            Some(copy) => self.gpu_forms(ctx, copy, &rules),
            None => {}
        }
        Ok(())
    }

    /// Whether a region that was found is only worth it on cores, whose rows go side by side.
    fn is_for_cores(&self, ctx: &mut Context, copy: Copy) -> bool {
        if !self.region.found || !estimated::is_in_order(&self.forms.made.notes) {
            return false;
        }
        let reassociate = self.options.reassociate;
        let passes = Passes::default();
        let trial = extract::alone(ctx, copy.0, &self.region.function);
        trial.is_some_and(|(part, function)| {
            !estimated::has_scans(ctx, part, function, &passes, reassociate)
        })
    }

    /// Which arguments are arrays with tables of rows.
    fn tables(&self, ctx: &Context) -> Vec<usize> {
        let entry = self.function.region(ctx, 0).entry(ctx);
        let args = entry.map(|e| e.args(ctx)).unwrap_or_default();
        let has = |i: &usize| rows::distances(ctx, args[*i].ty(ctx)).is_some();
        (0..args.len()).filter(has).collect()
    }

    /// Why it cannot be found out whether the rows of arrays lie apart, if so. What is only read
    /// need not.
    fn unknown_rows(&self, ctx: &Context, tables: &[usize]) -> Option<Vec<Diagnostic>> {
        let entry = self.function.region(ctx, 0).entry(ctx)?;
        let args = entry.args(ctx).into_iter().enumerate();
        let mut arrays = args.filter(|(_, v)| v.ty(ctx).is_memref(ctx));
        let access = |i: usize| arg_attr(ctx, self.function, i, ACC_ACCESS)?.as_str(ctx);
        if arrays.all(|(i, _)| access(i) == Some("read")) {
            return None;
        }
        tables
            .iter()
            .find_map(|i| match self.forms.made.extents.get(*i) {
                Some(Extent::Computed) => None,
                Some(Extent::Unknown(why)) => {
                    let text = format!("whether its rows lie apart: {}", why.text);
                    Some(vec![Diagnostic::error(why.place.clone(), text)])
                }
                _ => {
                    let text = "a fault of terrace's own: an array of rows without extents";
                    Some(vec![Diagnostic::error(self.region.place.clone(), text)])
                }
            })
    }

    /// The function as it is now, once more.
    fn copy(&self, ctx: &mut Context) -> Option<Copy> {
        extract::alone(ctx, self.part, &self.region.function)
    }

    /// A call hides from the analysis what is done to memory.
    fn inline(&self, ctx: &mut Context) -> Result<(), Vec<Diagnostic>> {
        match self.function.next(ctx) {
            Some(_) => self.passes.run(ctx, self.part, &pipeline::inline()),
            None => Ok(()),
        }
    }

    fn extents(&mut self, ctx: &mut Context) {
        let passes = self.passes.of("its extents");
        let found = extents::of(ctx, self.part, &self.region.function, &passes);
        let made = &mut self.forms.made;
        made.extents = found.extents;
        made.extent_words = found.words;
        made.extent_unsure = found.unsure;
        made.overwritten = found.overwritten;
        self.forms.extents = found.form;
    }

    /// Do to the loops what directives ask for.
    fn schedule(&mut self, ctx: &mut Context) -> Result<Applied, Vec<Diagnostic>> {
        let (function, schedules) = (self.function, &self.region.schedules);
        let apply = |ctx: &mut Context| schedule::apply(ctx, function, schedules);
        if schedules.is_empty() {
            return apply(ctx);
        }
        let pass = (&apply_schedule::INFO, function);
        let applied = self.passes.call(ctx, pass, apply)?;
        if self.options.texts {
            self.forms.made.scheduled_mlir = ctx.op_text(self.part);
        }
        Ok(applied)
    }

    /// Whether it is for the region's estimate to say where it runs.
    fn may_stay(&self, ctx: &Context) -> bool {
        let region = self.region;
        let chosen = region.target.is_some() || !region.schedules.is_empty();
        let asked = self.options.gpu && !chosen && estimated::may_stay(ctx, self.function);
        region.found || asked
    }

    /// Sizes in clauses that the device cannot have.
    fn clause_warnings(&self, ctx: &mut Context) -> Vec<Diagnostic> {
        let arch = match &self.region.target {
            Some(Target::Host | Target::Cpu) => return Vec::new(),
            _ if !self.options.gpu => return Vec::new(),
            Some(Target::Arch(arch)) => arch,
            _ => &self.options.arch,
        };
        clause_limits::warnings(ctx, self.function, arch)
    }

    /// Make loops parallel, and tell what becomes of them and what is wrong with them;
    /// `sizes` is what is known to be wrong before.
    fn parallelize(
        &mut self,
        ctx: &mut Context,
        rules: &Options,
        sizes: Vec<Diagnostic>,
        mut applied: Applied,
    ) -> Result<(), Vec<Diagnostic>> {
        let (notes, mut said) = self.passes.parallelize(ctx, self.function, rules);
        said.extend(sizes);
        said.extend(applied.unmet(&notes));
        let made = &mut self.forms.made;
        made.notes = notes;
        applied.tell(&mut made.notes);
        let errors;
        (errors, made.warnings) = (said.into_iter()).partition(|d| d.severity == Severity::Error);
        match errors {
            e if e.is_empty() => Ok(()),
            e => Err(e),
        }
    }

    /// Make the function that counts the work of the loops as `written`.
    fn estimate(&mut self, ctx: &mut Context, written: Op) {
        let passes = self.passes.of("its estimate");
        let (part, name) = (self.part, &self.region.function);
        let (estimate, form) = estimated::of(ctx, part, name, written, &passes);
        self.forms.made.estimate = Some(estimate);
        self.forms.estimate = form;
    }

    /// Whether terrace's code and the C statement give the same bits.
    fn is_exact(&self, ctx: &Context) -> bool {
        let o = self.options;
        let exact = o.exact_statements && !o.reassociate && !o.flush_subnormals;
        exact || !has_floats(ctx, self.part)
    }

    fn cpu_form(&mut self, ctx: &mut Context) {
        let passes = self.passes.of("for cpu");
        let made = &mut self.forms.made;
        let cores = match self.options.this_cpu {
            true => cpu::here(&self.options.cores),
            false => self.options.cores,
        };
        let threads = pipeline::region_cpu(
            self.options.reassociate,
            self.options.numerics.algebra,
            &cores,
        );
        if let Err(why) = passes.run(ctx, self.part, &threads) {
            made.no_cpu = why;
            return;
        }
        made.cpu = true;
        made.in_parts = made.slices.is_some() && runs_in_parts(ctx, self.function);
        let reordered = made.notes.schedule.is_some();
        made.only_threads = !reordered && only_threads(ctx, self.part);
        let same_bits = self.region.found && self.is_exact(ctx);
        let made = &mut self.forms.made;
        made.same_bits = same_bits;
        if self.options.texts {
            made.cpu_mlir = ctx.op_text(self.part);
        }
        self.forms.cpu = Some(self.part);
    }

    /// The form for the oldest architecture, and those of which newer ones have better, of
    /// the loops as they are in `written`.
    fn gpu_forms(&mut self, ctx: &mut Context, written: Copy, rules: &Options) {
        let mut own = self.options.clone();
        if let Some(Target::Arch(arch)) = &self.region.target {
            own.arch.clone_from(arch);
            own.newer.clear();
        }
        if let Some(costs) = &mut own.costs {
            costs.sizes.clone_from(&self.region.sizes);
        }
        let products = self.region.schedules.is_empty();
        let before = self.forms.made.notes.clone();
        let all = versions::of(ctx, written, &own, &self.passes, |options| {
            gpu::pipeline_of(options, rules, products)
        });
        let mut all = match all {
            Ok(all) => all.into_iter(),
            Err(why) => {
                self.forms.made.no_gpu = why;
                return;
            }
        };
        let Some(first) = all.next() else { return };
        let passes = self.passes.of(format!("for gpu {}", own.arch));
        let made = &mut self.forms.made;
        let part = first.copy.0;
        match first.form(ctx, &mut made.notes, &made.extents, &passes) {
            Ok((image, dumps)) => {
                made.dumps = dumps;
                made.gpu = true;
                made.ptx = image.ptx.clone();
                if own.texts {
                    made.gpu_mlir = ctx.op_text(part);
                }
                self.forms.gpu = Some((part, image));
                versions::add(ctx, &mut self.forms, &before, all, &self.passes);
            }
            Err(why) => made.no_gpu = why,
        }
    }
}

/// Whether anything in a module is a float, or an array or a vector of floats.
fn has_floats(ctx: &Context, module: Op) -> bool {
    module.pre_order(ctx).iter().any(|op| {
        let values = op.operands(ctx).into_iter().chain(op.results(ctx));
        let mut types = values.map(|v| v.ty(ctx).element_or_self(ctx));
        types.any(|t| t.is_float(ctx))
    })
}
