//! Files and what is done to them.

use super::rng::Rng;

/// Every file of the folder, by name, as the preprocessor leaves it.
/// `TERRACE_MUTATIONS_FOLDER` names another folder, of preprocessed files.
pub fn bases() -> Vec<String> {
    let own = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("test/c_mutations/Inputs");
    let other = std::env::var_os("TERRACE_MUTATIONS_FOLDER");
    let folder = other.map_or(own, std::path::PathBuf::from);
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "c"));
    paths.sort();
    assert!(paths.len() >= 12, "where are the files?");
    let read = |p: &std::path::PathBuf| std::fs::read_to_string(p).expect("a readable file");
    paths.iter().map(|p| preprocessed(&read(p))).collect()
}

/// Lines joined at backslashes, and definitions of numbers applied.
pub fn preprocessed(text: &str) -> String {
    let mut macros: Vec<(String, String)> = Vec::new();
    let mut out = String::new();
    for line in text.replace("\\\n", "").lines() {
        if let Some(rest) = line.strip_prefix("#define ")
            && let Some((name, value)) = rest.split_once(' ')
        {
            macros.push((name.into(), value.into()));
            out.push('\n');
            continue;
        }
        for t in tokens(line) {
            let m = macros.iter().find(|(name, _)| *name == t);
            out.push_str(m.map_or(&t, |(_, value)| value));
        }
        out.push('\n');
    }
    out
}

const OPERATORS: [&str; 19] = [
    "<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=",
    "/=", "->", "^=", "&=",
];

/// Words, numbers, literals, operators and runs of space: together the text.
pub fn tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let while_ = |f: &dyn Fn(char) -> bool| rest.find(|c| !f(c)).unwrap_or(rest.len());
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let n = if c == '\n' {
            1
        } else if c.is_whitespace() {
            while_(&|c| c.is_whitespace() && c != '\n')
        } else if c.is_ascii_digit() {
            while_(&|c| is_word(c) || c == '.')
        } else if is_word(c) {
            while_(&is_word)
        } else if c == '"' || c == '\'' {
            rest[1..].find(c).map_or(1, |n| n + 2)
        } else {
            let operator = OPERATORS.iter().find(|o| rest.starts_with(**o));
            operator.map_or(c.len_utf8(), |o| o.len())
        };
        out.push(rest[..n].to_string());
        rest = &rest[n..];
    }
    out
}

const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "-1",
    "2147483647",
    "2147483648",
    "-2147483648",
    "4294967295",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615ULL",
    "99999999999999999999999",
    "1e400",
    "0x1p-1074",
    "1.5",
    "-0.0f",
    "(1/0)",
    "(1%0)",
    "08",
    "'a'",
    "(-9223372036854775807L-1)",
];

pub const TYPES: [&str; 22] = [
    "char",
    "short",
    "int",
    "long",
    "unsigned",
    "float",
    "double",
    "void",
    "_Bool",
    "long double",
    "double _Complex",
    "__int128",
    "struct part",
    "struct unknown",
    "union { int a; float b; }",
    "struct { int a[3]; struct { float f; } s; }",
    "enum { ONE }",
    "int *",
    "const volatile int",
    "_Atomic int",
    "__attribute__((vector_size(16))) float",
    "typeof(0)",
];

const TYPE_WORDS: [&str; 11] = [
    "char", "short", "int", "long", "unsigned", "float", "double", "void", "wide", "complex",
    "word",
];

pub const CLAUSES: [&str; 40] = [
    "gang",
    "worker",
    "vector(32)",
    "seq",
    "auto",
    "independent",
    "collapse(3)",
    "collapse(0)",
    "tile(4,*)",
    "private(i)",
    "private(a)",
    "firstprivate(n)",
    "reduction(+:s)",
    "reduction(max:a)",
    "copy(a)",
    "copyin(a[0:n])",
    "copyout(a[n:-1])",
    "create(n)",
    "present(p)",
    "deviceptr(a)",
    "no_create(x)",
    "attach(p)",
    "delete(a)",
    "async",
    "async(n)",
    "wait",
    "wait(1, n)",
    "if(0)",
    "self",
    "num_gangs(-1)",
    "num_gangs(1, 2)",
    "vector_length(0)",
    "num_workers(1000000)",
    "default(none)",
    "device_type(*)",
    "bind(f)",
    "nohost",
    "use_device(a)",
    "finalize",
    "link(table)",
];

pub const STATEMENTS: [&str; 30] = [
    "break;",
    "return;",
    "continue;",
    "goto start;",
    "i = i + 1;",
    "while (i < n) i++;",
    "while (n) { int q = n; n--; while (q > 1) q /= 2; }",
    "for (;;) { if (i++ > 3) break; }",
    "do i--; while (i > 0);",
    "{ int t = 0; for (int k = 0; k < 3; k++) t += k; }",
    "if (n) i = 2; else { n = 3; }",
    "asm(\"nop\");",
    "switch (n) { case 1: i = 1; default: ; }",
    "int vla[n];",
    "double *q = 0;",
    "static int kept;",
    "extern int elsewhere; elsewhere++;",
    "printf(\"%d\", i);",
    "(void)sizeof(int[n]);",
    "label: ;",
    "{ static int calls; calls++; }",
    "if (i > 2) goto start; start: i = 3;",
    "for (int k = 0; k < n; k++) { if (k == 3) break; i = k; }",
    "struct { int x, y[2]; } pair = {1, {2}}; pair.y[i & 1] = pair.x;",
    "a[0] = a[i] ? a[n - 1] : (i, n);",
    "typedef float word2; word2 w2 = 0;",
    "unsigned char wrap = 250; while (wrap++) ;",
    "for (i = 10; i-- > 0; ) { for (n = 0; n < i; n++) ; }",
    "*(char *)a = 1;",
    "i = sizeof a / sizeof *a + _Alignof(int) + __builtin_expect(n, 1);",
];

pub const PRAGMAS: [&str; 21] = [
    "#pragma acc parallel",
    "#pragma acc parallel loop",
    "#pragma acc kernels",
    "#pragma acc kernels loop",
    "#pragma acc serial",
    "#pragma acc loop",
    "#pragma acc data",
    "#pragma acc atomic",
    "#pragma acc routine",
    "#pragma acc wait",
    "#pragma acc update",
    "#pragma acc enter data",
    "#pragma acc declare",
    "#pragma scop",
    "#pragma endscop",
    "#pragma acc region",
    "#pragma acc",
    "#pragma terrace",
    "#pragma terrace target(cpu)",
    "#pragma terrace schedule(unroll(i: 2))",
    "#pragma terrace schedule(parallel(i), interchange(j, i))",
];

/// The file of a seed, without and with a line marker.
pub fn file(bases: &[String], seed: u64) -> String {
    let mut r = Rng::new(seed);
    let mut text = r.pick(bases).clone();
    // Few changes leave most of the text to be compiled.
    for _ in 0..*r.pick(&[1, 1, 1, 2, 2, 3, 5, 12]) {
        text = match r.below(10) {
            0..=4 => change_tokens(&mut r, &text),
            5..=7 => change_lines(&mut r, &text),
            _ => change_pragma(&mut r, &text),
        };
    }
    text
}

fn is_space(t: &str) -> bool {
    t.chars().all(char::is_whitespace)
}

fn change_tokens(r: &mut Rng, text: &str) -> String {
    let mut t = tokens(text);
    let solid = |f: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..t.len())
            .filter(|i| !is_space(&t[*i]) && f(&t[*i]))
            .collect()
    };
    let every = solid(&|_| true);
    if every.is_empty() {
        return text.into();
    }
    let at = *r.pick(&every);
    let other = *r.pick(&every);
    let some = |r: &mut Rng, v: Vec<usize>| if v.is_empty() { at } else { *r.pick(&v) };
    let is_name = |s: &str| s.starts_with(|c: char| c.is_alphabetic() || c == '_');
    match r.below(12) {
        0 => t[at].clear(),
        1 => t[at] = format!("{0} {0}", t[at]),
        2 => t.swap(at, other),
        3 => t[at] = t[other].clone(),
        4 => {
            let brackets = solid(&|s| matches!(s, "(" | ")" | "[" | "]" | "{" | "}"));
            let i = some(r, brackets);
            t[i].clear();
        }
        5 | 6 => {
            let types = solid(&|s| TYPE_WORDS.contains(&s));
            let i = some(r, types);
            t[i] = r.pick(&TYPES).to_string();
        }
        7 | 8 => {
            let numbers = solid(&|s| s.starts_with(|c: char| c.is_ascii_digit()));
            let i = some(r, numbers);
            t[i] = r.pick(&NUMBERS).to_string();
        }
        9 | 10 => {
            let names = solid(&is_name);
            let (i, j) = (some(r, names.clone()), some(r, names));
            t[i] = t[j].clone();
        }
        _ => {
            let operators = solid(&|s| !is_name(s) && s.len() < 4);
            let (i, j) = (some(r, operators.clone()), some(r, operators));
            t[i] = t[j].clone();
        }
    }
    t.concat()
}

fn change_lines(r: &mut Rng, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    if lines.is_empty() {
        return text.into();
    }
    let at = r.below(lines.len());
    match r.below(6) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, lines[at].clone()),
        2 => {
            let other = r.below(lines.len());
            lines.swap(at, other);
        }
        3 => lines.insert(at, r.pick(&PRAGMAS).to_string()),
        _ => lines.insert(at, r.pick(&STATEMENTS).to_string()),
    }
    lines.join("\n") + "\n"
}

fn change_pragma(r: &mut Rng, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let pragmas: Vec<usize> = (0..lines.len())
        .filter(|i| lines[*i].trim_start().starts_with("#pragma"))
        .collect();
    if pragmas.is_empty() {
        return text.into();
    }
    let at = *r.pick(&pragmas);
    match r.below(6) {
        0 => {
            let line = lines.remove(at);
            let to = r.below(lines.len() + 1);
            lines.insert(to, line);
        }
        1 => {
            // A clause, with its argument.
            if let Some((head, _)) = lines[at].rsplit_once(' ') {
                lines[at] = head.to_string();
            }
        }
        2 => drop(lines.remove(at)),
        3 => lines[at] = change_tokens(r, &lines[at]).replace('\n', " "),
        _ => {
            let clause = r.pick(&CLAUSES);
            lines[at] = format!("{} {clause}", lines[at]);
        }
    }
    lines.join("\n") + "\n"
}
