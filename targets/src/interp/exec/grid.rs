//! Launches: the threads of a grid, block after block, in the order of their indices
//! with x fastest.
//!
//! The threads of a block run one after another, each until it ends or comes to an op
//! for which threads have to be together; see [`super::sync`].

use super::copies::Copies;
use super::{State, Stop, Thread, thread_note};
use crate::interp::code::{Code, GpuInst, Id, Launch, Slot};
use crate::interp::error::{Fault, InterpError, Run};
use crate::interp::interpreter::Interpreter;
use crate::interp::memory::{Actor, Origin, Request, Space};
use crate::interp::memref::{BufferId, MemRef, Shape};
use crate::interp::value::{Elem, Value};
use smallvec::smallvec;
use std::rc::Rc;
use terrace_ir::Op;

/// Where a thread is in its grid.
#[derive(Debug, Clone)]
pub(super) struct Position {
    pub block: [i64; 3],
    pub thread: [i64; 3],
    pub grid: [i64; 3],
    pub block_dim: [i64; 3],
    /// Blocks of a cluster.
    pub cluster: [i64; 3],
    pub subgroup_size: i64,
    /// Shared memory whose size the launch gave.
    pub dynamic_shared: Option<Rc<MemRef>>,
}

impl Position {
    /// The number of the thread in its block.
    pub fn linear(&self) -> i64 {
        let ([x, y, z], [dx, dy, _]) = (self.thread, self.block_dim);
        x + dx * (y + dy * z)
    }

    fn id(&self, id: Id) -> i64 {
        let threads: i64 = self.block_dim.iter().product();
        match id {
            Id::Thread(d) => self.thread[d],
            Id::Block(d) => self.block[d],
            Id::BlockDim(d) => self.block_dim[d],
            Id::GridDim(d) => self.grid[d],
            Id::Global(d) => self.block[d] * self.block_dim[d] + self.thread[d],
            Id::Cluster(d) => self.block[d] / self.cluster[d],
            Id::ClusterDim(d) => (self.grid[d] as u64).div_ceil(self.cluster[d] as u64) as i64,
            Id::ClusterBlock(d) => self.block[d] % self.cluster[d],
            Id::ClusterDimBlocks(d) => self.cluster[d],
            Id::Lane => self.linear() % self.subgroup_size,
            Id::Subgroup => self.linear() / self.subgroup_size,
            Id::SubgroupSize => self.subgroup_size,
            Id::NumSubgroups => (threads + self.subgroup_size - 1) / self.subgroup_size,
        }
    }
}

/// The sizes of a launch, read and checked.
struct Sizes {
    grid: [i64; 3],
    block: [i64; 3],
    cluster: [i64; 3],
    shared: usize,
}

impl Interpreter<'_> {
    /// Run the kernel of a launch to the end.
    pub(super) fn launch(&mut self, t: &Thread, l: &Launch, op: Op) -> Result<(), InterpError> {
        let prepared = self.prepare(t, l);
        let (sizes, code) = prepared.map_err(|f| f.locate(self.ctx, Some(op)))?;
        let args: Vec<Value> = l.args.iter().map(|s| t.slot(*s).clone()).collect();
        self.counters.launches += 1;
        let mut pool = Vec::new();
        for z in 0..sizes.grid[2] {
            for y in 0..sizes.grid[1] {
                for x in 0..sizes.grid[0] {
                    self.block(&code, &sizes, [x, y, z], &args, op, &mut pool)?;
                }
            }
        }
        Ok(())
    }

    fn prepare(&mut self, t: &Thread, l: &Launch) -> Run<(Sizes, Rc<Code>)> {
        if t.state.actor != Actor::Host {
            return Err("a kernel cannot launch another one".into());
        }
        let three = |s: [Slot; 3]| -> Run<[i64; 3]> {
            Ok([
                t.slot(s[0]).i64()?,
                t.slot(s[1]).i64()?,
                t.slot(s[2]).i64()?,
            ])
        };
        let (mut grid, block) = (three(l.grid)?, three(l.block)?);
        if l.cooperative {
            grid[0] = grid[0].min(1);
        }
        let cluster = l.cluster.map(three).transpose()?.unwrap_or([1; 3]);
        for (what, sizes, least) in [
            ("grid", grid, 0),
            ("block", block, 0),
            ("cluster", cluster, 1),
        ] {
            if let Some(d) = sizes.iter().position(|s| *s < least) {
                let axis = ["x", "y", "z"][d];
                return Err(Fault::new(format!(
                    "the {what} size along {axis} is {}",
                    sizes[d]
                )));
            }
        }
        let threads = block.iter().try_fold(1i64, |n, s| n.checked_mul(*s));
        if threads.is_none_or(|n| n as u64 > self.config.max_block_size) {
            return Err(Fault::new(format!(
                "a block of {}x{}x{} threads has more than {}",
                block[0], block[1], block[2], self.config.max_block_size
            )));
        }
        let shared = match l.shared {
            Some(s) => usize::try_from(t.slot(s).i64()?)
                .map_err(|_| "the size of shared memory is negative")?,
            None => 0,
        };
        let code = match &l.body {
            Some(body) => body.clone(),
            None => self.code(l.kernel)?,
        };
        if !code.device {
            return Err(Fault::new(format!("@{} is no kernel", code.name)));
        }
        let fixed = code.args as usize - code.workgroup.len() - code.private.len();
        if l.body.is_none() && fixed != l.args.len() {
            return Err(Fault::new(format!(
                "@{} takes {fixed} arguments, but got {}",
                code.name,
                l.args.len()
            )));
        }
        Ok((
            Sizes {
                grid,
                block,
                cluster,
                shared,
            },
            code,
        ))
    }

    /// Run the threads of one block. `pool` keeps threads for the next one.
    fn block(
        &mut self,
        code: &Rc<Code>,
        sizes: &Sizes,
        block: [i64; 3],
        args: &[Value],
        op: Op,
        pool: &mut Vec<Thread>,
    ) -> Result<(), InterpError> {
        let serial = self.blocks;
        self.blocks += 1;
        let mut buffers = Vec::new();
        let mut position = Position {
            block,
            thread: [0; 3],
            grid: sizes.grid,
            block_dim: sizes.block,
            cluster: sizes.cluster,
            subgroup_size: i64::from(self.config.subgroup_size.max(1)),
            dynamic_shared: None,
        };
        let shared = (|| {
            position.dynamic_shared = Some(Rc::new(self.dynamic_shared(
                sizes.shared,
                serial,
                &mut buffers,
                op,
            )?));
            self.attributions(
                &code.workgroup,
                Space::Workgroup { block: serial },
                &mut buffers,
                op,
            )
        })();
        let shared: Vec<Value> = shared.map_err(|f: Fault| f.locate(self.ctx, Some(op)))?;
        let mut threads: Vec<Option<Thread>> = Vec::new();
        let [dx, dy, dz] = sizes.block;
        for n in 0..dx * dy * dz {
            position.thread = [n % dx, n / dx % dy, n / (dx * dy)];
            let actor = Actor::Thread {
                block: serial,
                thread: n as u64,
            };
            let mut t = pool.pop().unwrap_or_else(|| Thread::new(actor));
            t.state.actor = actor;
            t.state.copies = Copies::default();
            t.state.position = Some(Box::new(position.clone()));
            let private = Space::Private {
                block: serial,
                thread: n as u64,
            };
            let private = self.attributions(&code.private, private, &mut buffers, op);
            let private = private.map_err(|f| f.locate(self.ctx, Some(op)))?;
            start(&mut t, code, &position, args, &shared, private);
            threads.push(self.resume(t, op, pool)?);
        }
        while threads.iter().any(Option::is_some) {
            let ready = self.release(&mut threads).map_err(|mut e| {
                e.trace.push((
                    op.loc(self.ctx),
                    format!("in block {block:?}, launched here"),
                ));
                e
            })?;
            for n in ready {
                if let Some(t) = threads[n].take() {
                    threads[n] = self.resume(t, op, pool)?;
                }
            }
        }
        let globals = &self.globals;
        buffers.extend(
            globals
                .iter()
                .filter(|(k, _)| k.1 == Some(serial))
                .map(|(_, id)| *id),
        );
        self.globals.retain(|k, _| k.1 != Some(serial));
        for id in buffers {
            self.memory.end_scope(id);
        }
        Ok(())
    }

    /// Run a thread on; `None` where it ends.
    fn resume(
        &mut self,
        mut t: Thread,
        op: Op,
        pool: &mut Vec<Thread>,
    ) -> Result<Option<Thread>, InterpError> {
        match self.run(&mut t) {
            Ok(Stop::Waiting) => Ok(Some(t)),
            Ok(Stop::Done(_)) => {
                pool.push(t);
                Ok(None)
            }
            Err(mut e) => {
                e.trace.extend(
                    t.state
                        .position
                        .as_ref()
                        .map(|p| thread_note(p, op, self.ctx)),
                );
                Err(e)
            }
        }
    }

    /// Buffers for the last arguments of a kernel.
    fn attributions(
        &mut self,
        wanted: &[(Slot, Shape)],
        space: Space,
        buffers: &mut Vec<BufferId>,
        op: Op,
    ) -> Run<Vec<Value>> {
        wanted
            .iter()
            .map(|(_, shape)| {
                let m = self.build(shape, &shape.sizes, &[], space, Origin::Stack, Some(op))?;
                buffers.push(m.buffer);
                Ok(Value::MemRef(Rc::new(m)))
            })
            .collect()
    }

    fn dynamic_shared(
        &mut self,
        bytes: usize,
        block: u64,
        buffers: &mut Vec<BufferId>,
        op: Op,
    ) -> Run<MemRef> {
        let space = Space::Workgroup { block };
        let (granule, origin, made_by) = (1, Origin::Stack, Some(op));
        let buffer = self.memory.allocate(Request {
            bytes,
            granule,
            space,
            origin,
            made_by,
            offset: 0,
        })?;
        buffers.push(buffer);
        let (sizes, strides) = (smallvec![bytes as i64], smallvec![1]);
        Ok(MemRef {
            buffer,
            base: 0,
            elem: Elem::Int(8),
            lanes: None,
            elem_size: 1,
            offset: 0,
            sizes,
            strides,
        })
    }

    pub(super) fn gpu_inst(
        &mut self,
        inst: &GpuInst,
        op: Op,
        slots: &mut [Value],
        state: &mut State,
    ) -> Run<()> {
        if let GpuInst::Copy(copy) = inst {
            return self.copy_inst(copy, slots, state);
        }
        if let GpuInst::Async(inst) = inst {
            return self.async_inst(inst, op, slots, state.actor);
        }
        let position = || {
            state
                .position
                .as_ref()
                .ok_or("can only run in a kernel, on the device")
        };
        match inst {
            GpuInst::Id { id, dst } => slots[*dst as usize] = Value::Index(position()?.id(*id)),
            GpuInst::DynamicShared { dst } => {
                let m = position()?
                    .dynamic_shared
                    .clone()
                    .ok_or("the launch gave no shared memory")?;
                slots[*dst as usize] = Value::MemRef(m);
            }
            GpuInst::Printf { format, args } => {
                let args: Vec<&Value> = args.iter().map(|s| &slots[*s as usize]).collect();
                print(&mut self.output, format, &args);
            }
            GpuInst::Launch(_) | GpuInst::Sync(_) | GpuInst::Copy(_) | GpuInst::Async(_) => {
                return Err("runs outside of the frame".into());
            }
        }
        Ok(())
    }
}

/// Put a thread at the start of the kernel.
fn start(
    t: &mut Thread,
    code: &Rc<Code>,
    p: &Position,
    args: &[Value],
    shared: &[Value],
    private: Vec<Value>,
) {
    let inline = code.is_inline;
    let fixed = code.args as usize - shared.len() - private.len();
    let mut values: Vec<Value> = Vec::new();
    if inline {
        let cluster_ids = std::array::from_fn(|d| p.block[d] / p.cluster[d]);
        for triple in [
            p.block,
            p.thread,
            p.grid,
            p.block_dim,
            cluster_ids,
            p.cluster,
        ] {
            values.extend(triple.map(Value::Index));
        }
        values.truncate(fixed);
    } else {
        values.extend_from_slice(args);
    }
    values.extend_from_slice(shared);
    values.extend(private);
    t.push(code.clone(), values.into_iter());
    if inline {
        for (slot, v) in code.captured.iter().zip(args) {
            t.set_slot(*slot, v.clone());
        }
    }
}

/// C's `printf` with the conversions that make sense for numbers.
fn print(out: &mut String, format: &str, args: &[&Value]) {
    let mut args = args.iter();
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut precision = None;
        let conversion = loop {
            match rest.next() {
                Some('.') => precision = Some(0usize),
                Some(d) if d.is_ascii_digit() => {
                    precision = precision.map(|p| {
                        p.saturating_mul(10)
                            .saturating_add(d as usize - '0' as usize)
                            .min(64)
                    });
                }
                Some('l' | 'h' | 'z' | '-' | '+' | ' ' | '#') => {}
                c => break c,
            }
        };
        match (
            conversion,
            conversion.filter(|c| *c != '%').and_then(|_| args.next()),
        ) {
            (Some('%'), _) => out.push('%'),
            (Some('u' | 'x' | 'X' | 'o'), Some(Value::Int { bits, .. })) => match conversion {
                Some('x') => out.push_str(&format!("{bits:x}")),
                Some('X') => out.push_str(&format!("{bits:X}")),
                Some('o') => out.push_str(&format!("{bits:o}")),
                _ => out.push_str(&bits.to_string()),
            },
            (Some('e'), Some(v)) => out.push_str(&format!("{:e}", v.as_f64().unwrap_or(f64::NAN))),
            (_, Some(v)) => match (v.as_i64(), v.as_f64()) {
                (Some(i), _) => out.push_str(&i.to_string()),
                (None, Some(f)) => out.push_str(&format!("{f:.*}", precision.unwrap_or(6))),
                (None, None) => out.push_str(&v.describe()),
            },
            (_, None) => {}
        }
    }
}
