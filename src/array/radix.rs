//! Sorting by digits, on a device: integers are put in the order of four of their bits after the
//! other, the lowest first, and each time those with equal bits keep their order.
//!
//! A block has a tile of elements side by side. One kernel counts the digits of each tile, a scan
//! says where each tile's elements of each digit begin, and another kernel puts them there. For
//! that each thread counts the digits of its few elements in a column of its own, so that no two
//! meet, and a scan over the columns of a block ranks all of its elements. They are put in order in
//! the block's memory first, and then those of one digit go out side by side.
//!
//! The method is in D. Merrill and A. Grimshaw, "High performance and scalable radix sorting", 2011.
//!
//! No loop of a user has columns of counters, so that the kernels are made here, of the operations
//! that kernels of loops become. From there on they go the way of all.

use super::arrays::Array;
use super::context::Context;
use super::error::ArrayError;
use super::own::Code;
use super::reduce::{max, min, sum};
use crate::dialects::gpu::BarrierOp;
use crate::run::source::ProgramText;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use terrace_dsl::{Element, RealNumber};

/// The bits of a digit, and how many digits there are.
const BITS: u32 = 4;
const DIGITS: usize = 1 << BITS;

/// The threads of a block.
const THREADS: usize = 256;
const WARPS: usize = THREADS / 32;

/// Kernels that are kept: what they are for, and them.
pub(super) type Kept = Mutex<Vec<(String, Arc<Code>)>>;

/// An unsigned integer that is sorted.
pub trait Digits: Element + RealNumber {
    /// Its type in MLIR.
    const NAME: &'static str;
    /// How many elements a thread has, alone and with a number beside each: a block's memory has
    /// 48 KiB.
    const EACH: [usize; 2];

    /// As the widest.
    fn wide(self) -> u64;
}

impl Digits for u32 {
    const NAME: &'static str = "i32";
    const EACH: [usize; 2] = [16, 12];

    fn wide(self) -> u64 {
        self.into()
    }
}

impl Digits for u64 {
    const NAME: &'static str = "i64";
    const EACH: [usize; 2] = [8, 8];

    fn wide(self) -> u64 {
        self
    }
}

/// How many elements a device sorts so: places are numbers of 32 bits.
pub(super) const MOST: usize = i32::MAX as usize;

/// Integers in ascending order, and numbers of 32 bits that went with them. Elements that are equal
/// keep their order. All is on the context's only device, and what is given is not changed.
///
/// # Errors
///
/// What the compiler or the device say, or memory is short.
pub(super) fn sorted<K: Digits>(
    cx: &Context,
    keys: &Array<K>,
    with: Option<&Array<u32>>,
) -> Result<(Array<K>, Option<Array<u32>>), ArrayError> {
    let n = keys.len();
    if n < 2 {
        return Ok((keys.clone(), with.cloned()));
    }
    // The bits in which all are equal say nothing of the order.
    let (low, high) = cx.reduce((min(keys), max(keys)))?;
    let bits = u64::BITS - (low.wide() ^ high.wide()).leading_zeros();
    let each = K::EACH[usize::from(with.is_some())];
    let blocks = n.div_ceil(THREADS * each);
    let count = code(cx, "count", K::NAME, each, false, count_text)?;
    let place = code(cx, "place", K::NAME, each, with.is_some(), place_text)?;
    let (counts, starts) = (
        cx.zeros::<u32>(&[DIGITS * blocks])?,
        cx.zeros::<u32>(&[DIGITS * blocks])?,
    );
    let like = || cx.zeros::<K>(&[n]);
    let mut from = (keys.clone(), with.cloned());
    let mut to = (like()?, with.map(|_| cx.zeros::<u32>(&[n])).transpose()?);
    let mut spare = None;
    for shift in (0..bits).step_by(BITS as usize) {
        let numbers = (n as i64, blocks as i64, i64::from(shift));
        // SAFETY: a block reads elements below `n`, and writes its own counters alone. Ranks in a
        // tile are below its size. The counts of all tiles are those of `from`, so that places
        // differ and are below `n`.
        unsafe {
            let args = (&from.0, &counts, numbers.0, numbers.1, numbers.2);
            count.called_unchecked(cx, &args)?;
            starts.set_exclusive_scan(sum(&counts), 0)?;
            match (&from.1, &to.1) {
                (Some(a), Some(b)) => {
                    let (n, blocks, shift) = numbers;
                    let args = (&from.0, &to.0, &starts, n, blocks, shift, a, b);
                    place.called_unchecked(cx, &args)?;
                }
                _ => {
                    let (n, blocks, shift) = numbers;
                    let args = (&from.0, &to.0, &starts, n, blocks, shift);
                    place.called_unchecked(cx, &args)?;
                }
            }
        }
        // What was given stays as it is.
        let next = match spare.take() {
            Some(s) => s,
            None => (like()?, with.map(|_| cx.zeros::<u32>(&[n])).transpose()?),
        };
        let done = std::mem::replace(&mut from, std::mem::replace(&mut to, next));
        if shift > 0 {
            spare = Some(done);
        }
    }
    Ok(from)
}

/// The code of a kernel, which is made where there is none yet.
fn code(
    cx: &Context,
    name: &str,
    ty: &str,
    each: usize,
    pairs: bool,
    text: fn(&str, usize, bool) -> String,
) -> Result<Arc<Code>, ArrayError> {
    let key = format!("{name} {ty} {each} {pairs}");
    let kept = &cx.inner.radix;
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, code)) = kept.iter().find(|(k, _)| *k == key) {
        return Ok(Arc::clone(code));
    }
    let program = ProgramText::mlir("radix.mlir", &text(ty, each, pairs));
    let code = Arc::new(Code::of_kernels(cx, &program)?);
    kept.push((key, Arc::clone(&code)));
    Ok(code)
}

/// Lines of a kernel.
struct Lines(String);

impl Lines {
    fn add(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    /// Index constants named by their values.
    fn constants(&mut self, all: &[usize]) {
        for c in all {
            let name = format!("%c{c} = ");
            if !self.0.contains(&name) {
                self.add(&format!("{name}arith.constant {c} : index"));
            }
        }
    }

    /// The digit of a key as an index, `%{to}`.
    fn digit(&mut self, ty: &str, key: &str, to: &str) {
        self.add(&format!("%{to}_s = arith.shrui %{key}, %by : {ty}"));
        self.add(&format!("%{to}_m = arith.andi %{to}_s, %mask : {ty}"));
        self.add(&format!(
            "%{to} = arith.index_castui %{to}_m : {ty} to index"
        ));
    }

    /// A place in the table of counters, `%{to}`: one is left out behind 32, so that threads that
    /// go through rows use different banks.
    fn padded(&mut self, place: &str, to: &str) {
        self.add(&format!("%{to}_g = arith.shrui %{place}, %c5 : index"));
        self.add(&format!("%{to} = arith.addi %{place}, %{to}_g : index"));
    }
}

const SHARED: &str = "#gpu.address_space<workgroup>";

/// A module with a function that launches a kernel of its parameters. Those are keys, what is
/// between, and then the number of elements, of blocks and the first bit of the digit.
fn module(
    name: &str,
    arrays: &[(&str, &str)],
    behind: &[(&str, &str)],
    shared: &str,
    body: &str,
) -> String {
    let numbers = [("n", "index"), ("blocks", "index"), ("shift", "index")];
    let all: Vec<(&str, &str)> = [arrays, &numbers, behind].concat();
    let params: Vec<String> = all.iter().map(|(n, t)| format!("%{n}: {t}")).collect();
    let args: Vec<String> = all.iter().map(|(n, t)| format!("%{n} : {t}")).collect();
    let (params, args) = (params.join(", "), args.join(", "));
    format!(
        "module attributes {{gpu.container_module}} {{
func.func @{name}({params}) {{
  %c1 = arith.constant 1 : index
  %threads = arith.constant {THREADS} : index
  gpu.launch_func @{name}_kernel::@{name}_kernel blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1) args({args})
  return
}}
gpu.module @{name}_kernel {{
gpu.func @{name}_kernel({params}) workgroup({shared}) kernel {{
{body}gpu.return
}}
}}
}}
"
    )
}

/// What both kernels begin with.
fn begin(ty: &str, each: usize) -> Lines {
    let mut l = Lines(String::new());
    l.add("%t = gpu.thread_id x");
    l.add("%b = gpu.block_id x");
    l.constants(&[0, 1, 2, 4, 5, DIGITS, THREADS, THREADS * each, each]);
    l.add(&format!("%mask = arith.constant {} : {ty}", DIGITS - 1));
    l.add("%one = arith.constant 1 : i32");
    l.add("%zero = arith.constant 0 : i32");
    l.add(&match ty {
        "i64" => "%by = arith.index_cast %shift : index to i64".to_string(),
        _ => format!("%by = arith.index_cast %shift : index to {ty}"),
    });
    l.add(&format!(
        "%base = arith.muli %b, %c{} : index",
        THREADS * each
    ));
    l
}

/// A kernel that counts the digits of each tile: those of one digit of all tiles lie side by side.
fn count_text(ty: &str, each: usize, _: bool) -> String {
    let bins = DIGITS * WARPS;
    let bins_type = format!("memref<{bins}xi32, {SHARED}>");
    let mut l = begin(ty, each);
    l.constants(&[bins]);
    l.add(&format!("%first = arith.cmpi ult, %t, %c{bins} : index"));
    l.add("scf.if %first {");
    l.add(&format!("memref.store %zero, %bins[%t] : {bins_type}"));
    l.add("}");
    l.add(BarrierOp::NAME);
    // Each warp has counters of its own.
    l.add("%warp = arith.shrui %t, %c5 : index");
    l.add(&format!("%row = arith.muli %warp, %c{DIGITS} : index"));
    for i in 0..each {
        l.add(&format!("%o{i} = arith.constant {} : index", i * THREADS));
        l.add(&format!("%q{i} = arith.addi %base, %o{i} : index"));
        l.add(&format!("%p{i} = arith.addi %q{i}, %t : index"));
        l.add(&format!("%there{i} = arith.cmpi ult, %p{i}, %n : index"));
        l.add(&format!("scf.if %there{i} {{"));
        l.add(&format!(
            "%k{i} = memref.load %keys[%p{i}] : memref<?x{ty}>"
        ));
        l.digit(ty, &format!("k{i}"), &format!("d{i}"));
        l.add(&format!("%bin{i} = arith.addi %row, %d{i} : index"));
        l.add(&format!(
            "%was{i} = memref.atomic_rmw addi %one, %bins[%bin{i}] : (i32, {bins_type}) -> i32"
        ));
        l.add("}");
    }
    l.add(BarrierOp::NAME);
    l.add(&format!("%own = arith.cmpi ult, %t, %c{DIGITS} : index"));
    l.add("scf.if %own {");
    l.add(&format!("%s0 = memref.load %bins[%t] : {bins_type}"));
    for w in 1..WARPS {
        l.add(&format!("%w{w} = arith.constant {} : index", w * DIGITS));
        l.add(&format!("%a{w} = arith.addi %t, %w{w} : index"));
        l.add(&format!("%v{w} = memref.load %bins[%a{w}] : {bins_type}"));
        l.add(&format!("%s{w} = arith.addi %s{}, %v{w} : i32", w - 1));
    }
    l.add("%line = arith.muli %t, %blocks : index");
    l.add("%at = arith.addi %line, %b : index");
    l.add(&format!(
        "memref.store %s{}, %counts[%at] : memref<?xi32>",
        WARPS - 1
    ));
    l.add("}");
    let keys = format!("memref<?x{ty}>");
    let arrays = [("keys", keys.as_str()), ("counts", "memref<?xi32>")];
    module("count", &arrays, &[], &format!("%bins: {bins_type}"), &l.0)
}

/// A kernel that puts the elements of each tile where those of their digits begin.
fn place_text(ty: &str, each: usize, pairs: bool) -> String {
    let (table, tile) = (DIGITS * THREADS, THREADS * each);
    let counters = format!("memref<{}xi32, {SHARED}>", table + table / 32);
    let tile_type = format!("memref<{tile}x{ty}, {SHARED}>");
    let beside_type = format!("memref<{tile}xi32, {SHARED}>");
    let warps = format!("memref<{WARPS}xi32, {SHARED}>");
    let mut l = begin(ty, each);
    for d in 0..DIGITS {
        l.add(&format!("%r{d} = arith.constant {} : index", d * THREADS));
        l.add(&format!("%z{d}_p = arith.addi %r{d}, %t : index"));
        l.padded(&format!("z{d}_p"), &format!("z{d}"));
        // No other thread touches this column before the barrier.
        l.add(&format!(
            "memref.store %zero, %counters[%z{d}] : {counters}"
        ));
    }
    // Behind the last element come such that sort behind all others.
    l.add(&format!("%none = arith.constant -1 : {ty}"));
    l.add(&format!("%mine = arith.muli %t, %c{each} : index"));
    l.add("%front = arith.addi %base, %mine : index");
    for i in 0..each {
        l.add(&format!("%i{i} = arith.constant {i} : index"));
        l.add(&format!("%p{i} = arith.addi %front, %i{i} : index"));
        l.add(&format!("%there{i} = arith.cmpi ult, %p{i}, %n : index"));
        l.add(&format!("%k{i} = scf.if %there{i} -> ({ty}) {{"));
        l.add(&format!(
            "%k{i}_l = memref.load %keys[%p{i}] : memref<?x{ty}>"
        ));
        l.add(&format!(
            "scf.yield %k{i}_l : {ty}\n}} else {{\nscf.yield %none : {ty}\n}}"
        ));
        if pairs {
            l.add(&format!("%v{i} = scf.if %there{i} -> (i32) {{"));
            l.add(&format!(
                "%v{i}_l = memref.load %with[%p{i}] : memref<?xi32>"
            ));
            l.add(
                "scf.yield %v_l : i32\n} else {\nscf.yield %zero : i32\n}"
                    .replace("%v_l", &format!("%v{i}_l"))
                    .as_str(),
            );
        }
    }
    for i in 0..each {
        l.digit(ty, &format!("k{i}"), &format!("d{i}"));
        l.add(&format!("%u{i}_r = arith.muli %d{i}, %c{THREADS} : index"));
        l.add(&format!("%u{i}_p = arith.addi %u{i}_r, %t : index"));
        l.padded(&format!("u{i}_p"), &format!("u{i}"));
        l.add(&format!(
            "%e{i} = memref.load %counters[%u{i}] : {counters}"
        ));
        l.add(&format!("%e{i}_n = arith.addi %e{i}, %one : i32"));
        l.add(&format!(
            "memref.store %e{i}_n, %counters[%u{i}] : {counters}"
        ));
    }
    l.add(BarrierOp::NAME);
    // Each thread adds up a piece of the table in its order, digits outermost.
    l.add(&format!("%piece = arith.muli %t, %c{DIGITS} : index"));
    for j in 0..DIGITS {
        l.add(&format!("%j{j} = arith.constant {j} : index"));
        l.add(&format!("%x{j}_p = arith.addi %piece, %j{j} : index"));
        l.padded(&format!("x{j}_p"), &format!("x{j}"));
        l.add(&format!(
            "%y{j} = memref.load %counters[%x{j}] : {counters}"
        ));
    }
    l.add("%sum0 = arith.addi %y0, %zero : i32");
    for j in 1..DIGITS {
        l.add(&format!("%sum{j} = arith.addi %sum{}, %y{j} : i32", j - 1));
    }
    let total = format!("%sum{}", DIGITS - 1);
    l.add("%c31 = arith.constant 31 : index");
    l.add("%lane = arith.andi %t, %c31 : index");
    l.add("%lane32 = arith.index_cast %lane : index to i32");
    l.add("%width = arith.constant 32 : i32");
    let mut so_far = total.clone();
    for (s, by) in [1, 2, 4, 8, 16].into_iter().enumerate() {
        l.add(&format!("%by{s} = arith.constant {by} : i32"));
        l.add(&format!(
            "%from{s}, %valid{s} = gpu.shuffle up {so_far}, %by{s}, %width : i32"
        ));
        l.add(&format!("%far{s} = arith.cmpi uge, %lane32, %by{s} : i32"));
        l.add(&format!(
            "%add{s} = arith.select %far{s}, %from{s}, %zero : i32"
        ));
        l.add(&format!("%scan{s} = arith.addi {so_far}, %add{s} : i32"));
        so_far = format!("%scan{s}");
    }
    l.add("%warp = arith.shrui %t, %c5 : index");
    l.add("%last = arith.cmpi eq, %lane, %c31 : index");
    l.add("scf.if %last {");
    l.add(&format!("memref.store {so_far}, %warps[%warp] : {warps}"));
    l.add("}");
    l.add(BarrierOp::NAME);
    l.add(&format!("%run0_ = arith.subi {so_far}, {total} : i32"));
    for w in 0..WARPS - 1 {
        l.add(&format!("%w{w} = arith.constant {w} : index"));
        l.add(&format!("%o{w} = memref.load %warps[%w{w}] : {warps}"));
        l.add(&format!("%b{w} = arith.cmpi ult, %w{w}, %warp : index"));
        l.add(&format!("%f{w} = arith.select %b{w}, %o{w}, %zero : i32"));
        l.add(&format!(
            "%run{}_ = arith.addi %run{w}_, %f{w} : i32",
            w + 1
        ));
    }
    l.add(&format!(
        "%before0 = arith.addi %run{}_, %zero : i32",
        WARPS - 1
    ));
    for j in 0..DIGITS {
        l.add(&format!(
            "memref.store %before{j}, %counters[%x{j}] : {counters}"
        ));
        l.add(&format!(
            "%before{} = arith.addi %before{j}, %y{j} : i32",
            j + 1
        ));
    }
    l.add(BarrierOp::NAME);
    for i in 0..each {
        l.add(&format!(
            "%g{i} = memref.load %counters[%u{i}] : {counters}"
        ));
        l.add(&format!("%h{i} = arith.addi %g{i}, %e{i} : i32"));
        l.add(&format!("%rank{i} = arith.index_cast %h{i} : i32 to index"));
        l.add(&format!(
            "memref.store %k{i}, %tile[%rank{i}] : {tile_type}"
        ));
        if pairs {
            l.add(&format!(
                "memref.store %v{i}, %beside[%rank{i}] : {beside_type}"
            ));
        }
    }
    l.add(BarrierOp::NAME);
    for i in 0..each {
        l.add(&format!("%s{i}_o = arith.constant {} : index", i * THREADS));
        l.add(&format!("%s{i} = arith.addi %s{i}_o, %t : index"));
        l.add(&format!("%s{i}_p = arith.addi %base, %s{i} : index"));
        l.add(&format!("%is{i} = arith.cmpi ult, %s{i}_p, %n : index"));
        l.add(&format!("scf.if %is{i} {{"));
        l.add(&format!("%m{i} = memref.load %tile[%s{i}] : {tile_type}"));
        l.digit(ty, &format!("m{i}"), &format!("md{i}"));
        l.add(&format!("%n{i}_p = arith.muli %md{i}, %c{THREADS} : index"));
        l.padded(&format!("n{i}_p"), &format!("n{i}"));
        l.add(&format!(
            "%start{i} = memref.load %counters[%n{i}] : {counters}"
        ));
        l.add(&format!("%line{i} = arith.muli %md{i}, %blocks : index"));
        l.add(&format!("%at{i} = arith.addi %line{i}, %b : index"));
        l.add(&format!(
            "%all{i} = memref.load %starts[%at{i}] : memref<?xi32>"
        ));
        l.add(&format!("%off{i} = arith.subi %all{i}, %start{i} : i32"));
        l.add(&format!(
            "%off{i}_i = arith.index_cast %off{i} : i32 to index"
        ));
        l.add(&format!("%to{i} = arith.addi %off{i}_i, %s{i} : index"));
        l.add(&format!(
            "memref.store %m{i}, %out[%to{i}] : memref<?x{ty}>"
        ));
        if pairs {
            l.add(&format!(
                "%mv{i} = memref.load %beside[%s{i}] : {beside_type}"
            ));
            l.add(&format!(
                "memref.store %mv{i}, %out_with[%to{i}] : memref<?xi32>"
            ));
        }
        l.add("}");
    }
    let keys = format!("memref<?x{ty}>");
    let arrays = [
        ("keys", keys.as_str()),
        ("out", &keys),
        ("starts", "memref<?xi32>"),
    ];
    let mut shared = format!("%counters: {counters}, %tile: {tile_type}, %warps: {warps}");
    let behind: &[(&str, &str)] = match pairs {
        true => &[("with", "memref<?xi32>"), ("out_with", "memref<?xi32>")],
        false => &[],
    };
    if pairs {
        let _ = write!(shared, ", %beside: {beside_type}");
    }
    module("place", &arrays, behind, &shared, &l.0)
}
