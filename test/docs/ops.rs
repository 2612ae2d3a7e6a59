//! `docs/reference` has a page for each dialect, written from its declarations and from
//! the first use of each op in `test/dialects`. `UPDATE_DOCS=1` writes the pages anew.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use terrace::dialects::{ALL, context};
use terrace::ir::constraint::{Arity, AttrConstraint, AttrSyntax, TypeConstraint};
use terrace::ir::opdef::{OpAttrPlace, OpDef, RegionKind, Syntax, Traits, traits};
use terrace::ir::{Context, DialectDef};

const COMMAND: &str = "UPDATE_DOCS=1 cargo test --test docs ops";

const INDEX: &str = "# Reference

<!-- Written by test/docs/ops.rs. -->

These pages are written from the declarations in the source, and tests keep them current. `UPDATE_DOCS=1`
before `cargo test` writes them anew.

- [Passes](passes.md): what each does, its options, and what it counts.
- [Pipelines](../pipelines.md): which passes a program goes through, and why.
- [Options of the tools](tools.md).
- [MLIR's dialects and passes](upstream.md): which are here, and which come through the bridge.
- [Attributes](attributes.md): those by which passes talk to each other.

A page a dialect has each op with an example, its assembly format where it has one, its operands, results, attributes
and traits:

| dialect | about |
| --- | --- |
";

/// What each trait says of an op.
const TRAITS: &[(Traits, &str)] = &[
    (traits::NO_EFFECT, "no memory effect"),
    (
        traits::SPECULATABLE,
        "may run where the program would not have run it",
    ),
    (
        traits::RECURSIVE_EFFECTS,
        "effects are those of the nested ops",
    ),
    (
        traits::RECURSIVELY_SPECULATABLE,
        "speculatable if the nested ops are",
    ),
    (traits::TERMINATOR, "terminator"),
    (traits::RETURN_LIKE, "returns"),
    (traits::COMMUTATIVE, "commutative"),
    (traits::CONSTANT_LIKE, "constant"),
    (traits::ISOLATED, "regions see no value from outside"),
    (traits::SYMBOL, "symbol"),
    (traits::SYMBOL_TABLE, "symbol table"),
    (
        traits::SAME_OPERANDS_AND_RESULT_TYPE,
        "operands and results have one type",
    ),
    (
        traits::SAME_OPERANDS_AND_RESULT_SHAPE,
        "operands and results have one shape",
    ),
    (
        traits::SAME_OPERANDS_AND_RESULT_ELEMENT_TYPE,
        "operands and results have one element type",
    ),
    (traits::SAME_TYPE_OPERANDS, "operands have one type"),
    (traits::SAME_OPERANDS_SHAPE, "operands have one shape"),
    (
        traits::SAME_OPERANDS_ELEMENT_TYPE,
        "operands have one element type",
    ),
    (
        traits::ELEMENTWISE,
        "element by element on vectors and tensors",
    ),
    (traits::SINGLE_BLOCK, "regions have one block"),
    (traits::NO_TERMINATOR, "blocks need no terminator"),
    (traits::AFFINE_SCOPE, "a scope for affine symbols"),
    (traits::ALLOCATION_SCOPE, "frees stack memory at its end"),
    (traits::LOOP_LIKE, "loop"),
    (
        traits::GRAPH_REGION,
        "values may be used before they are defined",
    ),
    (traits::NO_REGION_ARGUMENTS, "blocks have no arguments"),
    (traits::IDEMPOTENT, "idempotent"),
    (traits::INVOLUTION, "its own inverse"),
    (
        traits::ATTR_SIZED_OPERANDS,
        "`operandSegmentSizes` has the sizes of operand groups",
    ),
    (
        traits::ATTR_SIZED_RESULTS,
        "`resultSegmentSizes` has the sizes of result groups",
    ),
    (traits::FUNCTION_LIKE, "function"),
];

fn trait_names(def: &OpDef) -> Vec<&'static str> {
    let mut names = Vec::new();
    let mut left = def.traits;
    if def.has(traits::PURE) {
        left &= !traits::PURE;
        names.push("pure");
    }
    for (bit, name) in TRAITS {
        if left & bit != 0 {
            left &= !bit;
            names.push(name);
        }
    }
    assert_eq!(left, 0, "{} has a trait without a name here", def.name);
    if def.fold.is_some() {
        names.push("folds");
    }
    if def.canonicalize.is_some() {
        names.push("has rewrite patterns");
    }
    names
}

fn value(c: &TypeConstraint) -> String {
    let count = match c.arity {
        Arity::One => "",
        Arity::Optional => ", optional",
        Arity::Variadic => ", any number",
    };
    format!("{}{count}", c.summary)
}

fn attribute(ctx: &Context, c: &AttrConstraint) -> String {
    let mut out = c.summary.to_string();
    if let AttrSyntax::Enum(def) = c.syntax {
        let words: Vec<String> = def.cases.iter().map(|c| format!("`{}`", c.0)).collect();
        let _ = write!(out, ": {}", words.join(", "));
    }
    match c.default {
        Some(default) => {
            let text = ctx.attr_text(default(ctx));
            let _ = write!(out, ", default `{text}`");
        }
        None if c.optional => out.push_str(", optional"),
        None => {}
    }
    out
}

fn region(kind: RegionKind) -> &'static str {
    match kind {
        RegionKind::Any => "any blocks",
        RegionKind::OneBlock => "one block",
        RegionKind::AtMostOneBlock => "at most one block",
        RegionKind::NonEmpty => "at least one block",
        RegionKind::Variadic => "any number of regions",
    }
}

/// The table of what an op has; empty where it has nothing.
fn parts(ctx: &Context, def: &OpDef) -> String {
    let mut rows = Vec::new();
    for o in def.operands {
        rows.push(("operand", o.name, value(&o.constraint)));
    }
    for r in def.results {
        rows.push(("result", r.name, value(&r.constraint)));
    }
    for a in def.attrs {
        rows.push(("attribute", a.name, attribute(ctx, &a.constraint)));
    }
    for r in def.regions {
        rows.push(("region", r.name, region(r.kind).to_string()));
    }
    for s in def.successors {
        let many = if s.variadic {
            "any number of blocks"
        } else {
            "block"
        };
        rows.push(("successor", s.name, many.to_string()));
    }
    if rows.is_empty() {
        return String::new();
    }
    let mut out = String::from("| | name | what |\n| --- | --- | --- |\n");
    for (kind, name, what) in rows {
        let _ = writeln!(out, "| {kind} | `{name}` | {} |", what.replace('|', "\\|"));
    }
    out + "\n"
}

/// The first line in the dialect's tests that has the op in its own form.
fn example<'t>(test: &'t str, name: &str) -> Option<&'t str> {
    // These are written without their dialect.
    let name = match name {
        "builtin.module" => "module",
        "func.return" => "return",
        name => name,
    };
    let is_use = |line: &&str| {
        let code = line.split("//").next().unwrap_or("").trim();
        code.split([' ', '(', '<', '[', '{']).any(|w| w == name)
    };
    test.lines().find(is_use).map(str::trim)
}

fn op(ctx: &Context, test: &str, def: &OpDef) -> String {
    let mut out = format!("\n## `{}`\n\n", def.name);
    assert!(
        !def.doc.trim().is_empty(),
        "{} has no doc comment",
        def.name
    );
    if let Some(line) = example(test, def.name) {
        let _ = write!(out, "```mlir\n{line}\n```\n\n");
    }
    for line in def.doc.trim().lines() {
        let _ = writeln!(out, "{}", line.strip_prefix(' ').unwrap_or(line));
    }
    out.push('\n');
    match def.syntax {
        Syntax::Format(format) => {
            let _ = write!(out, "```text\n{} {format}\n```\n\n", def.name);
        }
        Syntax::Generic => out.push_str("It has the generic form alone.\n\n"),
        Syntax::Custom { .. } => {}
    }
    out.push_str(&parts(ctx, def));
    let names = trait_names(def);
    if !names.is_empty() {
        let _ = write!(out, "Traits: {}.\n\n", names.join("; "));
    }
    if !def.parents.is_empty() {
        let parents: Vec<String> = def.parents.iter().map(|p| format!("`{p}`")).collect();
        let _ = write!(out, "It stands directly in {}.\n\n", parents.join(" or "));
    }
    if let Some(end) = def.implicit_terminator {
        let _ = write!(
            out,
            "Its blocks end in `{end}`, which may be left unwritten.\n\n"
        );
    }
    out.trim_end().to_string() + "\n"
}

/// The tests of a dialect that print what they read, the plain one in front.
fn tests(dialect: &str) -> String {
    let folder = root().join("test/dialects").join(dialect);
    let entries = fs::read_dir(&folder).expect("a folder of tests for each dialect");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("a folder").path()).collect();
    files.retain(|f| !f.to_string_lossy().ends_with("invalid.mlir"));
    files.sort_by_key(|f| (!f.ends_with("ops.mlir"), f.clone()));
    let texts = files.iter().filter_map(|f| fs::read_to_string(f).ok());
    texts.collect::<Vec<String>>().join("\n")
}

fn page(ctx: &Context, d: &DialectDef) -> String {
    let test = tests(d.name);
    let mut out = format!(
        "# The dialect `{}`\n\n<!-- Written by test/docs/ops.rs from the declarations. -->\n\n{}\n",
        d.name,
        d.doc.trim()
    );
    let kinds = [("Types", "!", d.types), ("Attributes", "#", d.attrs)];
    for (title, mark, params) in kinds {
        let names: Vec<String> = (params.iter())
            .map(|p| format!("`{mark}{}.{}`", d.name, p.mnemonic))
            .collect();
        if !names.is_empty() {
            let _ = write!(out, "\n{title}: {}.\n", names.join(", "));
        }
    }
    let mut ops = d.ops.to_vec();
    ops.sort_by_key(|o| o.name);
    for def in ops {
        out.push_str(&op(ctx, &test, def));
    }
    out
}

/// The attributes by which passes talk.
fn attributes() -> String {
    let mut out = String::from(
        "# Attributes by which passes talk\n\n<!-- Written by test/docs/ops.rs from dialects/src/attributes.rs. -->\n\n\
         ```mlir\naffine.parallel (%i) = (0) to (%n) { ... } {gpu.mapper = \"stencil\"}\n```\n\n\
         Any op may have one, or any argument of a function. The verifier checks the value wherever it stands.\n\n\
         | attribute | on | value | meaning |\n| --- | --- | --- | --- |\n",
    );
    for d in terrace::dialects::attributes::ALL {
        let place = match d.place {
            OpAttrPlace::Op => "ops",
            OpAttrPlace::Argument => "arguments",
        };
        let doc: Vec<&str> = d.doc.split_whitespace().collect();
        let (name, value) = (d.name, d.value.summary);
        let _ = writeln!(out, "| `{name}` | {place} | {value} | {} |", doc.join(" "));
    }
    out
}

/// The list of the pages.
fn index() -> String {
    let mut out = String::from(INDEX);
    for d in ALL {
        let _ = writeln!(out, "| [`{0}`]({0}.md) | {1} |", d.name, d.doc.trim());
    }
    out
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

#[test]
fn the_pages_are_up_to_date() {
    let ctx = context();
    let folder = root().join("docs/reference");
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    let mut stale = Vec::new();
    let dialects = ALL
        .iter()
        .map(|d| (format!("{}.md", d.name), page(&ctx, d)));
    let others = [
        ("README.md".to_string(), index()),
        ("attributes.md".to_string(), attributes()),
    ];
    for (name, expected) in dialects.chain(others) {
        let path = folder.join(name);
        if update {
            fs::write(&path, expected).expect("written");
        } else if fs::read_to_string(&path).unwrap_or_default() != expected {
            stale.push(path.display().to_string());
        }
    }
    assert!(
        stale.is_empty(),
        "out of date, `{COMMAND}` writes them: {}",
        stale.join(", ")
    );
}

#[test]
fn an_example_is_the_ops_own_form() {
    let test = "// x.f is one\n%0 = \"x.f\"(%a) : (i32) -> i32\n  %1 = x.fold %a\n  %2 = x.f %a\n";
    assert_eq!(example(test, "x.f"), Some("%2 = x.f %a"));
    assert_eq!(example(test, "x.fo"), None);
}
