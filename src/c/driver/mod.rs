//! `terrace cc`: the system's C compiler, with regions compiled for GPUs and threads.
//!
//! What has no regions goes to the system compiler as it is, by becoming it where no
//! file of the command line has any. A file with regions is preprocessed, its regions
//! are translated, the rest of it is compiled by the system compiler with the regions'
//! statements replaced by calls, and both objects are merged into the one that was
//! asked for. Linking adds the runtime's archive where something calls it.

pub(crate) mod command_line;
pub mod flags;
pub mod help;
pub(crate) mod host;
mod link;
mod options;
mod own;
mod pgi;
mod response;
pub mod runtime;
mod scan;
pub(crate) mod temporary;
pub(crate) mod translation;
mod unit;

use crate::c::translate::Translated;
use command_line::{CommandLine, Language, Mode, Replace};
use host::{Failed, Host};
use runtime::{Place, Runtime};
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use temporary::Folder;
use terrace_support::unfinished::Unfinished;
use unit::Unit;

/// The option that asks for the runtime's archive.
const ASKS_FOR_ARCHIVE: &str = "-print-file-name=libterrace_runtime.a";

/// What `_OPENACC` tells, as GCC has it: the OpenACC specification 2.6.
const OPENACC: &str = "-D_OPENACC=201711";

/// Run the compiler driver with these arguments, the program's name not among them, and
/// give its exit status. Where the system compiler can do all of it this process
/// becomes the system compiler. `runtime` is what the tool carries for its programs. `say` shows
/// messages.
pub fn main(args: &[OsString], runtime: Option<Runtime>, say: &mut dyn FnMut(&str)) -> i32 {
    let command = match CommandLine::parse(args) {
        Ok(c) => c,
        Err(errors) => {
            for e in errors {
                say(&format!("terrace cc: error: {e}\n"));
            }
            return 1;
        }
    };
    for w in &command.own.warnings {
        say(&format!("terrace cc: warning: {w}\n"));
    }
    let mut driver = Driver {
        host: Host::find(),
        command,
        runtime,
        extra: Vec::new(),
        places: Vec::new(),
        say,
    };
    match driver.run() {
        Ok(()) => 0,
        Err(f) => {
            (driver.say)(&f.message);
            f.code
        }
    }
}

struct Driver<'s> {
    host: Host,
    command: CommandLine,
    runtime: Option<Runtime>,
    /// Options that are put before the user's.
    extra: Vec<OsString>,
    /// Where lies what the options name, as long as the compiler needs it.
    places: Vec<Place>,
    say: &'s mut dyn FnMut(&str),
}

impl Driver<'_> {
    fn run(&mut self) -> Result<(), Failed> {
        if self.command.own.acc {
            self.extra.push(OPENACC.into());
        }
        let files: Vec<(PathBuf, Language)> = self
            .command
            .inputs()
            .map(|(p, l)| (p.to_path_buf(), l))
            .collect();
        let translates = matches!(
            self.command.mode,
            Mode::Link | Mode::Compile | Mode::Assembly | Mode::Syntax
        );
        if self.command.has_option("--help") {
            let own = format!("{}\n{}\n\n", help::USAGE, help::OPTIONS);
            // Nobody who has stopped reading misses the rest.
            let _ = std::io::stdout().write_all(own.as_bytes());
            let _ = std::io::stdout().flush();
        }
        if self.command.query || !translates {
            if self.command.has_option(ASKS_FOR_ARCHIVE) {
                return self.print_archive();
            }
            self.find_openacc_h(&files)?;
            return self.become_host(false);
        }
        let (units, calls) = self.units(&files)?;
        if units.iter().all(|u| matches!(u, Unit::Plain)) || self.command.mode == Mode::Syntax {
            return self.become_host(calls);
        }
        if self.command.mode == Mode::Link {
            self.link(&files, &units)
        } else {
            self.compile(&files, &units)
        }
    }

    /// Add the folder of terrace's `openacc.h` where a file includes one, and tell such
    /// files that they are compiled as OpenACC: calls alone make a program one. True
    /// where a file does.
    fn find_openacc_h(&mut self, files: &[(PathBuf, Language)]) -> Result<bool, Failed> {
        let c_files = files.iter().filter(|(_, l)| *l == Language::C);
        let found = openacc_h(&self.command, c_files.map(|(p, _)| p.as_path()))?;
        let Some(place) = found else {
            return Ok(false);
        };
        if !self.extra.iter().any(|w| w == OPENACC) {
            self.extra.push(OPENACC.into());
        }
        self.extra.extend(runtime::include_words(&place));
        self.places.push(place);
        Ok(true)
    }

    /// `-print-file-name=libterrace_runtime.a`, as compilers answer for their own archives.
    fn print_archive(&self) -> Result<(), Failed> {
        let place = runtime::archive(self.runtime.as_ref()).map_err(Failed::own)?;
        if place.is_temporary() {
            return Err(Failed::own(format!(
                "error: there is no folder to keep {} in; TERRACE_CACHE_DIR names one\n",
                runtime::ARCHIVE
            )));
        }
        let line = format!("{}\n", place.path().display());
        // Nobody who has stopped reading misses it.
        let _ = std::io::stdout().write_all(line.as_bytes());
        Ok(())
    }

    /// The words that link the runtime in.
    fn link_runtime(&mut self) -> Result<Vec<OsString>, Failed> {
        let found = link::runtime_words(&self.command, self.runtime.as_ref());
        let (words, place) = found.map_err(Failed::own)?;
        self.places.extend(place);
        Ok(words)
    }

    /// What each input is, and whether one may call the runtime by itself.
    fn units(&mut self, files: &[(PathBuf, Language)]) -> Result<(Vec<Unit>, bool), Failed> {
        let mut units = Vec::new();
        let mut failed: Option<Failed> = None;
        let calls = self.find_openacc_h(files)?;
        for (path, language) in files {
            if *language == Language::Cpp && scan::scan(&self.command, path).directives {
                (self.say)(&format!(
                    "{}: warning: its directives are not followed: terrace reads C, and this is \
                     C++\n",
                    path.display()
                ));
            }
            if matches!(language, Language::Other | Language::Cpp) || path.as_os_str() == "-" {
                units.push(Unit::Plain);
                continue;
            }
            let directives = scan::scan(&self.command, path).directives;
            if !directives && !self.command.own.auto {
                units.push(Unit::Plain);
                continue;
            }
            // Macros in directives are expanded where the preprocessor knows of them.
            let mut extra = self.extra.clone();
            if directives {
                extra.retain(|w| w != OPENACC);
                extra.push(self.host.openacc().into());
            }
            let file = (path.as_path(), *language);
            match unit::read(&self.host, &self.command, file, &extra, self.say) {
                Ok(u) => units.push(u),
                Err(f) => {
                    (self.say)(&f.message);
                    failed.get_or_insert(Failed::silent(f.code));
                    units.push(Unit::Plain);
                }
            }
        }
        match failed {
            Some(f) => Err(f),
            None => Ok((units, calls)),
        }
    }

    /// Become the system compiler, with the command line as it was.
    fn become_host(&mut self, calls_runtime: bool) -> Result<(), Failed> {
        let mut words = self.extra.clone();
        words.extend(self.command.words());
        let links = self.command.mode == Mode::Link && !self.command.query;
        if links && (calls_runtime || link::needs_runtime(&self.command)) {
            words.extend(self.link_runtime()?);
        }
        if self.places.iter().any(Place::is_temporary) {
            return self.host.run(&words);
        }
        Err(Failed::own(self.host.exec(&words)))
    }

    fn folder(&self) -> Result<Folder, Failed> {
        Folder::new(self.command.own.keep.as_deref())
    }

    /// `-c` and `-S`: one file after the other.
    fn compile(&mut self, files: &[(PathBuf, Language)], units: &[Unit]) -> Result<(), Failed> {
        let compiled = files.iter().filter(|(path, _)| !is_for_linker(path));
        if compiled.count() > 1 && self.command.output.is_some() {
            // The compiler says what is wrong with that.
            return self.become_host(false);
        }
        let mut first: Result<(), Failed> = Ok(());
        for (number, ((path, _), unit)) in files.iter().zip(units).enumerate() {
            let made = match unit {
                Unit::Plain => self.host.run(&self.alone(number)),
                Unit::Regions(t) => self.regions(number, path, t),
            };
            if let Err(f) = made {
                (self.say)(&f.message);
                first = first.and(Err(Failed::silent(f.code)));
            }
        }
        first
    }

    /// The command line with one of its inputs only.
    fn alone(&self, number: usize) -> Vec<OsString> {
        let mut words = self.extra.clone();
        words.extend(self.command.words_with(|n| match n == number {
            true => Replace::Keep,
            false => Replace::Drop,
        }));
        words
    }

    fn regions(&mut self, number: usize, path: &Path, unit: &Translated) -> Result<(), Failed> {
        let folder = self.folder()?;
        let target = unit::object_path(&self.command, path);
        if self.command.mode == Mode::Assembly {
            unit::assembly(&self.host, &self.command, unit, &target, &folder)?;
            (self.say)(&format!(
                "{}: note: '{}' calls the code of its regions, which only an object file holds\n",
                path.display(),
                target.display()
            ));
            return Ok(());
        }
        if unit::object(&self.host, &self.command, unit, &target, &folder)? {
            return Ok(());
        }
        self.other_machine(path);
        self.host.run(&self.alone(number))
    }

    fn other_machine(&mut self, path: &Path) {
        (self.say)(&format!(
            "{}: warning: the regions stay on the host: the C compiler makes code for another \
             machine than this one\n",
            path.display()
        ));
    }

    /// Compile files with regions, and let the compiler do the rest and link.
    fn link(&mut self, files: &[(PathBuf, Language)], units: &[Unit]) -> Result<(), Failed> {
        let folder = self.folder()?;
        let mut objects: Vec<Option<PathBuf>> = vec![None; files.len()];
        let mut first: Result<(), Failed> = Ok(());
        for (number, ((path, _), unit)) in files.iter().zip(units).enumerate() {
            let Unit::Regions(t) = unit else { continue };
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let object = folder.file(&format!("{number}-{stem}.o"));
            match unit::object(&self.host, &self.command, t, &object, &folder) {
                Ok(true) => objects[number] = Some(object),
                Ok(false) => self.other_machine(path),
                Err(f) => {
                    (self.say)(&f.message);
                    first = first.and(Err(Failed::silent(f.code)));
                }
            }
        }
        first?;
        let mut words = self.extra.clone();
        words.extend(self.command.words_with(|n| match &objects[n] {
            Some(o) => Replace::Object(o.clone()),
            None => Replace::Keep,
        }));
        words.extend(self.link_runtime()?);
        let target = self.command.output.clone().unwrap_or("a.out".into());
        let _unfinished = Unfinished::written_elsewhere(Path::new(&target));
        self.host.run(&words)
    }
}

/// Whether an input is one for the linker, which compilers warn of and leave alone where
/// nothing is linked.
fn is_for_linker(path: &Path) -> bool {
    let suffix = path.extension().unwrap_or_default();
    ["", "o", "a", "so", "lo"].iter().any(|s| suffix == *s) && path.as_os_str() != "-"
}

/// The folder of terrace's `openacc.h`, where one of the files includes it.
///
/// # Errors
///
/// It cannot be unpacked.
fn openacc_h<'p>(
    command: &CommandLine,
    files: impl IntoIterator<Item = &'p Path>,
) -> Result<Option<Place>, Failed> {
    let mut files = files.into_iter();
    let included = files.any(|p| scan::scan(command, p).openacc_h);
    let place = included.then(runtime::headers).transpose();
    place.map_err(Failed::own)
}

/// Whether a program of this name is the driver itself: a link named `terrace-cc`.
pub fn is_driver_name(name: &OsStr) -> bool {
    Path::new(name)
        .file_name()
        .is_some_and(|n| n == "terrace-cc")
}
