use terrace_c::directive::{ClauseKind, Compute, DataKind, DirectiveKind};
use terrace_c::hir::{DirectiveId, Expr, ExprKind, Stmt, StmtKind, Storage};
use terrace_c::region::Size;
use terrace_c::types::{Array, Extent, Type};
use terrace_ir::diag::{DiagLoc, Diagnostic};

use super::build::{Build, array_of, rewrite};
use crate::c::plan::{ArrayExtent, RegionPlan};

fn messages(b: &Build, plans: &[RegionPlan]) -> Vec<String> {
    let errors = rewrite(&b.unit, plans).expect_err("an error");
    let loc = |d: &Diagnostic| match &d.loc {
        DiagLoc::Pos {
            file, line, column, ..
        } => format!("{file}:{line}:{column}"),
        _ => "nowhere".to_string(),
    };
    errors
        .iter()
        .map(|d| format!("{}: {}", loc(d), d.message))
        .collect()
}

/// A directive on line 3 as a statement, with variables of every sort.
fn one(pragma: &str, make: impl Fn(&mut Build) -> (DirectiveKind, Vec<ClauseKind>)) -> Build {
    let text = format!("# 1 \"a.c\"\nvoid f(void)\n{{\n{pragma}\n  ;\n}}\n");
    let mut b = Build::new(&text);
    b.var("p", Type::pointer_to(Type::DOUBLE), Storage::Param);
    let rows = Type::pointer_to(Type::pointer_to(Type::DOUBLE));
    b.var("rows", rows, Storage::Param);
    b.var("t", array_of(Type::DOUBLE, 10), Storage::Global);
    let open = Type::Array(std::rc::Rc::new(Array {
        of: Type::DOUBLE,
        len: Extent::Unknown,
    }));
    b.var("open", open, Storage::Extern);
    let (kind, clauses) = make(&mut b);
    let d = b.directive(pragma, kind, clauses);
    let s = b.stmt(pragma, pragma, StmtKind::Directive(d), &[]);
    b.function("void f", vec![s]);
    b
}

#[test]
fn sections_that_are_no_memory() {
    let b = one(
        "#pragma acc enter data copyin(p, rows[0:3][0:4], t[0:2][0:2], p[2:], open, 3)",
        |b| {
            let vars = ["p", "rows[0:3][0:4]", "t[0:2][0:2]", "p[2:]", "open", "3"];
            (
                DirectiveKind::EnterData,
                vec![b.data(DataKind::Copyin, &vars)],
            )
        },
    );
    assert_eq!(
        messages(&b, &[]),
        [
            "a.c:3:2: `p` is a pointer, and nothing says how much of what it points to is meant; \
             write copyin(p[0:n]) with its number of elements",
            "a.c:3:50: `t[0:2][0:2]` has more brackets than `t` has dimensions",
            "a.c:3:63: `p[2:]` has no length, and the type of `p` does not say it; write \
             [start:length]",
            "a.c:3:70: the size of the array `open` is not declared here; write \
             copyin(open[0:n])",
            "a.c:3:41: `3` is not a variable, a member or a part of an array",
        ]
    );
}

#[test]
fn what_is_attached_is_a_pointer() {
    let b = one("#pragma acc enter data attach(p, rows[1], t, p[3])", |b| {
        let vars = ["p", "rows[1]", "t", "p[3]"];
        (
            DirectiveKind::EnterData,
            vec![b.data(DataKind::Attach, &vars)],
        )
    });
    assert_eq!(
        messages(&b, &[]),
        [
            "a.c:3:15: `t` is no pointer, and no array of pointers whose elements follow one \
             another; attach takes the pointer itself, such as `p`, `s.p` or `a[i]`",
            "a.c:3:46: `p[3]` is no pointer, and no array of pointers whose elements follow one \
             another; attach takes the pointer itself, such as `p`, `s.p` or `a[i]`",
        ]
    );
}

/// Pointers in an inner dimension of which not all is meant.
#[test]
fn rows_with_pointers_left_out_between() {
    let rows = array_of(array_of(Type::pointer_to(Type::DOUBLE), 4), 3);
    let pragma = "#pragma acc enter data copyin(q[0:3][1:2][0:5], q[0:3][0:4][0:5])";
    let text = format!("# 1 \"a.c\"\nvoid f(void)\n{{\n{pragma}\n  ;\n}}\n");
    let mut b = Build::new(&text);
    b.var("q", rows, Storage::Global);
    let vars = b.data(DataKind::Copyin, &["q[0:3][1:2][0:5]", "q[0:3][0:4][0:5]"]);
    let d = b.directive(pragma, DirectiveKind::EnterData, vec![vars]);
    let s = b.stmt(pragma, pragma, StmtKind::Directive(d), &[]);
    b.function("void f", vec![s]);
    assert_eq!(
        messages(&b, &[]),
        [
            "a.c:3:31: `q[0:3][1:2][0:5]` leaves out parts between those that are meant, where \
             pointers lead to rows; write whole inner dimensions, or a clause for each row"
        ]
    );
}

#[test]
fn zero_would_clear_what_lies_between_rows() {
    let b = one("#pragma acc declare copyout(zero: grid[0:2][3:4])", |b| {
        let rows = array_of(array_of(Type::DOUBLE, 10), 10);
        b.var("grid", rows, Storage::Global);
        let mut clause = b.data(DataKind::Copyout, &["grid[0:2][3:4]"]);
        if let ClauseKind::Data { vars, .. } = &mut clause {
            vars[0].modifiers.push("zero".to_string());
        }
        (DirectiveKind::Declare, vec![clause])
    });
    let found = messages(&b, &[]);
    assert_eq!(
        found,
        [
            "a.c:3:35: `zero` sets all of `grid[0:2][3:4]` to zero, and what lies between its \
             rows would come back so; write a section of whole rows"
        ]
    );
}

#[test]
fn clauses_on_the_wrong_directive() {
    let cases: [(&str, DirectiveKind, DataKind, &str); 4] = [
        (
            "#pragma acc enter data copyout(t)",
            DirectiveKind::EnterData,
            DataKind::Copyout,
            "a.c:3:32: `copyout` has no meaning on enter data; it takes copyin, create and attach",
        ),
        (
            "#pragma acc exit data copyin(t)",
            DirectiveKind::ExitData,
            DataKind::Copyin,
            "a.c:3:30: `copyin` has no meaning on exit data; it takes copyout, delete and detach",
        ),
        (
            "#pragma acc update copy(t)",
            DirectiveKind::Update,
            DataKind::Copy,
            "a.c:3:25: `copy` has no meaning on update; it takes self and device",
        ),
        (
            "#pragma acc declare link(t)",
            DirectiveKind::Declare,
            DataKind::Link,
            "a.c:3:26: `link` has no meaning on declare in a function; it takes copy, copyin, \
             copyout, create, present, deviceptr and device_resident",
        ),
    ];
    for (pragma, kind, clause, expected) in cases {
        let b = one(pragma, |b| (kind.clone(), vec![b.data(clause, &["(t)"])]));
        let found = messages(&b, &[]);
        let line = |s: &str| s.split_once(": ").map(|p| p.1.to_string());
        assert_eq!(found.len(), 1);
        assert_eq!(line(&found[0]), line(expected));
    }
}

#[test]
fn a_data_construct_deletes_nothing() {
    let mut b = one("#pragma acc data delete(t)", |b| {
        let clause = b.data(DataKind::Delete, &["t"]);
        (DirectiveKind::Data, vec![clause])
    });
    let d = DirectiveId(0);
    b.unit.functions[0].body = b.stmt("  ;", ";", StmtKind::Empty, &[d]);
    assert_eq!(
        messages(&b, &[]),
        ["a.c:3:15: `delete` has no meaning on a data construct; it belongs to exit data"]
    );
}

#[test]
fn declare_of_globals_takes_no_copies() {
    let mut b = one("#pragma acc declare copy(t)", |b| {
        (DirectiveKind::Declare, vec![b.data(DataKind::Copy, &["t"])])
    });
    b.unit.functions.clear();
    b.unit.file_directives.push(DirectiveId(0));
    let found = messages(&b, &[]);
    assert!(
        found[0].ends_with(
            "`copy` has no meaning on declare outside functions; it takes create, copyin, \
             device_resident, deviceptr and link"
        ),
        "{found:?}"
    );
}

#[test]
fn device_types_nobody_knows() {
    let mut b = one("#pragma acc init device_type(abacus)", |_| {
        (DirectiveKind::Init, vec![ClauseKind::IfPresent])
    });
    b.unit.directives[0].clauses[0].device_type = vec!["abacus".to_string()];
    assert_eq!(
        messages(&b, &[]),
        ["a.c:3:1: found `abacus` as a device type, expected nvidia, host or default"]
    );
}

#[test]
fn jumps_out_of_data() {
    let text = "# 1 \"a.c\"\nvoid f(void)\n{\n#pragma acc data create(t)\n{ for(;;) { break; }\n\
                return;\ngoto out;\ncontinue; }\nout: ;\n}\n";
    let mut b = Build::new(text);
    b.var("t", array_of(Type::DOUBLE, 10), Storage::Global);
    let clauses = vec![b.data(DataKind::Create, &["t"])];
    let d = b.directive("#pragma acc data", DirectiveKind::Data, clauses);
    let stop = b.stmt("break;", ";", StmtKind::Break, &[]);
    let loops = StmtKind::For {
        init: None,
        cond: None,
        step: None,
        body: Box::new(stop),
    };
    let body: Vec<Stmt> = vec![
        b.stmt("for(", "}", loops, &[]),
        b.stmt("return;", ";", StmtKind::Return(None), &[]),
        b.stmt("goto", ";", StmtKind::Goto("out".to_string()), &[]),
        b.stmt("continue", ";", StmtKind::Continue, &[]),
    ];
    let s = b.stmt("{ for", "continue; }", StmtKind::Block(body), &[d]);
    b.function("void f", vec![s]);
    let left = "` leaves a data construct, whose data would never be given back; let the construct \
                end first";
    assert_eq!(
        messages(&b, &[]),
        [
            format!("a.c:5:1: `return{left}"),
            format!("a.c:6:1: `goto out{left}"),
            format!("a.c:7:1: `continue{left}"),
        ]
    );
}

#[test]
fn names_that_use_device_cannot_take() {
    let b = one("#pragma acc host_data use_device(7)", |b| {
        let vars = vec![b.section("7")];
        (DirectiveKind::HostData, vec![ClauseKind::UseDevice(vars)])
    });
    let mut b = b;
    let d = DirectiveId(0);
    b.unit.functions[0].body = b.stmt("  ;", ";", StmtKind::Empty, &[d]);
    assert_eq!(
        messages(&b, &[]),
        ["a.c:3:34: found `7` in use_device, expected the name of an array or of a pointer"]
    );
}

#[test]
fn directives_where_nothing_is_understood() {
    let mut b = one("#pragma acc update self(t)", |b| {
        (
            DirectiveKind::Update,
            vec![b.data(DataKind::UpdateHost, &["t"])],
        )
    });
    b.unit.functions[0].body.kind = StmtKind::Unsupported("an asm statement".to_string());
    assert_eq!(
        messages(&b, &[]),
        [
            "a.c:3:1: this directive stands in a part of the program that is not understood, so it \
             cannot be followed"
        ]
    );
}

fn region(pragma: &str, clauses: impl Fn(&Build) -> Vec<ClauseKind>) -> (Build, RegionPlan) {
    let mut b = one(pragma, |b| {
        let kind = DirectiveKind::Compute {
            construct: Compute::Parallel,
            combined: false,
        };
        (kind, clauses(b))
    });
    let d = DirectiveId(0);
    let s = b.stmt("  ;", ";", StmtKind::Empty, &[d]);
    let captures = vec![
        b.array("p", vec![Size::Unknown], true),
        b.array("t", vec![Size::Const(10)], false),
    ];
    let plan = b.plan(Some(d), s.span, captures, Vec::new());
    b.unit.functions.clear();
    b.function("void f", vec![s]);
    (b, plan)
}

#[test]
fn arrays_of_unknown_extent_in_a_construct() {
    let (b, mut plan) = region("#pragma acc parallel copy(p)", |b| {
        vec![b.data(DataKind::Copy, &["p"])]
    });
    plan.extents[0] = ArrayExtent::Unknown("its subscripts come from memory".to_string());
    let expected = [
        "a.c:3:1: it is not known how much of `p` this region may touch: its subscripts come from \
         memory; add copy(p[0:n]) with its number of elements",
    ];
    assert_eq!(messages(&b, std::slice::from_ref(&plan)), expected);
    // Nor anything else.
    let known = plan.extents.clone();
    plan.extents[0] = ArrayExtent::Scalar;
    assert_eq!(
        messages(&b, std::slice::from_ref(&plan)),
        [
            "a.c:3:1: it is not known how much of `p` this region may touch: nothing says how \
             large it is; add copy(p[0:n]) with its number of elements"
        ]
    );
    plan.extents = known;
    // The same without a clause.
    let (b, other) = region("#pragma acc parallel", |_| Vec::new());
    plan.region = other.region;
    assert_eq!(messages(&b, std::slice::from_ref(&plan)), expected);
}

#[test]
fn default_none_wants_clauses() {
    let (b, plan) = region("#pragma acc parallel default(none) copy(p[0:3])", |b| {
        vec![
            ClauseKind::Default { none: true },
            b.data(DataKind::Copy, &["p[0:3]"]),
        ]
    });
    assert_eq!(
        messages(&b, &[plan]),
        [
            "a.c:3:1: `t` is used in a region with default(none) and is in no data clause; write \
             what becomes of it, such as copy(t)"
        ]
    );
}

#[test]
fn regions_that_are_no_statement() {
    let (b, mut plan) = region("#pragma acc parallel", |_| Vec::new());
    plan.region.directive = None;
    plan.region.span.end += 1;
    assert_eq!(
        messages(&b, &[plan]),
        ["a.c:4:1: the region `f.region0` is not a statement of its function"]
    );
}

#[test]
fn variables_of_a_scop_that_are_used_behind() {
    let text =
        "# 1 \"a.c\"\nvoid f(void)\n{\n#pragma scop\nint k = 1;\n#pragma endscop\nk = 2;\n}\n";
    let mut b = Build::new(text);
    let k = b.var("k", Type::INT, Storage::Local);
    b.unit.vars[0].span = b.span("k = 1", "k");
    let d = b.directive("#pragma scop", DirectiveKind::Scop, Vec::new());
    let decl = b.stmt("int k", ";", StmtKind::Decl(vec![(k, None)]), &[]);
    let scop = b.stmt("int k", ";", StmtKind::Block(vec![decl]), &[d]);
    let use_of = Expr {
        kind: ExprKind::Var(k),
        ty: Type::INT,
        span: b.span("k = 2", "k"),
    };
    let behind = b.stmt("k = 2", ";", StmtKind::Expr(use_of), &[]);
    let plan = b.plan(Some(d), scop.span, Vec::new(), Vec::new());
    b.function("void f", vec![scop, behind]);
    assert_eq!(
        messages(&b, &[plan]),
        [
            "a.c:4:5: `k` is declared in this region and used behind it; declare it before the \
             region"
        ]
    );
}

#[test]
fn data_directives_in_a_region() {
    let text = "# 1 \"a.c\"\nvoid f(void)\n{\n#pragma acc parallel\n{\n#pragma acc wait\n\
                #pragma acc data\n;\n}\n}\n";
    let mut b = Build::new(text);
    let d = b.compute("#pragma acc parallel", Vec::new());
    let wait = DirectiveKind::Wait(Vec::new());
    let wait = b.directive("#pragma acc wait", wait, Vec::new());
    let data = b.directive("#pragma acc data", DirectiveKind::Data, Vec::new());
    let body = vec![
        b.stmt("#pragma acc wait", "wait", StmtKind::Directive(wait), &[]),
        b.stmt(";", ";", StmtKind::Empty, &[data]),
    ];
    let s = b.stmt("{\n#pragma acc wait", "}", StmtKind::Block(body), &[d]);
    let plan = b.plan(Some(d), s.span, Vec::new(), Vec::new());
    b.function("void f", vec![s]);
    assert_eq!(
        messages(&b, &[plan]),
        [
            "a.c:5:1: this directive cannot stand in a compute region",
            "a.c:6:1: this directive cannot stand in a compute region",
        ]
    );
}

#[test]
fn directives_as_the_statement_of_an_if() {
    let text = "# 1 \"a.c\"\nvoid f(int n)\n{\nif (n)\n#pragma acc wait\nn = 3;\n}\n";
    let mut b = Build::new(text);
    let wait = DirectiveKind::Wait(Vec::new());
    let d = b.directive("#pragma acc wait", wait, Vec::new());
    let both = vec![
        b.stmt("#pragma acc wait", "wait", StmtKind::Directive(d), &[]),
        b.stmt("n = 3;", ";", StmtKind::Empty, &[]),
    ];
    let then = Box::new(b.stmt("#pragma acc wait", "3;", StmtKind::Block(both), &[]));
    let cond = Expr {
        kind: ExprKind::Int(1),
        ty: Type::INT,
        span: b.span("n)", "n"),
    };
    let kind = StmtKind::If {
        cond,
        then,
        otherwise: None,
    };
    let s = b.stmt("if", "3;", kind, &[]);
    b.function("void f", vec![s]);
    assert_eq!(
        messages(&b, &[]),
        [
            "a.c:4:1: this directive cannot be the statement of an `if` or a loop; put it, and \
             what belongs to it, in braces"
        ]
    );
}
