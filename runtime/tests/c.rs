//! A C program with the runtime's archive: the headers are C, every function that they
//! declare is there, and the environment is obeyed.

#[path = "../src/program/tests/json.rs"]
mod json;
mod programs;

use std::path::Path;
use std::process::Output;

use json::Json;
use programs::{build, run};

#[test]
fn a_program_on_the_host() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/host.c");
    let program = build(&source, "host");
    let out = |o: &Output| String::from_utf8_lossy(&o.stdout).into_owned();

    for variables in [
        [("TERRACE_TARGET", "host")].as_slice(),
        &[("ACC_DEVICE_TYPE", "host"), ("TERRACE_PROFILE", "summary")],
    ] {
        let (output, text) = run(&program, &[], variables);
        assert_eq!(out(&output), "ok\n", "{text}");
        assert!(output.status.success() && text.is_empty(), "{text}");
    }

    let cpu = [("TERRACE_TARGET", "cpu"), ("TERRACE_PROFILE", "1")];
    let (output, text) = run(&program, &["cpu"], &cpu);
    assert_eq!(out(&output), "ok\n", "{text}");
    let row = text.lines().find(|l| l.starts_with("twice.region1"));
    let cells: Vec<&str> = row.unwrap_or_default().split_whitespace().collect();
    assert_eq!(
        cells.get(1..4),
        Some(["(cpu)", "host.c:39:1", "1"].as_slice()),
        "{text}"
    );

    let notify = [("TERRACE_TARGET", "cpu"), ("TERRACE_NOTIFY", "1")];
    let (_, text) = run(&program, &["cpu"], &notify);
    assert_eq!(
        text,
        "terrace: run host.c:39:1: twice.region1 on the host's cores\n"
    );

    assert!(
        run(&program, &["cpu"], &cpu)
            .1
            .starts_with("\nterrace: on the host's cores\n"),
    );
    // A check that fails ends the program at its place; what was printed is there.
    let (output, text) = run(&program, &["cpu", "fail"], &cpu[..1]);
    assert_eq!(
        (out(&output).as_str(), output.status.code()),
        ("before\n", Some(1))
    );
    assert_eq!(
        text,
        "host.c:41:5: error: a check failed while this ran: a division by zero, an index out of \
         bounds, memory that could not be had, or an assertion\n"
    );
}

/// The functions that the header declares.
fn declared() -> Vec<String> {
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/openacc.h");
    let text = std::fs::read_to_string(header).expect("the header");
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let called = |w: &&str| w.starts_with("acc_") && text.contains(&format!("{w}("));
    words.filter(called).map(str::to_owned).collect()
}

#[test]
fn every_function_of_openacc() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/api.c");
    let program = build(&source, "api");
    for target in ["host", "cpu", "emulator"] {
        let (output, text) = run(&program, &[], &[("TERRACE_TARGET", target)]);
        let out = String::from_utf8_lossy(&output.stdout);
        let wrong: Vec<&str> = out.lines().filter(|l| !l.starts_with("ok ")).collect();
        assert!(
            output.status.success() && wrong.is_empty(),
            "{target}: {wrong:?} {text}"
        );
        for f in declared() {
            let named = out.split_whitespace().any(|w| w == f);
            assert!(named, "no row is about {f}");
        }
    }
}

#[test]
fn data_that_cannot_be_right() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/misuse.c");
    let program = build(&source, "misuse");
    // The routine, and what is wrong.
    for (mistake, routine, what) in [
        ("map-present", "acc_map_data: ", "none is on the device"),
        (
            "map-null",
            "acc_map_data: ",
            " on the device, expected two addresses that are not null, and at least one byte",
        ),
        (
            "map-nothing",
            "acc_map_data: ",
            "on the device, expected two addresses",
        ),
        (
            "map-small",
            "acc_map_data: ",
            "terrace: acc_map_data: the memory at ",
        ),
        (
            "map-twice",
            "acc_map_data: ",
            " on the device hold the copy of `",
        ),
        ("copyout-more", "acc_copyout: ", "only in part"),
        ("delete-more", "acc_delete: ", "only in part"),
        ("copyin-more", "acc_copyin: ", "only in part"),
        (
            "free-copy",
            "acc_free: ",
            "` on the device, which is there since acc_copyin; acc_delete or exit data has to end",
        ),
        ("free-inside", "acc_free: ", "not the start of memory"),
        ("free-host", "acc_free: ", "not the start of memory"),
        ("free-twice", "acc_free: ", "not the start of memory"),
        ("free-mapped", "acc_free: ", "acc_unmap_data has to end"),
        (
            "unmap-copyin",
            "acc_unmap_data: ",
            "nothing that acc_map_data",
        ),
        (
            "unmap-absent",
            "acc_unmap_data: ",
            "nothing that acc_map_data",
        ),
        (
            "unmap-held",
            "acc_unmap_data: ",
            " is in use by a construct that has not ended",
        ),
        ("update-absent", "acc_update_device: ", "not on the device"),
        ("update-more", "acc_update_self: ", "only in part"),
        (
            "copy-null",
            "acc_memcpy_to_device: ",
            "found a null pointer, expected the address of 40 bytes",
        ),
        (
            "copy-to-null",
            "acc_memcpy_from_device: ",
            "found a null pointer, expected the address of 40 bytes",
        ),
        (
            "between-null",
            "acc_memcpy_d2d: ",
            "found a null pointer, expected the address of 40 bytes",
        ),
        ("type", "acc_get_property_string: ", "found 99"),
        ("map-again", "acc_map_data: ", "none is on the device"),
        (
            "unmap-again",
            "acc_unmap_data: ",
            "nothing that acc_map_data",
        ),
        (
            "detach",
            "acc_detach: ",
            "): the pointer is not attached: each detach needs an attach before it; `finalize` \
             undoes all that there are",
        ),
        ("detach-more", "acc_detach: ", "the pointer is not attached"),
        (
            "init-other",
            "acc_init: ",
            "the program has started acc_device_nvidia already; acc_shutdown has to come before \
             acc_device_host is started",
        ),
        (
            "radeon",
            "acc_set_device_type: ",
            "there is no device of the type acc_device_radeon, of which acc_get_num_devices gives \
             0: programs of terrace cc have code for NVIDIA's",
        ),
        (
            "stream",
            "acc_set_cuda_stream: ",
            "terrace: acc_set_cuda_stream: found queue -1, expected a number from 0",
        ),
    ] {
        let (output, text) = run(&program, &[mistake], &[("TERRACE_TARGET", "emulator")]);
        assert_eq!(output.status.code(), Some(1), "{mistake}: {text}");
        assert!(text.contains(routine) && text.contains(what), "{text}");
    }
    // On the host no call takes apart what is not its own.
    for mistake in ["free-copy", "free-inside", "free-host", "free-twice"] {
        let (output, text) = run(&program, &[mistake], &[("TERRACE_TARGET", "host")]);
        assert_eq!(output.status.code(), Some(1), "{mistake}: {text}");
        assert!(text.contains("acc_free: ") && text.contains("not the start"));
    }
    for (mistake, what) in [
        ("map-again", "acc_map_data: "),
        ("unmap-again", "acc_unmap_data: "),
        (
            "free-mapped",
            "on the device; acc_unmap_data has to end that first",
        ),
        ("radeon", "there is no device of the type acc_device_radeon"),
    ] {
        let (output, text) = run(&program, &[mistake], &[("TERRACE_TARGET", "host")]);
        assert_eq!(output.status.code(), Some(1), "{mistake}: {text}");
        assert!(text.contains(what), "{text}");
    }
    for target in ["host", "cpu", "emulator"] {
        let (output, text) = run(&program, &[], &[("TERRACE_TARGET", target)]);
        assert_eq!(output.stdout, b"on\n", "{target}: {text}");
    }
}

#[test]
fn tools_are_told() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/tools.c");
    let program = build(&source, "tools");
    let (output, text) = run(&program, &[], &[("TERRACE_TARGET", "emulator")]);
    let expected = "\
        1 2 10 8 6 20 21 11 12 22 23 7 9 13\n\
        a 40 bytes, tools.c:7, version 202211\n\
        after a switch: none\n";
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(told, expected, "{text}");
    let (output, _) = run(&program, &[], &[("TERRACE_TARGET", "host")]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(told, "\nafter a switch: none\n");
}

#[test]
fn calls_that_cannot_be_right() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/mistakes.c");
    let program = build(&source, "mistakes");
    for (mistake, said) in [
        (
            "type",
            "terrace: acc_set_device_type: found 99 as a type of device, expected acc_device_default, \
             acc_device_current, acc_device_host, acc_device_not_host or acc_device_nvidia",
        ),
        (
            "queue",
            "terrace: acc_set_default_async: found -9, expected a queue from 0, \
             acc_async_sync, acc_async_noval or acc_async_default",
        ),
        ("null", "terrace: no region to run"),
        (
            "code",
            "terrace: a region is to run on target 1, for which it has no code",
        ),
        (
            "gpu",
            "terrace: a region is to run on a GPU, and there is none",
        ),
    ] {
        let (output, text) = run(&program, &[mistake], &[("TERRACE_TARGET", "host")]);
        assert_eq!(text, format!("{said}\n"), "{mistake}");
        assert_eq!(output.status.code(), Some(1));
    }
    let variables = [("TERRACE_TARGET", "cpu"), ("TERRACE_PROFILE", "1")];
    let (_, text) = run(&program, &["check"], &variables);
    assert!(text.starts_with("m.c:3:1: error: a check failed"), "{text}");
    assert!(
        text.ends_with("\nterrace: nothing ran on the host's cores\n"),
        "{text}"
    );
    // A device that no machine has.
    let variables = [("TERRACE_NOTIFY", "1"), ("TERRACE_DEVICE", "9999")];
    let (output, text) = run(&program, &["open"], &variables);
    assert!(output.status.success());
    assert!(text.starts_with("terrace: not using a GPU: "), "{text}");
}

#[test]
fn settings_that_are_wrong() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/host.c");
    let program = build(&source, "wrong");
    let (output, text) = run(&program, &[], &[("TERRACE_TARGET", "tpu")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.starts_with("terrace: found TERRACE_TARGET=`tpu`, expected `gpu`"),
        "{text}"
    );
    // A device that no machine has.
    let variables = [("TERRACE_TARGET", "gpu"), ("TERRACE_DEVICE", "9999")];
    let (output, text) = run(&program, &[], &variables);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.starts_with("terrace: TERRACE_TARGET=gpu asks for a GPU, but there is none to use: "),
        "{text}"
    );
    assert!(
        text.ends_with("\n  TERRACE_TARGET=host runs without one\n"),
        "{text}"
    );
    let (output, text) = run(&program, &[], &[("TERRACE_DEVICE", "first")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("TERRACE_DEVICE=`first`"), "{text}");
}

/// On the emulator, and on a GPU where there is one.
fn on_a_gpu(target: &str, mistakes: [(&str, &str, &str); 5]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/gpu.c");
    let program = build(&source, &format!("gpu-{target}"));
    let target = ("TERRACE_TARGET", target);
    let (output, text) = run(&program, &[], &[target, ("TERRACE_PROFILE", "1")]);
    let out = String::from_utf8_lossy(&output.stdout);
    if out == "no GPU\n" {
        assert_eq!(target.1, "", "there is always an emulator");
        eprintln!("SKIPPED a_program_on_a_gpu: there is no GPU to use");
        return;
    }
    assert!(output.status.success() && out == "ok\n", "{out}{text}");
    assert!(
        text.contains("main.region1") && text.contains("host to device"),
        "{text}"
    );
    for (mistake, place, what) in mistakes {
        let (output, text) = run(&program, &[mistake], &[target]);
        assert_eq!(output.status.code(), Some(1), "{mistake}: {text}");
        assert!(
            text.starts_with(place) && text.contains(what),
            "{mistake}: {text}"
        );
    }
}

#[test]
fn a_program_on_a_gpu() {
    on_a_gpu(
        "",
        [
            ("fault", "gpu.c:51:5: error: ", "`step`"),
            ("block", "gpu.c:51:5: error: ", "4096 threads"),
            ("ptx", "gpu.c:49:1: error: ", "could not compile"),
            ("part", "gpu.c:107: error: ", "only in part"),
            ("memory", "gpu.c:104: error: ", "no place for `a`"),
        ],
    );
}

#[test]
fn a_program_on_the_emulator() {
    on_a_gpu(
        "emulator",
        [
            // Found while the kernel runs, so that the launch is what fails.
            ("fault", "gpu.c:51:5: error: ", "at 0x8, a null pointer"),
            ("block", "gpu.c:51:5: error: ", "4096 threads"),
            ("ptx", "gpu.c:49:1: error: ", "could not compile"),
            ("part", "gpu.c:107: error: ", "only in part"),
            ("memory", "gpu.c:104: error: ", "no place for `a`"),
        ],
    );
}

/// The events of a trace with this category, in the order of the file.
fn events(file: &Path, category: &str) -> Vec<Json> {
    let text = std::fs::read_to_string(file).unwrap();
    let json = json::parse(&text).unwrap_or_else(|e| panic!("{e}:\n{text}"));
    let events = json.get("traceEvents").list();
    let of = |e: &&Json| e.get("cat") == &Json::Text(category.to_string());
    events.iter().filter(of).cloned().collect()
}

#[test]
fn traces() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("traces");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("t.json");
    let path = file.to_str().unwrap();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");

    let program = build(&tests.join("host.c"), "host-trace");
    let variables = [("TERRACE_TARGET", "cpu"), ("TERRACE_TRACE", path)];
    let (_, text) = run(&program, &["cpu"], &variables);
    assert_eq!(text, "");
    let regions = events(&file, "region");
    assert_eq!(regions[0].get("name").text(), "twice.region1");
    assert_eq!(regions[0].get("args").get("at").text(), "host.c:39:1");

    let program = build(&tests.join("gpu.c"), "gpu-trace");
    let variables = [("TERRACE_TARGET", "emulator"), ("TERRACE_TRACE", path)];
    let (output, text) = run(&program, &[], &variables);
    assert!(output.status.success(), "{text}");
    let (kernels, copies) = (events(&file, "kernel"), events(&file, "copy"));
    assert!(!events(&file, "host").is_empty());
    let ends = |e: &Json| e.get("ts").number() + e.get("dur").number();
    for spans in [&kernels, &copies] {
        assert!(spans.len() > 1);
        for pair in spans.windows(2) {
            let same = pair[0].get("tid") == pair[1].get("tid");
            // A thousandth of a microsecond is the unit of the file.
            assert!(!same || ends(&pair[0]) < pair[1].get("ts").number() + 1e-3);
        }
    }
    // An emulated kernel is slower than the clock is fine.
    assert!(kernels.iter().all(|k| k.get("dur").number() > 0.0));
    assert_eq!(kernels[0].get("args").get("block").text(), "128x1x1");

    // After a fault the file is whole, and the last kernel has no time.
    let (output, _) = run(&program, &["fault"], &variables);
    assert_eq!(output.status.code(), Some(1));
    let kernels = events(&file, "kernel");
    assert_eq!(kernels.len(), 1);
    assert!(
        kernels[0]
            .get("args")
            .get("failed")
            .text()
            .starts_with("the device")
    );

    // Each process may have a file of its own; what cannot be written is said.
    let own = folder.join("%p.json");
    let variables = [variables[0], ("TERRACE_TRACE", own.to_str().unwrap())];
    let (_, text) = run(&program, &[], &variables);
    assert_eq!(text, "");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    let below = file.join("t.json");
    let variables = [variables[0], ("TERRACE_TRACE", below.to_str().unwrap())];
    let (output, text) = run(&program, &[], &variables);
    assert!(output.status.success());
    let said = format!("terrace: cannot write the trace {}: ", below.display());
    assert!(text.starts_with(&said), "{text}");
}
