//! Random C programs with regions and host code between them: loops, branches, early exits,
//! calls of functions that are seen and of others, pointers that change places, memory that is
//! freed and comes back. On the emulator they print what gcc's print, and copy no more bytes than with a
//! copy of all arrays at each region.
//!
//! `TERRACE_RANDOM_COUNT` programs from the seed `TERRACE_RANDOM_SEED` on; `TERRACE` names another
//! `terrace` than the one built with the test. A failure leaves its program in the folder that
//! it names; with `TERRACE_RANDOM_SHOW=1` all that is said is the sum of bytes.

#[path = "cc/folder.rs"]
#[expect(dead_code)]
mod folder;
#[path = "random_host/generate.rs"]
mod generate;
#[path = "random/rng.rs"]
mod rng;
#[path = "random/seeds.rs"]
mod seeds;

use std::process::Output;

use folder::{Folder, on, text};
use generate::{Form, OTHER, generate};
use rng::Rng;
use seeds::{over_seeds, seeds};

/// Programs where the environment names no number.
const COUNT: u64 = 12;

/// The bytes that were copied between host and device, as `TERRACE_NOTIFY=1` tells.
fn bytes(said: &str) -> u64 {
    let copied = said
        .lines()
        .filter(|l| l.ends_with("host to device") || l.ends_with("device to host"));
    let number = |l: &str| {
        let before = l.split(" bytes").next()?;
        before.rsplit(' ').next()?.parse::<u64>().ok()
    };
    copied.filter_map(number).sum()
}

fn terrace(f: &Folder, args: &[&str]) -> Output {
    let Some(other) = std::env::var_os("TERRACE") else {
        return f.terrace(args);
    };
    let mut c = std::process::Command::new(other);
    c.arg("cc").args(args);
    f.run(c)
}

/// The bytes of a program as they are, and with copies at each region.
fn one(seed: u64) -> Result<(u64, u64), Vec<String>> {
    let (source, form) = generate(&mut Rng::new(seed));
    let f = Folder::new(&[("main.c", &source), ("other.c", OTHER)]);
    let failed = |why: String| {
        let kept = std::env::temp_dir().join(format!("random_host_{seed}.c"));
        let _ = std::fs::write(&kept, &source);
        Err(vec![format!(
            "seed {seed} ({form:?}), {}: {why}",
            kept.display()
        )])
    };
    let gcc = f.gcc(&["-O1", "-w", "main.c", "other.c", "-o", "plain"]);
    if !gcc.status.success() {
        return failed(text(&gcc.stderr));
    }
    let checked = f.gcc(&[
        "-O1",
        "-w",
        "-g",
        "-fsanitize=address,undefined",
        "main.c",
        "other.c",
        "-o",
        "checked",
    ]);
    if checked.status.success() {
        let ran = f.program("checked", &[("ASAN_OPTIONS", "detect_leaks=0")]);
        if !ran.stderr.is_empty() {
            return failed(format!("the program is wrong: {}", text(&ran.stderr)));
        }
    }
    let expected = f.program("plain", &[]);
    let auto: &[&str] = if form == Form::Auto { &["--auto"] } else { &[] };
    let compile = [auto, &["-O1", "-w", "main.c", "-c"]].concat();
    let made = terrace(&f, &compile);
    if !made.status.success() {
        return failed(text(&made.stderr));
    }
    let made = terrace(&f, &["-O1", "-w", "main.o", "other.c", "-o", "prog"]);
    if !made.status.success() {
        return failed(text(&made.stderr));
    }
    let mut moved = Vec::new();
    for (target, copies) in [
        ("host", "placed"),
        ("cpu", "placed"),
        ("turns", "placed"),
        ("emulator", "regions"),
        ("emulator", "placed"),
    ] {
        let [place, trials] = on(target);
        let variables = [
            place,
            trials,
            ("TERRACE_COPIES", copies),
            ("TERRACE_NOTIFY", "1"),
        ];
        let ran = f.program("prog", &variables);
        let (got, wanted) = (text(&ran.stdout), text(&expected.stdout));
        if got != wanted || ran.status != expected.status {
            let said = text(&ran.stderr);
            return failed(format!(
                "on {target}, {copies}:\n{got}instead of\n{wanted}{said}"
            ));
        }
        moved.push(bytes(&text(&ran.stderr)));
    }
    let [.., regions, placed] = moved[..] else {
        return failed("nothing ran".to_string());
    };
    match placed > regions {
        true => failed(format!("{placed} bytes instead of {regions}")),
        false => Ok((placed, regions)),
    }
}

#[test]
fn programs_print_what_gcc_prints_and_copy_no_more() {
    let found = over_seeds(seeds(COUNT), 3, one);
    let placed: u64 = found.iter().map(|(p, _)| p).sum();
    let regions: u64 = found.iter().map(|(_, r)| r).sum();
    println!(
        "{} programs: {placed} bytes, {regions} with copies at each region",
        found.len()
    );
    assert!(regions > 0, "no region ran on the emulator");
    assert!(placed < regions, "{placed} bytes of {regions}");
}
