//! NVIDIA's assembler as a second judge, where it is installed. Used by tests
//! and where somebody wants explanations, never by compilation.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Resources of one kernel, as `ptxas -v` reports them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resources {
    pub kernel: String,
    pub registers: u32,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
    pub stack_bytes: u32,
    pub spill_store_bytes: u32,
    pub spill_load_bytes: u32,
    pub barriers: u32,
}

/// An assembler that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ptxas {
    pub path: PathBuf,
    /// Architectures it accepts, for example `sm_90`.
    pub archs: Vec<String>,
}

/// Why a text was not assembled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PtxasError {
    /// It does not know the architecture; it knows the listed ones.
    Arch { asked: String, known: Vec<String> },
    /// It could not be run.
    Run(String),
    /// It refused the text; its messages.
    Refused(String),
}

impl fmt::Display for PtxasError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PtxasError::Arch { asked, known } => write!(
                f,
                "this ptxas does not assemble for {asked}; it knows {}",
                known.join(", ")
            ),
            PtxasError::Run(why) => write!(f, "ptxas could not be run: {why}"),
            PtxasError::Refused(messages) => write!(f, "ptxas refused the text:\n{messages}"),
        }
    }
}

impl std::error::Error for PtxasError {}

impl Ptxas {
    /// Looks, in this order, at the environment variable `TERRACE_PTXAS`, at
    /// `PATH`, at `$CUDA_HOME/bin`, and at the packages of the Python on the
    /// path (`pip install nvidia-cuda-nvcc`). Where the variable is set to `none`
    /// there is none. The result is remembered.
    pub fn find() -> Option<&'static Ptxas> {
        static FOUND: OnceLock<Option<Ptxas>> = OnceLock::new();
        FOUND.get_or_init(search).as_ref()
    }

    /// Whether it assembles for an architecture.
    pub fn knows(&self, arch: &str) -> bool {
        self.archs.iter().any(|a| a == arch)
    }

    /// Its version, for example `12.9.86`; none if it does not say.
    pub fn version(&self) -> Option<String> {
        let output = Command::new(&self.path).arg("--version").output().ok()?;
        parse_version(&String::from_utf8_lossy(&output.stdout))
    }

    /// Assembles a text and returns the resources of each kernel.
    pub fn assemble(&self, text: &str, arch: &str) -> Result<Vec<Resources>, PtxasError> {
        self.run(text, arch, arch, "-O3")
    }

    /// The same without optimising: much faster on long texts.
    pub fn assemble_unoptimised(
        &self,
        text: &str,
        arch: &str,
    ) -> Result<Vec<Resources>, PtxasError> {
        self.run(text, arch, arch, "-O0")
    }

    /// Only reads and types the text, for an architecture by its `sm_` name.
    pub fn parse(&self, text: &str, arch: &str) -> Result<(), PtxasError> {
        // For a virtual architecture it stops before generating code.
        let target = arch.replacen("sm_", "compute_", 1);
        self.run(text, arch, &target, "-O0").map(|_| ())
    }

    fn run(
        &self,
        text: &str,
        arch: &str,
        target: &str,
        level: &str,
    ) -> Result<Vec<Resources>, PtxasError> {
        if !self.knows(arch) {
            return Err(PtxasError::Arch {
                asked: arch.to_string(),
                known: self.archs.clone(),
            });
        }
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let serial = NEXT.fetch_add(1, Ordering::Relaxed);
        let file = format!("terrace-{}-{serial}.ptx", std::process::id());
        let file = std::env::temp_dir().join(file);
        std::fs::write(&file, text).map_err(|e| PtxasError::Run(e.to_string()))?;
        let output = Command::new(&self.path)
            .arg("-v")
            .arg(level)
            .arg(format!("-arch={target}"))
            .arg("-o")
            .arg("/dev/null")
            .arg(&file)
            .output();
        // A file left behind in the temporary folder harms nobody.
        let _ = std::fs::remove_file(&file);
        let output = output.map_err(|e| PtxasError::Run(e.to_string()))?;
        let mut messages = String::from_utf8_lossy(&output.stdout).into_owned();
        messages.push_str(&String::from_utf8_lossy(&output.stderr));
        if output.status.success() {
            Ok(parse_resources(&messages))
        } else {
            Err(PtxasError::Refused(messages))
        }
    }
}

fn search() -> Option<Ptxas> {
    let mut candidates = Vec::new();
    if let Some(path) = std::env::var_os("TERRACE_PTXAS") {
        if path == "none" {
            return None;
        }
        candidates.push(PathBuf::from(path));
    }
    if let Some(path) = std::env::var_os("PATH") {
        candidates.extend(std::env::split_paths(&path).map(|dir| dir.join("ptxas")));
    }
    if let Some(home) = std::env::var_os("CUDA_HOME") {
        candidates.push(PathBuf::from(home).join("bin/ptxas"));
    }
    let installed = candidates.iter().find_map(|p| probe(p));
    installed.or_else(|| python_packages().iter().find_map(|p| probe(p)))
}

/// The ptxas of every pip package of NVIDIA's that the default Python sees.
fn python_packages() -> Vec<PathBuf> {
    let script = "import glob, site, sys\n\
                  dirs = site.getsitepackages() + [site.getusersitepackages()] + sys.path\n\
                  for d in dirs:\n    \
                  for p in sorted(glob.glob(d + '/nvidia/*/bin/ptxas')): print(p)";
    let Ok(output) = Command::new("python3").args(["-c", script]).output() else {
        return Vec::new();
    };
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(PathBuf::from)
        .collect()
}

/// Runs a candidate for the list of its architectures.
fn probe(path: &Path) -> Option<Ptxas> {
    if !path.is_file() {
        return None;
    }
    let output = Command::new(path).arg("--help").output().ok()?;
    let archs = parse_archs(&String::from_utf8_lossy(&output.stdout));
    (!archs.is_empty()).then(|| Ptxas {
        path: path.to_path_buf(),
        archs,
    })
}

/// The quoted `sm_` names in the help text.
fn parse_archs(help: &str) -> Vec<String> {
    let mut archs: Vec<String> = help
        .split('\'')
        .filter(|word| word.starts_with("sm_") && word.len() < 12)
        .map(str::to_string)
        .collect();
    archs.sort();
    archs.dedup();
    archs
}

/// The version in what `--version` prints: the word after the last comma, `V12.9.86`.
fn parse_version(text: &str) -> Option<String> {
    let line = text.lines().find(|l| l.contains("release"))?;
    let word = line.rsplit(',').next()?.trim();
    word.strip_prefix('V').map(str::to_string)
}

/// Reads what `-v` prints about each kernel.
pub fn parse_resources(messages: &str) -> Vec<Resources> {
    let mut all: Vec<Resources> = Vec::new();
    // Lines about device functions come in between and are left out.
    let mut in_kernel = false;
    for line in messages.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            in_kernel = true;
            all.push(Resources {
                kernel: rest.split('\'').next().unwrap_or("").to_string(),
                ..Resources::default()
            });
            continue;
        }
        if let Some(rest) = line.split("Function properties for ").nth(1) {
            in_kernel = all.last().is_some_and(|r| r.kernel == rest.trim());
            continue;
        }
        let Some(last) = all.last_mut() else {
            continue;
        };
        if line.contains("Used ") && line.contains(" registers") {
            last.registers = number_before(line, " registers");
            last.barriers = number_before(line, " barriers");
            last.shared_bytes = number_before(line, " bytes smem");
        } else if in_kernel && line.contains("bytes stack frame") {
            last.stack_bytes = number_before(line, " bytes stack frame");
            last.spill_store_bytes = number_before(line, " bytes spill stores");
            last.spill_load_bytes = number_before(line, " bytes spill loads");
        }
    }
    all
}

/// The number that stands right before a phrase; 0 if the phrase is absent.
fn number_before(line: &str, phrase: &str) -> u32 {
    let Some(at) = line.find(phrase) else {
        return 0;
    };
    let head = &line[..at];
    let digits = head.len() - head.bytes().rev().take_while(u8::is_ascii_digit).count();
    head[digits..].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_read_from_the_messages() {
        let text = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'tile' for 'sm_90'
ptxas info    : Function properties for helper
    64 bytes stack frame, 1 bytes spill stores, 2 bytes spill loads
ptxas info    : Function properties for tile
    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 8 bytes cumulative stack size, 4224 bytes smem
";
        let expected = Resources {
            kernel: "tile".to_string(),
            registers: 40,
            shared_bytes: 4224,
            stack_bytes: 8,
            spill_store_bytes: 16,
            spill_load_bytes: 24,
            barriers: 1,
        };
        assert_eq!(parse_resources(text), [expected]);
        assert!(parse_resources("").is_empty());
    }

    #[test]
    fn the_version_is_the_last_word_of_the_release_line() {
        let text = "ptxas: NVIDIA (R) Ptx optimizing assembler\n\
                    Cuda compilation tools, release 12.9, V12.9.86\n\
                    Build cuda_12.9.r12.9/compiler.36037853_0\n";
        assert_eq!(parse_version(text).as_deref(), Some("12.9.86"));
        assert_eq!(parse_version("ptxas"), None);
    }

    #[test]
    fn architectures_are_read_from_the_help() {
        let help = "Allowed values: 'compute_75','sm_75','sm_90','sm_90a', Default 'sm_75'.";
        assert_eq!(parse_archs(help), ["sm_75", "sm_90", "sm_90a"]);
    }
}
