mod messages;
mod rules;

use super::*;
use crate::directive::schedule::Schedule;
use crate::directive::{ClauseKind, Compute, DataKind, Reduction};
use crate::hir::Span;

fn outcome(text: &str) -> Outcome {
    let line = format!("#pragma {text}");
    parse_pragma(&Pragma {
        span: Span::new(0, line.len()),
        text: line[7..].to_owned(),
        start: 7,
    })
}

/// The directive; it has no messages.
#[track_caller]
fn good(text: &str) -> Directive {
    let outcome = outcome(text);
    assert_eq!(outcome.messages, [], "{text}");
    outcome.directive.unwrap_or_else(|| panic!("{text}"))
}

/// Messages with what they point at.
fn said(text: &str) -> Vec<(String, String)> {
    let line = format!("#pragma {text}");
    let messages = outcome(text).messages;
    messages
        .iter()
        .map(|m| {
            let at = line.get(m.span.start as usize..m.span.end as usize);
            (at.expect(text).to_owned(), m.text.clone())
        })
        .collect()
}

#[track_caller]
fn bad(text: &str, at: &str, message: &str) {
    assert_eq!(said(text), [(at.to_owned(), message.to_owned())], "{text}");
}

/// One clause of a directive.
#[track_caller]
fn clause(text: &str) -> ClauseKind {
    let mut directive = good(text);
    assert_eq!(directive.clauses.len(), 1, "{text}");
    directive.clauses.remove(0).kind
}

#[test]
fn pragmas_of_others_are_left_alone() {
    for text in [
        "",
        "omp parallel for",
        "GCC ivdep",
        "accx loop",
        "once",
        "STDC FP_CONTRACT ON",
    ] {
        let outcome = outcome(text);
        assert!(
            outcome.directive.is_none() && outcome.messages.is_empty(),
            "{text}"
        );
    }
}

#[test]
fn every_directive_has_its_kind() {
    let compute = |construct, combined| DirectiveKind::Compute {
        construct,
        combined,
    };
    for (text, kind) in [
        ("acc parallel", compute(Compute::Parallel, false)),
        ("acc kernels", compute(Compute::Kernels, false)),
        ("acc serial", compute(Compute::Serial, false)),
        ("acc parallel loop", compute(Compute::Parallel, true)),
        ("acc kernels loop", compute(Compute::Kernels, true)),
        ("acc serial loop", compute(Compute::Serial, true)),
        ("acc region", compute(Compute::Kernels, false)),
        ("acc region do", compute(Compute::Kernels, true)),
        ("acc region for", compute(Compute::Kernels, true)),
        ("terrace offload", compute(Compute::Auto, false)),
        ("acc loop", DirectiveKind::Loop),
        ("acc do", DirectiveKind::Loop),
        ("acc for", DirectiveKind::Loop),
        ("acc data copy(a)", DirectiveKind::Data),
        ("acc data region local(a)", DirectiveKind::Data),
        ("acc enter data create(a)", DirectiveKind::EnterData),
        ("acc exit data delete(a)", DirectiveKind::ExitData),
        ("acc host_data use_device(a)", DirectiveKind::HostData),
        ("acc update self(a)", DirectiveKind::Update),
        ("acc wait", DirectiveKind::Wait(Vec::new())),
        ("acc declare create(a)", DirectiveKind::Declare),
        ("acc mirror(a)", DirectiveKind::Declare),
        ("acc routine seq", DirectiveKind::Routine(None)),
        ("acc atomic", DirectiveKind::Atomic(Atomic::Update)),
        ("acc atomic read", DirectiveKind::Atomic(Atomic::Read)),
        ("acc atomic write", DirectiveKind::Atomic(Atomic::Write)),
        ("acc atomic update", DirectiveKind::Atomic(Atomic::Update)),
        ("acc atomic capture", DirectiveKind::Atomic(Atomic::Capture)),
        ("acc init", DirectiveKind::Init),
        ("acc shutdown", DirectiveKind::Shutdown),
        ("acc set device_num(1)", DirectiveKind::Set),
        ("scop", DirectiveKind::Scop),
        ("endscop", DirectiveKind::EndScop),
        ("terrace host", DirectiveKind::Host),
    ] {
        assert_eq!(good(text).kind, kind, "{text}");
    }
    let DirectiveKind::Wait(queues) = good("acc wait(1, q + 2) async").kind else {
        panic!();
    };
    assert_eq!(queues[1].text, "q + 2");
    let DirectiveKind::Cache(vars) = good("acc cache(readonly: a[i:3])").kind else {
        panic!();
    };
    assert_eq!(vars[0].modifiers, ["readonly"]);
    let DirectiveKind::Routine(Some(name)) = good("acc routine(f) vector").kind else {
        panic!();
    };
    assert_eq!(name.text, "f");
    let DirectiveKind::Target(name) = good("terrace target(\"sm_90\")").kind else {
        panic!();
    };
    assert_eq!(name.text, "sm_90");
}

#[test]
fn schedules() {
    let of = |text: &str| match good(text).kind {
        DirectiveKind::Schedule(s) => s,
        other => panic!("{other:?}"),
    };
    let steps = of("terrace schedule(tile(i, j: 2 * N, M), unroll(k), fuse(i#1, i#2))");
    let Schedule::Steps(steps) = steps else {
        panic!("{steps:?}");
    };
    let texts: Vec<&str> = steps.iter().map(|s| s.text.as_str()).collect();
    assert_eq!(
        texts,
        ["tile(i, j: 2 * N, M)", "unroll(k)", "fuse(i#1, i#2)"]
    );
    assert_eq!(steps[0].numbers[0].arg.text, "2 * N");
    assert_eq!((steps[0].span.start, steps[0].span.end), (25, 29));
    assert_eq!(steps[2].loops[1].number, Some(2));
    let Schedule::File(name) = of("terrace schedule(\"a/b.mlir\")") else {
        panic!();
    };
    assert_eq!(name.text, "a/b.mlir");
    assert_eq!(of("terrace schedule(auto)"), Schedule::Auto);
    assert_eq!(of("terrace schedule(none)"), Schedule::None);
    assert_eq!(of("terrace schedule(pluto)"), Schedule::Pluto(None));
    assert!(matches!(
        of("terrace schedule(pluto(32))"),
        Schedule::Pluto(Some(_))
    ));
}

#[test]
fn clauses_say_what_they_say() {
    let texts = |args: &[Arg]| args.iter().map(|a| a.text.clone()).collect::<Vec<_>>();
    let ClauseKind::Gang { num, dim, size } = clause("acc loop gang(num: n / 2, static: 4)") else {
        panic!();
    };
    assert_eq!(texts(&[num.unwrap(), size.unwrap()]), ["n / 2", "4"]);
    assert!(dim.is_none());
    let none = ClauseKind::Gang {
        num: None,
        dim: None,
        size: None,
    };
    assert_eq!(clause("acc loop gang(static:*)"), none);
    let ClauseKind::Vector(Some(width)) = clause("acc loop vector(length: 32)") else {
        panic!();
    };
    assert_eq!(width.text, "32");
    let ClauseKind::Collapse { force, count } = clause("acc loop collapse(force: 3)") else {
        panic!();
    };
    assert!(force && count.text == "3");
    let ClauseKind::Tile(sizes) = clause("acc loop tile(*, 8)") else {
        panic!();
    };
    assert!(sizes[0].is_none() && sizes[1].as_ref().unwrap().text == "8");
    for (operator, expected) in [
        ("+", Reduction::Add),
        ("*", Reduction::Mul),
        ("max", Reduction::Max),
        ("min", Reduction::Min),
        ("&", Reduction::BitAnd),
        ("|", Reduction::BitOr),
        ("^", Reduction::BitXor),
        ("&&", Reduction::And),
        ("||", Reduction::Or),
    ] {
        let ClauseKind::Reduction { op, vars } =
            clause(&format!("acc loop reduction({operator}:a, b)"))
        else {
            panic!();
        };
        assert_eq!((op, vars.len()), (expected, 2));
    }
    let ClauseKind::Wait(queues) = clause("acc parallel wait(queues: 1, 2)") else {
        panic!();
    };
    assert_eq!(texts(&queues), ["1", "2"]);
    let ClauseKind::NumGangs(sizes) = clause("acc parallel num_gangs(4, n)") else {
        panic!();
    };
    assert_eq!(texts(&sizes), ["4", "n"]);
    assert_eq!(
        clause("acc parallel default(none)"),
        ClauseKind::Default { none: true }
    );
    assert_eq!(
        clause("acc parallel default(present)"),
        ClauseKind::Default { none: false }
    );
    assert_eq!(clause("acc parallel self"), ClauseKind::SelfCondition(None));
    let ClauseKind::If(cond) = clause("acc parallel if(a ? f(b, c) : d)") else {
        panic!();
    };
    assert_eq!(cond.text, "a ? f(b, c) : d");
    assert_eq!(
        good("acc parallel loop gang, vector collapse(2), copy(a)")
            .clauses
            .len(),
        4
    );
}

#[test]
fn data_clauses_and_parts_of_arrays() {
    let data = |text: &str| match clause(text) {
        ClauseKind::Data { kind, vars } => (kind, vars),
        other => panic!("{other:?}"),
    };
    for (text, kind) in [
        ("acc update host(a)", DataKind::UpdateHost),
        ("acc update self(a)", DataKind::UpdateHost),
        ("acc update device(a)", DataKind::UpdateDevice),
        ("acc data pcopyin(a)", DataKind::Copyin),
        ("acc data region local(a)", DataKind::Create),
        ("acc data region reflected(a)", DataKind::Present),
        ("acc region updatein(a)", DataKind::UpdateDevice),
        ("acc declare link(a)", DataKind::Link),
    ] {
        assert_eq!(data(text).0, kind, "{text}");
    }
    let (_, vars) = data("acc data copyin(readonly: a, s.x[0:n], p->m[i][:2*k], b[i+1][j:])");
    let bases: Vec<&str> = vars.iter().map(|v| v.base.text.as_str()).collect();
    assert_eq!(bases, ["a", "s.x", "p->m", "b"]);
    assert!(vars.iter().all(|v| v.modifiers == ["readonly"]));
    let dims: Vec<Vec<(String, String, bool)>> = vars
        .iter()
        .map(|v| {
            let text = |a: &Option<Arg>| a.as_ref().map_or(String::new(), |a| a.text.clone());
            let dims = v.dims.iter();
            dims.map(|d| (text(&d.start), text(&d.length), d.single))
                .collect()
        })
        .collect();
    let dim = |s: &str, l: &str, single| (s.to_owned(), l.to_owned(), single);
    assert_eq!(
        dims,
        [
            vec![],
            vec![dim("0", "n", false)],
            vec![dim("i", "", true), dim("", "2*k", false)],
            vec![dim("i+1", "", true), dim("j", "", false)],
        ]
    );
    // Spans are those of the line.
    let line = "#pragma acc data copyin(a, b[0:n])";
    let (_, vars) = data(&line[8..]);
    let of = |s: Span| &line[s.start as usize..s.end as usize];
    assert_eq!(of(vars[1].span), "b[0:n]");
    assert_eq!(of(vars[1].base.span), "b");
    assert_eq!(of(vars[1].dims[0].length.as_ref().unwrap().span), "n");
    // PGI's parts are from the first to the last element.
    let length = |text: &str| {
        let (_, vars) = data(text);
        vars[0].dims[0].length.as_ref().unwrap().text.clone()
    };
    assert_eq!(length("acc region copy(a[2:9])"), "8");
    assert_eq!(length("acc region copy(a[0:n-1])"), "(n-1) + 1");
    assert_eq!(length("acc region copy(a[lo:hi])"), "(hi) - (lo) + 1");
    assert_eq!(length("acc data copy(a[2:9])"), "9");
}

#[test]
fn pgi_words_for_loops() {
    assert_eq!(clause("acc do kernel"), ClauseKind::Kernel);
    assert_eq!(clause("acc do seq(4)"), ClauseKind::Seq);
    let ClauseKind::Unroll(Some(n)) = clause("acc for unroll(4)") else {
        panic!();
    };
    assert_eq!(n.text, "4");
    assert!(matches!(
        clause("acc do host(8)"),
        ClauseKind::Host(Some(_))
    ));
    assert!(matches!(
        clause("acc do parallel(16)"),
        ClauseKind::Gang { num: Some(_), .. }
    ));
    assert_eq!(good("acc do shortloop cache(a)").clauses, []);
    assert_eq!(good("acc region do vector(64)").dialect, Dialect::Pgi);
}

#[test]
fn clauses_for_other_devices_are_dropped() {
    let directive = good(
        "acc parallel loop vector_length(64) num_gangs(2) device_type(nvidia) vector_length(128) \
         device_type(radeon, host) vector_length(256) num_gangs(9) dtype(*) vector_length(32)",
    );
    let kinds: Vec<String> = directive
        .clauses
        .iter()
        .map(|c| match &c.kind {
            ClauseKind::VectorLength(n) => format!("length {}", n.text),
            ClauseKind::NumGangs(n) => format!("gangs {}", n[0].text),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds, ["gangs 2", "length 128"]);
}
