//! `offload-map`: a function whose parallel loops are launches becomes one whose host part
//! only computes numbers and launches kernels.
//!
//! Legal because everything that touches an array runs on the device, in the order of
//! the program: launches go down one stream. What stands between the launches that
//! `map-parallel-to-gpu` and others have made runs in kernels of one thread. Numbers that
//! kernels compute lie in device memory of one element; they are fetched where the host
//! needs them: bounds, conditions, results.
//!
//! ```text
//! %s = memref.load %a[%i]                  gpu.launch 1 thread { store (load %a[%i]), %b[0] }
//! scf.for %t = ... {                       scf.for %t = ... {
//!   gpu.launch ... { use(%s) }         =>    gpu.launch ... { use(load %b[0]) }
//! }                                        }
//! ```
//!
//! | file | what |
//! | --- | --- |
//! | `walk` | which ops go where |
//! | `serial` | runs of statements as kernels of one thread |
//! | `resident`, `carried`, `memory` | numbers, those of loops, and arrays that live on the device |
//! | `note` | what is said |

mod carried;
mod memory;
mod note;
mod resident;
mod serial;
mod walk;

use terrace_dialects::attributes::ACC_REGION;

use super::notes::KernelNote;
use resident::Fetch;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::{func, gpu};
use terrace_ir::pass::{
    OptionInfo, Pass, PassContext, PassFailed, PassInfo, PassResult, StatisticInfo,
};
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

/// `offload-map`.
pub static INFO: PassInfo = PassInfo {
    name: "offload-map",
    title: "OffloadMap",
    summary: "Turn functions of regions into host code that only launches kernels",
    description: "In functions with the attribute 'acc.region', gives launches names and what they need, and makes kernels of everything between that touches an array. The arrays that the function takes are then device memory.",
    anchor: Some(func::FuncOp::NAME),
    options: &[OptionInfo::flag(
        "all-functions",
        "Do so in functions without the attribute too",
    )],
    statistics: &[StatisticInfo::new("num-kernels", "Number of kernels made")],
    make: |o| {
        Ok(Box::new(OffloadMap {
            all: o.bool("all-functions"),
        }))
    },
};

struct OffloadMap {
    all: bool,
}

impl Pass for OffloadMap {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        if !self.all && op.attr(ctx, ACC_REGION).is_none() {
            return Ok(());
        }
        let kernels = map_region(ctx, op)?;
        ctx.count("num-kernels", kernels.len() as u64);
        Ok(())
    }
}

/// Map the function of a region, as the [module](self) says, and tell of each kernel.
///
/// # Errors
///
/// What cannot run on a device is reported among the context's diagnostics.
pub fn map_region(ctx: &mut Context, function: Op) -> Result<Vec<KernelNote>, PassFailed> {
    let region = function.region(ctx, 0);
    let Some(entry) = region.entry(ctx) else {
        return Ok(Vec::new());
    };
    if !region.has_one_block(ctx) {
        function.error(
            ctx,
            "has branches between blocks; offloading needs loops and conditions as scf ops",
        );
        return Err(PassFailed);
    }
    let name = function.symbol_name(ctx).unwrap_or("region").to_string();
    let mut m = Mapper {
        function,
        entry,
        name,
        kernels: Vec::new(),
        resident: FxHashMap::default(),
        tainted: FxHashSet::default(),
        fetches: Vec::new(),
        made: FxHashSet::default(),
        owned: Vec::new(),
        failed: false,
        ctx,
    };
    m.prepare();
    m.host_block(entry);
    m.finish();
    if m.failed {
        return Err(PassFailed);
    }
    Ok(m.kernels)
}

/// The state of mapping one function.
struct Mapper<'c> {
    ctx: &'c mut Context,
    function: Op,
    entry: Block,
    /// The function's name, from which kernels get theirs.
    name: String,
    kernels: Vec<KernelNote>,
    /// Numbers that lie on the device: the value that stands for each on the host, and
    /// its buffer of one element.
    resident: FxHashMap<Value, Value>,
    /// Values that are resident or computed from such without touching memory.
    tainted: FxHashSet<Value>,
    fetches: Vec<Fetch>,
    /// The ops of the fetches, which are as they should be.
    made: FxHashSet<Op>,
    /// Device memory that lives as long as the call.
    owned: Vec<Value>,
    failed: bool,
}

impl Mapper<'_> {
    /// Record an error; mapping goes on, to find others.
    fn fail(&mut self, op: Op, message: &str) {
        op.error(self.ctx, message);
        self.failed = true;
    }

    /// Device memory for the whole call.
    fn owned_buffer(&mut self, ty: terrace_ir::Type) -> Value {
        let loc = self.function.loc(self.ctx);
        let mut b = Builder::at_start(self.ctx, self.entry, loc);
        let v = gpu::AllocOp::build(&mut b, ty, &[]);
        self.owned.push(v);
        v
    }

    /// Free what the call owns, and drop what nothing uses in the end.
    fn finish(&mut self) {
        self.drop_unused();
        let returns: Vec<Op> = self
            .entry
            .ops(self.ctx)
            .into_iter()
            .filter(|o| o.isa::<func::ReturnOp>(self.ctx))
            .collect();
        for v in std::mem::take(&mut self.owned) {
            if !v.has_uses(self.ctx) {
                if let Some(op) = v.def_op() {
                    op.erase(self.ctx);
                }
                continue;
            }
            for r in &returns {
                let mut b = Builder::before(self.ctx, *r);
                gpu::DeallocOp::build(&mut b, v);
            }
        }
    }

    /// What the next kernel is called.
    fn next_name(&self) -> String {
        let function = self.name.replace('.', "_");
        format!("{function}_kernel{}", self.kernels.len())
    }

    /// An empty launch in front of `at`, its name set: the body has its arguments and
    /// no terminator yet.
    fn launch(&mut self, at: Op, grid: [Value; 3], block: [Value; 3]) -> (gpu::LaunchOp, Block) {
        let name = self.next_name();
        let mut b = Builder::before(self.ctx, at);
        let (launch, entry) = gpu::LaunchOp::build(&mut b, grid, block, &[], &[]);
        let symbol = b.ctx.symbol_attr(&name);
        launch.op().set_attr(b.ctx, "function", symbol);
        let place = b.ctx.diag_loc(b.loc);
        self.kernels.push(KernelNote {
            name,
            place,
            ..KernelNote::default()
        });
        (launch, entry)
    }
}

/// End a launch's body.
fn terminate(ctx: &mut Context, entry: Block, loc: terrace_ir::Loc) {
    let mut b = Builder::new(ctx, InsertPoint::End(entry), loc);
    b.op::<gpu::TerminatorOp>(&[], &[], &[]);
}
