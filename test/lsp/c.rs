//! C with directives.

use crate::client::{Client, edited, range, said};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A folder of its own for a test, with the address of a file in it.
fn folder(name: &str) -> (PathBuf, String) {
    let dir = std::env::temp_dir().join(format!("terrace-test-lsp-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let uri = format!("file://{}/a.c", dir.display());
    (dir, uri)
}

const SMOOTH: &str = "\
#define N 1024
double a[N], b[N];

void smooth(void)
{

#pragma acc kernels
    for (int i = 1; i < N - 1; i++)
      b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3;

}

void sweep(void)
{
#pragma acc kernels
    for (int i = 1; i < N; i++)
      a[i] = a[i - 1] + b[i];
}

void twice(void)
{
  for (int i = 0; i < N; i++)
    a[i] *= 2;
}
";

/// Whether what became of the loops is there.
fn explained(all: &[Value]) -> bool {
    all.iter().any(|d| d["severity"].as_u64() >= Some(3))
}

#[test]
fn errors_come_from_the_text_that_is_not_saved() {
    let (dir, uri) = folder("unsaved");
    std::fs::write(dir.join("a.h"), "#define HALF 0.5\n").unwrap();
    // On the disk there is something else.
    std::fs::write(dir.join("a.c"), "int nothing;\n").unwrap();
    let text = "\
#include \"a.h\"
double a[8];
void f(void)
{
#pragma acc parallel loop copyin(b)
  for (int i = 0; i < 8; i++)
    a[i] = HALF * c;
#pragma acc parallel loop gang(
  for (int i = 0; i < 8; i++)
    a[i] = HALF;
}
";
    let mut client = Client::start();
    client.open(&uri, "c", text);
    let said = said(&client.diagnostics(&uri, 1));
    assert!(said.len() >= 2, "{said:?}");
    assert!(
        said.iter()
            .any(|s| s.starts_with("4:33-4:34 ") && s.contains("`b`")),
        "{said:?}"
    );
    assert!(said.iter().any(|s| s.starts_with("7:")), "{said:?}");
    client.change(&uri, 2, [0, 10, 0, 13], "b.h");
    let said = crate::client::said(&client.diagnostics(&uri, 2));
    assert_eq!(said, ["0:9-0:10 b.h: No such file or directory"]);
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn remarks_stand_at_the_loops() {
    let (dir, uri) = folder("remarks");
    let mut client = Client::start();
    client.open(&uri, "c", SMOOTH);
    let all = client.diagnostics_where(&uri, 1, explained);
    let parallel = all.iter().find(|d| {
        d["message"]
            .as_str()
            .unwrap()
            .contains("the loop over i is parallel")
    });
    let parallel = parallel.unwrap();
    assert_eq!(range(&parallel["range"]), "7:4-7:35");
    assert_eq!(parallel["severity"], 4);
    let order = all.iter().find(|d| {
        d["message"]
            .as_str()
            .unwrap()
            .contains("the loop over i runs in order")
    });
    let order = order.unwrap();
    assert_eq!(range(&order["range"]), "15:4-15:31");
    // A line above moves what is known.
    client.change(&uri, 2, [0, 0, 0, 0], "// above\n");
    let all = client.diagnostics_where(&uri, 2, explained);
    let moved = all.iter().find(|d| {
        d["message"]
            .as_str()
            .unwrap()
            .contains("the loop over i runs in order")
    });
    assert_eq!(range(&moved.unwrap()["range"]), "16:4-16:31");
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

/// What is shown of a place, once `word` is part of it.
fn hover_with(client: &mut Client, uri: &str, (line, character): (u32, u32), word: &str) -> String {
    let mut last = String::new();
    for _ in 0..600 {
        let h = client.at("hover", uri, line, character);
        last = h["contents"]["value"].as_str().unwrap_or("").to_string();
        if last.contains(word) {
            return last;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("no `{word}` in `{last}`");
}

#[test]
fn hovers_tell_verdict_mapping_and_cost() {
    let (dir, uri) = folder("hover");
    let mut client = Client::start();
    client.open(&uri, "c", SMOOTH);
    client.diagnostics_where(&uri, 1, explained);
    let h = hover_with(&mut client, &uri, (7, 8), "us");
    assert!(h.contains("- the loop over i is parallel\n"), "{h}");
    assert!(
        h.contains("its iterations are threads along x of smooth\\_region"),
        "{h}"
    );
    assert!(
        h.contains(" us** a launch on sm\\_90") || h.contains(" us** a launch on sm_90"),
        "{h}"
    );
    assert!(h.contains(" bytes to and from memory"), "{h}");
    let h = hover_with(&mut client, &uri, (15, 8), "in order");
    assert!(
        h.contains("- the loop over i runs in order: each iteration reads a\\[i - 1\\], which the one before writes as a\\[i\\]"),
        "{h}"
    );
    assert!(
        h.contains("line 17: the write of a\\[i\\]: `` a[i] = a[i - 1] + b[i]; ``"),
        "{h}"
    );
    // The same on the directive in front of it.
    assert_eq!(hover_with(&mut client, &uri, (14, 3), "in order"), h);
    // A loop that no directive is about.
    let h = hover_with(&mut client, &uri, (21, 8), "is parallel");
    assert!(
        h.contains("the loop over i runs on the host: it is in no region"),
        "{h}"
    );
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

const COPIES: &str = "\
#define N 1000
double a[N], b[N], old[N];

double run(void)
{
  double sum = 0;
  for (int t = 0; t < 100; t++) {
#pragma acc parallel loop copyin(a) copy(b)
    for (int i = 0; i < N; i++)
      b[i] += a[i];
    sum += old[t];
  }
#pragma acc parallel loop copyin(a) copyout(b)
  for (int i = 0; i < N; i++)
    b[i] = a[i];
  sum += old[0];
#pragma acc parallel loop copyin(a) copy(b)
  for (int i = 0; i < N; i++)
    b[i] *= a[i];
  return sum + b[0];
}
";

#[test]
fn bytes_that_move_are_beside_regions() {
    let (dir, uri) = folder("hints");
    let mut client = Client::start();
    client.open(&uri, "c", COPIES);
    client.diagnostics_where(&uri, 1, explained);
    let hints = client.of("inlayHint", &uri).unwrap();
    let shown: Vec<String> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|h| {
            format!(
                "{}: {}",
                h["position"]["line"],
                h["label"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "8: copies in 16 kB, back 8000 bytes",
            "13: copies in 8000 bytes, back 8000 bytes",
            "17: copies in 16 kB, back 8000 bytes",
        ]
    );
    assert_eq!(
        hints[0]["tooltip"],
        "a: copyin, 8000 bytes\nb: copy, 8000 bytes"
    );
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_explain_suggests_can_be_put_in() {
    let (dir, uri) = folder("actions");
    let mut client = Client::start();
    client.open(&uri, "c", COPIES);
    client.diagnostics_where(&uri, 1, explained);
    let actions = client.actions(&uri, 6, 6);
    assert_eq!(
        actions[0]["title"],
        "Copy once: `#pragma acc data copy(b) copyin(a)`"
    );
    let made = edited(COPIES, &actions[0]["edit"]["changes"][&uri]);
    assert!(
        made.contains(
            "sum = 0;\n  #pragma acc data copy(b) copyin(a)\n  for (int t = 0; t < 100; t++) {\n"
        ),
        "{made}"
    );
    let actions = client.actions(&uri, 12, 12);
    assert_eq!(actions.len(), 1, "{actions:?}");
    let made = edited(COPIES, &actions[0]["edit"]["changes"][&uri]);
    assert!(
        made.contains("\n#pragma acc data copy(b) copyin(a)\n{\n#pragma acc parallel loop copyin(a) copyout(b)\n"),
        "{made}"
    );
    assert!(
        made.contains("    b[i] *= a[i];\n}\n  return sum + b[0];\n"),
        "{made}"
    );
    // With it there is nothing left to suggest there.
    let end = COPIES.lines().count() as u32;
    client.change(&uri, 2, [0, 0, end, 0], &made);
    client.diagnostics_where(&uri, 2, explained);
    assert_eq!(client.actions(&uri, 13, 15), Vec::<Value>::new());
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn clauses_that_explain_suggests_can_be_put_in() {
    let (dir, uri) = folder("clauses");
    let text = "\
void guarded(int n, const int *use, long *restrict x) {
#pragma acc kernels
  for (int i = 0; i < n; i++)
    if (use[i]) x[i] += 1;
}
";
    let mut client = Client::start();
    client.open(&uri, "c", text);
    client.diagnostics_where(&uri, 1, explained);
    let actions = client.actions(&uri, 1, 1);
    assert_eq!(actions[0]["title"], "Say how large x is: `copy(x[0:n])`");
    let made = edited(text, &actions[0]["edit"]["changes"][&uri]);
    assert!(
        made.contains("\n#pragma acc kernels copy(x[0:n])\n"),
        "{made}"
    );
    let end = text.lines().count() as u32;
    client.change(&uri, 2, [0, 0, end, 0], &made);
    client.diagnostics_where(&uri, 2, explained);
    assert_eq!(client.actions(&uri, 1, 1), Vec::<Value>::new());
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_parallel_loop_can_be_made_a_region() {
    let (dir, uri) = folder("region");
    let text = "\
#define N 2000
static double a[N][N], b[N][N], c[N][N];

void product(void)
{
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
}
";
    let mut client = Client::start();
    client.open(&uri, "c", text);
    hover_with(&mut client, &uri, (5, 8), "is parallel");
    let actions = client.actions(&uri, 5, 5);
    assert_eq!(
        actions[0]["title"],
        "Run this loop on the device: `#pragma acc kernels`"
    );
    let made = edited(text, &actions[0]["edit"]["changes"][&uri]);
    assert!(
        made.contains("{\n  #pragma acc kernels\n  for (int i = 0; i < N; i++)\n    for (int j"),
        "{made}"
    );
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_region_shows_what_it_becomes() {
    let (dir, uri) = folder("becomes");
    let shows = json!({"window": {"showDocument": {"support": true}}});
    let mut client = Client::with(shows, json!({}));
    client.open(&uri, "c", SMOOTH);
    client.diagnostics_where(&uri, 1, explained);
    let lenses = client.of("codeLens", &uri).unwrap();
    let lenses = lenses.as_array().unwrap();
    let titles: Vec<&str> = lenses
        .iter()
        .filter(|l| l["range"]["start"]["line"] == 7)
        .map(|l| l["command"]["title"].as_str().unwrap())
        .collect();
    let expected = [
        "show loops",
        "show IR for cores",
        "show IR of kernels",
        "show PTX",
        "show assembly",
    ];
    assert_eq!(titles, expected);
    let ptx = lenses
        .iter()
        .find(|l| l["command"]["title"] == "show PTX")
        .unwrap();
    let params = json!({
        "command": ptx["command"]["command"],
        "arguments": ptx["command"]["arguments"],
    });
    let shown = client.request("workspace/executeCommand", params).unwrap();
    assert_eq!(shown["language"], "ptx");
    let text = shown["text"].as_str().unwrap();
    assert!(
        text.contains(".entry smooth_region0_kernel0") || text.contains("smooth_region"),
        "{text}"
    );
    // The editor is asked to open it.
    let asked = client.wait(|m| m["method"] == "window/showDocument");
    let path = asked["params"]["uri"]
        .as_str()
        .unwrap()
        .strip_prefix("file://")
        .unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
    for (form, word) in [
        ("mlir", "affine.for"),
        ("cpu", "func.func"),
        ("asm", "ret"),
        ("gpu", "gpu.func"),
    ] {
        let params = json!({"textDocument": {"uri": uri}, "form": form});
        let shown = client.request("terrace/becomes", params).unwrap();
        assert!(
            shown["text"].as_str().unwrap().contains(word),
            "{form}: {shown}"
        );
    }
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn settings_reach_the_engine() {
    let (dir, uri) = folder("settings");
    let text = "\
void scale(int n, double *restrict x)
{
#pragma acc parallel loop copy(x[0:n])
  for (int i = 0; i < n; i++)
    x[i] *= SCALE;
}
";
    let mut client = Client::start();
    client.open(&uri, "c", text);
    let found = said(&client.diagnostics(&uri, 1));
    assert!(found.iter().any(|s| s.contains("SCALE")), "{found:?}");
    let settings =
        json!({"settings": {"terrace": {"flags": ["-DSCALE=3"], "sizes": {"n": 100_000}}}});
    client.notify("workspace/didChangeConfiguration", settings);
    client.diagnostics_where(&uri, 1, explained);
    let h = hover_with(&mut client, &uri, (3, 4), " us");
    assert!(h.contains("us** a launch"), "{h}");
    let hints = client.of("inlayHint", &uri).unwrap();
    assert_eq!(hints[0]["label"], "copies in 800 kB, back 800 kB");
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn c_without_directives_is_left_alone() {
    let (dir, uri) = folder("plain");
    let mut client = Client::start();
    // No error of ours: it is no business of terrace.
    client.open(&uri, "c", "int f(void) { return missing; }\n");
    assert_eq!(said(&client.diagnostics(&uri, 1)), Vec::<String>::new());
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_header_that_is_saved_is_read_again() {
    let (dir, uri) = folder("header");
    let header = format!("file://{}/h.h", dir.display());
    std::fs::write(dir.join("h.h"), "#define LOW 0\n").unwrap();
    let text = "\
#include \"h.h\"
double a[8];
void f(void)
{
#pragma acc parallel loop
  for (int i = LOW; i < HIGH; i++)
    a[i] = i;
}
";
    let mut client = Client::start();
    client.open(&uri, "c", text);
    let found = said(&client.diagnostics(&uri, 1));
    assert!(found.iter().any(|s| s.contains("HIGH")), "{found:?}");
    client.open(&header, "c", "#define LOW 0\n#define HIGH 8\n");
    std::fs::write(dir.join("h.h"), "#define LOW 0\n#define HIGH 8\n").unwrap();
    let saved = json!({"textDocument": {"uri": header}});
    client.notify("textDocument/didSave", saved);
    client.diagnostics_where(&uri, 1, explained);
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn flags_of_the_build_are_used() {
    let (dir, uri) = folder("build");
    std::fs::create_dir_all(dir.join("include")).unwrap();
    std::fs::write(dir.join("include/h.h"), "#define N 8\n").unwrap();
    let entry = json!([{
        "directory": dir, "file": "a.c", "command": "cc -Iinclude -DWHAT=3 -c a.c -o a.o",
    }]);
    std::fs::write(dir.join("compile_commands.json"), entry.to_string()).unwrap();
    let text = "\
#include \"h.h\"
double a[N];
void f(void)
{
#pragma acc parallel loop
  for (int i = 0; i < N; i++)
    a[i] = WHAT;
}
";
    let mut client = Client::start();
    client.open(&uri, "c", text);
    client.diagnostics_where(&uri, 1, explained);
    // Options of terrace itself that are wrong.
    let settings = json!({"settings": {"flags": ["--target-arch=tape"]}});
    client.notify("workspace/didChangeConfiguration", settings);
    let wrong = client.diagnostics_where(&uri, 1, |all| all.iter().any(|d| d["severity"] == 1));
    let wrong = said(&wrong);
    assert!(wrong[0].starts_with("0:0-0:0 terrace.flags: "), "{wrong:?}");
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_hover_says_that_a_loop_is_being_looked_at() {
    let (dir, uri) = folder("looked");
    let mut client = Client::start();
    client.open(&uri, "c", SMOOTH);
    // What is known first is that the loop is in no region, and then what it is.
    let first = hover_with(&mut client, &uri, (21, 8), "in no region");
    let last = hover_with(&mut client, &uri, (21, 8), "is parallel");
    assert!(!last.contains("being looked at"), "{last}");
    let waits = first.contains("its iterations are being looked at");
    assert!(waits || first == last, "{first}");
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_scop_is_a_region_and_plain_functions_are_no_news() {
    let (dir, uri) = folder("scop");
    let text = "\
#define N 2000
static double a[N][N], b[N][N], c[N][N];

void product(void)
{
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
#pragma endscop
}

const char *name(void)
{
  for (int i = 0; i < N; i++)
    a[i][0] = 1;
  return \"product\";
}
";
    let mut client = Client::start();
    client.open(&uri, "c", text);
    let found = said(&client.diagnostics_where(&uri, 1, explained));
    assert!(found.iter().all(|s| !s.contains("stays C")), "{found:?}");
    // The loop of `name` was looked at, so those of the region were, too.
    hover_with(&mut client, &uri, (15, 8), "is parallel");
    assert_eq!(client.actions(&uri, 6, 6), Vec::<Value>::new());
    let h = hover_with(&mut client, &uri, (6, 8), "is parallel");
    assert_eq!(h.matches("the loop over i is parallel").count(), 1, "{h}");
    client.stop();
    std::fs::remove_dir_all(dir).unwrap();
}
