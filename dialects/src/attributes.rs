//! Attributes by which the parts of the compiler talk to each other: a pass, a front end or
//! the author of a program puts one on an op or an argument, and a later pass reads it.
//!
//! Each is declared here with what it means and who puts it there; the verifier checks its
//! value wherever it stands. `docs/reference/attributes.md` is written from these.

use terrace_ir::constraint::{
    ARRAY_ATTR, AttrConstraint, DENSE_I64, DICT_ATTR, I64_ATTR, MAP_ATTR, STRING_ATTR, UNIT_ATTR,
};
use terrace_ir::opdef::{OpAttrDef, OpAttrPlace};

/// Texts, as the names of dimensions.
const STRINGS: AttrConstraint = AttrConstraint::new("array of strings", |c, a| {
    let all = a.as_array(c);
    all.is_some_and(|v| v.iter().all(|e| e.as_str(c).is_some()))
});

/// Sizes along x, y and z.
const THREE_SIZES: AttrConstraint = AttrConstraint::new("array of three i64 numbers", |c, a| {
    a.as_i64_array(c).is_some_and(|v| v.len() == 3)
});

/// Sizes of a tiled kernel.
const FOUR_SIZES: AttrConstraint = AttrConstraint::new("array of four i64 numbers", |c, a| {
    a.as_i64_array(c).is_some_and(|v| v.len() == 4)
});

/// A number, whatever its type.
const NUMBER: AttrConstraint =
    AttrConstraint::new("integer attribute", |c, a| a.as_i64(c).is_some());

/// Registers that a thread of a kernel has at most: on a launch and on the kernel's function.
/// Mappers put it there, and the author of a program may. The backend says what is wrong with it.
pub const NVVM_MAXNREG: &str = "nvvm.maxnreg";

/// Threads of a kernel's block along x, y and z, of which the product is the most that it has: on
/// a launch and on the kernel's function. `gpu-fit-blocks` puts it there, and the author of a
/// program may. The backend says what is wrong with it.
pub const NVVM_MAXNTID: &str = "nvvm.maxntid";

macro_rules! attributes {
    ($($(#[doc = $doc:literal])* $id:ident = $name:literal, $place:ident, $value:expr;)*) => {
        $(
            $(#[doc = $doc])*
            pub const $id: &str = $name;
        )*
        /// All of them.
        pub static ALL: &[&OpAttrDef] = &[$(&OpAttrDef {
            name: $name,
            doc: concat!($($doc, "\n"),*),
            place: OpAttrPlace::$place,
            value: $value,
        }),*];
    };
}

attributes! {
    /// The loop runs the few iterations that did not fill a vector of the loop before it, or that
    /// a condition keeps out of the loop beside it. `affine-vectorize-innermost` and
    /// `affine-split-conditions` put it there, so that nothing makes more of such a loop.
    LOOP_LEFT_OVER = "loop.left_over", Op, UNIT_ATTR;
    /// The access of a region to an array or variable: `in`, `out` or `inout`. The C front end
    /// puts it there.
    ACC_ACCESS = "acc.access", Argument, STRING_ATTR;
    /// The argument is memory that may overlap any other. The C front end puts it there.
    ACC_ANYWHERE = "acc.anywhere", Argument, UNIT_ATTR;
    /// The array is a field of the records of another one: `of` is that one's text in the source,
    /// `offset` the bytes from the start of a record. Fields of the same records lie at fixed
    /// distances. The C front end puts it there, and native code addresses them from one pointer.
    ACC_FIELD = "acc.field", Argument, DICT_ATTR;
    /// The clauses of the directive on a loop. The C front end puts it there, and
    /// `offload-parallelize` and the mapping of regions read it.
    ACC_LOOP = "acc.loop", Op, DICT_ATTR;
    /// What the source calls an argument. The C front end puts it there, for messages.
    ACC_NAME = "acc.name", Argument, STRING_ATTR;
    /// What a directive says of iterations that are independent does not hold of the elements
    /// of this array. The C front end puts it there.
    ACC_ORDERED = "acc.ordered", Argument, UNIT_ATTR;
    /// The numbers of the arguments that this array may overlap. The C front end puts it there.
    ACC_OVERLAPS = "acc.overlaps", Argument, DENSE_I64;
    /// The array is one of pointers. The C front end puts it there.
    ACC_POINTERS = "acc.pointers", Argument, UNIT_ATTR;
    /// Conditions on the arguments of a function that hold whenever it is called. Each is a sum that is
    /// not negative. Its terms are arrays of a number and the arguments that it is multiplied by.
    /// `offload-unsigned` and `offload-presume` put it there, and whoever writes the call looks whether they hold.
    ACC_PRESUMES = "acc.presumes", Op, ARRAY_ATTR;
    /// For each value that a loop carries, the number of the operation by which a reduction clause combines
    /// it, or -1. The C front end puts it there, and `offload-private-reductions` reads it.
    ACC_REDUCTIONS = "acc.reductions", Op, DENSE_I64;
    /// The function is a region of a program: which construct, what the source promises, and
    /// which sizes its clauses give. The C front end puts it there.
    ACC_REGION = "acc.region", Op, DICT_ATTR;
    /// The array of one element is a scalar variable of the source. The C front end puts it
    /// there.
    ACC_SCALAR = "acc.scalar", Argument, UNIT_ATTR;
    /// The last two arguments of the function are the first iteration of its loop that it runs and the
    /// first that it does not run any more. The numbers are the arguments whose next values its results are.
    /// `offload-slices` puts it there.
    ACC_SLICES = "acc.slices", Op, DENSE_I64;
    /// The argument is an unsigned number of 32 bits in the source. The C front end puts it there.
    ACC_UNSIGNED = "acc.unsigned", Argument, UNIT_ATTR;
    /// The nest does the delayed updates of a blocked factorization. `affine-delay-updates` puts
    /// it there, for the mapper of contractions.
    AFFINE_DELAYED = "affine.delayed", Op, UNIT_ATTR;
    /// Iterations of a tile that is copied ahead, tiles of each array, and the bytes of all, for
    /// the cost model. `gpu-map-reductions` puts it on a launch.
    GPU_AHEAD = "gpu.ahead", Op, THREE_SIZES;
    /// How many threads a block has along x, y and z. `gpu-map-stencils` and schedules put it on
    /// an `scf.parallel`.
    GPU_BLOCK = "gpu.block", Op, THREE_SIZES;
    /// Of a `gpu.note_work`: only the bytes count, since the kernel tells its operations.
    GPU_BYTES = "gpu.bytes", Op, UNIT_ATTR;
    /// Threads have several iterations already. `gpu-coarsen-threads` puts it on what it made.
    GPU_COARSENED = "gpu.coarsened", Op, UNIT_ATTR;
    /// Both branches of the `scf.if` do the same work in two ways, so that it is counted once.
    GPU_EITHER = "gpu.either", Op, UNIT_ATTR;
    /// How many iterations the loops of a launch have along x, y and z, or -1 where that is no
    /// constant. It says that nobody asked for the shape of the blocks. `map-parallel-to-gpu` puts it there, and
    /// `gpu-fit-blocks` reads it.
    GPU_EXTENTS = "gpu.extents", Op, THREE_SIZES;
    /// Blocks of `gpu.block` are those for long loops, and nobody asked for them. `gpu-map` and
    /// schedules put it on an `affine.parallel`.
    GPU_FIT = "gpu.fit", Op, UNIT_ATTR;
    /// What a launch says of its loops, blocks and accesses, for `terrace explain`.
    /// `map-parallel-to-gpu` puts it there where it is asked to.
    GPU_MAPPED = "gpu.mapped", Op, DICT_ATTR;
    /// Which mapper is to make the kernel of a nest: `loops`, `stencil`, `reduction`,
    /// `contraction` or `tile`. Schedules, `gpu-map` and `tile-from-affine` put it there.
    GPU_MAPPER = "gpu.mapper", Op, STRING_ATTR;
    /// The number of a nest, by which it is found again after it has been lowered. Launches of
    /// its kernel have it too.
    GPU_NEST = "gpu.nest", Op, I64_ATTR;
    /// What a launch says of its kernel in words, for `terrace explain`. Mappers put it there.
    GPU_NOTE = "gpu.note", Op, STRING_ATTR;
    /// Sizes and layout of a matrix product, for the cost model. `gpu-map-contractions` puts it
    /// on a launch.
    GPU_PRODUCT = "gpu.product", Op, DICT_ATTR;
    /// How many iterations of a loop a thread runs: on an `scf.parallel`, and on the `scf.if`
    /// in it that runs them at once.
    GPU_ROWS = "gpu.rows", Op, I64_ATTR;
    /// Rows and columns of a block of a matrix product's kernel, its depth and its stages; 0
    /// where the mapper chooses. Schedules put it there.
    GPU_SHAPE = "gpu.shape", Op, FOUR_SIZES;
    /// The address of the argument is a multiple of so many bytes. `gpu-infer-kernel-promises`
    /// puts it on kernels; the backend uses wider accesses.
    LLVM_ALIGN = "llvm.align", Argument, NUMBER;
    /// No other argument reaches the memory of this one. The author of a program promises it, or
    /// `gpu-infer-kernel-promises` finds it.
    LLVM_NOALIAS = "llvm.noalias", Argument, UNIT_ATTR;
    /// A schedule asks for the loop to be parallel: the number of the step.
    OFFLOAD_PARALLEL = "offload.parallel", Op, NUMBER;
    /// Other mappings of a nest that `terrace tune` may try. `gpu-map` leaves them on the steps
    /// of its schedule.
    SCHEDULE_CANDIDATES = "schedule.candidates", Op, ARRAY_ATTR;
    /// Why a step stands in a schedule that `gpu-map` or `terrace tune` wrote.
    SCHEDULE_NOTE = "schedule.note", Op, STRING_ATTR;
    /// What the dimensions of an array are called, as `terrace run --size n=100` names them.
    TERRACE_DIMS = "terrace.dims", Argument, STRINGS;
    /// Floating-point operations of a call, as a formula in the sizes, for `terrace run`.
    TERRACE_FLOPS = "terrace.flops", Op, STRING_ATTR;
    /// The access is surely within its array. `memref-hoist-bounds-checks` puts it there; on a
    /// program that came as text it says nothing.
    TERRACE_IN_BOUNDS = "terrace.in_bounds", Op, UNIT_ATTR;
    /// What an argument holds where `terrace run` makes it, as a formula.
    TERRACE_INIT = "terrace.init", Argument, STRING_ATTR;
    /// What an argument is called, on the command line and in messages.
    TERRACE_NAME = "terrace.name", Argument, STRING_ATTR;
    /// The argument, or each element of the array that it is, is not below nought and no NaN. The author of a
    /// program promises it; `arith-restructure` uses it.
    TERRACE_NONNEGATIVE = "terrace.nonnegative", Argument, UNIT_ATTR;
    /// The argument, or each element of the array that it is, is above nought and no NaN. The author of a
    /// program promises it; `arith-restructure` uses it.
    TERRACE_POSITIVE = "terrace.positive", Argument, UNIT_ATTR;
    /// The function, which has no body, is one of C: it takes numbers of one type, and gives one. The front
    /// end of formulas puts it there, and calls are made as C makes them.
    TERRACE_C_FUNCTION = "terrace.c_function", Op, UNIT_ATTR;
    /// Nothing in the function says in which order its loops run, as long as each iteration finds what it needs: on
    /// cores the order is chosen by what it is estimated to cost. The front end of formulas puts it there.
    TERRACE_ANY_ORDER = "terrace.any_order", Op, UNIT_ATTR;
    /// What an assertion about indices of an array is about, over symbols that are the function's first arguments: the
    /// least index and the greatest that are asked for, the first and the last that there are, and the step.
    /// The front end of formulas puts it there, and `terrace run` says the numbers where the assertion fails.
    TERRACE_RANGE = "terrace.range", Op, MAP_ATTR;
    /// The sizes that `terrace run` gives an array, over symbols that are the first arguments. The front
    /// end of formulas puts it there.
    TERRACE_SHAPE = "terrace.shape", Argument, MAP_ATTR;
    /// Which thread and register of a block holds which element of the tile that the op makes,
    /// folds or stores: the text of a layout (`terrace-layout`). `tile-from-affine` puts it there.
    TILE_LAYOUT = "tile.layout", Op, STRING_ATTR;
    /// No kernel is made of this parallel loop, because copies would take longer.
    /// `xfer-keep-on-host` puts it there.
    XFER_ON_HOST = "xfer.on_host", Op, UNIT_ATTR;
    /// The `scf.if` is a test around a loop that may not run, made while copies are placed.
    XFER_TEST = "xfer.test", Op, UNIT_ATTR;
}
