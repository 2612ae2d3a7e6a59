//! Wrong programs: what is said, where, and the exit status.

use super::folder::{Folder, text};

/// Compile one file; the messages.
fn errors(c: &str, flags: &[&str]) -> String {
    let f = Folder::new(&[("t.c", c)]);
    let mut args = vec!["-c", "t.c"];
    args.extend(flags);
    let out = f.terrace(&args);
    let said = text(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert_eq!(f.left(), [""; 0]);
    assert!(!f.files().contains_key("t.o"), "there is an object file");
    said
}

#[test]
fn errors_in_c_are_the_compilers() {
    for c in [
        "int f(void) {\n  int a[3];\n#pragma acc kernels\n  for (int i = 0; i < n; i++)\n    a[i] = 0;\n  return a[1];\n}\n",
        "#include \"nowhere.h\"\n#pragma acc kernels\n",
        "#error no\n#pragma scop\n",
        "int f( {\n#pragma acc kernels\n}\n",
    ] {
        let f = Folder::new(&[("t.c", c)]);
        let (ours, gccs) = (f.terrace(&["-c", "t.c"]), f.gcc(&["-c", "t.c"]));
        assert_eq!(text(&ours.stderr), text(&gccs.stderr));
        assert_eq!(ours.status.code(), gccs.status.code());
    }
}

#[test]
fn a_malformed_directive_is_shown_with_its_line() {
    let said = errors(
        "void f(int n, double *a) {\n#pragma acc parallel loop num_gangs(\n  for (int i = 0; i < n; i++)\n    a[i] = 0;\n}\n",
        &[],
    );
    assert!(said.starts_with("t.c:2:"), "{said}");
    assert!(
        said.contains("error:") && said.contains("#pragma acc parallel loop num_gangs("),
        "{said}"
    );
}

/// The compiler would reject the directive as well, if it read it: that is no reason to
/// leave the file to it.
#[test]
fn a_wrong_expression_in_a_directive_is_no_wrong_c() {
    let said = errors(
        "void f(int n, double *a) {\n#pragma acc parallel loop copy(a[:n+])\n  for (int i = 0; i < n; i++)\n    a[i] = 0;\n}\n",
        &[],
    );
    assert!(
        said.starts_with("t.c:2:35: error: `n+` is not an expression\n"),
        "{said}"
    );
}

#[test]
fn a_construct_that_cannot_be_offloaded_is_an_error() {
    let c = "#include <stdio.h>\nvoid f(int n, double *a) {\n#pragma acc parallel loop deviceptr(a)\n  for (int i = 0; i < n; i++)\n    printf(\"%g\\n\", a[i]);\n}\n";
    let said = errors(c, &[]);
    assert!(
        said.contains("t.c:5:5: error: this cannot be offloaded, as its directive asks: "),
        "{said}"
    );
}

#[test]
fn a_scop_that_cannot_be_offloaded_stays() {
    let f = Folder::new(&[(
        "t.c",
        "#include <stdio.h>\nint main(void) {\n#pragma scop\n  for (int i = 0; i < 3; i++)\n    printf(\"%d\\n\", i);\n#pragma endscop\n  return 0;\n}\n",
    )]);
    let out = f.terrace(&["t.c", "-o", "t"]);
    assert!(out.status.success());
    let said = text(&out.stderr);
    assert!(
        said.contains(
            "t.c:5:5: warning: the region runs on the host, as the system's compiler makes it: "
        ),
        "{said}"
    );
    assert_eq!(text(&f.program("t", &[]).stdout), "0\n1\n2\n");
}

#[test]
fn all_files_are_looked_at_before_giving_up() {
    let bad = "void f(int n, double *a) {\n#pragma acc parallel loop colapse(2)\n  for (int i = 0; i < n; i++)\n    a[i] = 0;\n}\n";
    let f = Folder::new(&[("a.c", bad), ("b.c", &bad.replace("f(int", "g(int"))]);
    let out = f.terrace(&["-c", "a.c", "b.c"]);
    let said = text(&out.stderr);
    assert!(said.contains("a.c:2:") && said.contains("b.c:2:"), "{said}");
}

#[test]
fn wrong_options_of_terrace_are_told() {
    let f = Folder::new(&[("t.c", "int main(void) { return 0; }\n")]);
    let out = f.terrace(&["--target-arch=sm_7", "t.c"]);
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stderr);
    assert!(
        said.starts_with(
            "terrace cc: error: --target-arch: unknown architecture 'sm_7'; known are sm_"
        ),
        "{said}"
    );
}

const REGION: &str = "void f(int n, double *a) {\n#pragma acc parallel loop copy(a[0:n])\n  for (int i = 0; i < n; i++)\n    a[i] = 0;\n}\n";

/// What the command says, and fails.
fn failure(f: &Folder, args: &[&str], variables: &[(&str, &str)]) -> String {
    let mut c = std::process::Command::new(env!("CARGO_BIN_EXE_terrace"));
    c.arg("cc").args(args);
    let out = f.run_with(c, variables);
    assert_eq!(out.status.code(), Some(1));
    text(&out.stderr)
}

#[test]
fn files_that_cannot_be_written_are_told() {
    let f = Folder::new(&[("t.c", REGION)]);
    let none = "No such file or directory (os error 2)\n";
    assert_eq!(
        failure(&f, &["-c", "t.c", "-o", "nowhere/t.o"], &[]),
        format!("error: cannot write 'nowhere/t.o': {none}")
    );
    assert_eq!(
        failure(&f, &["-c", "t.c", "--terrace-keep=t.c/kept"], &[]),
        "error: cannot make the folder 't.c/kept': Not a directory (os error 20)\n"
    );
    let said = failure(&f, &["-c", "t.c"], &[("TMPDIR", "/nowhere")]);
    assert!(
        said.starts_with("error: cannot make the folder '/nowhere/terrace-cc-")
            && said.ends_with(none),
        "{said}"
    );
}

#[test]
fn a_compiler_that_cannot_be_run_is_told() {
    let f = Folder::new(&[("t.c", REGION)]);
    f.write("no/cc", "");
    assert_eq!(
        failure(&f, &["-c", "t.c"], &[("TERRACE_HOST_CC", "no/cc")]),
        "error: cannot run the C compiler 'no/cc': Permission denied (os error 13)\n"
    );
}

/// There is code for one machine only.
#[cfg(target_arch = "x86_64")]
#[test]
fn code_for_another_machine_is_the_compilers() {
    let f = Folder::new(&[("t.c", REGION)]);
    let out = f.terrace(&["-m32", "-c", "t.c"]);
    assert!(out.status.success());
    assert_eq!(
        text(&out.stderr),
        "t.c: warning: the regions stay on the host: the C compiler makes code for another \
         machine than this one\n"
    );
    assert!(f.files().contains_key("t.o"));
}

#[test]
fn a_runtime_that_is_not_there_is_told() {
    let f = Folder::new(&[(
        "t.c",
        "int main(void) {\n  int s = 0;\n#pragma acc parallel loop reduction(+:s)\n  for (int i = 0; i < 9; i++)\n    s += i;\n  return s;\n}\n",
    )]);
    let mut c = std::process::Command::new(env!("CARGO_BIN_EXE_terrace"));
    c.args(["cc", "t.c", "-o", "t"])
        .env("TERRACE_RUNTIME", "/nowhere/lib.a");
    let out = f.run(c);
    assert_eq!(out.status.code(), Some(1));
    assert_eq!(
        text(&out.stderr),
        "error: TERRACE_RUNTIME names '/nowhere/lib.a', where there is no file\n"
    );
}
