//! What `gpu-map-contractions` leaves on a launch of what it made, and what sizes make of it.
//!
//! Sizes are named as [`Options::sizes`](crate::gpu::model::Options) names them: a size that
//! has several names (`%n`, `arg2`, the dimension of an array) has all of them in one text,
//! with spaces between.

use super::{Factor, Line, Other, Product, Stored, Unit};
use crate::analysis::linear::Linear;
use crate::gpu::model::read::names;
use terrace_dialects::{arith, memref};
use terrace_ir::{Attr, Context, Value};

/// A number for each row and column, of sizes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Form {
    pub line: Line,
    /// Names of a size, and what it is multiplied by.
    pub sizes: Vec<(String, i64)>,
}

/// A factor; `vector` is what lanes copy at once where rows are aligned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoteFactor {
    pub factor: Factor,
    /// The number along which neighbours in memory lie ends here: aligned where a multiple
    /// of a vector, as far as rows of the array are as long.
    pub end: Form,
}

/// How the blocks of two kernels are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compared {
    pub multiprocessors: i64,
    pub tile: [i64; 2],
    pub least: i64,
    pub more: i64,
    pub time: i64,
}

impl Compared {
    fn cost(&self, tiles: &dyn Fn([i64; 2]) -> i64) -> i64 {
        let n = self.multiprocessors.max(1);
        let blocks = tiles(self.tile).saturating_add(n - 1) / n;
        (blocks.max(self.least) + self.more).saturating_mul(self.time)
    }
}

/// A product as it was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    pub unit: Unit,
    pub tile: [i64; 2],
    pub warps: [i64; 2],
    pub depth: i64,
    pub stages: i64,
    pub group: i64,
    pub shared_bytes: i64,
    pub last_first: bool,
    /// Of rows, columns and k: what the source calls them, the first number and the end.
    pub names: [String; 3],
    pub ranges: [[Form; 2]; 3],
    /// First and end of the outer counter of rows that have two.
    pub outer: Option<[Form; 2]>,
    pub inside: Vec<Form>,
    pub factors: Vec<NoteFactor>,
    pub result: Stored,
    /// The kernel that is run where it costs no more than the other, and the other; and which
    /// of them this is.
    pub choice: Option<([Compared; 2], usize)>,
}

/// The names of a value, through casts; empty where it has none.
pub fn key_of(ctx: &Context, v: Value) -> String {
    let mut all: Vec<String> = Vec::new();
    let mut v = v;
    loop {
        all.extend(names(ctx, v));
        let Some(op) = v.def_op() else { break };
        match op.name(ctx) {
            arith::IndexCastOp::NAME | arith::ExtSIOp::NAME | arith::TruncIOp::NAME => {
                v = op.operand(ctx, 0)
            }
            memref::DimOp::NAME => {
                if let Some(d) = ctx.constant_int(op.operand(ctx, 1)) {
                    let of = names(ctx, op.operand(ctx, 0));
                    all.extend(of.iter().map(|n| format!("{n}.{d}")));
                }
                break;
            }
            _ => break,
        }
    }
    all.retain(|n| !n.contains(char::is_whitespace));
    all.dedup();
    all.join(" ")
}

impl Form {
    /// A form in rows, columns and sizes.
    pub fn of(ctx: &Context, l: &Linear, row: Value, col: Value) -> Form {
        let mut out = Form {
            line: Line::constant(l.constant),
            sizes: Vec::new(),
        };
        for (v, f) in &l.terms {
            match ctx.constant_int(*v) {
                _ if *v == row => out.line.row += f,
                _ if *v == col => out.line.col += f,
                Some(c) => out.line.constant += c.saturating_mul(*f),
                None => out.sizes.push((key_of(ctx, *v), *f)),
            }
        }
        out
    }

    fn attr(&self, ctx: &Context) -> Attr {
        let l = &self.line;
        let mut all = vec![ctx.i64_array(&[l.constant, l.row, l.col])];
        for (name, f) in &self.sizes {
            all.extend([ctx.string_attr(name), ctx.i64_attr(*f)]);
        }
        ctx.array_attr(all)
    }

    fn read(ctx: &Context, a: Attr) -> Option<Form> {
        let (line, sizes) = a.as_array(ctx)?.split_first()?;
        let [constant, row, col] = line.as_i64_array(ctx)?.try_into().ok()?;
        let sizes = sizes.chunks_exact(2).map(|c| {
            let name = c[0].as_str(ctx)?.to_string();
            Some((name, c[1].as_i64(ctx)?))
        });
        Some(Form {
            line: Line { constant, row, col },
            sizes: sizes.collect::<Option<_>>()?,
        })
    }

    /// With sizes in; the names of those that are not known are added to `wants`.
    fn line(&self, sizes: &[(String, i64)], wants: &mut Vec<String>) -> Line {
        let mut out = self.line;
        for (key, f) in &self.sizes {
            let mut names = key.split(' ');
            let known = sizes
                .iter()
                .rev()
                .find(|(n, _)| key.split(' ').any(|k| k == n));
            match known {
                Some((_, n)) => {
                    let more = n.saturating_mul(*f);
                    out.constant = out.constant.saturating_add(more);
                }
                None => {
                    let name = names.next().unwrap_or_default().to_string();
                    if !wants.contains(&name) {
                        wants.push(name);
                    }
                }
            }
        }
        out
    }
}

impl Note {
    pub fn attr(&self, ctx: &Context) -> Attr {
        let (unit, shape) = match self.unit {
            Unit::Doubles(s) => ("f64", s.to_vec()),
            Unit::Rounded(s) => ("tf32", s.to_vec()),
            Unit::Halves(s) => ("halves", s.to_vec()),
            Unit::Registers(s) => ("registers", s.to_vec()),
        };
        let forms = |all: &[Form]| ctx.array_attr(all.iter().map(|f| f.attr(ctx)).collect());
        let texts =
            |all: &[String]| ctx.array_attr(all.iter().map(|t| ctx.string_attr(t)).collect());
        let factors = self.factors.iter().map(|n| {
            let f = &n.factor;
            let numbers = [
                f.side as i64,
                f.bytes,
                i64::from(f.along_k),
                i64::from(f.k_last),
                f.pitch,
                f.vector,
            ];
            let (array, text) = (ctx.string_attr(&f.array), ctx.string_attr(&f.text));
            ctx.array_attr(vec![array, text, ctx.i64_array(&numbers), n.end.attr(ctx)])
        });
        let r = &self.result;
        let result = [
            r.bytes,
            r.sum_bytes,
            i64::from(r.read_before),
            i64::from(r.read_behind),
            r.stores,
        ];
        let shape_of = [
            self.tile[0],
            self.tile[1],
            self.warps[0],
            self.warps[1],
            self.depth,
            self.stages,
            self.group,
            self.shared_bytes,
            i64::from(self.last_first),
        ];
        let mut entries = vec![
            ("unit", ctx.string_attr(unit)),
            ("unit_shape", ctx.i64_array(&shape)),
            ("shape", ctx.i64_array(&shape_of)),
            ("names", texts(&self.names)),
            ("ranges", forms(&self.ranges.concat())),
            ("inside", forms(&self.inside)),
            ("factors", ctx.array_attr(factors.collect())),
            ("result", texts(&[r.array.clone(), r.text.clone()])),
            ("result_shape", ctx.i64_array(&result)),
        ];
        if let Some(outer) = &self.outer {
            entries.push(("outer", forms(outer)));
        }
        if let Some((two, which)) = &self.choice {
            let mut numbers = vec![*which as i64];
            for c in two {
                let [m, n] = c.tile;
                numbers.extend([c.multiprocessors, m, n, c.least, c.more, c.time]);
            }
            entries.push(("choice", ctx.i64_array(&numbers)));
        }
        ctx.dict_attr(entries.into_iter().map(|(k, a)| (ctx.intern(k), a)))
    }

    /// The note that an attribute is; `None` where it is none.
    pub fn read(ctx: &Context, a: Attr) -> Option<Note> {
        let dict = a.as_dict(ctx)?;
        let get = |name: &str| dict.iter().find(|e| ctx.str(e.0) == name).map(|e| e.1);
        let numbers = |name: &str| get(name)?.as_i64_array(ctx);
        let forms = |name: &str| -> Option<Vec<Form>> {
            let all = get(name)?.as_array(ctx)?.iter();
            all.map(|a| Form::read(ctx, *a)).collect()
        };
        let texts = |name: &str| -> Option<Vec<String>> {
            let all = get(name)?.as_array(ctx)?.iter();
            all.map(|a| a.as_str(ctx).map(str::to_string)).collect()
        };
        let positive = |all: &[i64]| all.iter().all(|n| *n > 0);
        let shape = numbers("unit_shape").filter(|s| positive(s))?;
        let three = || <[i64; 3]>::try_from(shape.clone()).ok();
        let unit = match get("unit")?.as_str(ctx)? {
            "f64" => Unit::Doubles(three()?),
            "tf32" => Unit::Rounded(three()?),
            "halves" => Unit::Halves(three()?),
            "registers" => Unit::Registers(shape.clone().try_into().ok()?),
            _ => return None,
        };
        let [m, n, wm, wn, depth, stages, group, shared_bytes, last_first] =
            numbers("shape")?.try_into().ok()?;
        if !positive(&[m, n, wm, wn, depth, stages, group]) {
            return None;
        }
        let [r0, r1, c0, c1, k0, k1] = forms("ranges")?.try_into().ok()?;
        let factors = get("factors")?.as_array(ctx)?.iter().map(|f| {
            let [array, text, shape, end] = f.as_array(ctx)? else {
                return None;
            };
            let [side, bytes, along_k, k_last, pitch, vector] =
                shape.as_i64_array(ctx)?.try_into().ok()?;
            let fits = (0..2).contains(&side) && positive(&[bytes, pitch, vector]);
            fits.then_some(())?;
            Some(NoteFactor {
                factor: Factor {
                    array: array.as_str(ctx)?.to_string(),
                    text: text.as_str(ctx)?.to_string(),
                    side: side as usize,
                    bytes,
                    along_k: along_k != 0,
                    k_last: k_last != 0,
                    pitch,
                    vector,
                },
                end: Form::read(ctx, *end)?,
            })
        });
        let [array, text] = texts("result")?.try_into().ok()?;
        let [bytes, sum_bytes, before, behind, stores] =
            numbers("result_shape")?.try_into().ok()?;
        let outer = match get("outer") {
            Some(_) => Some(forms("outer")?.try_into().ok()?),
            None => None,
        };
        let choice = match numbers("choice") {
            Some(all) => {
                let (which, rest) = all.split_first()?;
                let mut two = [Compared::default(); 2];
                for (c, n) in two.iter_mut().zip(rest.chunks_exact(6)) {
                    *c = Compared {
                        multiprocessors: n[0],
                        tile: [n[1].max(1), n[2].max(1)],
                        least: n[3],
                        more: n[4],
                        time: n[5],
                    };
                }
                Some((two, usize::from(*which != 0)))
            }
            None => None,
        };
        Some(Note {
            unit,
            tile: [m, n],
            warps: [wm, wn],
            depth,
            stages,
            group,
            shared_bytes,
            last_first: last_first != 0,
            names: texts("names")?.try_into().ok()?,
            ranges: [[r0, r1], [c0, c1], [k0, k1]],
            outer,
            inside: forms("inside")?,
            factors: factors.collect::<Option<_>>()?,
            result: Stored {
                array,
                text,
                bytes,
                sum_bytes,
                read_before: before != 0,
                read_behind: behind != 0,
                stores,
            },
            choice,
        })
    }

    /// The product for sizes.
    ///
    /// # Errors
    ///
    /// The names of the sizes that are not known; empty for those that have none.
    pub fn numbers(&self, sizes: &[(String, i64)]) -> Result<Product, Vec<String>> {
        let mut wants: Vec<String> = Vec::new();
        let mut line = |f: &Form| f.line(sizes, &mut wants);
        let [mut rows, cols, reach] = self.ranges.each_ref().map(|r| [line(&r[0]), line(&r[1])]);
        if let Some(outer) = &self.outer {
            // Rows by two counters are numbered from 0.
            let [lo, hi] = [line(&outer[0]), line(&outer[1])];
            let times = (hi.constant.saturating_sub(lo.constant)).max(0);
            let length = rows[1].constant.saturating_sub(rows[0].constant).max(0);
            rows = [
                Line::constant(0),
                Line::constant(length.saturating_mul(times)),
            ];
        }
        let inside = self.inside.iter().map(&mut line).collect();
        let factors = self.factors.iter().map(|f| {
            let end = line(&f.end).constant;
            let vector = if end % f.factor.vector == 0 {
                f.factor.vector
            } else {
                1
            };
            Factor {
                vector,
                ..f.factor.clone()
            }
        });
        let mut factors: Vec<Factor> = factors.collect();
        if !wants.is_empty() {
            return Err(wants);
        }
        // All of them are copied by vectors, or none is.
        let wide = self.factors.iter().zip(&factors);
        if wide.into_iter().any(|(n, f)| n.factor.vector != f.vector) {
            factors.iter_mut().for_each(|f| f.vector = 1);
        }
        let ends = |r: [Line; 2]| r.map(|l| l.constant);
        let (rows, cols) = (ends(rows), ends(cols));
        let other = self.choice.map(|(two, which)| {
            let tiles = |t: [i64; 2]| {
                let along = |r: [i64; 2], n: i64| {
                    let all = r[1].saturating_sub(r[0]).max(0);
                    all / n + i64::from(all % n > 0)
                };
                along(rows, t[0]).saturating_mul(along(cols, t[1]))
            };
            let first = two[0].cost(&tiles) <= two[1].cost(&tiles);
            Other {
                tile: two[1 - which].tile,
                is_run: first == (which == 0),
            }
        });
        Ok(Product {
            unit: self.unit,
            tile: self.tile,
            warps: self.warps,
            depth: self.depth,
            stages: self.stages,
            group: self.group,
            shared_bytes: u32::try_from(self.shared_bytes).unwrap_or(u32::MAX),
            rows,
            cols,
            reach,
            inside,
            last_first: self.last_first,
            factors,
            result: self.result.clone(),
            other,
        })
    }
}
