//! The C statement of a region beside terrace's code within a call.

use super::folder::{Folder, on, text};

const SLICES: &str = include_str!("Inputs/slices.c");

/// Both take turns, one iteration by the one and two by the other: what one leaves for the next must be
/// where that one looks.
#[test]
fn parts_of_a_loop_follow_one_another() {
    let f = Folder::new(&[("slices.c", SLICES)]);
    let out = f.gcc(&["-O1", "slices.c", "-o", "plain"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let out = f.terrace(&["-O1", "--auto", "slices.c", "-o", "made"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    for n in ["0", "1", "2", "7", "50"] {
        let run = |program: &str, trials: &str| {
            let mut c = f.command(program);
            c.arg(n);
            let variables = [("TERRACE_TARGET", "cpu"), ("TERRACE_TRIALS", trials)];
            let out = f.run_with(c, &variables);
            assert!(out.status.success(), "{}", text(&out.stderr));
            text(&out.stdout)
        };
        let expected = run("plain", "measure");
        for trials in ["turns", "measure", "never"] {
            assert_eq!(run("made", trials), expected, "{n} iterations, {trials}");
        }
    }
    let out = f.program(
        "made",
        &[("TERRACE_TARGET", "cpu"), ("TERRACE_TRIALS", "often")],
    );
    assert!(text(&out.stderr).contains("TERRACE_TRIALS=`often`, expected `measure`"));
}

/// How often a region ran: as often as its parts.
#[test]
fn loops_that_keep_their_order_run_in_parts() {
    let f = Folder::new(&[("slices.c", SLICES)]);
    let out = f.terrace(&["-O1", "--auto", "slices.c", "-o", "made"]);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let [place, trials] = on("turns");
    let variables = [place, trials, ("TERRACE_PROFILE", "1")];
    let out = f.program("made", &variables);
    let said = text(&out.stderr);
    let runs = |name: &str| {
        let line = said
            .lines()
            .find(|l| l.contains(&format!("{name}.region0")));
        line.and_then(|l| l.split_whitespace().nth(3)?.parse::<u32>().ok())
    };
    for name in ["carried", "by_calls", "ragged"] {
        assert!(runs(name).is_some_and(|n| n > 20), "{name}: {said}");
    }
    // Its loops have changed places, and parts would take that away.
    assert_eq!(runs("between"), Some(1), "{said}");
}
