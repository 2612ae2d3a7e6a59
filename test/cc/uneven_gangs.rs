//! Vector loops whose bounds differ from gang to gang.

use super::folder::Folder;

#[test]
fn loops_that_differ_from_gang_to_gang_are_blocks_work() {
    let f = Folder::new(&[(
        "uneven_gangs.c",
        include_str!("../../benches/gpu/uneven_gangs.c"),
    )]);
    let said = f.prints_what_gcc_prints("uneven_gangs.c");
    let kernels = ["sor", "colour", "scale", "heavy", "spmv"];
    for k in kernels {
        let of_block = format!("{k}_region0_kernel0: each iteration of");
        assert!(said.contains(&of_block), "{k}: {said}");
    }
    assert!(!said.contains("each thread runs all"), "{said}");
}

/// An array of each gang that is too large for a block's memory leaves each to a thread.
#[test]
fn a_vector_loop_within_a_thread_is_said() {
    let f = Folder::new(&[(
        "alone.c",
        "void f(int n, int m, float *a) {\n#pragma acc parallel loop copy(a[0:n*m])\n  for (int i = 0; i < n; i++) {\n    float own[20000];\n    for (int k = 0; k < 20000; k++) own[k] = a[i * m + k % m] * k;\n    float s = 0;\n#pragma acc loop vector reduction(+:s)\n    for (int j = i & 3; j < m; j++) s += a[i * m + j] * own[j % 20000];\n    a[i * m] = s + own[3];\n  }\n}\n",
    )]);
    let out = f.terrace(&["-O2", "-Minfo", "-c", "alone.c"]);
    let said = super::folder::text(&out.stderr);
    assert!(out.status.success(), "{said}");
    for sentence in [
        "each thread runs all its iterations",
        "the directive asks for: vector",
    ] {
        assert!(said.contains(sentence), "{said}");
    }
    assert!(!said.contains("was followed"), "{said}");
}
