//! Every clause on every directive, and clauses with each other.

use super::*;

/// Every clause as an example.
const EXAMPLES: &[&str] = &[
    "async",
    "async(1)",
    "attach(p)",
    "auto",
    "bind(f)",
    "cache(c)",
    "collapse(2)",
    "copy(z)",
    "pcopy(z)",
    "present_or_copy(z)",
    "copyin(z)",
    "pcopyin(z)",
    "present_or_copyin(z)",
    "copyout(z)",
    "pcopyout(z)",
    "present_or_copyout(z)",
    "create(z)",
    "pcreate(z)",
    "present_or_create(z)",
    "default(none)",
    "default_async(1)",
    "delete(z)",
    "detach(p)",
    "device(z)",
    "device_num(0)",
    "device_resident(z)",
    "device_type(nvidia)",
    "dtype(*)",
    "deviceptr(z)",
    "finalize",
    "firstprivate(z)",
    "gang",
    "gang(8)",
    "host(z)",
    "if(n > 1)",
    "if_present",
    "independent",
    "kernel",
    "link(z)",
    "local(z)",
    "mirror(z)",
    "reflected(z)",
    "no_create(z)",
    "nohost",
    "num_gangs(4)",
    "num_workers(4)",
    "parallel",
    "parallel(8)",
    "present(z)",
    "private(z)",
    "reduction(+:z)",
    "self(z)",
    "seq",
    "shortloop",
    "tile(8, *)",
    "unroll(4)",
    "updatein(z)",
    "updateout(z)",
    "use_device(z)",
    "vector",
    "vector(32)",
    "vector_length(128)",
    "wait",
    "wait(1)",
    "worker",
    "worker(4)",
];

/// Directives, with what they need to be whole, and the clauses they take, from the
/// specifications.
const TAKEN: &[(&str, &str)] = &[
    (
        "acc parallel",
        "async wait num_gangs num_workers vector_length device_type if self reduction copy copyin \
         copyout create no_create present deviceptr attach private firstprivate default",
    ),
    (
        "acc kernels",
        "async wait num_gangs num_workers vector_length device_type if self private copy copyin \
         copyout create no_create present deviceptr attach default",
    ),
    (
        "acc serial",
        "async wait device_type if self reduction copy copyin copyout create no_create present \
         deviceptr attach private firstprivate default",
    ),
    (
        "acc parallel loop",
        "async wait num_gangs num_workers vector_length device_type if self reduction copy copyin \
         copyout create no_create present deviceptr attach private firstprivate default collapse \
         gang worker vector seq auto independent tile",
    ),
    (
        "acc kernels loop",
        "async wait num_gangs num_workers vector_length device_type if self reduction copy copyin \
         copyout create no_create present deviceptr attach private default collapse gang worker \
         vector seq auto independent tile",
    ),
    (
        "acc serial loop",
        "async wait device_type if self reduction copy copyin copyout create no_create present \
         deviceptr attach private firstprivate default collapse gang worker vector seq auto \
         independent tile",
    ),
    (
        "acc loop",
        "collapse gang worker vector seq auto independent tile device_type private reduction",
    ),
    (
        "acc data copy(y)",
        "if async wait device_type copy copyin copyout create no_create present deviceptr attach \
         default",
    ),
    (
        "acc enter data create(y)",
        "if async wait copyin create attach",
    ),
    (
        "acc exit data delete(y)",
        "if async wait copyout delete detach finalize",
    ),
    ("acc host_data use_device(y)", "use_device if if_present"),
    (
        "acc update self(y)",
        "async wait device_type if if_present self host device",
    ),
    ("acc wait", "async if"),
    ("acc cache(y)", ""),
    (
        "acc declare create(y)",
        "copy copyin copyout create present deviceptr device_resident link",
    ),
    ("acc atomic capture", ""),
    ("acc init", "device_type device_num if"),
    ("acc shutdown", "device_type device_num if"),
    (
        "acc set default_async(q)",
        "default_async device_num device_type if",
    ),
    (
        "acc region",
        "if async copy copyin copyout local mirror reflected create present deviceptr updatein \
         updateout",
    ),
    (
        "acc data region",
        "if async copy copyin copyout local mirror reflected create present deviceptr updatein \
         updateout",
    ),
    (
        "acc do",
        "host parallel seq vector unroll independent kernel shortloop private cache",
    ),
    (
        "acc region for",
        "if async copy copyin copyout local mirror reflected create present deviceptr updatein \
         updateout host parallel seq vector unroll independent kernel shortloop private cache",
    ),
    (
        "terrace offload",
        "if async wait num_gangs num_workers vector_length private firstprivate reduction copy \
         copyin copyout create no_create present deviceptr attach default",
    ),
    ("terrace host", ""),
    ("terrace target(sm_90)", ""),
];

/// The clause's name as [`TAKEN`] has it.
fn plain_name(example: &str) -> &str {
    let name = example.split('(').next().unwrap_or_default();
    match name {
        "dtype" => "device_type",
        "pcopy" | "present_or_copy" => "copy",
        "pcopyin" | "present_or_copyin" => "copyin",
        "pcopyout" | "present_or_copyout" => "copyout",
        "pcreate" | "present_or_create" => "create",
        _ => name,
    }
}

#[test]
fn every_clause_on_every_directive() {
    for (directive, taken) in TAKEN {
        let taken: Vec<&str> = taken.split_whitespace().collect();
        for example in EXAMPLES {
            let text = format!("{directive} {example}");
            let messages = said(&text);
            let name = plain_name(example);
            // `acc parallel parallel` is nothing, and `acc atomic capture` is not followed
            // by what looks like one.
            if taken.contains(&name) {
                let selects = directive.contains("init")
                    || directive.contains("shutdown")
                    || directive.contains("set");
                if name == "device_type" && selects {
                    assert!(messages[0].1.contains("has no effect"), "{text}");
                    continue;
                }
                let twice = directive.contains(name) && name == "default_async";
                if twice {
                    assert_eq!(messages[0].1, "`default_async` stands here twice");
                    continue;
                }
                assert_eq!(messages, [], "{text}");
                assert!(outcome(&text).directive.is_some());
            } else {
                assert_eq!(messages.len(), 1, "{text}: {messages:?}");
                let (at, message) = &messages[0];
                let spelled = example.split('(').next().unwrap_or_default();
                assert_eq!(at, spelled, "{text}");
                assert!(
                    message.starts_with(&format!("`{spelled}` does not go with `")),
                    "{text}: {message}"
                );
                assert!(outcome(&text).directive.is_none());
            }
        }
    }
}

#[test]
fn clauses_that_do_not_fit_each_other() {
    for text in ["acc loop gang gang", "acc loop gang worker(1) gang(2)"] {
        let messages = said(text);
        assert_eq!(messages[0].1, "`gang` stands here twice", "{text}");
        assert_eq!(outcome(text).messages[0].notes[0].1, "the first is here");
    }
    assert_eq!(said("acc loop gang device_type(nvidia) gang(32)"), []);
    for (one, other) in [
        ("seq", "independent"),
        ("seq", "auto"),
        ("independent", "auto"),
        ("seq", "gang"),
        ("seq", "worker"),
        ("seq", "vector"),
        ("auto", "gang"),
        ("auto", "worker"),
        ("auto", "vector"),
        ("collapse", "tile"),
    ] {
        let argument = |w: &str| match w {
            "collapse" | "tile" => format!("{w}(2)"),
            _ => w.to_owned(),
        };
        let message = format!("`{one}` and `{other}` contradict each other");
        let text = format!("acc loop {} {}", argument(one), argument(other));
        bad(&text, &argument(other), &message);
    }
    for (one, other) in [
        ("seq", "parallel"),
        ("host", "parallel"),
        ("host", "vector"),
    ] {
        let message = format!("`{one}` and `{other}` contradict each other");
        bad(&format!("acc do {one} {other}"), other, &message);
    }
    bad(
        "acc parallel copy(a) create(a)",
        "a",
        "`a` stands in `copy` and again in `create`",
    );
    bad(
        "acc parallel copy(a) private(a)",
        "a",
        "`a` stands in `copy` and again in `private`",
    );
    bad(
        "acc parallel reduction(+:a) private(a)",
        "a",
        "`a` stands in `reduction` and again in `private`",
    );
    bad(
        "acc data copyin(a[0:n]) copyout(a[0:n])",
        "a[0:n]",
        "`a` stands in `copyin` and again in `copyout`; they count as one",
    );
    assert_eq!(said("acc parallel copy(a) reduction(+:a)"), []);
    assert_eq!(said("acc data copyin(a[0:n]) copyout(a[n:n])"), []);
    assert_eq!(said("acc data create(p) attach(p)"), []);
}

#[test]
fn clauses_that_add_up_are_one() {
    for (text, kind, modifiers) in [
        ("acc data copyin(a) copyout(a)", DataKind::Copy, &[][..]),
        ("acc data copyout(a) copy(a)", DataKind::Copy, &[]),
        (
            "acc data create(zero: a) copyout(a)",
            DataKind::Copyout,
            &["zero"],
        ),
        (
            "acc data copyin(always: a) copyout(a)",
            DataKind::Copy,
            &["alwaysin"],
        ),
    ] {
        let directive = outcome(text).directive.expect(text);
        let data: Vec<_> = directive.data().collect();
        assert_eq!(data.len(), 1, "{text}");
        assert_eq!(data[0].0, kind, "{text}");
        assert_eq!(data[0].1.modifiers, modifiers, "{text}");
    }
    let directive = outcome("acc data copyin(a, b) copyout(b, c)")
        .directive
        .expect("one");
    let kinds: Vec<_> = directive
        .data()
        .map(|(k, s)| (k, s.base.text.as_str()))
        .collect();
    let expected = [
        (DataKind::Copyin, "a"),
        (DataKind::Copyout, "c"),
        (DataKind::Copy, "b"),
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn what_is_missing() {
    for (text, at, names) in [
        (
            "acc data if(x)",
            "data",
            "`acc data` needs one of the clauses `copy`, `copyin`, `copyout`, `create`, \
             `no_create`, `present`, `deviceptr`, `attach` or `default`; without one it does nothing",
        ),
        (
            "acc enter data",
            "enter data",
            "`acc enter data` needs one of the clauses `copyin`, `create` or `attach`",
        ),
        (
            "acc exit data finalize",
            "exit data",
            "`acc exit data` needs one of the clauses `copyout`, `delete` or `detach`",
        ),
        (
            "acc host_data",
            "host_data",
            "`acc host_data` needs a clause `use_device`",
        ),
        (
            "acc update if(x)",
            "update",
            "`acc update` needs one of the clauses `self`, `host` or `device`",
        ),
        (
            "acc set",
            "set",
            "`acc set` needs one of the clauses `default_async`, `device_num` or `device_type`",
        ),
        (
            "acc declare",
            "declare",
            "`acc declare` needs one of the clauses `copy`, `copyin`, `copyout`, `create`, \
             `present`, `deviceptr`, `device_resident` or `link`",
        ),
    ] {
        bad(text, at, names);
    }
    good("acc routine nohost");
    bad(
        "acc routine gang worker",
        "worker",
        "`acc routine` takes one of `gang`, `worker`, `vector` or `seq`, and both `gang` and \
         `worker` stand here",
    );
}
