//! The machine: threads with a stack of frames, and the loop that runs them.

mod asynchronous;
mod copies;
mod counters;
mod descriptor;
mod global;
mod grid;
mod lanes;
mod linear;
mod matrix;
mod memory;
mod sync;
mod tile;
mod vector;

use super::c_function::c_function;
use super::code::{Callee, Code, GpuInst, Inst, Slot};
use super::error::{Fault, InterpError, Run};
use super::ew;
use super::float::{binary_f32, binary_f64};
use super::int::{Flags, binary};
use super::interpreter::Interpreter;
use super::memory::Actor;
use super::memref::{BufferId, Dims, MemRef};
use super::value::{Value, wrong};
use counters::{advance, below, bits};
use grid::Position;
use smallvec::SmallVec;
use std::rc::Rc;
use terrace_ir::{Loc, Op};

/// A call in progress.
#[derive(Debug)]
struct Frame {
    code: Rc<Code>,
    /// The next instruction; while one runs, that one.
    pc: usize,
    /// Where its slots begin.
    base: usize,
    /// How many stack allocations and scopes there were when it began.
    allocations: usize,
    scopes: usize,
}

/// A thread of execution: the host, or one thread of a kernel.
#[derive(Debug)]
pub(super) struct Thread {
    frames: Vec<Frame>,
    slots: Vec<Value>,
    state: State,
}

/// What a thread has besides its values.
#[derive(Debug)]
struct State {
    actor: Actor,
    /// Where a thread of a kernel is.
    position: Option<Box<Position>>,
    /// Stack allocations, and how many there were at the start of each open scope.
    allocations: Vec<BufferId>,
    scopes: Vec<usize>,
    copies: copies::Copies,
}

/// Why a thread stops.
enum Stop {
    Done(Vec<Value>),
    /// It waits for other threads at the instruction before its next one.
    Waiting,
}

/// Why a frame stops running.
enum Flow {
    Call,
    Return,
    Launch,
    Sync,
}

impl Thread {
    /// A thread of the host.
    pub fn host() -> Thread {
        Thread::new(Actor::Host)
    }

    fn new(actor: Actor) -> Thread {
        let state = State {
            actor,
            position: None,
            allocations: Vec::new(),
            scopes: Vec::new(),
            copies: copies::Copies::default(),
        };
        Thread {
            frames: Vec::new(),
            slots: Vec::new(),
            state,
        }
    }

    fn push(&mut self, code: Rc<Code>, args: impl Iterator<Item = Value>) {
        let base = self.slots.len();
        self.slots.extend(args);
        self.slots.resize(base + code.slots as usize, Value::Unset);
        let (allocations, scopes) = (self.state.allocations.len(), self.state.scopes.len());
        self.frames.push(Frame {
            code,
            pc: 0,
            base,
            allocations,
            scopes,
        });
    }

    /// The slot of the running frame.
    fn slot(&self, s: Slot) -> &Value {
        let base = self.frames.last().map_or(0, |f| f.base);
        &self.slots[base + s as usize]
    }

    fn set_slot(&mut self, s: Slot, v: Value) {
        let base = self.frames.last().map_or(0, |f| f.base);
        self.slots[base + s as usize] = v;
    }

    /// The instruction that stopped the thread.
    fn stopped_at(&self) -> Option<(&Rc<Code>, usize)> {
        self.frames
            .last()
            .map(|f| (&f.code, f.pc.saturating_sub(1)))
    }
}

impl Interpreter<'_> {
    /// Run `code` on a fresh thread until it returns.
    pub(super) fn run_to_end(
        &mut self,
        thread: &mut Thread,
        code: Rc<Code>,
        args: Vec<Value>,
    ) -> Result<Vec<Value>, InterpError> {
        thread.push(code, args.into_iter());
        let stop = self.run(thread);
        // After an error the stack allocations of all calls are left.
        for id in thread.state.allocations.drain(..) {
            self.memory.end_scope(id);
        }
        match stop? {
            Stop::Done(values) => Ok(values),
            Stop::Waiting => {
                let op = thread.stopped_at().map(|(code, pc)| code.ops[pc]);
                let f = Fault::new("waits for other threads, but runs on the host");
                Err(f.locate(self.ctx, op))
            }
        }
    }

    /// Run a thread until it ends or waits.
    fn run(&mut self, t: &mut Thread) -> Result<Stop, InterpError> {
        loop {
            let Some(frame) = t.frames.last_mut() else {
                return Ok(Stop::Done(Vec::new()));
            };
            let (code, base, mut pc) = (frame.code.clone(), frame.base, frame.pc);
            let flow = self.execute(&code, &mut pc, &mut t.slots[base..], &mut t.state);
            frame.pc = pc;
            let next = match flow {
                Ok(Flow::Call) => self.enter(t, &code, pc),
                Ok(Flow::Return) => match self.leave(t, &code, pc) {
                    Ok(Some(values)) => return Ok(Stop::Done(values)),
                    Ok(None) => Ok(()),
                    Err(fault) => Err(fault),
                },
                Ok(Flow::Launch) => {
                    let Inst::Gpu(inst) = &code.insts[pc] else {
                        unreachable!("stopped at a launch")
                    };
                    let GpuInst::Launch(launch) = &**inst else {
                        unreachable!("stopped at a launch")
                    };
                    self.launch(t, launch, code.ops[pc])
                        .map_err(|e| self.traced(t, e, 1))?;
                    if let Some(frame) = t.frames.last_mut() {
                        frame.pc += 1;
                    }
                    Ok(())
                }
                Ok(Flow::Sync) => {
                    frame.pc += 1;
                    return Ok(Stop::Waiting);
                }
                Err(fault) => Err(fault),
            };
            if let Err(fault) = next {
                let error = fault.locate(self.ctx, Some(code.ops[pc]));
                return Err(self.traced(t, error, 1));
            }
        }
    }

    /// The error with the calls that led to it.
    fn traced(&self, t: &Thread, mut e: InterpError, skip: usize) -> InterpError {
        const SHOWN: usize = 16;
        let callers = t.frames.iter().rev().skip(skip);
        for (n, f) in callers.enumerate() {
            if n == SHOWN {
                let rest = t.frames.len() - skip - SHOWN;
                e.trace
                    .push((Loc::Unknown, format!("and {rest} more calls")));
                break;
            }
            e.trace.push((
                f.code.ops[f.pc].loc(self.ctx),
                format!("called from @{}", f.code.name),
            ));
        }
        e
    }

    /// A call: the instruction at `pc`.
    fn enter(&mut self, t: &mut Thread, code: &Code, pc: usize) -> Run<()> {
        let Inst::Call(call) = &code.insts[pc] else {
            unreachable!("stopped at a call")
        };
        if t.frames.len() >= self.config.max_depth {
            return Err(Fault::new(format!(
                "calls nest deeper than {}",
                self.config.max_depth
            )));
        }
        let callee = match call.callee {
            Callee::Known(op) => op,
            Callee::Slot(s) => match t.slot(s) {
                Value::Func(op) => *op,
                v => return Err(wrong("a function", v)),
            },
        };
        let callee = self.code(callee)?;
        if callee.args as usize != call.args.len() {
            return Err(Fault::new(format!(
                "@{} takes {} arguments",
                callee.name, callee.args
            )));
        }
        let args: SmallVec<[Value; 8]> = call.args.iter().map(|s| t.slot(*s).clone()).collect();
        t.push(callee, args.into_iter());
        Ok(())
    }

    /// A return: the values where the first frame returns.
    fn leave(&mut self, t: &mut Thread, code: &Code, pc: usize) -> Run<Option<Vec<Value>>> {
        let Inst::Return(values) = &code.insts[pc] else {
            unreachable!("stopped at a return")
        };
        let values: Vec<Value> = values.iter().map(|s| t.slot(*s).clone()).collect();
        let Some(frame) = t.frames.last() else {
            return Ok(None);
        };
        for id in &t.state.allocations[frame.allocations..] {
            self.memory.check_unused(*id)?;
        }
        let Some(frame) = t.frames.pop() else {
            return Ok(None);
        };
        for id in t.state.allocations.drain(frame.allocations..) {
            self.memory.end_scope(id);
        }
        t.state.scopes.truncate(frame.scopes);
        t.slots.truncate(frame.base);
        let Some(caller) = t.frames.last_mut() else {
            return Ok(Some(values));
        };
        if let Inst::Call(call) = &caller.code.insts[caller.pc] {
            for (dst, v) in call.results.iter().zip(values) {
                t.slots[caller.base + *dst as usize] = v;
            }
        }
        caller.pc += 1;
        Ok(None)
    }

    /// Run instructions from `pc` until one concerns more than the frame. On return `pc`
    /// is the instruction that stopped or failed.
    fn execute(
        &mut self,
        code: &Code,
        pc: &mut usize,
        slots: &mut [Value],
        state: &mut State,
    ) -> Run<Flow> {
        macro_rules! get {
            ($s:expr) => {
                slots[*$s as usize]
            };
        }
        loop {
            self.counters.count(code.classes[*pc]);
            if self.counters.steps > self.config.max_steps {
                return Err(Fault::new(format!(
                    "the limit of {} steps is reached",
                    self.config.max_steps
                )));
            }
            match &code.insts[*pc] {
                Inst::Const { dst, value } => get!(dst) = value.clone(),
                Inst::Move { dst, src } => get!(dst) = get!(src).clone(),
                Inst::MoveAll(pairs) => {
                    let values: SmallVec<[Value; 8]> =
                        pairs.iter().map(|(_, src)| get!(src).clone()).collect();
                    for ((dst, _), v) in pairs.iter().zip(values) {
                        get!(dst) = v;
                    }
                }
                Inst::Jump(to) => {
                    *pc = *to as usize;
                    continue;
                }
                Inst::Unless { cond, to } => {
                    if !get!(cond).is_true()? {
                        *pc = *to as usize;
                        continue;
                    }
                }
                Inst::Switch(s) => {
                    let on = get!(&s.on).i64()?;
                    let k = s.cases.partition_point(|c| c.0 < on);
                    let case = s.cases.get(k).filter(|c| c.0 == on);
                    *pc = case.map_or(s.default, |c| c.1) as usize;
                    continue;
                }
                Inst::CheckStep { step, unsigned } => {
                    let (bits, step) = (bits(&get!(step))?, get!(step).i64()?);
                    if bits == 0 || !unsigned && step < 0 {
                        return Err(Fault::new(format!(
                            "the step of the loop must be positive, but is {step}"
                        )));
                    }
                }
                Inst::LoopTest {
                    iv,
                    ub,
                    unsigned,
                    exit,
                } => {
                    if !below(&get!(iv), &get!(ub), *unsigned)? {
                        *pc = *exit as usize;
                        continue;
                    }
                }
                Inst::LoopNext {
                    iv,
                    step,
                    ub,
                    unsigned,
                    body,
                } => {
                    let next = advance(&get!(iv), &get!(step), *unsigned)?;
                    // Where the sum does not fit, it is above any bound.
                    if let Some(next) = next {
                        let again = below(&next, &get!(ub), *unsigned)?;
                        get!(iv) = next;
                        if again {
                            *pc = *body as usize;
                            continue;
                        }
                    }
                }
                Inst::IndexBin { op, dst, a, b } => {
                    let (a, b) = (get!(a).i64()?, get!(b).i64()?);
                    get!(dst) =
                        Value::Index(binary(*op, Flags::default(), 64, a as u64, b as u64)? as i64);
                }
                Inst::IntBin {
                    op,
                    flags,
                    width,
                    dst,
                    a,
                    b,
                } => {
                    let (a, b) = (bits(&get!(a))?, bits(&get!(b))?);
                    let bits = binary(*op, *flags, *width, a, b)?;
                    get!(dst) = Value::Int {
                        width: *width,
                        bits,
                    };
                }
                Inst::F64Bin { op, dst, a, b } => match (&get!(a), &get!(b)) {
                    (Value::F64(a), Value::F64(b)) => {
                        get!(dst) = Value::F64(binary_f64(*op, *a, *b))
                    }
                    (a, _) => return Err(wrong("an f64", a)),
                },
                Inst::F32Bin { op, dst, a, b } => match (&get!(a), &get!(b)) {
                    (Value::F32(a), Value::F32(b)) => {
                        get!(dst) = Value::F32(binary_f32(*op, *a, *b))
                    }
                    (a, _) => return Err(wrong("an f32", a)),
                },
                Inst::CmpI {
                    predicate,
                    dst,
                    a,
                    b,
                } => {
                    let (a, b) = (get!(a).i64()?, get!(b).i64()?);
                    get!(dst) = Value::bool(predicate.eval_i64(a, b));
                }
                Inst::CmpF64 {
                    predicate,
                    dst,
                    a,
                    b,
                } => match (&get!(a), &get!(b)) {
                    (Value::F64(a), Value::F64(b)) => {
                        get!(dst) = Value::bool(predicate.eval_f64(*a, *b))
                    }
                    (a, _) => return Err(wrong("an f64", a)),
                },
                Inst::Ew(e) => {
                    let args: SmallVec<[&Value; 3]> = e.args.iter().map(|s| &get!(s)).collect();
                    let (first, second) = ew::eval(e.op, e.out, &args)?;
                    drop(args);
                    get!(&e.dst) = first;
                    if let (Some(dst), Some(v)) = (&e.second, second) {
                        get!(dst) = v;
                    }
                }
                Inst::Load {
                    dst,
                    memref,
                    indices,
                } => {
                    let at: Dims = indices.iter().map(|s| get!(s).i64()).collect::<Run<_>>()?;
                    get!(dst) = self.load(get!(memref).memref()?, &at, state.actor)?;
                }
                Inst::Store {
                    value,
                    memref,
                    indices,
                } => {
                    let at: Dims = indices.iter().map(|s| get!(s).i64()).collect::<Run<_>>()?;
                    self.store(get!(memref).memref()?, &at, &get!(value), state.actor)?;
                }
                Inst::AffineLoad {
                    dst,
                    memref,
                    indices,
                } => {
                    let at: Dims = indices.iter().map(|e| e.eval(slots)).collect::<Run<_>>()?;
                    get!(dst) = self.load(get!(memref).memref()?, &at, state.actor)?;
                }
                Inst::AffineStore {
                    value,
                    memref,
                    indices,
                } => {
                    let at: Dims = indices.iter().map(|e| e.eval(slots)).collect::<Run<_>>()?;
                    self.store(get!(memref).memref()?, &at, &get!(value), state.actor)?;
                }
                Inst::Affine { dst, expr } => get!(dst) = Value::Index(expr.eval(slots)?),
                Inst::AffineBest {
                    dst,
                    greatest,
                    exprs,
                } => {
                    let mut best: Option<i64> = None;
                    for e in exprs {
                        let v = e.eval(slots)?;
                        best =
                            Some(best.map_or(v, |b| if *greatest { b.max(v) } else { b.min(v) }));
                    }
                    get!(dst) = Value::Index(best.ok_or("has a map without results")?);
                }
                Inst::AffineUnless { constraints, to } => {
                    let mut holds = true;
                    for (e, equal) in constraints {
                        let v = e.eval(slots)?;
                        holds = if *equal { v == 0 } else { v >= 0 };
                        if !holds {
                            break;
                        }
                    }
                    if !holds {
                        *pc = *to as usize;
                        continue;
                    }
                }
                Inst::Call(_) => return Ok(Flow::Call),
                Inst::Return(_) => return Ok(Flow::Return),
                Inst::CFunction {
                    dst,
                    args,
                    name,
                    double,
                } => {
                    let args: Vec<Value> = args.iter().map(|s| get!(s).clone()).collect();
                    let made = c_function(&self.config.libraries, name, &args, *double)?;
                    slots[*dst as usize] = made;
                }
                Inst::Assert { cond, message } => {
                    if !get!(cond).is_true()? {
                        return Err(Fault::new(format!("assertion failed: {message}")));
                    }
                }
                Inst::ScopeEnter => state.scopes.push(state.allocations.len()),
                Inst::ScopeLeave => {
                    let from = state.scopes.pop().unwrap_or(0);
                    for id in &state.allocations[from..] {
                        self.memory.check_unused(*id)?;
                    }
                    for id in state.allocations.drain(from..) {
                        self.memory.end_scope(id);
                    }
                }
                Inst::Memory(inst) => self.memory_inst(inst, code.ops[*pc], slots, state)?,
                Inst::Vector(inst) => self.vector_inst(inst, slots, state.actor)?,
                Inst::Tile(inst) => self.tile_inst(inst, slots, state.actor)?,
                Inst::Gpu(inst) => match &**inst {
                    GpuInst::Launch(_) => return Ok(Flow::Launch),
                    GpuInst::Sync(_) => return Ok(Flow::Sync),
                    inst => self.gpu_inst(inst, code.ops[*pc], slots, state)?,
                },
                Inst::Trap(why) => return Err(Fault::new(why.to_string())),
            }
            *pc += 1;
        }
    }

    #[inline]
    fn load(&mut self, m: &MemRef, indices: &[i64], actor: Actor) -> Run<Value> {
        check_rank(m, indices)?;
        self.counters.loads += 1;
        self.memory.read(m, m.position(indices)?, actor)
    }

    #[inline]
    fn store(&mut self, m: &MemRef, indices: &[i64], v: &Value, actor: Actor) -> Run<()> {
        check_rank(m, indices)?;
        self.counters.stores += 1;
        self.memory.write(m, m.position(indices)?, v, actor)
    }
}

#[inline]
fn check_rank(m: &MemRef, indices: &[i64]) -> Run<()> {
    if m.rank() != indices.len() {
        return Err(Fault::new(format!(
            "{} indices into a memref of rank {}",
            indices.len(),
            m.rank()
        )));
    }
    Ok(())
}

/// The launch op and the thread, for the trace of an error.
fn thread_note(p: &Position, launch: Op, ctx: &terrace_ir::Context) -> (terrace_ir::Loc, String) {
    let [x, y, z] = p.thread;
    let [bx, by, bz] = p.block;
    (
        launch.loc(ctx),
        format!("in thread ({x}, {y}, {z}) of block ({bx}, {by}, {bz}), launched here"),
    )
}
