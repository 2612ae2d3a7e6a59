use super::*;

fn check(checks: &str, input: &str, args: &[&str]) -> Result<(), String> {
    let args: Vec<String> = args.iter().map(|a| a.to_string()).collect();
    verify(
        ("t.mlir", checks),
        ("<stdin>", input),
        &parse(&args).unwrap().options,
    )
}

#[test]
fn right_checks_pass_and_wrong_ones_fail() {
    let input = "func @a {\n  %0 = add  %x, %y\n  return %0\n}\n";
    let good = "// CHECK-LABEL: func @a\n// CHECK: %[[R:.*]] = add   %x, %y\n\
                // CHECK-NEXT: return %[[R]]\n// CHECK-NOT: sub\n";
    check(good, input, &[]).unwrap();
    for (from, to) in [
        ("add  ", "sub"),
        ("return %[[R]]", "return %x"),
        ("@a", "@b"),
        ("NOT: sub", "NOT: }"),
    ] {
        let bad = good.replace(from, to);
        assert_ne!(bad, good);
        assert!(check(&bad, input, &[]).is_err(), "{bad}");
    }
}

#[test]
fn options_have_their_effect() {
    assert!(check("CHECK: a", "x a y\n", &[]).is_ok());
    assert!(check("CHECK: a", "x a y\n", &["--match-full-lines"]).is_err());
    assert!(check("CHECK: a", " a \n", &["--match-full-lines"]).is_ok());
    assert!(
        check(
            "CHECK: a",
            " a \n",
            &["--match-full-lines", "--strict-whitespace"]
        )
        .is_err()
    );
    assert!(check("CHECK: a b", "a  b\n", &[]).is_ok());
    assert!(check("CHECK: a b", "a  b\n", &["-strict-whitespace"]).is_err());
    assert!(check("CHECK: A", "a\n", &["--ignore-case"]).is_ok());
    assert!(check("CHECK: a", "a\nb\n", &["--implicit-check-not=b"]).is_err());
    assert!(
        check(
            "CHECK: a\nCHECK: c",
            "a\nb\nc\n",
            &["--implicit-check-not=b"]
        )
        .is_err()
    );
    assert!(check("CHECK: a", "a\nb\n", &["--implicit-check-not", "c"]).is_ok());
    assert!(check("CHECK: c\nX: b", "a\nb\n", &["-check-prefix=X"]).is_ok());
    assert!(check("CHECK: a\nX: c", "a\nb\n", &["-check-prefixes=CHECK,X"]).is_err());
    assert!(check("CHECK: a\n", "a\nb\n", &["-check-prefixes=CHECK,Y"]).is_err());
    assert!(
        check(
            "CHECK: a\n",
            "a\nb\n",
            &["-check-prefixes=CHECK,Y", "--allow-unused-prefixes"]
        )
        .is_ok()
    );
    assert!(check("CHECK: [[V]]", "a\n", &["-DV=a"]).is_ok());
    assert!(check("CHECK: [[V]]", "a\n", &["-DV=b"]).is_err());
    assert!(check("CHECK: [[#N+1]]", "5\n", &["-D#N=4"]).is_ok());
    assert!(
        check(
            "CHECK-LABEL: a\nCHECK: [[V:b]]\nCHECK-LABEL: c\nCHECK: [[V]]",
            "a\nb\nc\nb\n",
            &["--enable-var-scope"]
        )
        .is_err()
    );
    assert!(check("CHECK-NOT: a", "", &["--allow-empty"]).is_ok());
    let words: Vec<String> = ["--nope", "x"].iter().map(|s| s.to_string()).collect();
    assert!(parse(&words).is_err());
}

/// Each directive once as it must hold and once as it must not.
#[test]
fn every_directive() {
    for (checks, yes, no) in [
        ("CHECK: a\nCHECK: b", "a\nx\nb\n", "b\na\n"),
        ("CHECK: a\nCHECK-NEXT: b", "a\nb\n", "a\nx\nb\n"),
        ("CHECK: a\nCHECK-NEXT: b", "a\nb\n", "a b\n"),
        ("CHECK: a\nCHECK-SAME: b", "a b\n", "a\nb\n"),
        (
            "CHECK: a\nCHECK-EMPTY:\nCHECK-NEXT: b",
            "a\n\nb\n",
            "a\nb\n",
        ),
        (
            "CHECK: a\nCHECK-NOT: b\nCHECK: c",
            "b\na\nc\nb\n",
            "a\nb\nc\n",
        ),
        ("CHECK-NOT: b\nCHECK: c", "a\nc\nb\n", "b\nc\n"),
        (
            "CHECK-DAG: a\nCHECK-DAG: b\nCHECK: c",
            "b\na\nc\n",
            "b\nc\na\n",
        ),
        ("CHECK-DAG: x{{.}}\nCHECK-DAG: x{{.}}", "x1 x2\n", "x1\n"),
        (
            "CHECK-DAG: a\nCHECK-NOT: n\nCHECK-DAG: b",
            "n\na\nb\nn\n",
            "a\nn\nb\n",
        ),
        ("CHECK-COUNT-2: a\nCHECK-NOT: a", "a\na\n", "a\na\na\n"),
        ("CHECK-COUNT-2: a", "a a\n", "a\n"),
        (
            "CHECK-LABEL: f\nCHECK: a\nCHECK-LABEL: g\nCHECK: b",
            "f\na\ng\nb\n",
            "f\ng\na\nb\n",
        ),
        ("CHECK{LITERAL}: [[a]] {{b}}", "[[a]] {{b}}\n", "a b\n"),
        ("CHECK: [[V:[a-z]+]] [[V]]", "ab ab\n", "ab cd\n"),
        (
            "CHECK: {{.*}}, [[V:%[0-9]+]]\nCHECK: x {{.*}}[[V]][",
            "a, b, %1\nx , %1[\n",
            "a, %1\nx %2[\n",
        ),
        ("CHECK: [[#N:]]\nCHECK: [[#N+1]]", "4\n5\n", "4\n6\n"),
        (
            "CHECK: [[#%x,N:]]\nCHECK: =[[#N]]",
            "ff\n=ff\n",
            "ff\n=255\n",
        ),
        ("CHECK: at [[#@LINE]] [[@LINE+2]]", "at 1 3\n", "at 2 3\n"),
        ("CHECK: {{^}}a{{$}}", "x\na\n", "a b\n"),
        ("CHECK: a{{[^b]*}}c", "a  c\n", "a\nc\n"),
        ("// COM: CHECK: z\n// CHECK: a", "a\n", "z\n"),
        (
            "// RUN: CHECK: z\nMY-CHECK: z\nCHECKS: z\n// CHECK: a",
            "a\n",
            "z\n",
        ),
        (
            "CHECK: memref<?x[[[N:.]]]>",
            "memref<?x[4]>\n",
            "memref<?x4>\n",
        ),
    ] {
        check(checks, yes, &[]).unwrap_or_else(|e| panic!("{checks}\n--- on {yes:?}\n{e}"));
        assert!(check(checks, no, &[]).is_err(), "{checks}\n--- on {no:?}");
    }
}

#[test]
fn garbage_fails() {
    for (checks, input) in [
        ("", "a\n"),
        ("no directive", "a\n"),
        ("CHECK: a", ""),
        ("CHECK: {{[}}", "a\n"),
        ("CHECK: {{(}}", "a\n"),
        ("CHECK: {{a", "a\n"),
        ("CHECK: [[A", "a\n"),
        ("CHECK: [[A-B]]", "a\n"),
        ("CHECK: [[UNDEFINED]]", "a\n"),
        ("CHECK: [[#UNDEFINED]]", "a\n"),
        ("CHECK: [[#N*2]]", "a\n"),
        ("CHECK-NEXT: a", "a\n"),
        ("CHECK-SAME: a", "a\n"),
        ("CHECK:", "a\n"),
        ("CHECK: a\nCHECK-EMPTY: x", "a\n\n"),
        ("CHECK-COUNT-0: a", "a\n"),
        ("CHECK-LABEL: [[A:a]]", "a\n"),
        ("CHECK: ü{{ö}}[[", "ä\n"),
    ] {
        assert!(check(checks, input, &[]).is_err(), "{checks}");
    }
    let long = "(".repeat(100_000);
    assert!(check(&format!("CHECK: {{{{{long}}}}}"), "a\n", &[]).is_err());
}

#[test]
fn a_failure_names_file_line_and_column() {
    let text = check("// x\n// CHECK: wanted\n", "found\n", &[]).unwrap_err();
    let wanted = "t.mlir:2:11: error: CHECK: expected string not found in input\n\
                  // CHECK: wanted\n          ^\n<stdin>:1:1: note: scanning from here\nfound\n^\n";
    assert_eq!(text, wanted);
    let text = check(
        "CHECK: a\nCHECK: [[V:x.]] = b %c\nCHECK: [[V]] is good\n",
        "a\nx1 = b %c\nx2 is good\n",
        &[],
    )
    .unwrap_err();
    assert!(text.contains("with \"V\" equal to \"x1\""), "{text}");
    assert!(
        text.contains("<stdin>:3:1: note: possible intended match here"),
        "{text}"
    );
}

#[test]
fn a_failure_in_one_block_does_not_hide_the_next() {
    let text = check(
        "CHECK-LABEL: f\nCHECK: x\nCHECK-LABEL: g\nCHECK: y\n",
        "f\ng\n",
        &[],
    )
    .unwrap_err();
    assert_eq!(text.matches("error:").count(), 2, "{text}");
}
