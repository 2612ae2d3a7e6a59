//! No text makes `terrace-opt` panic, hang or run out of stack: whatever comes in, what
//! goes out is IR or an error. And what it prints, it reads back to the same text.
//!
//! The random tests take a second each; `TERRACE_FUZZ_SECONDS=600` lets each run for
//! ten minutes, and `TERRACE_FUZZ_SEED` starts them elsewhere.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use terrace::opt::{Outcome, Tool};
use terrace_lit::random::Random;

/// No input here is worth more, even unoptimised on a busy machine.
const MAX_LENGTH: Duration = Duration::from_secs(60);

const FLAGS: &[&str] = &["--allow-unregistered-dialect"];

fn opt(flags: &[&str], text: &[u8]) -> Outcome {
    let args: Vec<String> = flags.iter().map(|s| s.to_string()).collect();
    let start = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| {
        Tool::new("terrace-opt").run(&args, &mut &text[..])
    }));
    let shown = || {
        let start = String::from_utf8_lossy(&text[..text.len().min(4000)]).into_owned();
        format!("{} bytes of input: {start}", text.len())
    };
    let Ok(out) = result else {
        panic!("panicked on {}", shown());
    };
    let took = start.elapsed();
    assert!(took < MAX_LENGTH, "took {took:?} for {}", shown());
    match out.code {
        0 => {}
        1 => assert!(!out.stderr.is_empty(), "no error for {}", shown()),
        c => panic!("exit code {c} for {}", shown()),
    }
    out
}

/// Feed `text` in, with and without unregistered dialects; what comes out must come
/// out of itself again.
fn check(text: &[u8]) {
    opt(&[], text);
    let first = opt(FLAGS, text);
    if first.code == 0 {
        let second = opt(FLAGS, first.stdout.as_bytes());
        assert_eq!(
            second.stderr, "",
            "printed text is not read back:\n{}",
            first.stdout
        );
        // Upstream, and so terrace, writes the sum `a + (-b + c)` as `a + -b + c`, which is
        // read as `(a + -b) + c` and written as `a - b + c`: the same from then on.
        let regrouped = first.stdout.contains("+ -") || first.stdout.contains("* -");
        if regrouped && first.stdout != second.stdout {
            let third = opt(FLAGS, second.stdout.as_bytes());
            assert_eq!(second.stdout, third.stdout);
            return;
        }
        assert_eq!(first.stdout, second.stdout);
    }
}

fn check_str(text: &str) {
    check(text.as_bytes());
}

// ---- nesting ----

const DEEP: usize = 100_000;

/// `before`, `open` many times, `middle`, `close` as many times, `after`; closed and not.
fn deep(before: &str, open: &str, middle: &str, close: &str, after: &str) {
    check_str(&format!("{before}{}", open.repeat(DEEP)));
    let text = format!(
        "{before}{}{middle}{}{after}",
        open.repeat(DEEP),
        close.repeat(DEEP)
    );
    let out = opt(FLAGS, text.as_bytes());
    assert_eq!(out.code, 1);
    assert_eq!(out.stderr.matches("error:").count(), 1, "{}", out.stderr);
    assert!(out.stderr.contains("nested too deeply"), "{}", out.stderr);
    assert!(out.stderr.len() < 2000, "the source line is not cut");
}

#[test]
fn deep_regions() {
    deep("", "\"a.b\"() ({\n", "", "}) : () -> ()\n", "");
    deep("", "module {", "", "}", "");
    deep("func.func @f(%a: i1) {", "scf.if %a {", "", "}", "return }");
}

#[test]
fn deep_attributes() {
    deep("\"a.b\"() {x = ", "[", "", "]", "} : () -> ()");
    deep("\"a.b\"() {x = ", "{a = ", "1", "}", "} : () -> ()");
    deep(
        "\"a.b\"() {x = dense<",
        "[",
        "",
        "]",
        "> : tensor<1xi32>} : () -> ()",
    );
}

#[test]
fn deep_types() {
    deep("func.func private @f(", "tuple<", "i32", ">", ")");
    deep("func.func private @f(", "memref<", "i32", ">", ")");
    deep("func.func private @f(", "vector<4x", "i32", ">", ")");
    deep("func.func private @f(", "(", "", ") -> i32", ")");
}

#[test]
fn deep_affine_parentheses() {
    deep("#m = affine_map<(d0) -> (", "(", "d0", ")", ")>");
    deep("#m = affine_map<(d0) -> (", "-", "d0", "", ")>");
    deep("#m = affine_set<(d0) : (", "(", "d0", ")", " >= 0)>");
}

#[test]
fn deep_locations() {
    deep("module {} loc(", "fused[", "\"a\"", "]", ")");
    deep("module {} loc(", "\"a\"(", "\"a\"", ")", ")");
    deep("module {} loc(", "callsite(", "\"a\"", " at \"b\")", ")");
}

#[test]
fn long_chains_do_not_nest() {
    for rest in [" + d0", " - d0", " mod 3", " floordiv 2", " * 3", " + 1"] {
        check_str(&format!(
            "#m = affine_map<(d0) -> (d0{})>\n\"a.b\"() {{x = #m}} : () -> ()",
            rest.repeat(20_000)
        ));
    }
    check_str(&format!(
        "\"a.b\"() {{x = @a{}}} : () -> ()",
        "::@a".repeat(DEEP)
    ));
    check_str(&format!(
        "\"a.b\"() {{x = #a.b<{}{}>}} : () -> ()",
        "<".repeat(DEEP),
        ">".repeat(DEEP)
    ));
    check_str(&format!("\"a.b\"() : () -> !a.b<{}", "[".repeat(DEEP)));
}

#[test]
fn aliases_of_aliases_stay_small() {
    let doubled = |first: &str, open: &str, close: &str, sigil: char, n: usize| {
        let mut s = format!("{sigil}a0 = {first}\n");
        for i in 1..n {
            let before = format!("{sigil}a{}", i - 1);
            s.push_str(&format!("{sigil}a{i} = {open}{before}, {before}{close}\n"));
        }
        s
    };
    let text = doubled("1", "[", "]", '#', 64);
    let out = opt(
        FLAGS,
        format!("{text}\"a.b\"() {{x = #a63}} : () -> ()").as_bytes(),
    );
    assert!(
        out.stderr.contains("alias stands for more than"),
        "{}",
        out.stderr
    );
    let text = doubled("i32", "tuple<", ">", '!', 64);
    let out = opt(FLAGS, format!("{text}\"a.b\"() : () -> !a63").as_bytes());
    assert!(
        out.stderr.contains("alias stands for more than"),
        "{}",
        out.stderr
    );
    check_str(&format!(
        "{}\"a.b\"() : () -> !a9",
        doubled("i32", "tuple<", ">", '!', 10)
    ));
    let mut chain = "#a0 = 1\n".to_string();
    for i in 1..2000 {
        chain.push_str(&format!("#a{i} = [#a{}]\n", i - 1));
    }
    let out = opt(
        FLAGS,
        format!("{chain}\"a.b\"() {{x = #a1999}} : () -> ()").as_bytes(),
    );
    assert!(
        out.stderr.contains("alias nested too deeply"),
        "{}",
        out.stderr
    );
}

// ---- size ----

#[test]
fn huge_numbers() {
    let digits = "9".repeat(1 << 20);
    let hex = format!("0x{}", "f".repeat(1 << 20));
    for n in [&digits, &hex] {
        for text in [
            format!("\"a.b\"() {{x = {n} : i64}} : () -> ()"),
            format!("\"a.b\"() {{x = -{n}}} : () -> ()"),
            format!("\"a.b\"() {{x = 1 : i{n}}} : () -> ()"),
            format!("\"a.b\"() {{x = {n} : f64}} : () -> ()"),
            format!("\"a.b\"() {{x = array<i64: {n}>}} : () -> ()"),
            format!("\"a.b\"() {{x = dense<{n}> : tensor<1xi64>}} : () -> ()"),
            format!("func.func private @f(memref<{n}xf32>)"),
            format!("func.func private @f(memref<4xf32, strided<[{n}]>>)"),
            format!("#m = affine_map<(d0) -> (d0 * {n})>"),
            format!("%0:{n} = \"a.b\"() : () -> ()"),
            format!("\"a.b\"(%0#{n}) : (i32) -> ()"),
            format!("module {{}} loc(\"a\":{n}:{n})"),
        ] {
            check_str(&text);
        }
    }
    for text in [
        format!("\"a.b\"() {{x = {digits}.0 : f64}} : () -> ()"),
        format!("\"a.b\"() {{x = 0.{digits} : f64}} : () -> ()"),
        format!("\"a.b\"() {{x = 1.0e{digits} : f64}} : () -> ()"),
        format!("\"a.b\"() {{x = 1.0e-{digits} : f64}} : () -> ()"),
    ] {
        check_str(&text);
    }
}

#[test]
fn shapes_that_no_memory_holds() {
    for shape in [
        "9223372036854775807",
        "4611686018427387904x4",
        "0x9223372036854775807",
    ] {
        check_str(&format!(
            "\"a.b\"() {{x = dense<1> : tensor<{shape}xi32>}} : () -> ()"
        ));
        check_str(&format!(
            "\"a.b\"() {{x = dense<\"0x01\"> : tensor<{shape}xi8>}} : () -> ()"
        ));
        check_str(&format!(
            "\"a.b\"() {{x = sparse<0, 1> : tensor<{shape}xi32>}} : () -> ()"
        ));
        check_str(&format!(
            "func.func @f() {{ %0 = memref.alloc() : memref<{shape}xi32> return }}"
        ));
    }
}

/// Each of these once took time that grew with the square of its length.
#[test]
fn long_lists_take_linear_time() {
    let n = 20_000;
    let list = |f: &dyn Fn(usize) -> String, sep: &str| -> String {
        (0..n).map(f).collect::<Vec<_>>().join(sep)
    };
    for text in [
        format!("func.func private @f(memref<{}f32>)", "9x".repeat(n)),
        format!(
            "\"a.b\"() {{{}}} : () -> ()",
            list(&|i| format!("a{i} = {i}"), ", ")
        ),
        format!(
            "func.func @f(%c: i32) {{\n cf.switch %c : i32, [ default: ^x, {} ]\n^x: return}}",
            list(&|i| format!("{i}: ^x"), ", ")
        ),
        list(&|i| format!("func.func private @f{i}()"), "\n"),
        list(&|_| "foo.bar %0".to_string(), "\n"),
    ] {
        check_str(&text);
    }
    // Looking a block argument's type up is linear, in fewer of them not felt.
    let args: Vec<String> = (0..2000).map(|i| format!("%a{i}: i32")).collect();
    check_str(&format!(
        "\"a.b\"() ({{^bb0({}): }}) : () -> ()",
        args.join(", ")
    ));
}

// ---- broken and random texts ----

/// Run `f` until the time for one random test is over.
fn fuzz(f: impl Fn(&mut Random)) {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse::<u64>().ok());
    let time = Duration::from_secs(number("TERRACE_FUZZ_SECONDS").unwrap_or(1));
    let seed = number("TERRACE_FUZZ_SEED").unwrap_or(1);
    let start = Instant::now();
    let mut i = 0;
    while start.elapsed() < time {
        f(&mut Random(seed.wrapping_mul(1 << 32).wrapping_add(i)));
        i += 1;
    }
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    for p in paths {
        if p.is_dir() {
            files_below(&p, out);
        } else if p.extension().is_some_and(|e| e == "mlir") {
            out.push(p);
        }
    }
}

/// Every IR file of the project.
fn corpus() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    files_below(&root.join("examples"), &mut paths);
    files_below(&root.join("test"), &mut paths);
    assert!(paths.len() > 20, "where are the files?");
    let read = |p: PathBuf| std::fs::read(&p).ok().map(|b| (p, b));
    paths.into_iter().filter_map(read).collect()
}

#[test]
fn every_prefix_of_a_program() {
    let text = include_bytes!("text/everything.mlir");
    for end in 0..text.len() {
        opt(FLAGS, &text[..end]);
    }
    check(text);
}

#[test]
fn random_bytes() {
    fuzz(|r| {
        let n = r.below(400);
        let bytes: Vec<u8> = (0..n).map(|_| r.bits() as u8).collect();
        opt(FLAGS, &bytes);
        let ascii: Vec<u8> = bytes.iter().map(|b| b & 0x7f).collect();
        check(&ascii);
    });
}

const TOKENS: &[&str] = &[
    "module",
    "func.func",
    "@f",
    "@\"a b\"",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "->",
    ":",
    ",",
    "=",
    "+",
    "-",
    "*",
    "?",
    "|",
    "/",
    "...",
    "%0",
    "%a",
    "%a#1",
    "%0:2",
    "^bb0",
    "^a",
    "#m",
    "#a.b",
    "!t",
    "!a.b",
    "\"a.b\"",
    "\"\"",
    "\"\\",
    "0",
    "1",
    "-1",
    "0x1f",
    "1.5e3",
    "i32",
    "index",
    "f32",
    "memref<4x?xf32>",
    "tensor<*xf32>",
    "vector<[4]x4xi1>",
    "affine_map<",
    "affine_set<",
    "(d0) -> (d0",
    "d0",
    "s0",
    "mod",
    "floordiv",
    "symbol(",
    "dense<",
    "sparse<",
    "array<i8:",
    "strided<[1], offset: ?>",
    "loc(",
    "fused[",
    "callsite(",
    "unknown",
    "at",
    "affine.for",
    "%i",
    "to",
    "step",
    "affine.if",
    "affine.load",
    "scf.for",
    "scf.if",
    "else",
    "scf.while",
    "do",
    "arith.constant",
    "arith.addi",
    "arith.cmpi",
    "slt,",
    "memref.alloc",
    "memref.subview",
    "cf.br",
    "cf.cond_br",
    "cf.switch",
    "default:",
    "return",
    "gpu.launch",
    "blocks",
    "threads",
    "in",
    "vector.transfer_read",
    "attributes",
    "true",
    "unit",
    "dense_resource<",
    "{-#",
    "#-}",
    "// -----\n",
    "//",
    "\n",
    "\n",
    "\n",
    "iter_args(",
    "max",
    "min",
    "reduce",
    "tensor.extract_slice",
    "ub.poison",
    "transform.named_sequence",
    "é",
    "\0",
];

#[test]
fn token_soup() {
    fuzz(|r| {
        let n = r.below(120);
        let words: Vec<&str> = (0..n).map(|_| *r.pick(TOKENS)).collect();
        check_str(&words.join(if r.below(4) == 0 { "" } else { " " }));
    });
}

#[test]
fn mutated_programs() {
    let corpus = corpus();
    fuzz(|r| {
        let (_, text) = r.pick(&corpus);
        // Some lines of a file, so that a change is not lost in it.
        let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
        let from = r.below(lines.len());
        let mut text = lines[from..(from + 60).min(lines.len())].concat();
        for _ in 0..1 + r.below(4) {
            let at = r.below(text.len());
            let end = (at + r.below(20)).min(text.len());
            match r.below(5) {
                0 => drop(text.drain(at..end)),
                1 => text.truncate(at),
                2 => drop(text.splice(at..at, r.pick(TOKENS).bytes())),
                3 => drop(text.splice(at..end, r.pick(TOKENS).bytes())),
                _ => {
                    let copy = text[at..end].to_vec();
                    let to = r.below(text.len());
                    drop(text.splice(to..to, copy));
                }
            }
        }
        check(&text);
    });
}

// ---- the fixed point ----

#[test]
fn printed_text_prints_itself() {
    let flags: &[&str] = &["--allow-unregistered-dialect", "--split-input-file"];
    let with_locations = &[flags, &["--mlir-print-debuginfo"]].concat();
    let generic = &[flags, &["--mlir-print-op-generic"]].concat();
    let mut differ = Vec::new();
    for (path, text) in corpus() {
        for how in [flags, with_locations, generic] {
            let out = opt(how, &text);
            // A part with errors prints nothing.
            let parts = out.stdout.split("// -----\n");
            let parts: Vec<&str> = parts.filter(|p| !p.trim().is_empty()).collect();
            let first = parts.join("// -----\n");
            if first.is_empty() {
                continue;
            }
            let second = opt(how, first.as_bytes());
            if first != second.stdout || second.code != 0 {
                differ.push(format!(
                    "{} {}\n{}",
                    path.display(),
                    how.join(" "),
                    second.stderr
                ));
            }
        }
    }
    assert!(
        differ.is_empty(),
        "not a fixed point:\n{}",
        differ.join("\n")
    );
}
