//! The pipelines by the names that `terrace-opt` and `--pass-pipeline` know.
//!
//! `terrace-opt --terrace-gpu-pipeline="arch=sm_90 last=mapping"` is what `terrace run` does
//! with a program up to where each nest knows its blocks.

use super::{Algebra, FastMath, GpuPipelineOptions, Pipeline, StageName, checks, cpu, gpu};
use super::{region_cpu, region_gpu};
use crate::gpu::model::Model;
use terrace_ir::pass::{OptionInfo, OptionKind, ParsedOptions, PipelineInfo};
use terrace_machine::CORES;

/// All that have a name.
pub static ALL: &[&PipelineInfo] = &[&GPU, &CPU, &REGION_GPU, &REGION_CPU];

static GPU: PipelineInfo = PipelineInfo {
    name: "terrace-gpu-pipeline",
    summary: "From affine loops to kernels with transfers around them, as terrace run makes them",
    options: &[
        ARCH,
        MACHINE_FILE,
        COST_MODEL,
        PRODUCTS,
        TF32,
        REASSOCIATE,
        ALGEBRA,
        SIZES,
        OptionInfo::flag("apply", "Do the schedules that are in the module"),
        OptionInfo::flag("write", "Leave what is chosen in the module as schedules"),
        OptionInfo::new(
            "candidates",
            OptionKind::UInt,
            "0",
            "Mappings to leave on each step of a schedule",
        ),
        CONTRACT,
        FUNCTIONS,
        DIVISION,
        SQRT,
        CHECKS,
        FIRST,
        LAST,
    ],
    expand: |o| {
        let all = gpu(&GpuPipelineOptions {
            apply: o.bool("apply"),
            write: o.bool("write"),
            candidates: usize::try_from(o.uint("candidates")).unwrap_or(usize::MAX),
            ..machine_and_sizes(o)?
        });
        part(o, checked(o, all))
    },
};

static CPU: PipelineInfo = PipelineInfo {
    name: "terrace-cpu-pipeline",
    summary: "From affine loops to loops over the host's threads, as terrace run makes them",
    options: &[ALGEBRA, CHECKS, FIRST, LAST],
    expand: |o| part(o, checked(o, cpu(algebra(o), &CORES))),
};

static REGION_GPU: PipelineInfo = PipelineInfo {
    name: "terrace-region-gpu-pipeline",
    summary: "From a C region to host code that launches kernels, as terrace cc makes it",
    options: &[
        ARCH,
        MACHINE_FILE,
        COST_MODEL,
        PRODUCTS,
        TF32,
        REASSOCIATE,
        ALGEBRA,
        SIZES,
        CONTRACT,
        FUNCTIONS,
        DIVISION,
        SQRT,
        FIRST,
        LAST,
    ],
    expand: |o| part(o, region_gpu(&machine_and_sizes(o)?)),
};

static REGION_CPU: PipelineInfo = PipelineInfo {
    name: "terrace-region-cpu-pipeline",
    summary: "From a C region whose parallel loops are known to loops over the host's threads, as terrace cc makes it",
    options: &[REASSOCIATE, ALGEBRA, FIRST, LAST],
    expand: |o| part(o, region_cpu(o.bool("reassociate"), algebra(o), &CORES)),
};

const ARCH: OptionInfo = OptionInfo::new(
    "arch",
    OptionKind::Str,
    "",
    "The architecture, as sm_90; empty for each pass's own",
);
const MACHINE_FILE: OptionInfo = OptionInfo::new(
    "machine-file",
    OptionKind::File,
    "",
    "A description of the machine, in place of the architecture's own",
);
const COST_MODEL: OptionInfo = OptionInfo::new(
    "cost-model",
    OptionKind::Enum(Model::NAMES),
    "exact",
    "What mappings are compared by",
);
const PRODUCTS: OptionInfo = OptionInfo::new(
    "products",
    OptionKind::Bool,
    "true",
    "Look for matrix products, whose sums are rounded once with their products",
);
const TF32: OptionInfo = OptionInfo::flag("tf32", "Factors of f32 may be rounded to tf32");
const REASSOCIATE: OptionInfo = OptionInfo::flag(
    "reassociate",
    "Sums of products and of scans may be computed in any order",
);
const ALGEBRA: OptionInfo = OptionInfo::flag(
    "algebra",
    "Sums, products and quotients may be computed as any that are equal for finite numbers",
);
const SIZES: OptionInfo = OptionInfo::new(
    "sizes",
    OptionKind::StrList,
    "",
    "Sizes that the program is thought to be called with, as n:1000",
);
const CONTRACT: OptionInfo = OptionInfo::flag(
    "contract",
    "Products and sums may be rounded once wherever they meet",
);
const FUNCTIONS: OptionInfo =
    OptionInfo::flag("functions", "Functions such as exp may be less exact");
const DIVISION: OptionInfo = OptionInfo::flag("division", "Divisions may be less exact");
const SQRT: OptionInfo = OptionInfo::flag("sqrt", "Square roots may be less exact");
const CHECKS: OptionInfo =
    OptionInfo::flag("checks", "Move checks of the host's accesses out of loops");
const FIRST: OptionInfo = OptionInfo::new(
    "first",
    OptionKind::Str,
    "",
    "The stage to begin with; empty for the first",
);
const LAST: OptionInfo = OptionInfo::new(
    "last",
    OptionKind::Str,
    "",
    "The stage to end with; empty for the last",
);

/// What both pipelines to the GPU are told, with what operations may do.
fn machine_and_sizes(o: &ParsedOptions) -> Result<GpuPipelineOptions, String> {
    let text = |name| Some(o.str(name).to_string()).filter(|s| !s.is_empty());
    let sizes = o.strs("sizes");
    Ok(GpuPipelineOptions {
        arch: o.str("arch").to_string(),
        machine_file: text("machine-file"),
        model: Model::parse(o.str("cost-model"))?,
        contract: o.bool("products"),
        tf32: o.bool("tf32"),
        reassociate: o.bool("reassociate"),
        fast_math: allowed(o),
        algebra: algebra(o),
        sizes: sizes.iter().map(|s| size(s)).collect::<Result<_, _>>()?,
        ..GpuPipelineOptions::default()
    })
}

fn allowed(o: &ParsedOptions) -> FastMath {
    FastMath {
        contract: o.bool("contract"),
        functions: o.bool("functions"),
        division: o.bool("division"),
        sqrt: o.bool("sqrt"),
    }
}

fn algebra(o: &ParsedOptions) -> Algebra {
    match o.bool("algebra") {
        true => Algebra::REAL,
        false => Algebra::AS_WRITTEN,
    }
}

fn size(text: &str) -> Result<(String, i64), String> {
    let found = text.split_once(':');
    let found = found.and_then(|(name, n)| Some((name.to_string(), n.parse().ok()?)));
    found.ok_or_else(|| format!("found the size '{text}', expected NAME:NUMBER, as n:1000"))
}

/// With the checks behind it that `checks` asks for.
fn checked(o: &ParsedOptions, mut all: Pipeline) -> Pipeline {
    if o.bool("checks") {
        all.stages.extend(checks().stages);
    }
    all
}

/// The stages from `first` to `last`, as text.
fn part(o: &ParsedOptions, mut all: Pipeline) -> Result<String, String> {
    let stage = |name| match o.str(name) {
        "" => Ok(None),
        given => StageName::parse(given).map(Some),
    };
    if let Some(first) = stage("first")? {
        all = all.from(first);
    }
    if let Some(last) = stage("last")? {
        all = all.through(last);
    }
    Ok(all.elements())
}
