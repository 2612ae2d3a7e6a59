//! `docs/reference/passes.md` is written from the declarations of the passes.
//! `UPDATE_DOCS=1` writes it anew.

use std::fmt::Write as _;
use terrace::ir::pass::{OptionInfo, OptionKind, PassInfo};
use terrace::passes::ALL;

const HEAD: &str = "# Passes

<!-- Written by test/docs/passes.rs from the declarations. -->

    terrace-opt --affine-loop-tile='tile-sizes=32,32' FILE.mlir
    terrace-opt --pass-pipeline='builtin.module(func.func(affine-loop-tile{tile-sizes=32,32}))' FILE.mlir

Both run a pass with an option. [pipelines.md](../pipelines.md) says which passes a program goes
through; [add-a-pass.md](../add-a-pass.md) makes a new one.
";

fn kind(k: OptionKind) -> String {
    match k {
        OptionKind::Bool => "`true`, `false`".into(),
        OptionKind::Int => "integer".into(),
        OptionKind::UInt => "integer, not negative".into(),
        OptionKind::Float => "number".into(),
        OptionKind::Str => "text".into(),
        OptionKind::File => "path of a file".into(),
        OptionKind::Enum(words) => {
            let words: Vec<String> = words.iter().map(|w| format!("`{w}`")).collect();
            words.join(", ")
        }
        OptionKind::IntList => "integers".into(),
        OptionKind::UIntList => "integers, not negative".into(),
        OptionKind::StrList => "texts".into(),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn options(all: &[OptionInfo]) -> String {
    let mut out =
        String::from("\n| option | values | default | meaning |\n| --- | --- | --- | --- |\n");
    for o in all {
        assert!(!o.doc.is_empty(), "the option {} has no doc", o.name);
        let default = match o.default {
            "" => String::new(),
            d => format!("`{d}`"),
        };
        let _ = writeln!(
            out,
            "| `{}` | {} | {default} | {} |",
            o.name,
            kind(o.kind),
            cell(o.doc)
        );
    }
    out
}

fn pass(p: &PassInfo) -> String {
    let what = p.description.trim();
    assert!(!p.summary.is_empty(), "{} has no summary", p.name);
    assert!(!what.is_empty(), "{} has no description", p.name);
    let anchor = match p.anchor {
        Some(op) => format!("`{op}`"),
        None => "any op whose regions see no value from outside".into(),
    };
    let mut out = format!(
        "\n## `{}`\n\n{}. It runs on {anchor}.\n\n{what}\n",
        p.name,
        p.summary.trim_end_matches('.')
    );
    if !p.options.is_empty() {
        out.push_str(&options(p.options));
    }
    if !p.statistics.is_empty() {
        out.push_str("\n| counted | meaning |\n| --- | --- |\n");
        for s in p.statistics {
            let _ = writeln!(out, "| `{}` | {} |", s.name, cell(s.doc));
        }
    }
    out
}

fn page() -> String {
    let mut all = ALL.to_vec();
    all.sort_by_key(|p| p.name);
    let mut out = String::from(HEAD);
    out.push_str("\n| pass | what it does |\n| --- | --- |\n");
    for p in &all {
        let _ = writeln!(out, "| [`{0}`](#{0}) | {1} |", p.name, cell(p.summary));
    }
    out.extend(all.into_iter().map(pass));
    out
}

#[test]
fn the_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/passes.md");
    let expected = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, expected).expect("written");
    } else {
        assert!(
            std::fs::read_to_string(path).unwrap_or_default() == expected,
            "docs/reference/passes.md is out of date: UPDATE_DOCS=1 cargo test --test docs passes"
        );
    }
}
