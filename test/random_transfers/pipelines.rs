//! What random programs are put through.

use super::programs::has_aliases;
use terrace::passes::pipeline::{GpuPipelineOptions, StageName, gpu};

/// Copies and launches go on while the host does something else.
pub const OVERLAP: &str = "xfer-check,func.func(xfer-overlap),xfer-check";

/// Copies and launches in pieces, however short.
pub const CHUNK: &str =
    "func.func(xfer-chunk{chunks=2 min-bytes=0 short-kernels=true remarks=true})";

/// Rows of buffers are moved apart, however short.
const PAD: &str = "xfer-pad-rows{least=1 least-in-loops=1}";

/// What every program goes through, with launches in pieces and rows moved apart however short.
fn transfers() -> String {
    let all = gpu(&GpuPipelineOptions::default());
    let mut stage = all.from(StageName::Transfers).through(StageName::Transfers);
    for (pass, option, value) in [
        ("xfer-chunk", "chunks", "2"),
        ("xfer-chunk", "min-bytes", "0"),
        ("xfer-chunk", "pageable", "true"),
        ("xfer-chunk", "short-kernels", "true"),
        ("xfer-chunk", "remarks", "true"),
        ("xfer-pad-rows", "least", "1"),
        ("xfer-pad-rows", "least-in-loops", "1"),
    ] {
        assert_eq!(stage.set(pass, option, value), 1, "{pass}");
    }
    stage.elements()
}

/// What a program is put through: each scheme, with and without `xfer-optimize`, one function
/// at a time and the whole module.
pub fn pipelines(seed: u64) -> Vec<String> {
    let aliases = has_aliases(seed);
    let mut out = Vec::new();
    for scheme in ["kernel", "host", "mixed"] {
        let insert = format!("xfer-insert{{scheme={scheme}}}");
        // With flags of the program's own in place of the interpreter's, and buffers that
        // outlive loops and serve for several arrays.
        let rest = match scheme {
            "mixed" => {
                format!(
                    "xfer-check,xfer-lower-mirrors,func.func(xfer-forward-copies,xfer-hoist-allocations,{PAD}),{OVERLAP}"
                )
            }
            "host" => OVERLAP.to_string(),
            _ => "xfer-check".to_string(),
        };
        let narrow = "func.func(xfer-narrow)";
        let mut of_scheme = vec![
            format!("{insert},xfer-optimize,{rest}"),
            format!("{insert},xfer-optimize,{narrow},{rest}"),
        ];
        // One of the two: they take long.
        match scheme {
            "kernel" if seed.is_multiple_of(2) => {
                of_scheme.push(format!("{insert},{CHUNK},{OVERLAP}"))
            }
            "mixed" if !seed.is_multiple_of(2) => {
                of_scheme.push(transfers());
            }
            _ => {}
        }
        // A mirror for one launch lies beside those of the host scheme, which copies them
        // back over what that launch left.
        of_scheme.push(match scheme {
            "host" => insert,
            "mixed" => {
                format!("{insert},{OVERLAP},xfer-lower-mirrors,func.func(xfer-hoist-allocations)")
            }
            _ => format!("{insert},{OVERLAP}"),
        });
        for passes in of_scheme {
            // A function by itself takes its arguments for different memory.
            if !aliases {
                let alone = passes.replace("func.func(", "").replace(')', "");
                out.push(format!("builtin.module(func.func({alone}))"));
            }
            out.push(format!("builtin.module({passes})"));
        }
    }
    out
}
