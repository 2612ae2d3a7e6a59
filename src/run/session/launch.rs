//! Launches of kernels.

use super::{FAILED, OK, Session, Timed, list, text, with};
use crate::runtime::device::{KernelArg, KernelId, LaunchConfig, StreamId, cooperative_grid};
use crate::runtime::profile::{Event, KernelRun, LaunchWork};
use crate::runtime::program::report::Launched;
use crate::targets::gpu_to_ptx::Indices;
use crate::targets::ptx::launch::Subject;

/// The functions for the JIT's symbol table.
pub fn imports() -> Vec<(&'static str, *const u8)> {
    vec![
        ("terrace_gpu_launch", launch as *const u8),
        ("terrace_gpu_profiled", profiled as *const u8),
        ("terrace_gpu_work", work as *const u8),
    ]
}

/// A kernel as the device has it.
#[derive(Debug, Clone)]
pub struct Entry {
    pub id: KernelId,
    /// Of each parameter, the alignment in bytes that its address must have, and the
    /// argument of the kernel that it is of; none for what is no address.
    pub aligned: Vec<Option<(u64, usize)>>,
}

/// A kernel that host code may launch.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub name: String,
    pub first: Entry,
    /// What is launched where arrays begin at addresses that the first one cannot have.
    pub fallback: Option<Entry>,
    /// The size in bytes of each parameter.
    pub params: Vec<usize>,
    /// What launches must not exceed, where indices have 32 bits.
    pub indices: Option<Indices>,
    /// Its blocks wait for each other.
    pub cooperative: bool,
}

impl Kernel {
    /// What the kernel takes, of the words that a launch passes.
    fn args(&self, words: &[u64]) -> Result<Vec<KernelArg>, String> {
        if self.params.len() != words.len() {
            return Err(format!(
                "kernel {} takes {} parameters, but the launch passes {}",
                self.name,
                self.params.len(),
                words.len()
            ));
        }
        let sized = words.iter().zip(&self.params);
        Ok(sized.map(|(w, n)| KernelArg::of_word(*w, *n)).collect())
    }

    /// What a launch with these words runs.
    fn fitting(&self, words: &[u64]) -> Result<KernelId, String> {
        let first = self.first.misaligned(words);
        let last = self.fallback.as_ref().map(|e| (e, e.misaligned(words)));
        let (entry, wrong) = match (first, last) {
            (Some(_), Some(last)) => last,
            (first, _) => (&self.first, first),
        };
        let Some((word, align, arg)) = wrong else {
            return Ok(entry.id);
        };
        Err(format!(
            "argument {arg} of kernel {} is at address {word:#x}, {} bytes past a multiple of {align}; the kernel takes it to be aligned to {align} bytes",
            self.name,
            word % align
        ))
    }
}

impl Entry {
    /// The first address that the kernel cannot have, the alignment that it takes it to
    /// have, and the argument that it is of.
    fn misaligned(&self, words: &[u64]) -> Option<(u64, u64, usize)> {
        let all = words.iter().zip(&self.aligned);
        let mut wrong = all.filter_map(|(word, aligned)| {
            let (align, arg) = (*aligned)?;
            (!word.is_multiple_of(align)).then_some((*word, align, arg))
        });
        wrong.next()
    }
}

/// `grid` and `block` point to three 64-bit sizes each, `args` to `count` words.
extern "C" fn launch(
    kernel: u32,
    grid: *const u64,
    block: *const u64,
    shared: u32,
    args: *const u64,
    count: u32,
    op: u32,
) -> i32 {
    with(op, FAILED, |s| {
        // SAFETY: host code passes arrays of these lengths on its stack.
        let (grid, block, words) = unsafe { (list(grid, 3), list(block, 3), list(args, count)) };
        let k = s.kernels.get(kernel as usize).cloned();
        let k = k.ok_or("a kernel that does not exist")?;
        let args = k.args(words)?;
        let id = k.fitting(words)?;
        let config = s.config(&k, id, grid, block, shared)?;
        if let Some(indices) = &k.indices {
            indices.check(words, config.grid, config.block, &Subject::by_position)?;
        }
        s.launch(k, id, &config, &args, op).map(|()| OK)
    })
}

/// The sizes of a grid or a block.
fn sizes(v: &[u64], what: &str) -> Result<[u32; 3], String> {
    let mut out = [0; 3];
    for (o, v) in out.iter_mut().zip(v) {
        *o = u32::try_from(*v).map_err(|_| format!("{what} size {v} is out of range"))?;
    }
    Ok(out)
}

impl Session {
    /// How a kernel is launched; of blocks that wait for each other as many as run at once.
    fn config(
        &self,
        k: &Kernel,
        id: KernelId,
        grid: &[u64],
        block: &[u64],
        shared: u32,
    ) -> Result<LaunchConfig, String> {
        let mut config = LaunchConfig {
            grid: sizes(grid, "grid")?,
            block: sizes(block, "block")?,
            shared_bytes: shared,
            stream: self.streams.stream().unwrap_or(StreamId::MAIN),
        };
        if k.cooperative {
            let room = self.device.resident_blocks(id, &config).map_err(text)?;
            config.grid = cooperative_grid(config.grid, room);
        }
        Ok(config)
    }

    /// Launches a kernel, says so where a trace is wanted, and notes how long it takes.
    fn launch(
        &mut self,
        k: Kernel,
        id: KernelId,
        config: &LaunchConfig,
        args: &[KernelArg],
        op: u32,
    ) -> Result<(), String> {
        let place = self.trace.as_ref().map(|t| t.place(op)).unwrap_or_default();
        let traced = self.trace.as_ref().map(|t| {
            let what = Launched {
                region: &t.function,
                kernel: &k.name,
                id,
                place: &place,
                work: self.work,
            };
            (t.report, what)
        });
        let begun = traced.and_then(|(r, w)| r.begin_launch(&*self.device, config, None, &w));
        if config.stream == StreamId::MAIN {
            self.timer.start(StreamId::MAIN).map_err(text)?;
        }
        // SAFETY: sizes are those of the kernel's parameters; the addresses among
        // them are the program's own memory, alive until it is freed after the run.
        let result = unsafe {
            match k.cooperative {
                true => self.device.launch_cooperative(id, config, args),
                false => self.device.launch(id, config, args),
            }
        };
        match (traced, &result) {
            (Some((r, w)), Ok(())) => r.launched(&*self.device, config, begun, &w),
            (Some((r, _)), Err(_)) => r.refused(begun),
            (None, _) => {}
        }
        result.map_err(text)?;
        let mut run = KernelRun {
            name: k.name,
            target: self.target.to_string(),
            launch: Some((config.grid, config.block)),
            microseconds: 0.0,
            flops: None,
            work: self.work.take(),
        };
        if config.stream != StreamId::MAIN {
            return self.streams.time(Timed::Kernel(run)).map_err(text);
        }
        run.microseconds = self.timer.stop_us(StreamId::MAIN).map_err(text)?;
        self.profile.record(Event::Kernel(run));
        Ok(())
    }
}

/// Every run has a profile.
extern "C" fn profiled() -> i32 {
    1
}

extern "C" fn work(flops32: f64, flops64: f64, bytes: f64) {
    // No op of the program can fail here.
    with(0, (), |s| {
        s.work = Some(LaunchWork {
            flops: [flops32, flops64],
            bytes,
        });
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_is_chosen_by_addresses() {
        let entry = |id, align| Entry {
            id: KernelId(id),
            aligned: vec![Some((align, 0)), None],
        };
        let mut k = Kernel {
            name: "k".to_string(),
            first: entry(1, 16),
            fallback: Some(entry(2, 4)),
            params: vec![8, 8],
            indices: None,
            cooperative: false,
        };
        // The second parameter is no address.
        assert_eq!(k.fitting(&[64, 3]), Ok(KernelId(1)));
        assert_eq!(k.fitting(&[68, 3]), Ok(KernelId(2)));
        let odd = "argument 0 of kernel k is at address 0x46, 2 bytes past a multiple of 4; \
                   the kernel takes it to be aligned to 4 bytes";
        assert_eq!(k.fitting(&[70, 3]), Err(odd.to_string()));
        k.fallback = None;
        assert!(
            k.fitting(&[68, 3])
                .unwrap_err()
                .contains("a multiple of 16")
        );
    }
}
