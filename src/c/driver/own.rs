//! The options that are terrace's own, and those of other OpenACC compilers that mean
//! the same. None of them reaches the system compiler.

use crate::c::archs::Archs;
use crate::calibrate::choice::cores_in;
use crate::instruments::{InstrumentOptions, pass_name};
use crate::opt::args::closest;
use crate::run::numerics::{IndexBits, Numerics};
use crate::targets::machine;
use crate::targets::machine::Cores;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options of `terrace cc` itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Own {
    /// `--target-arch=sm_75,sm_90`, `-ta=nvidia:cc90`, `-gpu=cc90`.
    pub archs: Option<Archs>,
    /// `--auto`: look for regions everywhere.
    pub auto: bool,
    /// `--reassociate`: sums of floats may be computed in any order.
    pub reassociate: bool,
    /// `--flush-subnormals`: code for the cores takes them for zero.
    pub flush_subnormals: bool,
    /// `--cores=FILE`: loops are made fast for the cores that it describes.
    pub cores: Cores,
    /// `-Minfo`, `--explain`: say what became of each region.
    pub notes: bool,
    /// `-acc`, `-fopenacc`: `_OPENACC` is defined.
    pub acc: bool,
    /// `-ta=host`, `-ta=multicore`, `-acc=host`: no code for a GPU.
    pub no_gpu: bool,
    /// `--terrace-keep=DIR`: what is made on the way stays there.
    pub keep: Option<PathBuf>,
    /// `--fp-contract=fast`, `--use-fast-math`, `--ftz=true` and so on, in order, as
    /// [`Numerics::take`] reads them.
    pub numerics: Vec<(String, Option<String>)>,
    /// `--index-bitwidth=32`.
    pub index_bitwidth: IndexBits,
    /// `--print-ir-after=PASS` and so on, `--timing`.
    pub show: InstrumentOptions,
    /// What is odd about these options.
    pub warnings: Vec<String>,
}

/// The value of an option, which may be the next word; `expected` are its values.
fn valued(
    name: &str,
    value: Option<&str>,
    rest: &mut std::slice::Iter<'_, OsString>,
    expected: &str,
) -> Result<String, String> {
    let next = || rest.next().map(|v| v.to_string_lossy().into_owned());
    (value.map(str::to_string).or_else(next))
        .ok_or_else(|| format!("found {name}, expected {name}=VALUE, which is {expected}"))
}

/// Terrace's options whose names it knows, as `--help` has them.
fn names() -> impl Iterator<Item = &'static str> {
    let lines = super::help::OPTIONS.lines();
    let named = lines.filter_map(|l| l.strip_prefix("  ").filter(|l| l.starts_with('-')));
    let words = named.flat_map(|l| l.split("  ").next().unwrap_or(l).split(", "));
    words
        .filter(|w| w.starts_with("--"))
        .map(|w| w.split('=').next().unwrap_or(w))
}

/// What is wrong with an option that begins as one of terrace's and is none.
fn unknown(name: &str) -> String {
    let own = |w: &str| {
        w.trim_start_matches("--")
            .trim_start_matches("terrace-")
            .to_owned()
    };
    let asked = own(name);
    let all: Vec<(String, &str)> = names().map(|n| (own(n), n)).collect();
    let near = closest(&asked, all.iter().map(|(w, _)| w.as_str()));
    let near = near.and_then(|w| all.iter().find(|(own, _)| own == w));
    match near {
        Some((_, right)) => {
            format!("there is no option '{name}'; did you mean '{right}'?")
        }
        None => format!("there is no option '{name}'; terrace cc --help lists terrace's own"),
    }
}

impl Own {
    /// Take `word`, with its value from `rest`, if it is one of ours.
    ///
    /// # Errors
    ///
    /// What is wrong with its value.
    pub fn take(
        &mut self,
        word: &OsString,
        rest: &mut std::slice::Iter<'_, OsString>,
    ) -> Result<bool, String> {
        let Some(text) = word.to_str() else {
            return Ok(false);
        };
        let (name, value) = match text.split_once('=') {
            Some((n, v)) => (n, Some(v)),
            None => (text, None),
        };
        match name {
            "--auto" => self.auto = true,
            "--reassociate" => self.reassociate = true,
            "--flush-subnormals" => self.flush_subnormals = true,
            "--explain" | "-Minfo" => self.notes = true,
            "-fopenacc" => self.acc = true,
            // Names an offload compiler or the shape of its launches.
            "-fopenacc-dim" | "-foffload" => self.acc = true,
            "-acc" => {
                self.acc = true;
                self.targets(value.unwrap_or_default());
            }
            "-ta" => {
                self.acc = true;
                let list =
                    value.ok_or("found -ta, expected -ta=TARGET, such as -ta=nvidia:cc90")?;
                self.targets(list);
            }
            "-gpu" if value.is_some() => self.targets(value.unwrap_or_default()),
            "--target-arch" => {
                let v = match value {
                    Some(v) => v.to_string(),
                    None => rest
                        .next()
                        .map(|v| v.to_string_lossy().into_owned())
                        .ok_or("found --target-arch, expected --target-arch=sm_NN,...")?,
                };
                let archs = Archs::parse(&v).map_err(|m| format!("--target-arch: {m}"))?;
                self.archs = Some(archs);
            }
            "--terrace-keep" => {
                let v = match value {
                    Some(v) => PathBuf::from(v),
                    None => rest
                        .next()
                        .map(PathBuf::from)
                        .ok_or("found --terrace-keep, expected --terrace-keep=DIR")?,
                };
                self.keep = Some(v);
            }
            _ if name.starts_with("--terrace-") && name != "--terrace-keep" => {
                return Err(unknown(name));
            }
            "--cores" => {
                let file = valued(name, value, rest, "a file that terrace calibrate wrote")?;
                self.cores = cores_in(Path::new(&file))?;
            }
            "--index-bitwidth" => {
                let v = valued(name, value, rest, "32 or 64")?;
                self.index_bitwidth = IndexBits::parse(&v).map_err(|m| format!("{name}: {m}"))?;
            }
            "--print-ir-after-all" if value.is_none() => self.show.after_all = true,
            "--print-ir-before-all" if value.is_none() => self.show.before_all = true,
            "--timing" if value.is_none() => self.show.timing = true,
            "--print-ir-after" | "--print-ir-before" => {
                let v = valued(name, value, rest, "PASS, or several as cse,canonicalize")?;
                let registry = crate::pass_registry();
                let names = v
                    .split(',')
                    .map(|n| pass_name(registry, n))
                    .collect::<Result<Vec<_>, _>>();
                let names = names.map_err(|m| format!("{name}: {m}"))?;
                match name {
                    "--print-ir-after" => self.show.after.extend(names),
                    _ => self.show.before.extend(names),
                }
            }
            "--fp-contract" | "--fmad" | "--ftz" | "--prec-div" | "--prec-sqrt" => {
                let values = match name {
                    "--fp-contract" => "off, on or fast",
                    _ => "true or false",
                };
                let v = valued(name, value, rest, values)?;
                Numerics::default().take(name, Some(&v))?;
                self.numerics.push((name.to_string(), Some(v)));
            }
            _ if Numerics::default().take(name, value)? => {
                self.numerics.push((name.to_string(), None));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// PGI's lists of targets: `nvidia:cc80,cc90,time`. Words that say how to tune are
    /// accepted and have no effect.
    fn targets(&mut self, list: &str) {
        let mut named = Vec::new();
        for word in list.split([',', ':']) {
            if matches!(word, "host" | "multicore") {
                self.no_gpu = true;
            }
            let digits = word.strip_prefix("cc").or_else(|| word.strip_prefix("sm_"));
            let digits = digits.map(|d| d.trim_end_matches(['+', 'a', 'f']).replace('.', ""));
            let Some(number) = digits.and_then(|d| d.parse().ok()) else {
                continue;
            };
            named.push(machine::newest_for(number).unwrap_or_else(|| {
                let first = machine::names()[0].clone();
                self.warnings.push(format!(
                    "found {word}; the oldest architecture there is code for is {first}, which \
                     is taken instead"
                ));
                first
            }));
        }
        self.archs = Archs::of(named).or(self.archs.take());
    }

    /// The architectures that PTX is made for.
    pub fn archs(&self) -> Archs {
        self.archs.clone().unwrap_or_default()
    }
}
