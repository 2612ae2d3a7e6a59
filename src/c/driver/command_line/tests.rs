//! Command lines, taken apart and put together again.

use super::*;

fn parse(words: &[&str]) -> CommandLine {
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    CommandLine::parse(&words).unwrap()
}

fn strings(words: Vec<OsString>) -> Vec<String> {
    words
        .into_iter()
        .map(|w| w.to_string_lossy().into_owned())
        .collect()
}

#[test]
fn values_are_no_files() {
    let c = parse(&[
        "-o",
        "a.c",
        "-I",
        "b.c",
        "-Ic.c",
        "-D",
        "X",
        "-include",
        "d.c",
        "-isystem",
        "e.c",
        "-MF",
        "f.c",
        "-MT",
        "g.c",
        "-Xlinker",
        "h.c",
        "-T",
        "i.c",
        "-u",
        "j.c",
        "-z",
        "k.c",
        "-L",
        "l.c",
        "-l",
        "m.c",
        "-Wl,-rpath,n.c",
        "--param",
        "o.c",
        "-x",
        "c",
        "main",
        "-x",
        "none",
        "real.c",
        "other.o",
    ]);
    let inputs: Vec<(&str, Language)> = c.inputs().map(|(p, l)| (p.to_str().unwrap(), l)).collect();
    assert_eq!(
        inputs,
        [
            ("main", Language::C),
            ("real.c", Language::C),
            ("other.o", Language::Other)
        ]
    );
    assert_eq!(c.output, Some(PathBuf::from("a.c")));
    assert!(c.dependencies.file && c.dependencies.target && !c.dependencies.wanted);
    let include = c.values("-I");
    assert_eq!(strings(include), ["b.c", "c.c"]);
}

#[test]
fn options_go_to_their_step() {
    let c = parse(&[
        "-O2",
        "-g",
        "-std=c99",
        "-DX=1",
        "-lm",
        "-Wall",
        "-Wl,-z,now",
        "-MMD",
        "-c",
        "-fPIC",
        "-Wp,-MD,x.d",
        "-static",
        "-undef",
        "-export-dynamic",
        "-pthread",
        "a.c",
    ]);
    assert_eq!(
        strings(c.options(&[For::Compiler])),
        ["-O2", "-g", "-std=c99", "-Wall", "-fPIC", "-pthread"]
    );
    assert_eq!(
        strings(c.options(&[For::Preprocessor])),
        ["-DX=1", "-Wp,-MD,x.d", "-undef"]
    );
    assert_eq!(
        strings(c.options(&[For::Linker])),
        ["-lm", "-Wl,-z,now", "-static", "-export-dynamic"]
    );
    assert_eq!(strings(c.options(&[For::Dependencies])), ["-MMD"]);
    assert!(c.dependencies.wanted && c.mode == Mode::Compile);
}

#[test]
fn the_strongest_mode_counts() {
    for (words, mode) in [
        (&["a.c"][..], Mode::Link),
        (&["-c", "-S", "a.c"], Mode::Assembly),
        (&["-E", "-c", "a.c"], Mode::Preprocess),
        (&["-c", "-MM", "a.c"], Mode::Preprocess),
        (&["-MMD", "-c", "a.c"], Mode::Compile),
        (&["-fsyntax-only", "a.c"], Mode::Syntax),
    ] {
        assert_eq!(parse(words).mode, mode, "{words:?}");
    }
}

#[test]
fn own_options_go_nowhere_else() {
    let c = parse(&[
        "--target-arch=sm_80",
        "-fopenacc",
        "-Minfo=accel",
        "--auto",
        "--terrace-keep=k",
        "-acc",
        "-O3",
        "a.c",
    ]);
    assert_eq!(strings(c.words()), ["-O3", "a.c"]);
    assert!(c.own.acc && c.own.notes && c.own.auto && c.own.archs().names() == ["sm_80"]);
    let c = parse(&["-ta=nvidia:cc90,time", "a.c"]);
    assert_eq!(c.own.archs().names(), ["sm_90"]);
    assert!(parse(&["-ta=multicore", "a.c"]).own.no_gpu);
    let several = parse(&["-ta=tesla:cc90,cc80,lineinfo"]).own.archs();
    assert_eq!(several.names(), ["sm_80", "sm_90"]);
    let old = parse(&["-ta=nvidia,cc35"]).own;
    assert_eq!(old.archs().names(), ["sm_70"]);
    assert!(old.warnings[0].contains("found cc35"), "{:?}", old.warnings);
    for (wrong, said) in [
        (
            "--target-arch=sm_1",
            "--target-arch: unknown architecture 'sm_1'",
        ),
        ("--target-arch", "expected --target-arch=sm_NN,..."),
        ("-ta", "expected -ta=TARGET"),
        ("--terrace-keep", "expected --terrace-keep=DIR"),
        (
            "--cores",
            "found --cores, expected --cores=VALUE, which is a file that terrace calibrate wrote",
        ),
        ("--cores=/nowhere", "cannot read '/nowhere': "),
    ] {
        let errors = CommandLine::parse(&[wrong.into()]).unwrap_err();
        assert!(errors[0].contains(said), "{errors:?}");
    }
}

#[test]
fn options_of_pgi_become_gccs() {
    let c = parse(&[
        "-fast",
        "-Minfo=accel",
        "-Mneginfo",
        "-Msafeptr",
        "-tp",
        "haswell",
        "-mp",
        "-c99",
        "-MMD",
        "a.c",
    ]);
    let words = ["-O3", "-fopenmp", "-std=gnu99", "-MMD", "a.c"];
    assert_eq!(strings(c.words()), words);
    assert!(c.own.notes && c.openmp() && c.dependencies.wanted);
}

#[test]
fn the_last_word_on_the_order_of_sums_counts() {
    for (words, may) in [
        (&["-O3"][..], false),
        (&["-Ofast"], true),
        (&["-Ofast", "-O2"], false),
        (&["-ffast-math", "-O2"], true),
        (&["-ffast-math", "-fno-associative-math"], false),
        (&["-fno-associative-math", "-Ofast"], false),
        (&["-fassociative-math"], true),
    ] {
        assert_eq!(parse(words).associative_math(), may, "{words:?}");
    }
    for (words, on) in [
        (&["-O2"][..], false),
        (&["-fopenmp"], true),
        (&["-fopenmp-simd"], true),
        (&["-mp"], true),
        (&["-fopenmp", "-fno-openmp"], false),
    ] {
        assert_eq!(parse(words).openmp(), on, "{words:?}");
    }
    assert!(parse(&["--reassociate"]).own.reassociate);
    assert!(parse(&["--reassociate"]).words().is_empty());
    assert!(parse(&["--flush-subnormals"]).own.flush_subnormals);
    assert!(parse(&["--flush-subnormals"]).words().is_empty());
}

#[test]
fn inputs_are_replaced_with_their_languages() {
    let c = parse(&["-x", "c", "a", "b", "-x", "none", "c.o", "-lm"]);
    let words = c.words_with(|n| match n {
        0 => Replace::Object("a.o".into()),
        _ => Replace::Keep,
    });
    assert_eq!(
        strings(words),
        ["a.o", "-x", "c", "b", "-x", "none", "c.o", "-lm"]
    );
    let words = c.words_with(|n| if n == 1 { Replace::Keep } else { Replace::Drop });
    assert_eq!(strings(words), ["-x", "c", "b", "-lm"]);
}
