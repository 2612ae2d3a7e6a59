//! How long an answer takes on large files. Printed here; measured in `docs/performance.md` by a server
//! that is built with optimisation: `TERRACE_LSP=target/release/terrace-lsp cargo test --test lsp speed --
//! --nocapture`.

use crate::client::Client;
use std::time::{Duration, Instant};

/// Medians of the times from an edit to its diagnostics.
fn edits(client: &mut Client, uri: &str, line: u32) -> Duration {
    let mut times = Vec::new();
    for version in 2..13 {
        let start = Instant::now();
        client.change(uri, version, [line, 0, line, 0], " ");
        client.diagnostics(uri, version);
        times.push(start.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}

/// What a build without optimisation may take; the point of this is that nothing takes minutes.
const MOST: Duration = Duration::from_secs(10);

fn judged(what: &str, lines: usize, took: Duration) {
    println!(
        "{what}: {lines} lines, {:.1} ms from an edit to its diagnostics",
        took.as_secs_f64() * 1e3
    );
    // The goal is for a build with optimisation.
    let most = match std::env::var_os("TERRACE_LSP") {
        Some(_) => Duration::from_millis(100),
        None => MOST,
    };
    assert!(took < most, "{what}: {took:?}");
}

#[test]
fn speed_of_mlir() {
    let mut text = String::new();
    let mut functions = 0;
    while text.lines().count() < 10_000 {
        text.push_str(&format!(
            "func.func @f{functions}(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {{
  affine.for %i = 0 to 63 {{
    affine.for %j = 0 to 63 {{
      %0 = affine.load %a[%i, %j] : memref<64x64xf32>
      %1 = affine.load %b[%j, %i + 1] : memref<64x64xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %2, %0 : f32
      affine.store %3, %a[%i, %j] : memref<64x64xf32>
    }}
  }}
  return
}}
"
        ));
        functions += 1;
    }
    let uri = "file:///test/large.mlir";
    let mut client = Client::start();
    client.open(uri, "mlir", &text);
    assert!(client.diagnostics(uri, 1).is_empty());
    let took = edits(&mut client, uri, 5000);
    judged("mlir", text.lines().count(), took);
    // Many edits at once are not answered one by one.
    let start = Instant::now();
    for version in 13..113 {
        client.change(uri, version, [5000, 0, 5000, 0], " ");
    }
    client.diagnostics(uri, 112);
    println!(
        "mlir: 100 edits at once: {:.1} ms",
        start.elapsed().as_secs_f64() * 1e3
    );
    client.stop();
}

#[test]
fn speed_of_formulas() {
    let mut text = "model m(N: index) precision f64\n".to_string();
    for i in 0..100 {
        text.push_str(&format!("array A{i}(i: 0..N)\n"));
    }
    for i in 0..9_900 {
        let (to, from) = (i % 100, (i + 1) % 100);
        text.push_str(&format!(
            "compute A{to}(i skip 1 1) = A{from}[i-1] + 2*A{from}[i+1]\n"
        ));
    }
    let uri = "file:///test/large.tf";
    let mut client = Client::start();
    client.open(uri, "terrace-formulas", &text);
    client.diagnostics(uri, 1);
    let took = edits(&mut client, uri, 5000);
    judged("formulas", text.lines().count(), took);
    // What is wrong with indices takes longer, and comes by itself.
    let line = "compute A0(i) = A1[i-1]";
    let start = Instant::now();
    client.change(uri, 13, [5000, 0, 5000, 0], &format!("{line}\n"));
    let wrong = |all: &[serde_json::Value]| !all.is_empty();
    let found = client.diagnostics_where(uri, 13, wrong);
    println!(
        "formulas: {:.1} ms to what indices say",
        start.elapsed().as_secs_f64() * 1e3
    );
    assert_eq!(found[0]["range"]["start"]["line"], 5000);
    // It stays where it is when lines above are changed.
    client.change(uri, 14, [200, 0, 200, 0], "# a comment\n");
    let found = client.diagnostics(uri, 14);
    assert_eq!(found[0]["range"]["start"]["line"], 5001);
    client.stop();
}

#[test]
fn speed_of_c() {
    let mut text = "#include <math.h>\ndouble a[4096], b[4096];\n".to_string();
    let mut functions = 0;
    while text.lines().count() < 10_000 {
        let head = match functions % 50 {
            0 => "#pragma acc parallel loop copyin(b) copy(a)\n",
            _ => "  /* plain */\n",
        };
        text.push_str(&format!(
            "void f{functions}(int n)
{{
{head}  for (int i = 0; i < 4096; i++) {{
    double x = b[i] * n + {functions};
    if (x > 0)
      a[i] += sqrt(x);
    else
      a[i] -= x;
  }}
}}
"
        ));
        functions += 1;
    }
    let uri = "file:///test/large.c";
    let mut client = Client::start();
    client.open(uri, "c", &text);
    client.diagnostics(uri, 1);
    let took = edits(&mut client, uri, 5000);
    judged("c", text.lines().count(), took);
    client.stop();
}
