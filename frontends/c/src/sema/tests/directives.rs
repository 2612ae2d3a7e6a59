//! Directives find their statements, and their clauses their variables.

use crate::directive::{ClauseKind, Directive};
use crate::hir::{DirectiveId, Expr, ExprKind, StmtKind};
use crate::sema::testing::{errors, good, printed};
use crate::types::Type;

/// Errors at the places of the text's lines.
fn check(cases: &[(&str, &[&str])]) {
    let mut wrong = String::new();
    for (text, expected) in cases {
        let text = format!("void f(int n, double *x) {{\n{text}\n}}\n");
        let found = errors(&text);
        if found != *expected {
            wrong += &format!("{text}  expected {expected:?}\n  found {found:?}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn directives_stand_at_their_statements() {
    let text = "\
void f(int n, double *x) {
#pragma acc data copy(x[0:n])
  {
#pragma acc parallel
#pragma acc loop gang
    for (int i = 0; i < n; i++)
#pragma acc loop vector
      for (int j = 0; j < n; j++)
#pragma acc atomic
        x[i] += j;
#pragma acc update host(x[0:n])
  }
#pragma acc wait
  if (n)
#pragma acc enter data copyin(x[0:n])
    n = 0;
  else
#pragma acc kernels
    x[0] = 1;
}
";
    assert_eq!(
        printed(text),
        "\
void f(n: int, x: double *) {
  #pragma acc data copy(x[0:n])
  {
    #pragma acc parallel
    #pragma acc loop gang
    for (i: int = 0; (i < n); i++)
      #pragma acc loop vector
      for (j: int = 0; (j < n); j++)
        #pragma acc atomic
        x[i] +=(double) (double)j;
    #pragma acc update host(x[0:n])
  }
  #pragma acc wait
  if (n) {
    #pragma acc enter data copyin(x[0:n])
    n = 0;
  }
  else
    #pragma acc kernels
    x[0] = (double)1;
}
"
    );
}

#[test]
fn scops_are_blocks() {
    let text = "void f(int n, double *x) {\n  int i;\n#pragma scop\n  x[0] = 1;\n  int k = 2;\n\
        #pragma scop\n  x[1] = 2;\n#pragma endscop\n#pragma endscop\n  x[k] = 3;\n  switch (n) {\n  case 1:\n\
        #pragma scop\n    x[0] = 1;\n#pragma endscop\n    break;\n  }\n}\n";
    assert_eq!(
        printed(text),
        "void f(n: int, x: double *) {\n  i: int;\n  #pragma scop\n  {\n    x[0] = (double)1;\n    \
         k: int = 2;\n    #pragma scop\n    {\n      x[1] = (double)2;\n    }\n  }\n  x[k] = (double)3;\n  \
         switch (n) {\n  case 1:\n    #pragma scop\n    {\n      x[0] = (double)1;\n    }\n    break;\n  }\n}\n"
    );
    let unit = good(text);
    let StmtKind::Block(body) = &unit.functions[0].body.kind else {
        panic!();
    };
    let scop = body.iter().find(|s| !s.directives.is_empty()).unwrap();
    let inside = unit.text(scop.span);
    assert!(
        inside.starts_with("x[0] = 1;") && inside.ends_with("x[1] = 2;"),
        "{inside}"
    );
}

#[test]
fn routines_belong_to_functions() {
    let text = "#pragma acc routine seq\ndouble sq(double x) { return x * x; }\n\
        #pragma acc routine worker\ndouble later(double);\ndouble later(double x) { return x; }\n\
        double named(double x) { return x; }\n#pragma acc routine(named) vector\n\
        double a[4];\n#pragma acc declare create(a)\n";
    let unit = good(text);
    let own: Vec<_> = unit.functions.iter().map(|f| f.directives.len()).collect();
    assert_eq!(own, [1, 1, 1]);
    assert_eq!(unit.file_directives.len(), 4);
}

fn clause_expr(d: &Directive, clause: usize) -> &Expr {
    let arg = match &d.clauses[clause].kind {
        ClauseKind::If(arg) | ClauseKind::VectorLength(arg) => Some(arg),
        ClauseKind::Async(arg) => arg.as_ref(),
        ClauseKind::Data { vars, .. } | ClauseKind::Reduction { vars, .. } => {
            vars.first().map(|s| &s.base)
        }
        other => panic!("{other:?}"),
    };
    arg.and_then(|a| a.expr.as_ref()).unwrap()
}

#[test]
fn clauses_are_resolved_where_they_stand() {
    let text = "typedef long idx;\nstruct G { int m; double *p; };\n\
        void f(int n, double *x, struct G *g) {\n  double s = 0;\n  {\n    float x = 1;\n\
        #pragma acc parallel copy(x) if(n > 3) async((idx)n + 1) present(g->p[1:n]) reduction(+:s)\n    \
        s += x;\n  }\n}\n";
    let unit = good(text);
    let d = unit.directive(DirectiveId(0));
    let ExprKind::Var(x) = clause_expr(d, 0).kind else {
        panic!("{d:?}");
    };
    // The inner one.
    assert_eq!(unit.text(unit.var(x).span), "x");
    assert_eq!(unit.var(x).ty, Type::FLOAT);
    let spans = |e: &Expr| unit.text(e.span).to_owned();
    assert_eq!(spans(clause_expr(d, 1)), "n > 3");
    assert_eq!(clause_expr(d, 2).ty, Type::LONG);
    let ExprKind::Binary { lhs, .. } = &clause_expr(d, 2).kind else {
        panic!("{d:?}");
    };
    assert_eq!(spans(lhs), "(idx)n");
    assert!(matches!(
        clause_expr(d, 3).kind,
        ExprKind::Member { field: 1, .. }
    ));
    assert_eq!(spans(clause_expr(d, 3)), "g->p");
    let ClauseKind::Data { vars, .. } = &d.clauses[3].kind else {
        panic!("{d:?}");
    };
    let length = vars[0].dims[0].length.as_ref().unwrap();
    assert!(matches!(
        length.expr.as_ref().unwrap().kind,
        ExprKind::Var(_)
    ));
    assert!(matches!(clause_expr(d, 4).kind, ExprKind::Var(_)));
    assert!(unit.vars.iter().all(|v| !v.address_taken));
}

#[test]
fn directives_without_their_statement() {
    check(&[
        (
            "#pragma acc parallel loop\n  x[0] = 1;",
            &[
                "2:1: `acc parallel loop` is for a `for` loop, and none follows (what follows stands here)",
            ],
        ),
        (
            "#pragma acc loop\n  while (n) n--;",
            &[
                "2:1: `acc loop` is for a `for` loop, and another kind of loop follows (what follows stands here)",
            ],
        ),
        (
            "#pragma acc parallel\n  int k = 1;",
            &[
                "2:1: `acc parallel` is for a statement, and a declaration follows (what follows stands here)",
            ],
        ),
        (
            "#pragma acc data copy(x[0:n])",
            &["2:1: `acc data` is for a statement, and none follows (the block ends here)"],
        ),
        (
            "#pragma acc kernels\n#pragma acc wait\n  n = 1;",
            &[
                "2:1: `acc kernels` is for a statement, and `acc wait` follows (this stands in between)",
            ],
        ),
        (
            "#pragma acc loop\n#pragma acc parallel\n  for (;;) ;",
            &[
                "2:1: `acc loop` is for a `for` loop, and `acc parallel` follows (this stands in between)",
            ],
        ),
        (
            "#pragma acc atomic\n  if (n) ;",
            &[
                "2:1: `acc atomic` is for an assignment, and none follows (what follows stands here)",
            ],
        ),
        (
            "  for (;\n#pragma acc parallel\n  n;) ;",
            &["3:1: `acc parallel` has to stand between statements, not inside one"],
        ),
        (
            "  x[0] =\n#pragma acc wait\n  3;",
            &["3:1: `acc wait` has to stand between statements, not inside one"],
        ),
        (
            "  {\n#pragma acc region do\n  }",
            &["3:1: `acc region do` is for a statement, and none follows (the block ends here)"],
        ),
        (
            "#pragma acc routine seq\n  n = 1;",
            &[
                "2:1: `acc routine` without a function's name has to stand before a function, outside of others",
            ],
        ),
    ]);
}

#[test]
fn scops_that_are_not_closed() {
    check(&[
        (
            "#pragma scop\n  n = 1;",
            &["2:1: there is no `endscop` behind this `scop`"],
        ),
        (
            "  n = 1;\n#pragma endscop",
            &["3:1: there is no `scop` before this `endscop`"],
        ),
        (
            "#pragma scop\n  {\n#pragma endscop\n  }",
            &[
                "4:1: this `endscop` is not in the same block as its `scop` (the `scop` stands here)",
            ],
        ),
        (
            "  {\n#pragma scop\n  }\n#pragma endscop",
            &[
                "3:1: this `scop` is not in the same block as its `endscop` (the `endscop` stands here)",
            ],
        ),
    ]);
}

#[test]
fn wrong_clauses() {
    check(&[
        (
            "#pragma acc data copy(y)\n  ;",
            &["2:23: `y` is not declared"],
        ),
        (
            "#pragma acc data copy(x[0:M])\n  ;",
            &["2:27: `M` is not declared"],
        ),
        (
            "#pragma acc data copy(f)\n  ;",
            &["2:23: `f` is a function, and a variable is needed here"],
        ),
        (
            "#pragma acc data copy(n[0:3])\n  ;",
            &["2:25: `n` has no elements: its type is `int`"],
        ),
        (
            "#pragma acc data copy(x[0:3][0:3])\n  ;",
            &["2:30: `x` has 1 dimensions and not more: its type is `double *`"],
        ),
        (
            "#pragma acc data copy(x[0:0.5])\n  ;",
            &["2:27: an integer is needed here, and this is `double`"],
        ),
        (
            "#pragma acc parallel async(3 +)\n  ;",
            &["2:28: `3 +` is not an expression"],
        ),
        (
            "#pragma acc parallel if(typeof(0))\nx[0] = 1;",
            &["2:25: `typeof(0)` is not an expression"],
        ),
        (
            "#pragma acc parallel num_gangs(x)\n  ;",
            &["2:32: an integer is needed here, and this is `double *`"],
        ),
        (
            "  struct S { int a; } s;\n#pragma acc parallel if(s)\n  ;",
            &["3:25: a condition is needed here, and this is `struct S`"],
        ),
        (
            "#pragma acc parallel loop collapse(n)\n  for (;;) ;",
            &["2:36: `collapse` needs a constant, and this is not one"],
        ),
        (
            "#pragma acc parallel loop tile(1 - 1)\n  for (;;) ;",
            &["2:32: `tile` needs a number above 0, and this is 0"],
        ),
    ]);
    let long = "n + ".repeat(600);
    check(&[(
        &format!("#pragma acc parallel if({long} n)\n  ;"),
        &["2:25: this expression is too long for a directive"],
    )]);
}

#[test]
fn directives_outside_functions() {
    for (text, error) in [
        (
            "#pragma acc parallel\nint x;\n",
            "1:1: `acc parallel` has to stand in a function",
        ),
        (
            "#pragma acc routine seq\n",
            "1:1: a `routine` directive without a name has to stand before a function",
        ),
        (
            "int x;\n#pragma acc routine(g) seq\n",
            "2:21: there is no function `g`",
        ),
        (
            "int x;\n#pragma acc declare create(y)\n",
            "2:28: `y` is not declared",
        ),
    ] {
        assert_eq!(errors(text), [error], "{text}");
    }
}
