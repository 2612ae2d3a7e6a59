//! The harness must fail what is wrong: a suite that passes everything would
//! look just like a good one.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use terrace_lit::feature::Features;
use terrace_lit::tool::InProcess;
use terrace_lit::{Outcome, Suite};

fn scratch(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join("harness")
        .join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn suite(name: &str) -> Suite {
    let features = Features::new().with("here", true).with("elsewhere", false);
    let mut suite = Suite::new(scratch(name).join("t"), features);
    suite.timeout = Duration::from_millis(1500);
    suite
        .tool(
            "shout",
            Arc::new(InProcess(|args: &[String], stdin: &[u8]| {
                let text = String::from_utf8_lossy(stdin).to_uppercase();
                let code = i32::from(args.iter().any(|a| a == "--fail"));
                (code, text.into_bytes(), b"shouted\n".to_vec())
            })),
        )
        .tool(
            "explode",
            Arc::new(InProcess(
                |_: &[String], _: &[u8]| -> (i32, Vec<u8>, Vec<u8>) { panic!("on purpose") },
            )),
        )
        .tool(
            "hang",
            Arc::new(InProcess(|_: &[String], _: &[u8]| {
                std::thread::sleep(Duration::from_secs(30));
                (0, Vec::new(), Vec::new())
            })),
        )
}

/// Runs `text` as a test file; `Err` is the report.
fn run(name: &str, text: &str) -> Result<Outcome, String> {
    let file = scratch(name).join("test.mlir");
    std::fs::write(&file, text).unwrap();
    suite(name).run_file(&file).map_err(|f| f.to_string())
}

#[test]
fn right_tests_pass() {
    for (i, text) in [
        "// RUN: true",
        "// RUN: echo hello | FileCheck %s\n// CHECK: hello",
        "// RUN: echo hello | shout 2>&1 | FileCheck %s\n// CHECK: shouted\n// CHECK-NEXT: HELLO",
        "// RUN: not shout --fail < %s",
        "// RUN: ! shout --fail",
        "// RUN: false || true",
        "// RUN: true && cat %s > %t; diff %s %t",
        "// RUN: cat %s | cat > %t\n// RUN: diff %s %t",
        "// RUN: echo x > %t && echo y >> %t && cat %t | count 2",
        "// RUN: cat nowhere 2> %t || FileCheck %s --input-file=%t\n// CHECK: nowhere",
        "// RUN: not --crash sh -c 'kill -SEGV $$'",
        "// RUN: cd %S && cat test.mlir | count 1",
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(
            run(&format!("right{i}"), text),
            Ok(Outcome::Passed),
            "{text}"
        );
    }
}

#[test]
fn wrong_tests_fail() {
    for (i, text) in [
        "// RUN: false",
        "// RUN: true\n// RUN: false",
        "// RUN: false | cat",
        "// RUN: true && false",
        "// RUN: not true",
        "// RUN: not no-such-program-anywhere",
        "// RUN: not sh -c 'kill -SEGV $$'",
        "// RUN: not --crash false",
        "// RUN: no-such-program-anywhere",
        "// RUN: echo hello | FileCheck %s\n// CHECK: goodbye",
        "// RUN: echo hello | FileCheck %s",
        "// RUN: echo hello | FileCheck %s --check-prefix=OTHER\n// CHECK: hello",
        "// RUN: echo hello | FileCheck",
        "// RUN: shout --fail",
        "// RUN: explode",
        "// RUN: not explode",
        "// RUN: cat %t.missing",
        "// RUN: cat < %t.missing",
        "// RUN: echo | count 2",
        "// RUN: echo 'open",
        "// RUN: echo %{unknown}",
        "// RUN: sleep 0 &",
        "// no command at all",
        "// RUN: true\n// XFAIL: *",
        "// RUN: true\n// REQUIRES: misspelt",
        "\u{0}\u{1}\u{2}",
    ]
    .iter()
    .enumerate()
    {
        assert!(run(&format!("wrong{i}"), text).is_err(), "{text}");
    }
    let file = scratch("binary").join("test.mlir");
    std::fs::write(&file, [0xff, 0xfe, 0x00, 0x80]).unwrap();
    assert!(suite("binary").run_file(&file).is_err());
    assert!(suite("binary").run_file(&file.join("nowhere")).is_err());
}

#[test]
fn features_skip_and_say_why() {
    let skipped = |text: &str| Outcome::Skipped(text.to_string());
    for (i, (text, wanted)) in [
        ("// REQUIRES: here\n// RUN: true", Outcome::Passed),
        (
            "// REQUIRES: here, elsewhere\n// RUN: false",
            skipped("requires elsewhere"),
        ),
        (
            "// REQUIRES: !here || elsewhere\n// RUN: false",
            skipped("requires !here || elsewhere"),
        ),
        (
            "// UNSUPPORTED: here\n// RUN: false",
            skipped("unsupported with here"),
        ),
        ("// UNSUPPORTED: elsewhere\n// RUN: true", Outcome::Passed),
    ]
    .into_iter()
    .enumerate()
    {
        assert_eq!(run(&format!("feature{i}"), text), Ok(wanted), "{text}");
    }
}

#[test]
fn what_is_required_fails_instead_of_being_skipped() {
    let run = |name: &str, text: &str| {
        let mut suite = suite(name);
        suite.required = vec!["elsewhere".to_string()];
        let file = scratch(name).join("test.mlir");
        std::fs::write(&file, text).unwrap();
        suite.run_file(&file)
    };
    let failure = run("required0", "// REQUIRES: here && elsewhere\n// RUN: true").unwrap_err();
    assert!(
        failure.0.contains(":1: error: it requires here"),
        "{failure}"
    );
    assert!(failure.0.contains("names elsewhere"), "{failure}");
    // What is missing here is not what is required, or is asked to be missing.
    for text in [
        "// REQUIRES: !here\n// RUN: false",
        "// REQUIRES: !here && elsewhere\n// RUN: false",
        "// UNSUPPORTED: here\n// RUN: false",
    ] {
        let outcome = run("required1", text);
        assert!(matches!(outcome, Ok(Outcome::Skipped(_))), "{text}");
    }
}

#[test]
fn hangs_end() {
    let start = Instant::now();
    for (i, text) in [
        "// RUN: sleep 30",
        "// RUN: hang",
        // A child that keeps the pipe open after its parent is gone.
        "// RUN: sh -c 'sleep 30 & echo started' | cat",
        "// RUN: not sleep 30",
    ]
    .iter()
    .enumerate()
    {
        let report = run(&format!("hang{i}"), text).unwrap_err();
        assert!(report.contains("1.5 s"), "{report}");
    }
    assert!(
        start.elapsed() < Duration::from_secs(25),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_report_shows_command_check_and_output() {
    let text = "// RUN: echo hello | FileCheck %s\n//\n// CHECK: goodbye\n";
    let report = run("report", text).unwrap_err();
    for part in [
        "test.mlir:1: error: RUN line failed",
        "RUN: echo hello | FileCheck ",
        "test.mlir:3:11: error: CHECK: expected string not found",
        "| // CHECK: goodbye",
        "|           ^",
        "the input it was given:\n  | hello",
    ] {
        assert!(report.contains(part), "no '{part}' in:\n{report}");
    }
    let report = run("report2", "// RUN: sh -c 'echo out; echo err >&2; exit 3'").unwrap_err();
    for part in ["exit status 3", "| err", "| out"] {
        assert!(report.contains(part), "no '{part}' in:\n{report}");
    }
}

#[test]
fn large_output_goes_through_pipes() {
    let text = "// RUN: head -c 5000000 /dev/zero | cat | tr '\\0' '\\n' | count 5000000\n// RUN: yes | head -n 1";
    let report = run("large", text);
    // `yes` never ends, and here commands run one after another: an error, no hang.
    assert!(
        report.unwrap_err().contains("yes"),
        "the endless command is named"
    );
}
