//! `docs/reference/tools.md` is what the tools say of their options. `UPDATE_DOCS=1` writes
//! it anew.

use std::fmt::Write as _;
use std::process::Command;

const HEAD: &str = "# Options of the tools

<!-- Written by test/docs/tools.rs from what the tools print. -->

    terrace run examples/gemm.mlir --target gpu --size M=512 --verify

`terrace cc` takes the options of the system's C compiler, and its own: [c.md](../c.md). Each pass is an
option of `terrace-opt` too: [passes.md](passes.md).
";

/// What a tool prints for `--help`, which must be its success.
pub fn help(tool: &str, words: &[&str]) -> String {
    let out = Command::new(super::binary(tool))
        .args(words)
        .arg("--help")
        // Lines are as long as where there is no terminal.
        .env_remove("COLUMNS")
        .output()
        .expect("our tool runs");
    assert!(out.status.success(), "{tool} {words:?} --help");
    let text = String::from_utf8(out.stdout).expect("text");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_string()
}

/// The subcommands in what `terrace --help` prints.
pub fn subcommands(help: &str) -> Vec<&str> {
    let list = help.split("\nCommands:\n").nth(1).unwrap_or("");
    let lines = list.lines().take_while(|l| l.starts_with("  "));
    let names = lines
        .filter(|l| !l.starts_with("   "))
        .filter_map(|l| l.split_whitespace().next());
    names.filter(|n| !matches!(*n, "help" | "cc")).collect()
}

/// The help of terrace-opt, up to the lists of passes and pipelines.
fn without_passes(help: &str) -> &str {
    let (options, _) = help.split_once("\nPASSES").expect("the list of passes");
    options.trim_end()
}

fn page() -> String {
    let mut out = String::from(HEAD);
    let terrace = help("terrace", &[]);
    let _ = write!(out, "\n## terrace\n\n```text\n{terrace}\n```\n");
    let names = subcommands(&terrace);
    assert!(
        names.contains(&"run") && names.contains(&"explain"),
        "{names:?}"
    );
    for name in names {
        let text = help("terrace", &[name]);
        let _ = write!(out, "\n## terrace {name}\n\n```text\n{text}\n```\n");
    }
    let opt = help("terrace-opt", &[]);
    let _ = write!(
        out,
        "\n## terrace-opt\n\n```text\n{}\n```\n",
        without_passes(&opt)
    );
    let reduce = help("terrace-reduce", &[]);
    let _ = write!(out, "\n## terrace-reduce\n\n```text\n{reduce}\n```\n");
    out
}

#[test]
fn the_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/tools.md");
    let expected = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, expected).expect("written");
    } else {
        assert!(
            std::fs::read_to_string(path).unwrap_or_default() == expected,
            "docs/reference/tools.md is out of date: UPDATE_DOCS=1 cargo test --test docs tools"
        );
    }
}
