//! Texts that are broken in many ways, as they are while one types: everything is answered.

use crate::client::Client;
use serde_json::{Value, json};

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

const PIECES: [&str; 24] = [
    "%",
    "@",
    "^",
    "#",
    "!",
    "{",
    "}",
    "(",
    ")",
    "\"",
    "\n",
    "//",
    "affine.for ",
    "%0 = ",
    "#map",
    "\u{e9}",
    "\u{1F600}",
    "<",
    "loc(",
    "func.func @g",
    "[",
    "#pragma acc ",
    "array ",
    "-",
];

/// Changes a text at random, asks everything at random places, and hears no defect.
fn survives(uri: &str, language: &str, text: &str, rounds: i32) {
    let mut client = Client::start();
    client.open(uri, language, text);
    client.diagnostics(uri, 1);
    let mut random = Random(text.len() as u64);
    let mut now = text.to_string();
    for version in 2..rounds + 2 {
        // Now and then from the start: a text in pieces is soon no text at all.
        if version % 12 == 0 {
            now = text.to_string();
        }
        let mut at = random.below(now.len());
        while !now.is_char_boundary(at) {
            at -= 1;
        }
        match random.below(3) {
            0 => now.insert_str(at, PIECES[random.below(PIECES.len())]),
            1 => {
                let mut end = (at + random.below(40)).min(now.len());
                while !now.is_char_boundary(end) {
                    end += 1;
                }
                now.replace_range(at..end, "");
            }
            _ => {
                let lines: Vec<&str> = text.lines().collect();
                let line = lines[random.below(lines.len())];
                now.insert_str(at, line);
            }
        }
        let params = json!({
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"text": now}],
        });
        client.notify("textDocument/didChange", params);
        client.diagnostics(uri, version);
        let lines = now.lines().count();
        for method in [
            "hover",
            "definition",
            "references",
            "documentHighlight",
            "completion",
        ] {
            client.at(
                method,
                uri,
                random.below(lines) as u32,
                random.below(60) as u32,
            );
        }
        for method in ["documentSymbol", "codeLens", "inlayHint"] {
            client.of(method, uri).unwrap();
        }
        // Refused where the text has errors.
        let _ = client.of("formatting", uri);
        client.actions(uri, 0, lines as u32);
    }
    let defects: Vec<&Value> = client
        .seen()
        .filter(|m| m["method"] == "window/showMessage")
        .collect();
    assert!(defects.is_empty(), "{defects:#?}");
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn broken_mlir() {
    let text = "\
#map = affine_map<(d0, d1) -> (d0 + d1)>
!t = memref<8x?xf32, strided<[?, 1], offset: 2>>
module @m {
  func.func private @e(i32) -> (i32, f32)
  func.func @f(%a: i32, %m: !t) -> i32 attributes {k = #map} {
    %r:2 = call @e(%a) : (i32) -> (i32, f32) // two
    affine.for %i = 0 to 8 step 2 {
      %x = affine.load %m[%i, 2 * %i + 1] : !t loc(\"a.mlir\":1:2)
      affine.store %x, %m[%i, symbol(%i)] : !t
    }
    cf.cond_br %c, ^a, ^b(%r#0 : i32)
  ^a:
    %d = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
    cf.br ^b(%a : i32)
  ^b(%k: i32):
    // The end.
    \"func.return\"(%k) : (i32) -> ()
  }
  gpu.module @g { gpu.func @h() kernel { gpu.return } }
}

// -----

func.func @second() { return }
";
    survives(
        "file:///test/broken.mlir",
        "mlir",
        &text.replace("%c,", "%cc,").replace(
            "    cf.cond_br",
            "    %cc = arith.constant true\n    cf.cond_br",
        ),
        250,
    );
}

#[test]
fn broken_formulas() {
    let text = "\
model wave(N, M: index; h, tau: real) precision f32
array P(i: 1..N+1, k: 1..M+2) bands k 2, order k i
array RHO(i: 1..N+1, k: 1..M+2) positive
macro T(a, b) = if(P[a, b] < 0, -P[a, b], h^2)
extern mass(x, y)
compute P(i skip 1 1, k step 2) parallel i
  with q = mass(h, tau); r = q*2
  P = T[i+1,k] + r/RHO[i,k] # a comment
edge P(i, M+1) = P[i, M]/2
";
    survives("file:///test/broken.tf", "terrace-formulas", text, 200);
}

#[test]
fn broken_c() {
    let text = "\
#define N 100
double a[N], b[N][N];
void f(int n, double *restrict p)
{
#pragma acc data copy(a) copyin(p[0:n])
  {
#pragma acc parallel loop gang vector_length(64) reduction(+:n)
    for (int i = 0; i < N; i++)
      a[i] = p[i] * 2 + b[i][N - i - 1];
  }
#pragma scop
  for (int i = 1; i < N; i++)
    a[i] = a[i - 1];
#pragma endscop
}
";
    survives("file:///test/broken.c", "c", text, 60);
}
