//! What is said of pragmas that are wrong.

use super::*;

#[test]
fn unknown_directives_are_warnings_and_malformed_ones_errors() {
    for (text, at, message) in [
        (
            "acc paralel loop",
            "paralel",
            "`paralel` is not a directive of `acc`, and the line is ignored; did you mean `acc \
             parallel`?",
        ),
        (
            "acc banana",
            "banana",
            "`banana` is not a directive of `acc`, and the line is ignored",
        ),
        (
            "terrace ofload",
            "ofload",
            "`ofload` is not a directive of `terrace`, and the line is ignored; did you mean \
             `terrace offload`?",
        ),
    ] {
        bad(text, at, message);
        let severity = outcome(text).messages[0].severity;
        assert_eq!(severity, Severity::Warning, "{text}");
    }
    bad("scop x", "x", "the text behind `scop` is ignored");
    assert!(outcome("scop x").directive.is_some());
    bad(
        "terrace",
        "terrace",
        "a directive is missing behind `terrace`: `offload`, `host`, `target` or `schedule`",
    );
    bad(
        "acc enter dat",
        "dat",
        "found `dat` behind `enter`, expected `data`",
    );
    bad(
        "acc exit",
        "",
        "found the end of the line behind `exit`, expected `data`",
    );
    bad(
        "acc end parallel",
        "end",
        "`acc end` is Fortran's; in C a directive is for the statement that follows it",
    );
    for (text, at, message) in [
        (
            "acc loop colapse(2)",
            "colapse",
            "`colapse` is not a clause of `acc loop`; did you mean `collapse`?",
        ),
        (
            "acc parallel num_gangs[0](n/8) num_workers(8)",
            "[",
            "found `[` behind `num_gangs`: clauses for single dimensions are RoseACC's, and \
             OpenACC has none; leave them out, or give one size for all, as in `num_gangs(n)`",
        ),
        (
            "acc loop gang[1]",
            "[",
            "found `[` behind `gang`: clauses for single dimensions are RoseACC's, and OpenACC \
             has none; leave them out, or give one size for all, as in `gang(n)`",
        ),
        (
            "acc wait fish",
            "fish",
            "`fish` is not a clause of `acc wait`: it takes `async` and `if`",
        ),
        (
            "acc wait gang",
            "gang",
            "`gang` does not go with `acc wait`: it takes `async` and `if`",
        ),
        (
            "acc atomic read seq",
            "seq",
            "`seq` does not go with `acc atomic`: it takes no clauses",
        ),
        ("acc loop )", ")", "found `)` without a `(` before it"),
        (
            "acc loop gang(2",
            "(",
            "`(` is not closed before the line ends",
        ),
        (
            "acc data copy(a[0:n)",
            ")",
            "found `)` where the `[` before it is not closed yet",
        ),
        (
            "acc loop 3",
            "3",
            "found `3`, expected a clause of `acc loop`",
        ),
        (
            "acc loop gang, , vector",
            ",",
            "found `,`, expected a clause of `acc loop`",
        ),
        ("acc loop gang,", ",", "a clause is missing behind `,`"),
        ("acc loop seq(2)", "(", "`seq` takes nothing in brackets"),
        (
            "acc parallel copy",
            "",
            "found the end of the line behind `copy`, expected `copy(a, b[0:n])`",
        ),
        (
            "acc parallel if async",
            "async",
            "found `async` behind `if`, expected `if(n)`",
        ),
        (
            "acc parallel if()",
            ")",
            "found `)` in `if`, expected an expression",
        ),
        (
            "acc parallel if(a, b)",
            ",",
            "found `,` in `if`, which takes one expression",
        ),
        (
            "acc parallel copy()",
            ")",
            "found `)` in `copy`, expected a variable",
        ),
        (
            "acc parallel copy(a,,b)",
            ",",
            "found `,` in `copy`, expected a variable",
        ),
        (
            "acc parallel copy(3)",
            "3",
            "found `3` in `copy`, expected a variable",
        ),
        (
            "acc parallel copy(a b)",
            "b",
            "found `b` in `copy`, expected `,`, `[` or `)`",
        ),
        (
            "acc parallel copy(a[])",
            "[",
            "`[]` has nothing in it; write `[first:number]`, or nothing for the whole array",
        ),
        (
            "acc parallel copy(a[0:n:2])",
            ":",
            "a part of an array is `[first:number]`, and a second `:` follows",
        ),
        (
            "acc region copy(a[0:n:2])",
            ":",
            "a part of an array is `[first:last]`, and a second `:` follows",
        ),
        (
            "acc data copyin(readnly: a)",
            "readnly",
            "`readnly` is not a modifier: did you mean `readonly`?",
        ),
        (
            "acc data copyout(fish: a)",
            "fish",
            "`fish` is not a modifier: `copyout` has `zero`, `always`, `alwaysout` and `capture`",
        ),
        (
            "acc data present(x: a)",
            "x",
            "`x` is not a modifier: `present` has none; parts of arrays are written \
             `a[first:number]`",
        ),
        (
            "acc loop collapse(0)",
            "0",
            "`collapse` needs a whole number above 0, and this is 0",
        ),
        (
            "acc loop collapse(-1)",
            "-1",
            "`collapse` needs a whole number above 0, and this is -1",
        ),
        (
            "acc loop collapse(1.5)",
            "1.5",
            "`collapse` needs a whole number above 0, and this is 1.5",
        ),
        (
            "acc loop tile(0)",
            "0",
            "`tile` needs a whole number above 0, and this is 0",
        ),
        (
            "acc loop tile(,2)",
            ",",
            "found `,` in `tile`, expected an expression",
        ),
        (
            "acc loop collapse",
            "",
            "found the end of the line behind `collapse`, expected `collapse(2)`",
        ),
        (
            "acc loop gang(fish: 2)",
            "fish",
            "found `fish` in `gang`, expected `num:`, `dim:` or `static:`",
        ),
        (
            "acc loop gang(2, num: 3)",
            "num: 3",
            "`gang` has two arguments `num:`",
        ),
        (
            "acc loop vector(num: 3)",
            "num",
            "found `num` in `vector`, expected `length:`",
        ),
        (
            "acc loop worker(length: 3)",
            "length",
            "found `length` in `worker`, expected `num:`",
        ),
        (
            "acc parallel num_gangs(1, 2, 3, 4)",
            "4",
            "`num_gangs` takes three numbers at most",
        ),
        (
            "acc loop reduction(-:a)",
            "-",
            "`reduction` has no `-`; it is read as `+`, the sum of what is added",
        ),
        (
            "acc loop reduction(/:a)",
            "/",
            "found `/` in `reduction`, expected one of `+`, `*`, `max`, `min`, `&`, `|`, `^`, \
             `&&` and `||`",
        ),
        (
            "acc loop reduction(a)",
            "a",
            "`reduction` is written with an operator and variables: `reduction(+:sum)`",
        ),
        (
            "acc loop reduction(+:)",
            ")",
            "found `)` in `reduction`, expected a variable",
        ),
        (
            "acc parallel default(shared)",
            "shared",
            "found `shared` in `default`, expected `none` or `present`",
        ),
        (
            "acc parallel device_type",
            "",
            "found the end of the line behind `device_type`, expected `device_type(nvidia)`",
        ),
        (
            "acc parallel dtype(3)",
            "3",
            "found `3` in `dtype`, expected a kind of device or `*`",
        ),
        (
            "acc parallel device_type(nvidia) copy(a)",
            "copy",
            "`copy` cannot follow `device_type`, because it is for all devices; write it before",
        ),
        (
            "acc init device_type(nvidia)",
            "device_type(nvidia)",
            "`device_type` has no effect here: TERRACE_TARGET chooses the device",
        ),
        (
            "acc wait(devnum: 1: queues: 2)",
            "1",
            "`devnum` has no effect: a program uses one device",
        ),
        (
            "acc wait(1,)",
            ")",
            "found `)` in `wait`, expected an expression",
        ),
        (
            "acc cache",
            "",
            "found the end of the line, expected variables in brackets: `acc cache(a[0:n])`",
        ),
        (
            "acc mirror",
            "",
            "found the end of the line, expected variables in brackets: `acc mirror(a)`",
        ),
        (
            "acc routine(3) seq",
            "3",
            "found `3`, expected a function's name",
        ),
        ("acc routine(f g) seq", "g", "found `g`, expected `)`"),
        (
            "acc routine seq bind()",
            ")",
            "found `)`, expected a function's name",
        ),
        (
            "terrace target",
            "",
            "found the end of the line, expected a target in brackets: `terrace target(gpu)`",
        ),
        (
            "terrace target(gpus)",
            "gpus",
            "found `gpus`, expected `gpu`, `cpu`, `host` or an architecture such as `sm_90`; did \
             you mean `gpu`?",
        ),
        (
            "terrace target(sm_x)",
            "sm_x",
            "found `sm_x`, expected `gpu`, `cpu`, `host` or an architecture such as `sm_90`",
        ),
        (
            "terrace target()",
            ")",
            "found `)`, expected `gpu`, `cpu`, `host` or an architecture such as `sm_90`",
        ),
        (
            "terrace target(gpu cpu)",
            "cpu",
            "found `cpu`, expected `)`",
        ),
        (
            "terrace schedule(tiles(i: 4))",
            "tiles",
            "found `tiles`, expected a step of a schedule; did you mean `tile`?",
        ),
        (
            "terrace schedule(banana(i))",
            "banana",
            "found `banana`, expected a step of a schedule: `tile`, `strip_mine`, `interchange`, \
             `unroll`, `unroll_jam`, `parallel`, `fuse`, `distribute`, `skew`, `reverse`, `shift`, \
             `coalesce`, `peel_front`, `peel_back`, `split`, `auto`, `none` or `pluto`, or the \
             name of a file in quotes",
        ),
        (
            "terrace schedule(none, tile(i: 4))",
            "none",
            "`none` stands alone: it says what becomes of all loops",
        ),
        (
            "terrace schedule(none(i))",
            "(",
            "found `(` behind `none`, expected `)`",
        ),
        (
            "terrace schedule(pluto())",
            "pluto",
            "`pluto` takes the size of tiles: `pluto` or `pluto(32)`",
        ),
        (
            "terrace schedule(tile)",
            ")",
            "found `)` behind `tile`, expected `tile(i, j: 32, 32)`",
        ),
        (
            "terrace schedule(reverse(i) j)",
            "j",
            "found `j` behind `reverse`, expected `,` or `)`",
        ),
        (
            "terrace schedule(tile(i, j: 4))",
            "tile(i, j: 4)",
            "`tile` takes loops and a number for each: `tile(i, j: 32, 32)`",
        ),
        (
            "terrace schedule(interchange(i))",
            "interchange(i)",
            "`interchange` takes 2 loops or more: `interchange(j, i)`",
        ),
        (
            "terrace schedule(unroll(i: 4, 5))",
            "unroll(i: 4, 5)",
            "`unroll` takes one loop and, if not all of it, a number: `unroll(k: 4)`",
        ),
        (
            "terrace schedule(distribute(i))",
            "distribute(i)",
            "`distribute` takes one loop and numbers: `distribute(i: 1)`",
        ),
        (
            "terrace schedule(skew(i: 1))",
            "skew(i: 1)",
            "`skew` takes two loops and a number: `skew(t, i: 1)`",
        ),
        (
            "terrace schedule(tile(i: 4: 5))",
            ":",
            "found a second `:` in `tile`, expected `tile(i, j: 32, 32)`",
        ),
        (
            "terrace schedule(tile(i: ))",
            ")",
            "found `)` in `tile`, expected a number",
        ),
        (
            "terrace schedule(tile(4: 4))",
            "4",
            "found `4` in `tile`, expected a loop by its counter, such as `i`, or `i#2` for the \
             second over `i`",
        ),
        (
            "terrace schedule(tile(i#0: 4))",
            "#",
            "found `#` in `tile`, expected a loop by its counter, such as `i`, or `i#2` for the \
             second over `i`",
        ),
        (
            "terrace schedule(\"a.mlir\" b)",
            "b",
            "found `b` behind a file's name, expected `)`",
        ),
        (
            "terrace schedule(\"\")",
            "\"\"",
            "found `\"\"`, expected the name of a file",
        ),
        (
            "terrace schedule()",
            "(",
            "found `(`, expected a schedule's steps, or the name of its file, in brackets",
        ),
    ] {
        bad(text, at, message);
    }
}

#[test]
fn several_errors_of_a_line_are_told_together() {
    let messages = said("acc parallel loop gnag colapse(2) copy(3) if() gang gang");
    let places: Vec<&str> = messages.iter().map(|m| m.0.as_str()).collect();
    assert_eq!(places, ["gnag", "colapse", "3", ")", "gang"]);
}
