//! A process that makes files, folders and processes without pause is ended by signals at
//! many moments: nothing of what it made on the way stays.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use terrace_support::unfinished::{Unfinished, install};

/// Set for the process that is ended: its folder.
const FOLDER: &str = "TERRACE_TEST_UNFINISHED";

/// What that process does; nothing in other runs of the tests.
#[test]
fn a_process_that_is_ended() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    install();
    std::thread::scope(|s| {
        s.spawn(|| files(&folder));
        s.spawn(|| folders(&folder));
        s.spawn(processes);
    });
}

fn files(folder: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    for n in 0.. {
        let beside = folder.join(format!("{n}.tmp"));
        let (mut file, _noted) = Unfinished::file(&beside, &options).expect("a file");
        let written = file.write_all(&[1; 4096]);
        // Where a signal has come it may be gone.
        let _ = written.and_then(|()| fs::rename(&beside, folder.join("whole")));
    }
}

fn folders(folder: &Path) {
    for n in 0.. {
        let path = folder.join(format!("{n}.folder"));
        let _noted = Unfinished::folder(&path).expect("a folder");
        for name in ["a", "b", "c"] {
            let _ = fs::write(path.join(name), name);
        }
        let _ = fs::remove_dir_all(&path);
    }
}

fn processes() {
    for n in 0.. {
        // It holds the standard output of this process open.
        let mut command = Command::new("sleep");
        let (mut child, noted) = Unfinished::process(command.arg("60")).expect("sleep starts");
        if n % 2 == 0 {
            let _ = child.kill();
        }
        let _ = child.wait();
        drop(noted);
    }
}

#[test]
fn nothing_stays() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unfinished");
    let _ = fs::remove_dir_all(&folder);
    for round in 0..150u64 {
        fs::create_dir_all(&folder).expect("a folder");
        let (name, number) = [("INT", 2), ("TERM", 15), ("HUP", 1)][round as usize % 3];
        // Where the tests run in the background, signals may be ignored.
        let mut child = Command::new("env")
            .arg("--default-signal=INT,TERM,HUP")
            .arg(std::env::current_exe().expect("the tests have a file"))
            .args(["--exact", "a_process_that_is_ended"])
            .env(FOLDER, &folder)
            .stdout(Stdio::piped())
            .spawn()
            .expect("it starts");
        let begun = Instant::now();
        while !folder.join("whole").exists() {
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "it makes nothing"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(round * 67 % 3001));
        let signalled = Command::new("kill")
            .args(["-s", name, &child.id().to_string()])
            .status();
        assert!(signalled.expect("kill runs").success());
        let status = child.wait().expect("it ends");
        assert_eq!(status.signal(), Some(number), "{status}");
        let entries = fs::read_dir(&folder).expect("the folder can be read");
        let names = entries.map(|e| e.expect("an entry").file_name());
        let names: Vec<String> = names.map(|n| n.to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["whole"], "round {round}");
        // What is not half written stays.
        let whole = fs::metadata(folder.join("whole")).expect("it was written");
        assert_eq!(whole.len(), 4096);
        let ended = Instant::now();
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_to_end(&mut Vec::new()).expect("it can be read");
        let waited = ended.elapsed();
        assert!(
            waited < Duration::from_secs(30),
            "round {round}: a process stays"
        );
        fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}
