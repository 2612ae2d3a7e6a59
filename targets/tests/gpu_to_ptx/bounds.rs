//! Launch bounds from attributes, and demands that no machine meets.

use super::*;

fn kernel(attributes: &str) -> String {
    format!("gpu.func @k() kernel attributes {{{attributes}}} {{ gpu.return }}")
}

#[test]
fn wishes_become_directives() {
    let text = ptx(&kernel(
        "nvvm.maxntid = array<i32: 128, 2>, nvvm.minctasm = 4 : i32, nvvm.maxnreg = 40 : i32",
    ));
    expect(
        &text,
        &[".maxntid 128, 2, 1\n", ".minnctapersm 4\n", ".maxnreg 40\n"],
    );
    let b = binary(&kernel(
        "known_block_size = array<i32: 64, 2, 1>, nvvm.reqntid = array<i32: 64, 2, 1>",
    ));
    expect(&b.ptx, &[".reqntid 64, 2, 1\n"]);
    count(&b.ptx, ".maxntid", 0);
    assert_eq!(b.kernels[0].max_threads, Some([64, 2, 1]));
    // The block that is known may be smaller than the largest allowed.
    let text = ptx(&kernel(
        "known_block_size = array<i32: 64, 1, 1>, nvvm.maxntid = array<i32: 256>",
    ));
    expect(&text, &[".maxntid 256, 1, 1\n"]);
}

#[test]
fn blocks_that_are_too_large() {
    let block = "expected at most 1024 x 1024 x 64 and 1024 threads in all on sm_90";
    for (attributes, found) in [
        (
            "known_block_size = array<i32: 64, 64, 1>",
            "64 x 64 x 1 threads in 'known_block_size'",
        ),
        (
            "nvvm.maxntid = array<i32: 1, 1, 65>",
            "1 x 1 x 65 threads in 'nvvm.maxntid'",
        ),
        (
            "nvvm.reqntid = array<i32: 0>",
            "0 x 1 x 1 threads in 'nvvm.reqntid'",
        ),
        (
            "nvvm.reqntid = array<i32: 2147483647, 2147483647, 2147483647>",
            "threads in 'nvvm.reqntid'",
        ),
    ] {
        expect_errors(&kernel(attributes), &["2: kernel 'k': found a block of "]);
        let errors = compile_with(&in_module(&kernel(attributes)), &options("sm_90")).unwrap_err();
        assert!(
            errors[0].contains(found) && errors[0].contains(block),
            "{errors:?}"
        );
    }
    expect_errors(
        &kernel("known_block_size = array<i32: 64, 2, 1>, nvvm.reqntid = array<i32: 64>"),
        &[
            "found a known block size of 64 x 2 x 1, expected it to fit 'nvvm.reqntid', which is 64 x 1 x 1",
        ],
    );
}

#[test]
fn grids_that_are_too_large() {
    expect_errors(
        &kernel("known_grid_size = array<i32: 1, 65536, 1>"),
        &[
            "2: kernel 'k': found a grid of 1 x 65536 x 1 blocks in 'known_grid_size', expected at most 2147483647 x 65535 x 65535 on sm_90",
        ],
    );
}

#[test]
fn wishes_that_no_multiprocessor_grants() {
    for (attributes, error) in [
        (
            "nvvm.minctasm = 33 : i32, nvvm.maxntid = array<i32: 32>",
            "found '33 : i32' as 'nvvm.minctasm', expected 1 to 32 blocks on a multiprocessor on sm_90",
        ),
        (
            "nvvm.maxnreg = 256 : i32",
            "found '256 : i32' as 'nvvm.maxnreg', expected 1 to 255 registers a thread on sm_90",
        ),
        (
            "nvvm.maxnreg = \"many\"",
            "found '\"many\"' as 'nvvm.maxnreg', expected 1 to 255",
        ),
        (
            "nvvm.maxntid = array<i32>",
            "found 'array<i32>' as 'nvvm.maxntid', expected one to three sizes",
        ),
        (
            "nvvm.minctasm = 2 : i32",
            "found 'nvvm.minctasm' = 2 without a block size",
        ),
        (
            "nvvm.minctasm = 3 : i32, nvvm.maxntid = array<i32: 1024>",
            "found 3 blocks of 1024 threads, 3072 in all, expected at most 2048 threads on a multiprocessor of sm_90",
        ),
        (
            "nvvm.minctasm = 2 : i32, nvvm.maxntid = array<i32: 512>, nvvm.maxnreg = 65 : i32",
            "found 65 registers a thread for 2 blocks of 512 threads, 66560 in all, expected at most the 65536 of a multiprocessor of sm_90",
        ),
        (
            "nvvm.reqntid = array<i32: 1024>, nvvm.maxnreg = 96 : i32",
            "found 96 registers a thread for 1 block of 1024 threads, 98304 in all",
        ),
    ] {
        expect_errors(&kernel(attributes), &[error]);
    }
    // What fits on one fits not on another.
    let text = in_module(&kernel(
        "nvvm.minctasm = 2 : i32, nvvm.maxntid = array<i32: 1024>",
    ));
    assert!(compile_with(&text, &options("sm_90")).is_ok());
    let errors = compile_with(&text, &options("sm_120")).unwrap_err();
    assert!(errors[0].contains("expected at most 1536 threads on a multiprocessor of sm_120"));
}

/// A kernel with so many parameters of 8 bytes.
fn with_parameters(n: usize) -> String {
    let params: Vec<String> = (0..n).map(|i| format!("%p{i}: i64")).collect();
    format!("gpu.func @k({}) kernel {{ gpu.return }}", params.join(", "))
}

#[test]
fn parameter_space() {
    // 4,352 bytes before PTX 8.1, which is then asked for.
    expect(&ptx(&with_parameters(544)), &[".version 7.8"]);
    expect(&ptx(&with_parameters(545)), &[".version 8.1"]);
    expect_errors(
        &with_parameters(4096),
        &["2: in 'k': found 32768 bytes of parameters; expected at most 32764 in PTX 8.1 on sm_90"],
    );
}

#[test]
fn static_shared_memory() {
    let kernel = |n: u32| {
        format!(
            "gpu.func @k() workgroup(%s: memref<{n}xf64, #gpu.address_space<workgroup>>) kernel {{
               %c = arith.constant 0.0 : f64
               %i = gpu.thread_id x
               memref.store %c, %s[%i] : memref<{n}xf64, #gpu.address_space<workgroup>>
               gpu.return
             }}"
        )
    };
    ptx(&kernel(6144));
    expect_errors(
        &kernel(6145),
        &[
            "2: kernel 'k' needs 49160 bytes of static workgroup (shared) memory; a block on sm_90 has 49152 (232448 as dynamic shared memory)",
        ],
    );
}
