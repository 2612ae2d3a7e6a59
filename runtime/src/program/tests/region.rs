use super::super::abi::{self, Image, Kernel, Param, Region, Site};
use super::super::copies::terrace_gpu_copy;
use super::super::queue::SYNC;
use super::super::region::{
    run_cpu, terrace_gpu_alloc, terrace_gpu_free, terrace_gpu_launch, terrace_gpu_memset,
    terrace_gpu_sync,
};
use super::*;
use crate::support::subnormals::Mode;

/// A region over (memref, n, result): increments on the device, then makes the sum of
/// two doubles it keeps there for itself.
unsafe extern "C" fn increments(words: *mut u64) -> i32 {
    // SAFETY: the tests pass three words.
    let words = unsafe { std::slice::from_raw_parts_mut(words, 3) };
    let (grid, block) = ([2u64, 1, 1], [32u64, 1, 1]);
    // SAFETY: two arguments, as the kernel has.
    let launch = |kernel, count: u32, at: &[u64]| unsafe {
        let (grid, block) = (grid.as_ptr(), block.as_ptr());
        terrace_gpu_launch(kernel, grid, block, 0, at.as_ptr(), count, 1)
    };
    if launch(0, 2, words) != 0 {
        return 2;
    }
    let own = terrace_gpu_alloc(16, 0);
    if own == 0 || terrace_gpu_memset(own, 1.5f64.to_bits(), 8, 2, 0) != 0 {
        return 1;
    }
    if launch(0, 2, &[own, 2]) != 0 {
        return 2;
    }
    let mut result = [0f64; 2];
    // SAFETY: 16 bytes on both sides.
    if unsafe { terrace_gpu_copy(result.as_mut_ptr() as u64, own, 16, 3, 0) } != 0 {
        return 1;
    }
    words[2] = (result[0] + result[1]).to_bits();
    terrace_gpu_free(own, 0) + terrace_gpu_sync(0)
}

unsafe extern "C" fn bad_kernel(_: *mut u64) -> i32 {
    let d = [1u64; 3];
    // SAFETY: no arguments.
    match unsafe { terrace_gpu_launch(7, d.as_ptr(), d.as_ptr(), 0, d.as_ptr(), 0, 1) } {
        0 => 0,
        _ => 2,
    }
}

unsafe extern "C" fn bad_free(_: *mut u64) -> i32 {
    // After the first error the rest does nothing, and it is the one that is said.
    match (terrace_gpu_free(12345, 0), terrace_gpu_alloc(8, 1)) {
        (0, _) | (_, 1..) => 0,
        _ => 1,
    }
}

unsafe extern "C" fn divides_by_zero(_: *mut u64) -> i32 {
    2
}

unsafe extern "C" fn fine(_: *mut u64) -> i32 {
    0
}

/// Does something with a region whose image is this text and whose kernel has this
/// name.
pub(super) fn with_region<R>(ptx: &str, kernel: &CStr, f: impl FnOnce(&Region) -> R) -> R {
    let param = |name: &'static CStr, bytes, align| Param {
        name: name.as_ptr(),
        bytes,
        align,
        fallback_align: align,
        pad: 0,
    };
    let params = [param(c"a", 8, 8), param(c"n", 4, 1)];
    // The number is an index of 32 bits.
    let indices = [1i64, 1];
    let kernels = [Kernel {
        name: kernel.as_ptr(),
        params: params.as_ptr(),
        num_params: 2,
        flags: 0,
        fallback: std::ptr::null(),
        indices: indices.as_ptr(),
        num_indices: 2,
    }];
    let image = Image {
        ptx: ptx.as_ptr().cast(),
        ptx_bytes: ptx.len() as u64,
        kernels: kernels.as_ptr(),
        num_kernels: 1,
        pad: 0,
        loaded: std::ptr::null_mut(),
    };
    let sites = [(20, 3), (21, 9)].map(|(line, column)| Site {
        file: c"t.c".as_ptr(),
        line,
        column,
    });
    f(&Region {
        abi: abi::ABI,
        flags: 0,
        name: c"main.region1".as_ptr(),
        file: c"t.c".as_ptr(),
        line: 19,
        column: 1,
        cpu: None,
        cpu_v3: None,
        gpu: None,
        image: (&raw const image).cast_mut(),
        sites: sites.as_ptr(),
        num_sites: 2,
        versions: std::ptr::null(),
        num_versions: 0,
    })
}

#[test]
fn regions_run_on_a_device() {
    with_region("increment\0", c"increment", |region| {
        let r = runtime(1 << 20);
        let a = vec![1.0; 64];
        let mut maps = [map(&a, Kind::Copy, 0, c"a")];
        for queue in [SYNC, 3] {
            r.enter(&mut maps, queue, &place(1)).unwrap();
            let mut words = [maps[0].device as u64, 64, 0];
            // SAFETY: these are its arguments.
            unsafe {
                r.run(region, increments, words.as_mut_ptr(), queue)
                    .unwrap()
            };
            assert_eq!(f64::from_bits(words[2]), 5.0);
            r.exit(&maps, queue, &place(2)).unwrap();
            r.wait(queue).unwrap();
        }
        assert_eq!(std::hint::black_box(&a)[..], [3.0; 64]);
        let text = r.report.finish(Some(&*r.device));
        let row = text.lines().find(|l| l.contains("main.region1")).unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(
            cells[1..7],
            ["increment", "t.c:19:1", "4", "2x1x1", "32x1x1", "24"],
            "{text}"
        );
        assert!(text.contains("(of the region)"), "{text}");
    });
}

#[test]
fn errors_have_the_place_of_the_op() {
    let run = |ptx: &str, kernel: &CStr, entry: abi::Entry| {
        with_region(ptx, kernel, |region| {
            let mut words = [0, 1, 0];
            // SAFETY: these are its arguments.
            unsafe { runtime(1 << 20).run(region, entry, words.as_mut_ptr(), SYNC) }
        })
    };
    let error = run("increment", c"increment", bad_kernel).unwrap_err();
    assert_eq!(error, "t.c:21:9: error: a kernel that does not exist");
    let error = run("increment", c"increment", bad_free).unwrap_err();
    assert_eq!(
        error,
        "t.c:20:3: error: 0x3039 is not device memory of this program"
    );
    // An address that is on no device.
    let error = run("increment", c"increment", increments).unwrap_err();
    assert!(
        error.starts_with("t.c:21:9: error: could not increment"),
        "{error}"
    );
    let error = run("nonsense", c"increment", fine).unwrap_err();
    assert!(
        error.starts_with("t.c:19:1: error: the driver could not compile"),
        "{error}"
    );
    let error = run("increment", c"other", fine).unwrap_err();
    assert!(error.contains("no kernel `other`"), "{error}");
}

#[test]
fn launches_are_checked() {
    let run = |at: u64, n: u64| {
        with_region("increment", c"increment", |region| {
            let mut words = [at, n, 0];
            // SAFETY: these are its arguments.
            unsafe { runtime(1 << 20).run(region, increments, words.as_mut_ptr(), SYNC) }
        })
        .unwrap_err()
    };
    assert_eq!(
        run(0x1003, 1),
        "t.c:21:9: error: a is at address 0x1003 of the device, 3 bytes past a multiple of 8; \
         kernel increment takes it to be aligned to 8 bytes"
    );
    assert_eq!(
        run(0x1000, 1 << 31),
        "t.c:21:9: error: n is 2147483648, but its kernel was compiled with --index-bitwidth=32; \
         expected at most 2147483647, or --index-bitwidth=64"
    );
}

#[test]
fn regions_run_on_the_cores() {
    with_region("", c"", |region| {
        let report = Report::new(&Settings {
            profile: true,
            ..Settings::default()
        });
        let mut words = [0; 1];
        // SAFETY: they take no arguments.
        let run =
            |entry| unsafe { run_cpu(region, (entry, Mode::STRICT), words.as_mut_ptr(), &report) };
        let mut run = run;
        run(fine).unwrap();
        let error = run(divides_by_zero).unwrap_err();
        assert!(
            error.starts_with("t.c:21:9: error: a check failed"),
            "{error}"
        );
        assert!(report.finish(None).contains("(cpu)"));
    });
}

/// Whether half of the least normal number is zero where this runs.
unsafe extern "C" fn halves_the_least(words: *mut u64) -> i32 {
    let half = std::hint::black_box(f64::MIN_POSITIVE) * std::hint::black_box(0.5);
    // SAFETY: the test passes one word.
    unsafe { *words = std::hint::black_box(half).to_bits() };
    0
}

#[test]
fn subnormal_numbers_are_zero_in_regions_that_flush_them() {
    with_region("", c"", |region| {
        let report = Report::new(&Settings::default());
        let run = |mode| {
            let mut words = [1];
            // SAFETY: it writes one word.
            let done = unsafe {
                run_cpu(
                    region,
                    (halves_the_least, mode),
                    words.as_mut_ptr(),
                    &report,
                )
            };
            done.unwrap();
            assert_eq!(Mode::current(), Mode::STRICT, "what is behind it is strict");
            words[0]
        };
        assert_eq!(run(Mode::STRICT), 1 << 51);
        assert_eq!(run(Mode::flushing(true).unwrap()), 0);
        assert_eq!(run(Mode::STRICT), 1 << 51);
    });
}

#[test]
fn another_version_is_refused() {
    with_region("", c"", |region| {
        let region = Region {
            abi: abi::ABI + 1,
            name: region.name,
            file: region.file,
            sites: region.sites,
            image: region.image,
            ..*region
        };
        // SAFETY: the region is one.
        let error = unsafe { super::super::region::check(&region) }.unwrap_err();
        assert!(error.contains("compile all files again"), "{error}");
    });
}
