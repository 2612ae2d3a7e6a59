//! Pipelines as text, options, running, watching and reporting.

use super::*;
use crate::rewrite::{GreedyOptions, PatternSet, apply_greedily};
use crate::testing::{context, errors, find, module};
use std::path::Path;

struct Canonicalize;
impl Pass for Canonicalize {
    fn run(&mut self, pc: &mut PassContext, op: Op) -> PassResult {
        let set = PatternSet::canonicalization(pc);
        let r = apply_greedily(pc.ctx, op, &set, &GreedyOptions::default());
        pc.count("folds", r.folds);
        Ok(())
    }
}

struct Break(ParsedOptions);
impl Pass for Break {
    fn run(&mut self, pc: &mut PassContext, op: Op) -> PassResult {
        match self.0.str("how") {
            "fail" => return pc.fail(op, "was told to fail"),
            "silent" => return Err(PassFailed),
            "panic" => panic!("was told to panic"),
            "invalid" => {
                let add = find(pc, op, "t.use");
                let loc = add.loc(pc);
                let name = pc.op_def("t.add").expect("registered");
                let bad = crate::builder::OpState::new(name, loc).create(pc.ctx);
                bad.insert_before(pc, add);
            }
            _ => {}
        }
        Ok(())
    }
}

static CANONICALIZE: PassInfo = PassInfo {
    name: "canon",
    title: "Canonicalizer",
    summary: "Canonicalize",
    statistics: &[
        StatisticInfo::new("folds", "Ops folded"),
        StatisticInfo::new("a", "Nothing"),
    ],
    make: |_| Ok(Box::new(Canonicalize)),
    ..PassInfo::EMPTY
};

static BREAK: PassInfo = PassInfo {
    name: "break",
    title: "BreakPass",
    summary: "Break something",
    anchor: Some("t.func"),
    options: &[
        OptionInfo::new(
            "how",
            OptionKind::Enum(&["no", "fail", "silent", "panic", "invalid"]),
            "no",
            "How",
        ),
        OptionInfo::new("sizes", OptionKind::IntList, "", "Sizes"),
        OptionInfo::new("text", OptionKind::Str, "", "Any text"),
        OptionInfo::flag("flag", "A flag"),
        OptionInfo::new("count", OptionKind::UInt, "7", "A count"),
        OptionInfo::new("names", OptionKind::StrList, "", "Names"),
    ],
    make: |o| Ok(Box::new(Break(o.clone()))),
    ..PassInfo::EMPTY
};

static TWICE: PipelineInfo = PipelineInfo {
    name: "twice",
    summary: "Canonicalize functions twice",
    options: &[],
    expand: |_| Ok("t.func(canon,canon)".to_string()),
};

static ENDLESS: PipelineInfo = PipelineInfo {
    name: "endless",
    summary: "",
    options: &[],
    expand: |_| Ok("endless".to_string()),
};

fn registry() -> PassRegistry {
    let mut r = PassRegistry::new();
    r.add_all(&[&CANONICALIZE, &BREAK]);
    r.add_pipeline(&TWICE);
    r.add_pipeline(&ENDLESS);
    r
}

fn parse(text: &str) -> Result<PassManager, String> {
    PassManager::parse(&registry(), text)
}

#[track_caller]
fn error_of(text: &str) -> String {
    match parse(text) {
        Ok(pm) => panic!("parses: {}", pm.root.text()),
        Err(e) => e,
    }
}

/// Collects what a run shows and saves.
#[derive(Default)]
struct Output {
    shown: String,
    saved: Vec<(String, String)>,
}
impl PassOutput for Output {
    fn show(&mut self, text: &str) {
        self.shown.push_str(text);
    }
    fn save(&mut self, path: &Path, text: &str) -> Result<(), String> {
        self.saved
            .push((path.display().to_string(), text.to_string()));
        Ok(())
    }
}

const TWO: &str = r#""t.func"() <{sym_name = "a", function_type = () -> ()}> ({
  %0 = "t.const"() <{value = 1 : i32}> : () -> i32
  %1 = "t.add"(%0, %0) : (i32, i32) -> i32
  "t.use"(%1) : (i32) -> ()
  "t.return"() : () -> ()
}) : () -> ()
"t.func"() <{sym_name = "b", function_type = () -> ()}> ({
  "t.use"() : () -> ()
  "t.return"() : () -> ()
}) : () -> ()"#;

#[test]
fn pipelines_print_as_they_parse() {
    let pm = parse(
        " builtin.module ( t.func( canon , break{ how=no sizes=1,2 sizes=3 names={a,b} \
         text={foo bar} flag }) , canon,any(canon)) ",
    )
    .unwrap();
    let text = "builtin.module(t.func(canon,break{count=7 flag=true how=no names={a,b} \
                sizes={1,2,3} text={foo bar}}),canon,any(canon))";
    assert_eq!(pm.root.text(), text);
    assert_eq!(parse(text).unwrap().root.text(), text);
    assert_eq!(
        parse("builtin.module(t.func(canon,canon),canon)")
            .unwrap()
            .dump(),
        "Pass Manager with 2 passes:\nbuiltin.module(\n  t.func(\n    canon,\n    canon\n  ),\n  \
         canon\n)\n\n"
    );
    let twice = parse("builtin.module(twice)").unwrap();
    assert_eq!(twice.root.text(), "builtin.module(t.func(canon,canon))");
    assert_eq!(
        parse("builtin.module()").unwrap().root.text(),
        "builtin.module()"
    );
}

#[test]
fn pipeline_errors() {
    let wrapped = "expected pass pipeline to be wrapped with the anchor operation type, e.g. \
                   'builtin.module(...)'";
    for text in ["canon", "", "builtin.module(canon", "builtin.module(canon}"] {
        assert_eq!(error_of(text), wrapped, "{text}");
    }
    let at = |column: usize, message: &str, text: &str| {
        format!(
            "MLIR Textual PassPipeline Parser:1:{column}: error: {message}\n{text}\n{:>column$}\n",
            "^"
        )
    };
    assert_eq!(
        error_of("builtin.module(x)"),
        at(
            1,
            "'x' does not refer to a registered pass or pass pipeline",
            "x"
        )
    );
    assert_eq!(
        error_of("builtin.module(canon))"),
        at(
            6,
            "encountered extra closing ')' creating unbalanced parentheses while parsing pipeline",
            "canon)"
        )
    );
    assert_eq!(
        error_of("any(builtin.module(canon)"),
        at(
            16,
            "encountered unbalanced parentheses while parsing pipeline",
            "builtin.module(canon"
        )
    );
    assert_eq!(
        error_of("any(builtin.module()())"),
        at(
            17,
            "expected ',' after parsing pipeline",
            "builtin.module()()"
        )
    );
    assert_eq!(
        error_of("any(,)"),
        at(
            1,
            "'' does not refer to a registered pass or pass pipeline",
            ","
        )
    );
    assert_eq!(
        error_of("t.func(break{how=no)"),
        at(
            6,
            "missing closing '}' while processing pass options",
            "break{how=no"
        )
    );
    assert_eq!(
        error_of("builtin.module(t.func(break{odd=1}))"),
        "<Pass-Options-Parser>: no such option odd\nfailed to add `break` with options `odd=1`\n\
         failed to add `t.func` with options `` to inner pipeline"
    );
    for (options, message) in [
        (
            "sizes=1,x",
            "for the --sizes option: 'x' value invalid for long argument!",
        ),
        (
            "count=-4",
            "for the --count option: '-4' value invalid for uint argument!",
        ),
        ("count", "for the --count option: requires a value!"),
        (
            "flag=7",
            "for the --flag option: '7' is invalid value for boolean argument! Try 0 or 1",
        ),
        (
            "how=7",
            "for the --how option: Cannot find option named '7'!",
        ),
    ] {
        let e = error_of(&format!("t.func(break{{{options}}})"));
        let added = format!("{message}\nfailed to add `break` with options `{options}`");
        assert_eq!(e, added);
    }
    assert!(error_of("builtin.module(break)").starts_with(
        "Can't add pass 'BreakPass' restricted to 't.func' on a PassManager intended to run on \
         'builtin.module', did you intend to nest?"
    ));
    assert!(error_of("builtin.module(endless)").contains("expands without end"));
    let deep = format!("{}canon{}", "any(".repeat(500), ")".repeat(500));
    assert!(error_of(&deep).contains("nest more than"));
}

#[test]
fn passes_nest_by_themselves_where_asked_to() {
    let mut pm = PassManager::new("builtin.module");
    let o = || ParsedOptions::defaults(BREAK.options).unwrap();
    pm.root.add_nesting(&BREAK, o()).unwrap();
    pm.root.add_nesting(&BREAK, o()).unwrap();
    pm.root
        .add_nesting(&CANONICALIZE, ParsedOptions::defaults(&[]).unwrap())
        .unwrap();
    assert_eq!(pm.root.len(), 2);
    assert!(pm.root.add(&BREAK, o()).is_err());
}

#[test]
fn runs_and_prints_ir() {
    let mut ctx = context();
    let m = module(&mut ctx, TWO);
    let mut pm = parse("builtin.module(t.func(canon),t.func(canon))").unwrap();
    pm.printing.after = PassFilter::All;
    pm.printing.only_after_change = true;
    let mut out = Output::default();
    assert_eq!(pm.run(&mut ctx, m, &mut out), Ok(()));
    // Only the first run on @a changed anything.
    assert_eq!(out.shown.matches("IR Dump").count(), 1, "{}", out.shown);
    assert!(
        out.shown
            .starts_with("// -----// IR Dump After Canonicalizer (canon) //----- //\n")
    );
    assert!(out.shown.contains("value = 2 : i32"));
    let stats = statistics_report(&pm, ReportStyle::List);
    assert!(
        stats.contains("Canonicalizer\n  (S) 0 a     - Nothing\n  (S) 1 folds - Ops folded\n"),
        "{stats}"
    );
    let tree = statistics_report(&pm, ReportStyle::Tree);
    assert!(
        tree.contains("'t.func' Pipeline\n  Canonicalizer\n    (S) 0 a"),
        "{tree}"
    );

    let mut timers = vec![Timer::new("Parser", std::time::Duration::from_millis(2))];
    timers.extend(Timer::of_passes(&pm));
    let total = std::time::Duration::from_secs(1);
    let times = timing_report(&timers, ReportStyle::Tree, total);
    let names: Vec<&str> = times.lines().skip(6).map(|l| &l[21..]).collect();
    assert_eq!(
        names,
        [
            "Parser",
            "'t.func' Pipeline",
            "  Canonicalizer",
            "  Canonicalizer",
            "Rest",
            "Total"
        ]
    );
    assert!(times.contains("    0.0020 (  0.2%)  Parser\n"), "{times}");
    assert!(times.contains("    1.0000 (100.0%)  Total\n"), "{times}");
}

#[test]
fn module_scope_shows_all() {
    let mut ctx = context();
    let m = module(&mut ctx, TWO);
    let mut pm = parse("builtin.module(t.func(canon))").unwrap();
    pm.printing.before = PassFilter::Named(vec!["canon".to_string()]);
    pm.printing.module_scope = true;
    let mut out = Output::default();
    assert_eq!(pm.run(&mut ctx, m, &mut out), Ok(()));
    for f in ["a", "b"] {
        let banner = format!(
            "// -----// IR Dump Before Canonicalizer (canon) ('t.func' operation: @{f}) //----- //"
        );
        assert!(out.shown.contains(&banner), "{}", out.shown);
    }
    assert_eq!(
        out.shown.matches("sym_name = \"b\"").count(),
        2,
        "{}",
        out.shown
    );
}

#[track_caller]
fn failing(how: &str) -> (Vec<String>, Output) {
    let mut ctx = context();
    let m = module(&mut ctx, TWO);
    let mut pm = parse(&format!("builtin.module(t.func(break{{how={how}}}))")).unwrap();
    pm.printing.only_after_failure = true;
    pm.reproducer = Some("/x/repro.mlir".into());
    let mut out = Output::default();
    assert_eq!(pm.run(&mut ctx, m, &mut out), Err(PassFailed));
    (errors(&ctx), out)
}

#[test]
fn failures_are_reported_and_reproducible() {
    let (e, out) = failing("fail");
    assert_eq!(e[0], "1: 't.func' op was told to fail");
    // On every function, not only on the first.
    assert_eq!(e[1], "7: 't.func' op was told to fail");
    assert!(
        out.shown
            .contains("IR Dump After BreakPass Failed (break) //----- //")
    );
    let (path, text) = &out.saved[0];
    assert_eq!(path, "/x/repro.mlir");
    assert!(text.contains("\"t.const\"() <{value = 1 : i32}>"), "{text}");
    assert!(text.contains("pipeline: \"builtin.module(t.func(break{count=7 flag=false how=fail"));
    assert!(text.contains("verify_each: true"), "{text}");
    assert!(
        e.iter()
            .any(|m| m.contains("reproducer generated at `/x/repro.mlir`")),
        "{e:?}"
    );

    let (e, _) = failing("silent");
    assert_eq!(
        e[0],
        "1: 't.func' op pass 'break' failed without saying why"
    );

    let (e, out) = failing("panic");
    assert!(
        e[0].contains("pass 'BreakPass' panicked: was told to panic"),
        "{e:?}"
    );
    assert_eq!(out.saved.len(), 1);

    let (e, _) = failing("invalid");
    assert!(e[0].contains("'t.add' op requires one result"), "{e:?}");
}

#[test]
fn what_cannot_run_says_so() {
    let run = |pipeline: &str, allow: bool, pick: Option<&str>| {
        let mut ctx = context();
        ctx.config.allow_unregistered = allow;
        let m = module(
            &mut ctx,
            &format!("{TWO}\n\"t.graph\"() ({{\n^bb0:\n}}) : () -> ()"),
        );
        let op = pick.map_or(m, |n| find(&ctx, m, n));
        let mut pm = parse(pipeline).unwrap();
        let r = pm.run(&mut ctx, op, &mut Output::default());
        (r, errors(&ctx))
    };
    let (r, e) = run("t.func(canon)", false, None);
    assert_eq!(r, Err(PassFailed));
    assert!(
        e[0].contains("can't run 't.func' pass manager on 'builtin.module' op"),
        "{e:?}"
    );
    let (r, e) = run("any(canon)", false, Some("t.graph"));
    assert_eq!(r, Err(PassFailed));
    assert!(e[0].contains("not marked as 'IsolatedFromAbove'"), "{e:?}");
    let (r, e) = run("any(break)", false, None);
    assert_eq!(r, Err(PassFailed));
    assert!(e[0].contains("trying to schedule pass 'BreakPass' on an unsupported operation"));
    // Ops that are not isolated get no pipeline for any op.
    assert_eq!(run("builtin.module(any(canon))", false, None).0, Ok(()));
}

#[test]
fn files_are_written_whole() {
    let dir = std::env::temp_dir().join(format!("terrace-pass-test-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("r.mlir");
    write_atomically(&file, "one").unwrap();
    write_atomically(&file, "two").unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "two");
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
    assert!(write_atomically(&dir.join("no/such/dir"), "x").is_err());
    std::fs::remove_dir_all(&dir).unwrap();
}

/// What is no regular file is written to, not replaced: `-o /dev/null` by someone who may
/// would else take the device away.
#[cfg(unix)]
#[test]
fn links_and_pipes_stay_what_they_are() {
    use super::write_atomically;
    use std::os::unix::fs::FileTypeExt as _;
    let folder = std::env::temp_dir().join(format!("terrace-outputs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (real, link, pipe) = (
        folder.join("real"),
        folder.join("link"),
        folder.join("pipe"),
    );
    std::fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    write_atomically(&link, "new").unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "new");

    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if made.is_ok_and(|s| s.success()) {
        let from = pipe.clone();
        let reader = std::thread::spawn(move || std::fs::read_to_string(from));
        write_atomically(&pipe, "through").unwrap();
        assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());
        assert_eq!(reader.join().unwrap().unwrap(), "through");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
