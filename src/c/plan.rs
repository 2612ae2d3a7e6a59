//! What is known about a region when its C call is written.

use super::compile::{CompiledRegion, Estimated, Extent};
use super::requests::Request;
use crate::passes::region::presume::Condition;
use terrace_c::directive::Target;
use terrace_c::region::{CapturedArray, Region, Size};

/// A region, what it was compiled to, and what directives beside its own ask for it.
#[derive(Debug, Clone, Copy)]
pub struct Compiled<'a> {
    pub region: &'a Region,
    pub made: &'a CompiledRegion,
    pub request: &'a Request,
}

/// Which iterations of the outermost loop of a region its code for cores runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Iterations {
    All,
    /// Those between two numbers, which stand behind the words of the results. It is given all.
    Between,
    /// Those, and parts of them may be run by it and others by the C statement.
    InParts,
}

/// A region that was compiled to object code.
///
/// With R for `symbol`, the object defines the data `terrace_R`, a `struct
/// terrace_region`, and where an extent is [`ArrayExtent::Computed`] the function
/// `int terrace_R_extents(unsigned long long *words)`.
#[derive(Debug, Clone)]
pub struct RegionPlan {
    pub region: Region,
    /// `FUNC_regionN_HASH`: letters, digits and underscores, unique in the program.
    pub symbol: String,
    /// There is a form for the GPU.
    pub gpu: bool,
    /// There is code of terrace's own for the CPU.
    pub cpu: bool,
    /// Only threads make that code quicker than the statement.
    pub only_threads: bool,
    /// That code and the statement give the same bits, so that the program may find out which is
    /// quicker; whether the code is expected to be by far.
    pub trial: Option<bool>,
    /// Which iterations of its outermost loop that code runs.
    pub iterations: Iterations,
    /// One for each of the region's captures; scalars have [`ArrayExtent::Scalar`].
    pub extents: Vec<ArrayExtent>,
    /// How many elements of the outermost dimension a computed extent has, from 0 on, in
    /// the names of the source where it has words; for the reader only.
    pub extent_words: Vec<Option<String>>,
    /// Of each of the region's captures: an access of which nothing tells whether it
    /// happens, in the names of the source, where that is so of all; for the reader only.
    pub extent_unsure: Vec<Option<String>>,
    /// Of each of the region's captures: an array of which it may leave nothing of what
    /// was in the part that is copied.
    pub overwritten: Vec<Option<Overwrite>>,
    /// The last result of the function of the extents, which writes all of them, behind the extents'
    /// own.
    pub last_result: Option<usize>,
    /// The code presumes that arrays behind pointers without `restrict` are different
    /// memory: the call looks whether they are, and runs the C statement if not.
    pub check_alias: bool,
    /// Captures of which those of one number (from 1) may be the same memory from the
    /// first byte to the last.
    pub coincide: Vec<(usize, u32)>,
    /// What the code presumes of scalars among the captures, which are the function's arguments: the
    /// call looks whether it holds, and runs the C statement if not.
    pub presumed: Vec<Condition>,
    /// The user asks for it to stay on the host.
    pub at_home: bool,
    /// The user asks for it to run on a GPU, whatever the construct.
    pub wants_gpu: bool,
    /// The user names a target for it.
    pub names_target: bool,
    /// Of a region that may stay on the host though it has a form for the GPU.
    pub pays: Option<Pays>,
}

/// When a region surely writes all that is copied of an array before it reads any of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overwrite {
    /// Which result of the function of the extents says it, 1 or 0, the extents' own four
    /// for each array counted; `None` where it always does.
    pub result: Option<usize>,
    /// What it depends on, in the names of the source: nothing if empty; `None` where that
    /// takes too many words.
    pub words: Option<String>,
}

/// What is known of whether a region pays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pays {
    /// 0 if it does not, 1 if it does, 2 if the function `int terrace_R_estimate(unsigned
    /// long long *words)` tells: it takes words as that of the extents does and writes
    /// [`crate::passes::region::Work::NUMBERS`] more.
    pub known: u32,
    /// A directive asks for it: it stays only where the device is much slower.
    pub asked: bool,
}

/// Which part of an array a region may touch, as far as the analysis knows.
///
/// The function of the extents takes the words of the region's arguments, where the
/// addresses of arrays and sizes that nothing says are 0, and writes two more words for
/// each array that is `Computed`, in order of the captures: the least value of the
/// outermost subscript, and the greatest plus one. Both are signed. Where the second is
/// not the greater nothing is touched. Behind them it writes two words for each once more,
/// of the subscripts that are surely in the array. It returns 0, or something else when it could
/// not compute them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArrayExtent {
    /// Not an array.
    Scalar,
    Computed,
    /// In the words of the source, without a full stop: "the subscript of p comes from
    /// memory".
    Unknown(String),
}

impl RegionPlan {
    /// The plan of a region that has code.
    pub fn of(compiled: Compiled) -> RegionPlan {
        let Compiled {
            region,
            made,
            request,
        } = compiled;
        let extents = region.captures.iter().enumerate().map(|(i, c)| {
            if c.array().is_none() {
                return ArrayExtent::Scalar;
            }
            match made.extents.get(i) {
                Some(Extent::Computed) => ArrayExtent::Computed,
                Some(Extent::Unknown(why)) => ArrayExtent::Unknown(why.text.clone()),
                _ => ArrayExtent::Unknown("nothing says how large it is".into()),
            }
        });
        // What pointers in memory lead to may be any array.
        let mut arrays = region.captures.iter().filter_map(|c| c.array());
        let anywhere = arrays.any(|a| a.anywhere || a.tables.is_some());
        let overwritten = region.captures.iter().enumerate().map(|(i, c)| {
            let array = c.array().filter(|a| !anywhere && is_whole(a))?;
            let found = made.overwritten.iter().find(|o| o.argument == i)?;
            // Elsewhere the compiler knows the sizes of the array.
            let hull = made.extents.get(i) == Some(&Extent::Computed);
            let known = matches!(array.sizes.first(), Some(Size::Const(_))) && !array.is_pointer;
            (hull || known).then(|| Overwrite {
                result: found.result,
                words: found.words.clone(),
            })
        });
        RegionPlan {
            overwritten: overwritten.collect(),
            last_result: made.overwritten.iter().filter_map(|o| o.result).max(),
            extents: extents.collect(),
            extent_words: made.extent_words.clone(),
            extent_unsure: made.extent_unsure.clone(),
            region: region.clone(),
            symbol: made.symbol.clone(),
            gpu: made.gpu,
            cpu: made.cpu,
            only_threads: made.only_threads,
            trial: (made.cpu && made.same_bits).then_some(made.notes.schedule.is_some()),
            iterations: match &made.slices {
                None => Iterations::All,
                // What a part leaves for the next is in memory, or in a result that is an argument, too.
                Some(next) if made.in_parts && *next == region.results => Iterations::InParts,
                Some(_) => Iterations::Between,
            },
            at_home: matches!(&request.target, Some((Target::Host | Target::Cpu, _))),
            wants_gpu: request.target.as_ref().is_some_and(|(t, _)| t.is_gpu()),
            names_target: request.target.is_some(),
            check_alias: !made.notes.assumed_distinct.is_empty(),
            coincide: coincide(region, &made.notes.may_coincide),
            presumed: made.notes.presumed.clone(),
            pays: pays(region, made),
        }
    }
}

/// Whether the elements are all there is in the array's memory.
fn is_whole(array: &CapturedArray) -> bool {
    array.field.is_none() && array.strides.is_none() && !array.pointers && !array.is_const
}

/// Arrays that may coincide, pair by pair, in groups of which any two may.
fn coincide(region: &Region, pairs: &[(String, String)]) -> Vec<(usize, u32)> {
    let capture = |name: &String| {
        let mut all = region.captures.iter();
        all.position(|c| c.text == *name && c.array().is_some())
    };
    let pairs: Vec<(usize, usize)> = pairs
        .iter()
        .filter_map(|(a, b)| Some((capture(a)?, capture(b)?)))
        .collect();
    let may = |a: usize, b: usize| pairs.contains(&(a, b)) || pairs.contains(&(b, a));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for one in pairs.iter().flat_map(|(a, b)| [*a, *b]) {
        if groups.iter().flatten().any(|known| *known == one) {
            continue;
        }
        match groups.iter_mut().find(|g| g.iter().all(|k| may(*k, one))) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let numbered = groups.iter().zip(1..);
    numbered
        .flat_map(|(group, n)| group.iter().map(move |c| (*c, n)))
        .collect()
}

fn pays(region: &Region, made: &CompiledRegion) -> Option<Pays> {
    let estimate = made.estimate?;
    match (region.directive, estimate) {
        (None, e) => Some(Pays {
            known: e.known(),
            asked: false,
        }),
        (Some(_), Estimated::Never) => None,
        (Some(_), _) => Some(Pays {
            known: 2,
            asked: true,
        }),
    }
}
