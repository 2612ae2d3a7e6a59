//! What goes wrong around a GPU, one by one, with a program in C and a driver that only
//! does as if (`c/libcuda.c`): what is said, how the program ends, what stays behind.
//! `benches/gpu/faults.sh` tries the same on a machine with a GPU.

mod programs;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use programs::{build, cc, run, stand_in};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c")
}

/// A folder for one test, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A program with the stand-in as its driver.
struct OnStandIn {
    program: PathBuf,
    driver: PathBuf,
}

impl OnStandIn {
    fn new(source: &str, name: &str) -> OnStandIn {
        OnStandIn {
            program: build(&tests().join(source), name),
            driver: stand_in(),
        }
    }

    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> (Output, String) {
        let driver = self.driver.to_str().unwrap();
        let mut all = vec![("LD_LIBRARY_PATH", driver), ("TERRACE_TARGET", "gpu")];
        all.extend(variables);
        run(&self.program, arguments, &all)
    }

    /// Fails unless it ends as said: the output, or the parts of the message.
    fn fine(&self, what: &str, variables: &[(&str, &str)]) {
        let (output, text) = self.run(&[], variables);
        let out = String::from_utf8_lossy(&output.stdout);
        assert_eq!((&*out, &*text), ("ok\n", ""), "{what}");
        assert!(output.status.success(), "{what}");
    }

    fn fails(&self, arguments: &[&str], variables: &[(&str, &str)], parts: &[&str]) {
        let (output, text) = self.run(arguments, variables);
        let what = format!("{arguments:?} {variables:?}: {text}");
        assert_eq!(output.status.code(), Some(1), "{what}");
        for part in parts {
            assert!(text.contains(part), "no {part} in {what}");
        }
    }
}

#[test]
fn drivers_that_are_none() {
    let gpu = OnStandIn::new("gpu.c", "faults-driver");
    gpu.fine("the stand-in", &[("TERRACE_CACHE", "0")]);
    let asked = "terrace: TERRACE_TARGET=gpu asks for a GPU, but there is none to use: ";

    // A file that is no library, and a library that is no driver.
    let broken = folder("faults-broken");
    for name in ["libcuda.so", "libcuda.so.1", "libnvcuda.so"] {
        std::fs::write(broken.join(name), "nothing\n").unwrap();
    }
    let path = ("LD_LIBRARY_PATH", broken.to_str().unwrap());
    let none = "no usable CUDA driver: found no NVIDIA driver library";
    gpu.fails(
        &[],
        &[path],
        &[asked, none, "TERRACE_TARGET=host runs without one"],
    );
    let (output, text) = gpu.run(&[], &[path, ("TERRACE_TARGET", "")]);
    assert_eq!((&*output.stdout, &*text), (&b"no GPU\n"[..], ""));
    let notify = ("TERRACE_NOTIFY", "1");
    let (_, text) = gpu.run(&[], &[path, ("TERRACE_TARGET", ""), notify]);
    assert!(
        text.starts_with("terrace: not using a GPU: no usable"),
        "{text}"
    );

    let empty = folder("faults-empty");
    let source = empty.join("empty.c");
    std::fs::write(&source, "int terrace_test_nothing;\n").unwrap();
    let made = cc()
        .args(["-shared", "-fPIC", "-o"])
        .arg(empty.join("libcuda.so"))
        .arg(source)
        .status();
    assert!(made.unwrap().success());
    let path = ("LD_LIBRARY_PATH", empty.to_str().unwrap());
    gpu.fails(
        &[],
        &[path],
        &[asked, "has no function cuInit; it is too old"],
    );

    let said = [
        asked,
        "found the NVIDIA driver library, but it does not start",
    ];
    gpu.fails(&[], &[("FAKE_CUDA_INIT", "999")], &said);
    let said = [asked, "no CUDA device 0: the driver finds no device at all"];
    gpu.fails(&[], &[("FAKE_CUDA_DEVICES", "0")], &said);
    let said = [
        asked,
        "no CUDA device 7: the driver finds 2, numbered from 0",
    ];
    let two = ("FAKE_CUDA_DEVICES", "2");
    gpu.fails(&[], &[two, ("TERRACE_DEVICE", "7")], &said);
}

#[test]
fn kernels_and_memory() {
    let gpu = OnStandIn::new("gpu.c", "faults-kernels");
    let off = ("TERRACE_CACHE", "0");
    gpu.fails(
        &["ptx"],
        &[off],
        &[
            "gpu.c:49:1: error: ",
            "could not compile",
            "line 1; fatal",
            "     1 | nonsense",
        ],
    );
    gpu.fails(
        &["fault"],
        &[off],
        &[
            "gpu.c:51:5: error: kernel step of main.region1, launched here, failed: ",
            "the kernel launched last is `step`",
            "CUDA_ERROR_ILLEGAL_ADDRESS (700)",
        ],
    );
    let little = ("FAKE_CUDA_MEMORY", "100000");
    gpu.fails(
        &["memory"],
        &[off, little],
        &[
            "gpu.c:104: error: no place for `a` (1125899906842624 bytes)",
            "1125899906842624 bytes requested, 100000 of 100000 free",
            "this program holds 0 bytes there, in 0 blocks",
        ],
    );
    // The second array is the one that does not fit.
    gpu.fails(
        &[],
        &[off, little],
        &[
            "gpu.c:122: error: no place for `b` (80000 bytes)",
            "this program holds 80384 bytes there, in 1 block",
            "`a`, 80000 bytes, is there since gpu.c:122",
        ],
    );
}

#[test]
fn several_devices() {
    let devices = OnStandIn::new("devices.c", "faults-devices");
    let off = ("TERRACE_CACHE", "0");
    for n in ["2", "3"] {
        devices.fine(n, &[off, ("FAKE_CUDA_DEVICES", n)]);
        let emulated = format!("devices={n}");
        let target = ("TERRACE_TARGET", "emulator");
        devices.fine(n, &[target, ("TERRACE_EMULATOR", &emulated)]);
    }
    let (two, emulated) = (("FAKE_CUDA_DEVICES", "2"), ("TERRACE_TARGET", "emulator"));
    let number =
        "terrace: acc_set_device_num: no CUDA device 5: the driver finds 2, numbered from 0";
    devices.fails(&["number", "5"], &[off, two], &[number]);
    let number = "terrace: acc_set_device_num: no emulated device 1: there is 1, numbered from 0; \
                  TERRACE_EMULATOR=devices=2 has as many";
    devices.fails(&["number", "1"], &[emulated], &[number]);
    let number = "terrace: acc_memcpy_d2d: no CUDA device 4: the driver finds 2";
    devices.fails(&["between", "4"], &[off, two], &[number]);
    let settings = [
        emulated,
        ("TERRACE_EMULATOR", "devices=2"),
        ("TERRACE_DEVICE", "3"),
    ];
    let gpu = OnStandIn::new("gpu.c", "faults-number");
    let number = "terrace: no emulated device 3: there are 2, numbered from 0";
    gpu.fails(&[], &settings, &[number]);
    gpu.fine(
        "the second",
        &[settings[0], settings[1], ("TERRACE_DEVICE", "1")],
    );
    // On the host there is nothing to choose.
    let (output, _) = devices.run(&["number", "5"], &[("TERRACE_TARGET", "host")]);
    assert_eq!(output.stdout, b"no error\n");
}

/// The entries of a cache, with what tells whether they were written anew.
fn entries(cache: &Path, ending: &str) -> Vec<(PathBuf, u64)> {
    let Ok(all) = std::fs::read_dir(cache) else {
        return Vec::new();
    };
    let mut found: Vec<(PathBuf, u64)> = all
        .flatten()
        .filter(|f| f.path().to_string_lossy().ends_with(ending))
        .map(|f| (f.path(), f.metadata().unwrap().ino()))
        .collect();
    found.sort();
    found
}

#[test]
fn caches_that_are_damaged() {
    let gpu = OnStandIn::new("gpu.c", "faults-cache");
    let cache = folder("faults-cache-dir");
    let dir = ("TERRACE_CACHE_DIR", cache.to_str().unwrap());
    gpu.fine("a first run", &[dir]);
    let first = entries(&cache, ".kernels");
    assert_eq!(first.len(), 1);
    gpu.fine("a second run", &[dir]);
    assert_eq!(
        entries(&cache, ".kernels"),
        first,
        "which takes the entry as it is"
    );
    let file = &first[0].0;
    let good = std::fs::read(file).unwrap();

    let middle = good.len() / 2;
    let mut flipped = good.clone();
    flipped[middle] ^= 1;
    let noise: Vec<u8> = (0..good.len()).map(|i| (i * 7919 % 251) as u8).collect();
    for (name, bytes) in [
        ("one bit changed", flipped),
        ("cut off", good[..100].to_vec()),
        ("empty", Vec::new()),
        ("noise", noise),
        ("longer", [&good[..], b"more"].concat()),
    ] {
        std::fs::write(file, bytes).unwrap();
        let before = entries(&cache, ".kernels");
        gpu.fine(name, &[dir]);
        let after = entries(&cache, ".kernels");
        assert!(
            after.len() == 1 && after != before,
            "{name}: not written anew"
        );
        let whole = std::fs::metadata(file).unwrap().len();
        assert_eq!(whole, good.len() as u64, "{name}");
    }
    // What is no file is left where it is.
    std::fs::remove_file(file).unwrap();
    std::fs::create_dir(file).unwrap();
    gpu.fine("a folder in its place", &[dir]);
    std::fs::remove_dir(file).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", file).unwrap();
    gpu.fine("a link to nowhere", &[dir]);
}

#[test]
fn caches_that_cannot_be_written() {
    let gpu = OnStandIn::new("gpu.c", "faults-unwritable");
    let below = folder("faults-unwritable-dir").join("file");
    std::fs::write(&below, "no folder").unwrap();
    let cache = below.join("cache");
    let dir = ("TERRACE_CACHE_DIR", cache.to_str().unwrap());
    gpu.fine("below a file", &[dir]);
    let (output, text) = gpu.run(&[], &[dir, ("TERRACE_PROFILE", "1")]);
    assert_eq!(output.stdout, b"ok\n");
    let said = "terrace: going on without the kernel cache: cannot ";
    assert!(text.starts_with(said), "{text}");
    assert_eq!(text.matches("going on without").count(), 1, "{text}");
    gpu.fine(
        "no files of ours",
        &[("TERRACE_CACHE_DIR", "/proc/self/terrace")],
    );
    gpu.fine("too small a limit", &[("TERRACE_CACHE_SIZE", "10")]);

    // No room, as on a full disk.
    let cache = folder("faults-full-dir");
    let shell = "trap '' XFSZ; ulimit -f 0; exec \"$0\"";
    let output = Command::new("bash")
        .args(["-c", shell])
        .arg(&gpu.program)
        .env("LD_LIBRARY_PATH", &gpu.driver)
        .env("TERRACE_TARGET", "gpu")
        .env("TERRACE_PROFILE", "1")
        .env("TERRACE_CACHE_DIR", &cache)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("going on without the kernel cache: cannot write"),
        "{text}"
    );
    assert_eq!(output.stdout, b"ok\n", "{text}");
    assert_eq!(
        std::fs::read_dir(&cache).unwrap().count(),
        0,
        "something half-written stays"
    );
    let much = [("TERRACE_CACHE_SIZE", "much")];
    gpu.fails(&[], &much, &["terrace: found TERRACE_CACHE_SIZE=`much`"]);
}

#[test]
fn processes_at_once_on_one_cache() {
    let gpu = OnStandIn::new("gpu.c", "faults-processes");
    let start = |cache: &Path| {
        Command::new(&gpu.program)
            .env("LD_LIBRARY_PATH", &gpu.driver)
            .env("TERRACE_TARGET", "gpu")
            .env("TERRACE_CACHE_DIR", cache)
            .env_remove("TERRACE_PROFILE")
            .env_remove("TERRACE_NOTIFY")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    for count in [2, 8] {
        let cache = folder(&format!("faults-processes-{count}"));
        let all: Vec<_> = (0..count).map(|_| start(&cache)).collect();
        for process in all {
            let output = process.wait_with_output().unwrap();
            assert_eq!((&*output.stdout, &*output.stderr), (&b"ok\n"[..], &b""[..]));
        }
        assert_eq!(entries(&cache, ".kernels").len(), 1);
        assert_eq!(
            std::fs::read_dir(&cache).unwrap().count(),
            1,
            "something is left"
        );
    }
    // Killed at any moment, what is there is whole or absent.
    let cache = folder("faults-killed");
    for i in 0..40 {
        let mut process = start(&cache);
        std::thread::sleep(std::time::Duration::from_micros(i * 300));
        process.kill().unwrap();
        process.wait().unwrap();
        for (file, _) in entries(&cache, ".kernels") {
            if i % 2 == 0 {
                std::fs::remove_file(file).unwrap();
            }
        }
    }
    gpu.fine(
        "after them",
        &[("TERRACE_CACHE_DIR", cache.to_str().unwrap())],
    );
    assert_eq!(entries(&cache, ".kernels").len(), 1);
    // What a writer left that was killed goes after an hour.
    let (entry, _) = entries(&cache, ".kernels").remove(0);
    let name = entry.file_stem().unwrap().to_string_lossy().into_owned();
    std::fs::remove_dir_all(&cache).unwrap();
    std::fs::create_dir_all(&cache).unwrap();
    let hour = std::time::Duration::from_secs(3600);
    for (n, age) in [(1, 2 * hour), (2, hour / 2)] {
        let left = std::fs::File::create(cache.join(format!("{name}.1.2.{n}.unfinished"))).unwrap();
        left.set_modified(std::time::SystemTime::now() - age)
            .unwrap();
    }
    gpu.fine(
        "with leftovers",
        &[("TERRACE_CACHE_DIR", cache.to_str().unwrap())],
    );
    let left = entries(&cache, ".unfinished");
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].0.to_string_lossy().ends_with(".2.unfinished"));
}

#[test]
fn threads_on_one_present_table() {
    let threads = OnStandIn::new("threads.c", "faults-threads");
    let off = ("TERRACE_CACHE", "0");
    let rounds = |n: &str, variables: &[(&str, &str)]| {
        let mut all = vec![off];
        all.extend(variables);
        let (output, text) = threads.run(&[n], &all);
        let out = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!((&*out, &*text), ("ok\n", ""), "{variables:?}");
    };
    rounds("500", &[]);
    rounds("50", &[("TERRACE_TARGET", "emulator")]);
    rounds("100", &[("TERRACE_PROFILE", "0"), ("TERRACE_SYNC", "1")]);
}

#[test]
fn threads_under_valgrind() {
    let threads = OnStandIn::new("threads.c", "faults-valgrind");
    let Some(mut command) = terrace_lit::feature::valgrind("threads on one present table") else {
        return;
    };
    let output = command
        .arg(&threads.program)
        .arg("10")
        .env("LD_LIBRARY_PATH", &threads.driver)
        .env("TERRACE_TARGET", "gpu")
        .env("TERRACE_CACHE", "0")
        .output()
        .expect("valgrind starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"ok\n", "{text}");
    assert!(output.status.success(), "{text}");
}
