//! A program run under schedules: the times of its nests, and whether its results are those
//! of the first run.
//!
//! The device is a GPU, whose times are of events around each launch, or the emulator, which
//! has none: there instructions of warps and sectors of global memory are counted, which is
//! the same number in each run and no time.

use crate::run::bind::Value;
use crate::run::entry::Entry;
use crate::run::executor::Executor;
use crate::run::interp::InterpExecutor;
use crate::run::options::{RunOptions, ScheduleText, Target};
use crate::run::source::ProgramText;
use crate::run::{RunError, Trial, arch_of, chosen_device, copy, differences, open_device, trial};
use crate::runtime::device::Device;
use crate::runtime::emulator::EmulatorDevice;
use crate::runtime::profile::Event;
use std::sync::Arc;
use std::time::Instant;

/// Arguments and results after a call.
type Results = (Vec<Value>, Vec<Value>);

/// A run whose kernels take longer than this many microseconds is timed once.
const SLOW: f64 = 100_000.0;

/// See the [module](self).
pub struct Bench<'a> {
    source: &'a ProgramText,
    entry: &'a Entry,
    initial: Vec<Value>,
    options: &'a RunOptions,
    repeat: usize,
    device: Arc<dyn Device>,
    arch: String,
    /// What results are compared with.
    reference: Option<Results>,
}

/// What a run took.
#[derive(Debug, Clone, PartialEq)]
pub struct Timed {
    /// For each nest the cost of one launch, on average over those of a run, in microseconds, of
    /// each launch the least of all runs (on the emulator the count); none where it is not
    /// launched.
    pub nests: Vec<Option<f64>>,
    /// All kernels of the program.
    pub all: f64,
}

/// Why there is no time of a schedule.
#[derive(Debug)]
pub enum Failed {
    /// Results differ, in words.
    Wrong(String),
    /// It cannot be made, or not run.
    Error(RunError),
}

impl<'a> Bench<'a> {
    /// A bench for a program with these arguments.
    ///
    /// # Errors
    ///
    /// That there is no such device; what the interpreter says, where it is asked.
    pub fn new(
        source: &'a ProgramText,
        entry: &'a Entry,
        initial: Vec<Value>,
        options: &'a RunOptions,
        repeat: usize,
    ) -> Result<Bench<'a>, RunError> {
        let device = open_device(options.target, options.device)?;
        let arch = arch_of(&*device)?;
        let mut bench = Bench {
            source,
            entry,
            initial,
            options,
            repeat,
            device,
            arch,
            reference: None,
        };
        if options.verify {
            let mut args = copy(&bench.initial)?;
            let mut interpreter = InterpExecutor::new(source.program()?, entry.clone());
            let results = interpreter.call(&mut args)?;
            bench.reference = Some((args, results));
        }
        Ok(bench)
    }

    pub fn arch(&self) -> &str {
        &self.arch
    }

    pub fn device_name(&self) -> String {
        self.device.info().name.clone()
    }

    /// What costs are in.
    pub fn unit(&self) -> &'static str {
        match self.options.target {
            Target::Emulator => "counted",
            _ => "us",
        }
    }

    /// A cost as people read it.
    pub fn words(&self, cost: f64) -> String {
        match self.unit() {
            "us" => format!("{cost:.1} us"),
            unit => format!("{cost:.0} {unit}"),
        }
    }

    /// Runs the program under a schedule for so many nests: once, and as often again as is
    /// wished, but not when `end` is over.
    ///
    /// # Errors
    ///
    /// [`Failed`]; the first run has nothing to differ from but the interpreter's results.
    pub fn time(
        &mut self,
        schedule: &str,
        nests: usize,
        end: Option<Instant>,
    ) -> Result<Timed, Failed> {
        let emulator = match self.options.target {
            // One for each, since they count all launches of a kernel's name.
            Target::Emulator => Some(self.emulator()?),
            _ => None,
        };
        let device: Arc<dyn Device> = match &emulator {
            Some(e) => Arc::clone(e) as Arc<dyn Device>,
            None => Arc::clone(&self.device),
        };
        let options = RunOptions {
            schedule: Some(ScheduleText {
                name: "the schedule that is tried".into(),
                text: schedule.into(),
            }),
            ..self.options.clone()
        };
        let program = self.source.program().map_err(RunError::Program)?;
        let mut made = trial(program, self.entry, &options, &device, nests)?;
        let (results, first) = self.call(&mut made, nests)?;
        self.check(results)?;
        if let Some(e) = emulator {
            return Ok(counted(&e, &made, &first, nests));
        }
        let mut least: Option<Launches> = None;
        for _ in 0..self.repeat.max(1) {
            let slow = least.is_some() && first.all() > SLOW;
            if slow || end.is_some_and(|e| Instant::now() >= e) {
                break;
            }
            let (_, again) = self.call(&mut made, nests)?;
            match &mut least {
                None => least = Some(again),
                Some(l) => l.keep_least(&again),
            }
        }
        Ok(least.unwrap_or(first).timed())
    }

    fn emulator(&self) -> Result<Arc<EmulatorDevice>, RunError> {
        let number = chosen_device(self.options.device)?;
        let opened = EmulatorDevice::open(number);
        opened
            .map(Arc::new)
            .map_err(|e| RunError::NoDevice(e.to_string()))
    }

    /// One call with the arguments as they were, and what its launches took.
    fn call(&self, made: &mut Trial, nests: usize) -> Result<(Results, Launches), RunError> {
        let mut args = copy(&self.initial)?;
        let results = made.executor.call(&mut args)?;
        let mut out = Launches {
            times: Vec::new(),
            nests: vec![Vec::new(); nests],
        };
        for e in made.executor.take_profile().events() {
            let Event::Kernel(k) = e else { continue };
            for (_, nest) in made.kernels.iter().filter(|(name, _)| *name == k.name) {
                out.nests[*nest].push(out.times.len());
            }
            out.times.push(k.microseconds);
        }
        Ok(((args, results), out))
    }

    /// Compares results with those of the first run or of the interpreter.
    fn check(&mut self, now: Results) -> Result<(), Failed> {
        let Some(reference) = &self.reference else {
            self.reference = Some(now);
            return Ok(());
        };
        let all = differences(
            self.entry,
            (&now.0, &now.1),
            (&reference.0, &reference.1),
            self.options.numerics.approximates(),
        );
        match all.wrong.is_empty() {
            true => Ok(()),
            false => Err(Failed::Wrong(all.wrong.join("; "))),
        }
    }
}

/// The launches of a run.
struct Launches {
    /// Microseconds of each, in order.
    times: Vec<f64>,
    /// For each nest which they are.
    nests: Vec<Vec<usize>>,
}

impl Launches {
    fn all(&self) -> f64 {
        self.times.iter().sum()
    }

    /// Of each launch the less of the times in two runs: what else happens, such as a copy in
    /// front of the first launch, only makes it longer, by ten times its own time where that is
    /// a few microseconds.
    fn keep_least(&mut self, other: &Launches) {
        for (t, again) in self.times.iter_mut().zip(&other.times) {
            *t = t.min(*again);
        }
    }

    fn timed(&self) -> Timed {
        let mean = |which: &Vec<usize>| {
            let sum: f64 = which.iter().map(|i| self.times[*i]).sum();
            (!which.is_empty()).then(|| sum / which.len() as f64)
        };
        Timed {
            nests: self.nests.iter().map(mean).collect(),
            all: self.all(),
        }
    }
}

/// Instructions of warps and sectors of global memory, in place of times.
fn counted(device: &EmulatorDevice, made: &Trial, run: &Launches, nests: usize) -> Timed {
    let cost = |name: &str| {
        let c = device.counts(name)?;
        let sectors = c.loads.sectors + c.stores.sectors + c.atomics.sectors;
        Some((c.warp_instructions.iter().sum::<u64>() + sectors) as f64)
    };
    let mut out = Timed {
        nests: vec![None; nests],
        all: 0.0,
    };
    for (name, nest) in &made.kernels {
        let launches = run.nests[*nest].len();
        if let Some(all) = cost(name).filter(|_| launches > 0) {
            out.nests[*nest] = Some(all / launches as f64);
        }
    }
    let mut names: Vec<&String> = made.kernels.iter().map(|k| &k.0).collect();
    names.sort_unstable();
    names.dedup();
    out.all = names.into_iter().filter_map(|n| cost(n)).sum();
    out
}

impl From<RunError> for Failed {
    fn from(e: RunError) -> Failed {
        Failed::Error(e)
    }
}
