//! Archives that hold only what the runtime's functions reach.
//!
//! The compiler's archive holds each crate that the runtime depends on, Rust's standard library among them,
//! with tables for debuggers. Most of it nothing calls. The linker merges all into one object file, drops the
//! sections that no function of the runtime's interface reaches, and all other names become local. So the
//! archive can also stand beside another one of Rust's in a program.

use crate::ar;
use crate::rustc::Call;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What names of the interface begin with.
const INTERFACE: [&str; 2] = ["terrace_", "acc_"];

/// What the linker puts where. Functions of their own sections become one, so that their names and headers
/// are not kept. Frames say how a panic gets out of functions, and nothing names them. Tables for debuggers
/// and the compiler's own form of Rust's library are left out.
const SCRIPT: &str = "SECTIONS {
  .text 0 : { *(.text .text.*) }
  .rodata 0 : { *(.rodata .rodata.*) }
  .data.rel.ro 0 : { *(.data.rel.ro .data.rel.ro.*) }
  .data 0 : { *(.data .data.*) }
  .tdata 0 : { *(.tdata .tdata.*) }
  .tbss 0 : { *(.tbss .tbss.*) }
  .bss 0 : { *(.bss .bss.*) }
  .gcc_except_table 0 : { *(.gcc_except_table .gcc_except_table.*) }
  .eh_frame 0 : { KEEP (*(.eh_frame)) }
  /DISCARD/ : { *(.llvmbc .llvmcmd .comment .debug_*) }
}
";

/// A file beside `path` that no other compiler writes: Cargo may compile a tool and its tests at once.
pub fn own(path: &Path, kind: &str) -> PathBuf {
    path.with_extension(format!("{}.{kind}", std::process::id()))
}

/// The small archive. None where the programs that it takes are not there, or do not do it.
pub fn slim(path: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    slim_by(Call::of_this_process().linker(), path, bytes)
}

fn slim_by(linker: &str, path: &Path, bytes: &[u8]) -> Option<Vec<u8>> {
    let is_ours = |s: &&str| INTERFACE.iter().any(|p| s.starts_with(p));
    let mut names: Vec<&str> = ar::symbols(bytes)?.into_iter().filter(is_ours).collect();
    names.sort_unstable();
    names.dedup();
    let file = |kind| own(path, kind);
    let (list, words) = (file("symbols"), file("words"));
    let (script, object) = (file("script"), file("o"));
    std::fs::write(&list, names.join("\n")).ok()?;
    std::fs::write(&script, SCRIPT).ok()?;
    let kept = names.iter().map(|n| format!("-Wl,-u,{n}\n"));
    let kept = kept.collect::<String>() + &format!("-Wl,-T,{}\n", script.display());
    std::fs::write(&words, kept).ok()?;
    let argument = format!("@{}", words.display());
    let merged = run(
        linker,
        &[
            "-r".as_ref(),
            "-nostdlib".as_ref(),
            "-Wl,--gc-sections,--strip-debug,--force-group-allocation".as_ref(),
            argument.as_ref(),
            "-o".as_ref(),
            object.as_os_str(),
            path.as_os_str(),
        ],
    );
    let keep = format!("--keep-global-symbols={}", list.display());
    let local = |tool: &str| {
        let args: [&OsStr; 3] = [
            keep.as_ref(),
            "--strip-unneeded".as_ref(),
            object.as_os_str(),
        ];
        run(tool, &args)
    };
    let made = merged.and_then(|()| OBJCOPY.iter().find_map(|tool| local(tool)));
    let made = made.and_then(|()| std::fs::read(&object).ok());
    for file in [&list, &words, &script, &object] {
        // What stays lies in the build's own folder.
        let _ = std::fs::remove_file(file);
    }
    Some(ar::of_one("terrace.o", &made?, &names))
}

/// The programs that make names local, by preference.
const OBJCOPY: [&str; 2] = ["objcopy", "llvm-objcopy"];

/// Whether a program did what it was asked for.
fn run(program: &str, args: &[&OsStr]) -> Option<()> {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().ok()?.success().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library with a panic that is caught on its way, a value made before `main`, one of the thread's
    /// own, and functions that nothing calls.
    const LIBRARY: &str = r#"
        use std::cell::Cell;
        thread_local!(static CALLS: Cell<i32> = const { Cell::new(0) });
        struct Undo;
        impl Drop for Undo {
            fn drop(&mut self) { CALLS.with(|c| c.set(c.get() + 1)); }
        }
        #[unsafe(no_mangle)]
        pub extern "C" fn terrace_try(n: i32) -> i32 {
            std::panic::set_hook(Box::new(|_| ()));
            let r = std::panic::catch_unwind(|| {
                let _undo = Undo;
                if n > 3 { panic!("{n}") }
                n
            });
            let arguments = std::env::args().count() as i32;
            r.unwrap_or(-1) * 100 + CALLS.with(Cell::get) * 10 + arguments
        }
        #[unsafe(no_mangle)]
        pub extern "C" fn unused() -> usize { std::env::vars().count() }
    "#;
    const PROGRAM: &str = "extern int terrace_try(int);
        int unused(void) { return 1; }
        int rust_eh_personality(void) { return 2; }
        int main(void) { return terrace_try(2) == 211 && terrace_try(4) == -79 && unused() == 1 ? 0 : 1; }";

    /// Runs a program of the machine, which must do what it is asked for.
    fn must(folder: &Path, program: &str, args: &[&str]) {
        let out = Command::new(program)
            .args(args)
            .current_dir(folder)
            .output();
        let out = out.expect("the program is there");
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "{program} {args:?}: {said}");
    }

    #[test]
    fn what_is_left_works_and_stands_beside_anything() {
        if run("objcopy", &["--version".as_ref()]).is_none() {
            return;
        }
        let folder = std::env::temp_dir().join(format!("terrace-slim-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("l.rs"), LIBRARY).unwrap();
        std::fs::write(folder.join("main.c"), PROGRAM).unwrap();
        let rustc = std::env::var("RUSTC").unwrap_or("rustc".into());
        let words = ["--edition=2024", "--crate-type=staticlib", "-O", "l.rs"];
        must(&folder, &rustc, &words);
        let whole = folder.join("libl.a");
        let bytes = std::fs::read(&whole).unwrap();
        let small = slim_by("cc", &whole, &bytes).expect("it becomes small");
        assert!(
            small.len() * 4 < bytes.len(),
            "{} of {}",
            small.len(),
            bytes.len()
        );
        assert_eq!(ar::symbols(&small).as_deref(), Some(&["terrace_try"][..]));
        std::fs::write(folder.join("small.a"), small).unwrap();
        let words = [
            "main.c",
            "small.a",
            "-lpthread",
            "-ldl",
            "-lm",
            "-lgcc_s",
            "-o",
            "t",
        ];
        must(&folder, "cc", &words);
        must(&folder, "./t", &[]);
        let left = std::fs::read_dir(&folder).unwrap().count();
        assert_eq!(left, 5, "files on the way are removed");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn without_a_linker_there_is_none() {
        let path = std::env::temp_dir().join(format!("terrace-no-linker-{}.a", std::process::id()));
        let bytes = ar::of_one("x.o", b"no object", &["terrace_x"]);
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(slim_by("/nowhere/cc", &path, &bytes), None);
        assert_eq!(slim_by("cc", &path, &bytes), None);
        assert_eq!(slim_by("cc", &path, b"no archive"), None);
        std::fs::remove_file(&path).unwrap();
    }
}
