//! `docs/pipelines.md` is written from the pipelines. `UPDATE_DOCS=1` writes it anew.

use std::fmt::Write as _;
use terrace_machine::CORES;
use terrace_passes::pipeline::{
    ALL, Algebra, FastMath, GpuPipelineOptions, Pipeline, cpu, gpu, region_cpu, region_gpu,
};

const BEGIN: &str =
    "<!-- Written by passes/tests/pipelines_page.rs from passes/src/pipeline. -->\n";

/// With every step that some option asks for.
fn whole(name: &str) -> Pipeline {
    let fast = FastMath {
        contract: true,
        ..FastMath::default()
    };
    match name {
        "terrace-gpu-pipeline" => gpu(&GpuPipelineOptions {
            arch: "sm_90".into(),
            fast_math: fast,
            apply: true,
            ..GpuPipelineOptions::default()
        }),
        "terrace-cpu-pipeline" => cpu(Algebra::default(), &CORES),
        "terrace-region-gpu-pipeline" => region_gpu(&GpuPipelineOptions {
            arch: "sm_90".into(),
            fast_math: fast,
            ..GpuPipelineOptions::default()
        }),
        "terrace-region-cpu-pipeline" => region_cpu(false, Algebra::default(), &CORES),
        other => panic!("{other} has no page"),
    }
}

fn generated() -> String {
    let mut out = String::from(BEGIN);
    for info in ALL {
        write!(out, "\n## {}\n\n{}.\n\n", info.name, info.summary).unwrap();
        out.push_str("| option | default | meaning |\n| --- | --- | --- |\n");
        for o in info.options {
            let default = match o.default {
                "" => String::new(),
                d => format!("`{d}`"),
            };
            writeln!(out, "| `{}` | {default} | {} |", o.name, o.doc).unwrap();
        }
        for stage in whole(info.name).stages {
            let (name, purpose) = (stage.name.name(), stage.name.purpose());
            write!(out, "\n**{name}.** {purpose}\n\n").unwrap();
            out.push_str("| pass | options | why here |\n| --- | --- | --- |\n");
            for s in stage.steps {
                let options: Vec<String> = (s.options.iter())
                    .map(|(name, value)| format!("`{name}={value}`"))
                    .collect();
                writeln!(
                    out,
                    "| `{}` | {} | {} |",
                    s.pass.name,
                    options.join(" "),
                    s.why
                )
                .unwrap();
            }
        }
    }
    out
}

#[test]
fn the_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/pipelines.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let by_hand = page.split(BEGIN).next().expect("a first part");
    let expected = format!("{by_hand}{}", generated());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, expected).expect("written");
    } else {
        assert!(
            page == expected,
            "docs/pipelines.md is out of date: UPDATE_DOCS=1 cargo test -p terrace-passes --test pipelines_page"
        );
    }
}
