//! Which devices a context may use.

use std::fmt;
use std::ops::{BitAnd, BitOr, Not};
use std::sync::Arc;

/// What kind of device it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// An NVIDIA GPU.
    Gpu,
    /// An emulator of one.
    Emulator,
    /// The cores of the host.
    Cpu,
}

impl DeviceKind {
    /// As in `TERRACE_TARGET`.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Gpu => "gpu",
            DeviceKind::Emulator => "emulator",
            DeviceKind::Cpu => "cpu",
        }
    }
}

/// A device that a filter is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What kind of device it is.
    pub kind: DeviceKind,
    /// As its vendor calls it, as `NVIDIA H200`.
    pub name: String,
    /// Its number among those of its kind, from 0.
    pub number: usize,
    /// Its place among all candidates, from 0: GPUs come first, then the cores, then emulators.
    pub position: usize,
    /// Bytes of its memory; 0 where they are not known.
    pub memory: usize,
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ({})", self.kind.name(), self.number, self.name)
    }
}

/// A condition on devices. Filters are combined by `&`, `|` and `!`, and asked about one candidate
/// after the other.
#[derive(Clone)]
pub struct Filter(Test);

#[derive(Clone)]
enum Test {
    Of(Arc<dyn Fn(&Candidate) -> Result<bool, String> + Send + Sync>),
    Count(usize),
    And(Arc<(Filter, Filter)>),
    Or(Arc<(Filter, Filter)>),
    Not(Arc<Filter>),
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Test::Of(_) => f.write_str("matching(..)"),
            Test::Count(n) => write!(f, "count({n})"),
            Test::And(both) => write!(f, "({:?} & {:?})", both.0, both.1),
            Test::Or(both) => write!(f, "({:?} | {:?})", both.0, both.1),
            Test::Not(inner) => write!(f, "!{inner:?}"),
        }
    }
}

impl Filter {
    /// Those of the candidates that pass, in their order.
    ///
    /// # Errors
    ///
    /// A setting of the environment that is none.
    pub fn choose(&self, candidates: &[Candidate]) -> Result<Vec<Candidate>, String> {
        let mut counts = Vec::new();
        let mut chosen = Vec::new();
        for c in candidates {
            if self.passes(c, &mut counts, &mut 0)? {
                chosen.push(c.clone());
            }
        }
        Ok(chosen)
    }

    /// Whether a candidate passes. `counts` says how many each `count` has let through, and `next`
    /// is the number of the next of them. All parts are numbered alike each time.
    fn passes(
        &self,
        c: &Candidate,
        counts: &mut Vec<usize>,
        next: &mut usize,
    ) -> Result<bool, String> {
        match &self.0 {
            Test::Of(f) => f(c),
            Test::Count(most) => {
                let at = *next;
                *next += 1;
                if counts.len() <= at {
                    counts.resize(at + 1, 0);
                }
                let passes = counts[at] < *most;
                counts[at] += usize::from(passes);
                Ok(passes)
            }
            Test::And(both) => {
                if both.0.passes(c, counts, next)? {
                    return both.1.passes(c, counts, next);
                }
                // What is not asked does not count.
                *next += both.1.parts();
                Ok(false)
            }
            Test::Or(both) => {
                if both.0.passes(c, counts, next)? {
                    *next += both.1.parts();
                    return Ok(true);
                }
                both.1.passes(c, counts, next)
            }
            Test::Not(inner) => Ok(!inner.passes(c, counts, next)?),
        }
    }

    /// How many `count`s are in it.
    fn parts(&self) -> usize {
        match &self.0 {
            Test::Of(_) => 0,
            Test::Count(_) => 1,
            Test::And(both) | Test::Or(both) => both.0.parts() + both.1.parts(),
            Test::Not(inner) => inner.parts(),
        }
    }
}

impl BitAnd for Filter {
    type Output = Filter;

    fn bitand(self, other: Filter) -> Filter {
        Filter(Test::And(Arc::new((self, other))))
    }
}

impl BitOr for Filter {
    type Output = Filter;

    fn bitor(self, other: Filter) -> Filter {
        Filter(Test::Or(Arc::new((self, other))))
    }
}

impl Not for Filter {
    type Output = Filter;

    fn not(self) -> Filter {
        Filter(Test::Not(Arc::new(self)))
    }
}

/// Devices for which the function holds.
pub fn matching(f: impl Fn(&Candidate) -> bool + Send + Sync + 'static) -> Filter {
    Filter(Test::Of(Arc::new(move |c| Ok(f(c)))))
}

/// All devices.
pub fn any_device() -> Filter {
    matching(|_| true)
}

/// NVIDIA GPUs.
pub fn gpu() -> Filter {
    matching(|c| c.kind == DeviceKind::Gpu)
}

/// Emulators of GPUs. `TERRACE_EMULATOR` says how many there are.
pub fn emulator() -> Filter {
    matching(|c| c.kind == DeviceKind::Emulator)
}

/// The cores of the host.
pub fn cpu() -> Filter {
    matching(|c| c.kind == DeviceKind::Cpu)
}

/// Devices with this in their name.
pub fn named(part: &str) -> Filter {
    let part = part.to_string();
    matching(move |c| c.name.contains(&part))
}

/// The device at this place among all, from 0.
pub fn position(n: usize) -> Filter {
    matching(move |c| c.position == n)
}

/// The first so many devices that it is asked about: behind an `&`, of those that pass what
/// stands before it.
pub fn count(n: usize) -> Filter {
    Filter(Test::Count(n))
}

/// What the environment says: `TERRACE_TARGET` is `cpu`, `gpu` or `emulator`, and
/// `TERRACE_DEVICE` the number of the GPU or emulator. Without a target it is the first GPU, and
/// the cores where there is none.
pub fn environment() -> Filter {
    let variable = |name| std::env::var_os(name).map(|v| v.to_string_lossy().trim().to_string());
    from_settings(variable("TERRACE_TARGET"), variable("TERRACE_DEVICE"))
}

fn from_settings(target: Option<String>, number: Option<String>) -> Filter {
    let filter = Filter(Test::Of(Arc::new(move |c| {
        let text = number.as_deref().unwrap_or("");
        let wanted = match text {
            "" => None,
            text => Some(text.parse::<usize>().map_err(|_| {
                format!(
                    "found TERRACE_DEVICE=`{}`, expected the number of a device, from 0",
                    text.escape_debug()
                )
            })?),
        };
        let numbered = wanted.is_none_or(|n| n == c.number) || c.kind == DeviceKind::Cpu;
        match target.as_deref().unwrap_or("") {
            // GPUs come first among the candidates.
            "" => Ok(c.kind != DeviceKind::Emulator && numbered),
            t @ ("cpu" | "gpu" | "emulator") => Ok(c.kind.name() == t && numbered),
            t => Err(format!(
                "found TERRACE_TARGET=`{}`, expected cpu, gpu or emulator",
                t.escape_debug()
            )),
        }
    })));
    filter & count(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates() -> Vec<Candidate> {
        let kinds = [
            (DeviceKind::Gpu, "NVIDIA H200"),
            (DeviceKind::Gpu, "NVIDIA L4"),
            (DeviceKind::Cpu, "cores"),
            (DeviceKind::Emulator, "emulator"),
            (DeviceKind::Emulator, "emulator"),
        ];
        let number = [0, 1, 0, 0, 1];
        (kinds.iter().zip(number).enumerate())
            .map(|(position, ((kind, name), number))| Candidate {
                kind: *kind,
                name: (*name).to_string(),
                number,
                position,
                memory: 1 << 30,
            })
            .collect()
    }

    fn chosen(f: Filter) -> Vec<usize> {
        let all = f.choose(&candidates()).unwrap();
        all.iter().map(|c| c.position).collect()
    }

    #[test]
    fn filters_are_combined() {
        assert_eq!(chosen(gpu()), [0, 1]);
        assert_eq!(chosen(emulator() | cpu()), [2, 3, 4]);
        assert_eq!(chosen(!gpu()), [2, 3, 4]);
        assert_eq!(chosen(named("L4") | position(4)), [1, 4]);
        assert_eq!(chosen(any_device() & !position(0)), [1, 2, 3, 4]);
        assert_eq!(chosen(matching(|c| c.number == 1)), [1, 4]);
        assert_eq!(chosen(gpu() & emulator()), [0; 0]);
    }

    #[test]
    fn counts_are_of_what_comes_before() {
        assert_eq!(chosen(count(2)), [0, 1]);
        assert_eq!(chosen(emulator() & count(1)), [3]);
        assert_eq!(chosen(gpu() & count(1) | emulator() & count(1)), [0, 3]);
        assert_eq!(chosen(gpu() & !count(1)), [1]);
    }

    #[test]
    fn the_environment_chooses_one() {
        let of = |target: &str, number: &str| {
            let text = |t: &str| Some(t.to_string());
            from_settings(text(target), text(number)).choose(&candidates())
        };
        let position = |target, number| of(target, number).unwrap()[0].position;
        assert_eq!(position("", ""), 0);
        assert_eq!(position("cpu", "1"), 2);
        assert_eq!(position("gpu", "1"), 1);
        assert_eq!(position("emulator", ""), 3);
        assert!(of("gpu", "7").unwrap().is_empty());
        assert_eq!(
            of("fpga", "").unwrap_err(),
            "found TERRACE_TARGET=`fpga`, expected cpu, gpu or emulator"
        );
        assert_eq!(
            of("gpu", "x").unwrap_err(),
            "found TERRACE_DEVICE=`x`, expected the number of a device, from 0"
        );
    }

    #[test]
    fn filters_are_shown() {
        let f = format!("{:?}", !(gpu() & count(2)) | cpu());
        assert_eq!(f, "(!(matching(..) & count(2)) | matching(..))");
    }
}
