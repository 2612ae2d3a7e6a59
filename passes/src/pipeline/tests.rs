use super::*;
use crate::gpu::model::Model;
use crate::region::parallelize::Schedule;
use terrace_ir::pass::{PassManager, PassRegistry};
use terrace_machine::{CORES, Cores};

fn registry() -> PassRegistry {
    let mut registry = PassRegistry::new();
    crate::register_all(&mut registry);
    registry
}

/// All combinations of what the tools ask for.
fn gpu_options() -> Vec<GpuPipelineOptions> {
    let mut all = Vec::new();
    for bits in 0..1u32 << 9 {
        let on = |bit: u32| bits >> bit & 1 == 1;
        for model in [Model::Exact, Model::Table] {
            for candidates in [0, 3] {
                all.push(GpuPipelineOptions {
                    arch: if on(0) { "sm_90".into() } else { String::new() },
                    machine_file: on(1).then(|| "gpu.machine".to_string()),
                    model,
                    fast_math: FastMath {
                        contract: on(2),
                        functions: on(2),
                        division: on(2),
                        sqrt: on(2),
                    },
                    contract: on(3),
                    tf32: on(4),
                    reassociate: on(5),
                    sizes: match on(6) {
                        true => vec![("n".into(), 100), ("m".into(), -1)],
                        false => Vec::new(),
                    },
                    apply: on(7),
                    write: on(8),
                    candidates,
                    ..GpuPipelineOptions::default()
                });
            }
        }
    }
    all
}

/// Every pipeline that the tools can ask for.
fn every() -> Vec<Pipeline> {
    let mut all: Vec<Pipeline> = gpu_options().iter().map(gpu).collect();
    let all_fast = FastMath {
        contract: true,
        functions: true,
        division: true,
        sqrt: true,
    };
    for fast in [FastMath::default(), all_fast] {
        for order in [Schedule::Auto, Schedule::None, Schedule::Pluto(Some(32))] {
            all.push(region_gpu(&GpuPipelineOptions {
                arch: "sm_90".into(),
                fast_math: fast,
                order,
                ..GpuPipelineOptions::default()
            }));
        }
    }
    all.extend([
        cpu(Algebra::default(), &CORES),
        region_cpu(false, Algebra::default(), &CORES),
        checks(),
        inline(),
        nest(),
    ]);
    all.push(mapped_kernel([32, 4, 1]));
    all
}

#[test]
fn every_step_has_the_options_that_it_is_given() {
    let registry = registry();
    for p in every() {
        let text = p.to_string();
        let parsed = PassManager::parse(&registry, &text);
        parsed.unwrap_or_else(|e| panic!("{e}\nin {text}"));
    }
}

#[test]
fn stages_come_in_their_order_and_are_the_whole() {
    for p in every() {
        let names: Vec<StageName> = p.stages.iter().map(|s| s.name).collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        for s in StageName::ALL {
            let parts = [p.through(s).elements(), p.behind(s).elements()];
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
            assert_eq!(parts.join(","), p.elements());
            assert_eq!(
                p.from(s).through(s).stages.len(),
                names.iter().filter(|n| **n == s).count()
            );
        }
    }
    let all = StageName::ALL;
    assert!(all.is_sorted());
    assert!(all.iter().all(|s| StageName::parse(s.name()) == Ok(*s)));
}

#[test]
fn every_step_says_why() {
    for p in every() {
        for s in p.steps() {
            let why = s.why;
            assert!(why.ends_with('.') && why.split(' ').count() < 40, "{why}");
        }
    }
}

#[test]
fn nothing_that_is_asked_for_is_lost() {
    for o in gpu_options() {
        let text = gpu(&o).to_string();
        let count = |part: &str| text.matches(part).count();
        let machine = o.machine_file.is_some() || !o.arch.is_empty();
        assert_eq!(count("{machine"), if machine { 3 } else { 0 }, "{text}");
        assert_eq!(
            count("gpu-map-contractions"),
            if o.contract { 2 } else { 0 },
            "{text}"
        );
        assert_eq!(
            count("tf32=true"),
            if o.tf32 && o.contract { 2 } else { 0 },
            "{text}"
        );
        let sums = if o.contract { 8 } else { 6 };
        assert_eq!(
            count("reassociate=true"),
            if o.reassociate { sums } else { 0 },
            "{text}"
        );
        assert_eq!(
            count("sizes=n:100,m:-1"),
            if o.sizes.is_empty() { 0 } else { 2 },
            "{text}"
        );
        assert_eq!(
            count("apply-schedule"),
            if o.apply { 2 } else { 0 },
            "{text}"
        );
        let written = if o.contract { 3 } else { 2 };
        assert_eq!(
            count("schedule=true"),
            if o.write { written } else { 0 },
            "{text}"
        );
        assert_eq!(
            count("candidates=3"),
            usize::from(o.candidates == 3),
            "{text}"
        );
        assert_eq!(
            count("cost-model=table"),
            usize::from(o.model == Model::Table),
            "{text}"
        );
        assert_eq!(
            count("arith-set-fastmath"),
            usize::from(o.fast_math.sqrt),
            "{text}"
        );
    }
}

#[test]
fn names_stand_for_the_pipelines() {
    let registry = registry();
    let text = |elements: &str| {
        let text = format!("builtin.module({elements})");
        PassManager::parse(&registry, &text).map(|pm| pm.root.text())
    };
    let same = |name: &str, p: Pipeline| assert_eq!(text(name), text(&p.elements()), "{name}");
    same("terrace-cpu-pipeline", cpu(Algebra::default(), &CORES));
    same(
        "terrace-region-cpu-pipeline",
        region_cpu(false, Algebra::default(), &CORES),
    );
    same(
        "terrace-region-gpu-pipeline",
        region_gpu(&GpuPipelineOptions::default()),
    );
    same("terrace-gpu-pipeline", gpu(&GpuPipelineOptions::default()));
    for o in gpu_options() {
        let mut words = vec![
            format!(
                "arch={} cost-model={} products={}",
                o.arch,
                o.model.name(),
                o.contract
            ),
            format!(
                "tf32={} reassociate={} apply={}",
                o.tf32, o.reassociate, o.apply
            ),
            format!("write={} candidates={}", o.write, o.candidates),
        ];
        words.extend(o.machine_file.as_ref().map(|f| format!("machine-file={f}")));
        if !o.sizes.is_empty() {
            words.push("sizes=n:100,m:-1".into());
        }
        if o.fast_math.sqrt {
            words.push("contract functions division sqrt".into());
        }
        same(
            &format!("terrace-gpu-pipeline{{{}}}", words.join(" ")),
            gpu(&o),
        );
    }
    same(
        "terrace-gpu-pipeline{arch=sm_90 first=mapping last=scalars}",
        gpu(&GpuPipelineOptions {
            arch: "sm_90".into(),
            ..GpuPipelineOptions::default()
        })
        .from(StageName::Mapping)
        .through(StageName::Scalars),
    );
    let error = text("terrace-cpu-pipeline{last=threats}").unwrap_err();
    assert!(
        error.contains("found the stage 'threats', expected one of numerics, "),
        "{error}"
    );
    let error = text("terrace-gpu-pipeline{sizes=n}").unwrap_err();
    assert!(
        error.contains("found the size 'n', expected NAME:NUMBER"),
        "{error}"
    );
}

#[test]
fn what_cores_have_is_told_to_the_passes_that_ask() {
    let cores = Cores {
        l1_bytes: 48 << 10,
        line_bytes: 128,
        vector_registers: 32,
        ..CORES
    };
    let strides = region_strides(&cores).to_string();
    assert!(
        strides.contains("affine-order-strides{line=16 strip=768}"),
        "{strides}"
    );
    for pipeline in [
        region_cpu(true, Algebra::default(), &cores),
        cpu(Algebra::default(), &cores),
    ] {
        let text = pipeline.to_string();
        assert!(text.contains("affine-vectorize-innermost{"), "{text}");
        assert_eq!(text.matches("registers=32").count(), 2, "{text}");
    }
}
