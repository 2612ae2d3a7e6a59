//! What a launch is made of, for whoever explains it: loops, blocks, accesses, reductions.
//!
//! `map-parallel-to-gpu` leaves it on the launch where it is asked to, as the
//! attribute `gpu.mapped`. Places are those of the source, texts its words.

use std::fmt;
use terrace_dialects::attributes::GPU_MAPPED;
use terrace_ir::diag::DiagLoc;
use terrace_ir::{Attr, Context, Op};

/// What is said of one launch.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LaunchNote {
    /// What its threads do.
    pub kind: Kind,
    /// The outermost loop first.
    pub loops: Vec<MappedLoop>,
    /// Blocks along x, y, z, as text in the names of the source: `(n + 255) / 256`. Empty where
    /// there is no short one, and where a clause gives the number.
    pub grid: [String; 3],
    /// A clause gives the number of blocks.
    pub fixed: bool,
    /// Iterations of a loop that a thread does, where they are several.
    pub rows: Option<Rows>,
    /// How its threads reach memory.
    pub accesses: Vec<AccessNote>,
    /// What its threads combine.
    pub reductions: Vec<ReductionNote>,
    /// Anything else, as clauses.
    pub remarks: Vec<String>,
}

/// What the threads of a launch do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Kind {
    /// Iterations of loops, each for itself.
    #[default]
    Nest,
    /// Iterations whose values the threads of a block combine.
    Reduction,
    /// They combine what the blocks of the launch before have left.
    Combination,
}

/// What runs the iterations of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedLoop {
    /// Where it stands in the source.
    pub place: DiagLoc,
    /// Its counter.
    pub variable: String,
    /// Threads along an axis, or one thread.
    pub to: MappedTo,
}

/// See [`MappedLoop`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappedTo {
    /// Threads of blocks along an axis, 0 for x.
    Axis(u8),
    /// One thread, one after another.
    Sequential,
}

impl fmt::Display for MappedTo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axis = |a: &u8| match a {
            0 => 'x',
            1 => 'y',
            _ => 'z',
        };
        match self {
            MappedTo::Axis(a) => write!(f, "{}", axis(a)),
            MappedTo::Sequential => f.write_str("sequential"),
        }
    }
}

/// Iterations of a loop that a thread does at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    /// The place of the loop among the mapped ones, the outermost 0.
    pub level: usize,
    /// How many iterations.
    pub iterations: i64,
    /// Only where there are enough of them.
    pub where_many: bool,
}

/// How the threads of a warp reach memory in one access.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccessNote {
    /// As the source calls it.
    pub array: String,
    /// As the source has it: `A[i][k]`.
    pub text: String,
    /// Where it stands in the source.
    pub place: DiagLoc,
    /// It is a store.
    pub writes: bool,
    /// Elements from one thread to the next along x; `None` where that is no constant.
    pub stride: Option<i64>,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// What is known of the stride where it is no constant, as a clause:
    /// `neighbouring threads are a row of a apart`.
    pub apart: Option<String>,
    /// Sectors of 32 bytes that a warp asks for at once; the most that it may be where
    /// `stride` is not known.
    pub sectors: Option<u32>,
    /// The least sectors that these elements fit in.
    pub ideal: Option<u32>,
}

/// Values of all iterations combined into one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReductionNote {
    /// The variable, or the array of which each element is one.
    pub variable: String,
    /// `sum`, `product`, `minimum`, `maximum`, `and`, `or`, `xor`.
    pub operation: String,
    /// The order of the operations shows in the result: a sum or product of floats.
    pub reordered: bool,
}

impl LaunchNote {
    /// Leaves it on a launch.
    pub(crate) fn put(&self, ctx: &Context, launch: Op) {
        let w = Writer(ctx);
        let kind = match self.kind {
            Kind::Nest => "nest",
            Kind::Reduction => "reduction",
            Kind::Combination => "combination",
        };
        let mut all = vec![("kind", ctx.string_attr(kind))];
        let mut list = |name, v: Vec<Attr>| {
            if !v.is_empty() {
                all.push((name, ctx.array_attr(v)));
            }
        };
        list("loops", self.loops.iter().map(|l| w.mapped(l)).collect());
        list(
            "grid",
            self.grid.iter().map(|t| ctx.string_attr(t)).collect(),
        );
        list("fixed", if self.fixed { vec![ctx.unit()] } else { vec![] });
        let rows = self.rows.map(|r| {
            let numbers = [r.level as i64, r.iterations, i64::from(r.where_many)];
            numbers.map(|n| ctx.i64_attr(n)).to_vec()
        });
        list("rows", rows.unwrap_or_default());
        list(
            "accesses",
            self.accesses.iter().map(|a| w.access(a)).collect(),
        );
        let reductions = self.reductions.iter().map(|r| {
            ctx.array_attr(vec![
                ctx.string_attr(&r.variable),
                ctx.string_attr(&r.operation),
                ctx.bool_attr(r.reordered),
            ])
        });
        list("reductions", reductions.collect());
        let remarks = self.remarks.iter().map(|t| ctx.string_attr(t));
        list("remarks", remarks.collect());
        let all = all.into_iter().map(|(name, v)| (ctx.intern(name), v));
        launch.set_attr(ctx, GPU_MAPPED, ctx.dict_attr(all));
    }

    /// Takes it from a launch; `None` where there is none.
    pub(crate) fn take(ctx: &Context, launch: Op) -> Option<LaunchNote> {
        let attr = launch.attr(ctx, GPU_MAPPED)?;
        launch.remove_attr(ctx, GPU_MAPPED);
        let dict = attr.as_dict(ctx)?;
        let get = |name: &str| dict.iter().find(|e| ctx.str(e.0) == name).map(|e| e.1);
        let list = |name: &str| get(name).and_then(|a| a.as_array(ctx)).unwrap_or_default();
        let r = Reader(ctx);
        let grid: Vec<String> = list("grid").iter().map(|a| r.text(*a)).collect();
        let rows = match list("rows") {
            [level, iterations, many] => Some(Rows {
                level: usize::try_from(level.as_i64(ctx)?).ok()?,
                iterations: iterations.as_i64(ctx)?,
                where_many: many.as_i64(ctx)? != 0,
            }),
            _ => None,
        };
        let reductions = list("reductions").iter().filter_map(|a| {
            let [variable, operation, reordered] = a.as_array(ctx)? else {
                return None;
            };
            Some(ReductionNote {
                variable: r.text(*variable),
                operation: r.text(*operation),
                reordered: reordered.as_bool(ctx)?,
            })
        });
        Some(LaunchNote {
            kind: match get("kind")?.as_str(ctx)? {
                "reduction" => Kind::Reduction,
                "combination" => Kind::Combination,
                _ => Kind::Nest,
            },
            loops: list("loops").iter().filter_map(|a| r.mapped(*a)).collect(),
            grid: grid.try_into().unwrap_or_default(),
            fixed: !list("fixed").is_empty(),
            rows,
            accesses: list("accesses")
                .iter()
                .filter_map(|a| r.access(*a))
                .collect(),
            reductions: reductions.collect(),
            remarks: list("remarks").iter().map(|a| r.text(*a)).collect(),
        })
    }
}

/// Parts of a note as attributes.
struct Writer<'c>(&'c Context);

impl Writer<'_> {
    fn place(&self, place: &DiagLoc) -> Attr {
        match place {
            DiagLoc::Unknown => self.0.unit(),
            DiagLoc::Other(text) => self.0.string_attr(text),
            DiagLoc::Pos { file, line, column } => self.0.array_attr(vec![
                self.0.string_attr(file),
                self.0.i64_attr((*line).into()),
                self.0.i64_attr((*column).into()),
            ]),
        }
    }

    fn mapped(&self, l: &MappedLoop) -> Attr {
        self.0.array_attr(vec![
            self.0.string_attr(&l.variable),
            self.place(&l.place),
            match l.to {
                MappedTo::Axis(a) => self.0.i64_attr(a.into()),
                MappedTo::Sequential => self.0.unit(),
            },
        ])
    }

    fn access(&self, a: &AccessNote) -> Attr {
        let number = |n: Option<i64>| n.map_or(self.0.unit(), |n| self.0.i64_attr(n));
        self.0.array_attr(vec![
            self.0.string_attr(&a.array),
            self.0.string_attr(&a.text),
            self.place(&a.place),
            self.0.bool_attr(a.writes),
            number(a.stride),
            number(Some(a.element_bytes.into())),
            match &a.apart {
                Some(text) => self.0.string_attr(text),
                None => self.0.unit(),
            },
            number(a.sectors.map(i64::from)),
            number(a.ideal.map(i64::from)),
        ])
    }
}

/// The same, back.
struct Reader<'c>(&'c Context);

impl Reader<'_> {
    fn text(&self, a: Attr) -> String {
        a.as_str(self.0).unwrap_or_default().to_string()
    }

    fn place(&self, a: Attr) -> DiagLoc {
        let number = |a: Attr| u32::try_from(a.as_i64(self.0).unwrap_or(0)).unwrap_or(0);
        match (a.as_array(self.0), a.as_str(self.0)) {
            (Some(&[file, line, column]), _) => {
                DiagLoc::pos(&self.text(file), number(line), number(column))
            }
            (_, Some(text)) => DiagLoc::Other(text.into()),
            _ => DiagLoc::Unknown,
        }
    }

    fn mapped(&self, a: Attr) -> Option<MappedLoop> {
        let &[variable, place, to] = a.as_array(self.0)? else {
            return None;
        };
        let axis = to.as_i64(self.0).and_then(|n| u8::try_from(n).ok());
        Some(MappedLoop {
            place: self.place(place),
            variable: self.text(variable),
            to: axis.map_or(MappedTo::Sequential, MappedTo::Axis),
        })
    }

    fn access(&self, a: Attr) -> Option<AccessNote> {
        let &[
            array,
            text,
            place,
            writes,
            stride,
            bytes,
            apart,
            sectors,
            ideal,
        ] = a.as_array(self.0)?
        else {
            return None;
        };
        let number = |a: Attr| a.as_i64(self.0).and_then(|n| u32::try_from(n).ok());
        Some(AccessNote {
            array: self.text(array),
            text: self.text(text),
            place: self.place(place),
            writes: writes.as_bool(self.0)?,
            stride: stride.as_i64(self.0),
            element_bytes: number(bytes)?,
            apart: apart.as_str(self.0).map(str::to_string),
            sectors: number(sectors),
            ideal: number(ideal),
        })
    }
}
