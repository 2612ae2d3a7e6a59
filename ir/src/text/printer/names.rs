//! Names of values and blocks.

use crate::block::{Block, Region};
use crate::context::Context;
use crate::op::Op;
use crate::opdef::traits;
use crate::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone)]
pub(super) enum Base {
    Number(u32),
    Text(std::rc::Rc<str>),
}

/// The name of a value: `%base` or `%base#part`.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub base: Base,
    /// For a group of several results, which one this is.
    pub part: Option<u32>,
}

/// The counters that a nested region starts from and that its end restores.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counters {
    value: u32,
    arg: u32,
    conflict: u32,
}

#[derive(Default)]
pub(super) struct Names {
    /// Whether names in locations are those of values.
    from_locations: bool,
    values: FxHashMap<Value, Name>,
    /// The values outside the isolated ops being printed, innermost last.
    outer: Vec<FxHashMap<Value, Name>>,
    blocks: FxHashMap<Block, u32>,
    used: FxHashSet<std::rc::Rc<str>>,
    /// Names given in the region being numbered.
    added: Vec<std::rc::Rc<str>>,
    counters: Counters,
    /// Regions that are numbered but not printed yet: where their nested regions
    /// start counting, and the names they use.
    pending: FxHashMap<Region, (Counters, Vec<std::rc::Rc<str>>)>,
}

/// What to put back when the regions of an op have been printed.
pub(super) struct OpFrame {
    counters: Counters,
    /// The names hidden by an isolated op.
    used: Option<FxHashSet<std::rc::Rc<str>>>,
}

/// What to put back when a region has been printed.
pub(super) struct RegionFrame {
    counters: Counters,
    names: Vec<std::rc::Rc<str>>,
}

impl Names {
    pub fn new(from_locations: bool) -> Names {
        Names {
            from_locations,
            ..Names::default()
        }
    }

    /// The name in the location of a value, where such names count.
    fn in_location(&self, ctx: &Context, v: Value) -> Option<String> {
        let name = self.from_locations.then(|| v.loc(ctx).name_inside(ctx));
        name.flatten().filter(|n| !n.is_empty())
    }

    pub fn value(&self, v: Value) -> Option<&Name> {
        self.values
            .get(&v)
            .or_else(|| self.outer.iter().rev().find_map(|m| m.get(&v)))
    }

    pub fn block(&self, b: Block) -> Option<u32> {
        self.blocks.get(&b).copied()
    }

    /// Number everything around `op` as far as its values are visible in it, and its
    /// own results.
    pub(crate) fn enter_path(&mut self, ctx: &Context, op: Op) {
        let mut path = Vec::new();
        let mut o = op;
        while let Some(r) = o.region_of(ctx) {
            path.push(r);
            o = r.parent_op(ctx);
            if o.has_trait(ctx, traits::ISOLATED) {
                break;
            }
        }
        if path.is_empty() {
            self.number_op(ctx, op);
        }
        for r in path.into_iter().rev() {
            self.number_region(ctx, r);
        }
        self.added.clear();
    }

    /// Name what the regions of an op define, before any of the op is printed, since
    /// op syntax may mention region arguments ahead of the region.
    pub(crate) fn enter_op(&mut self, ctx: &Context, op: Op) -> OpFrame {
        let mut frame = OpFrame {
            counters: self.counters,
            used: None,
        };
        if op.has_trait(ctx, traits::ISOLATED) {
            frame.used = Some(std::mem::take(&mut self.used));
            self.outer.push(std::mem::take(&mut self.values));
            self.counters = Counters::default();
        }
        let start = self.counters;
        for r in op.regions(ctx) {
            self.counters = start;
            self.number_region(ctx, r);
            let added = std::mem::take(&mut self.added);
            for name in &added {
                self.used.remove(name);
            }
            self.pending.insert(r, (self.counters, added));
        }
        self.counters = start;
        frame
    }

    pub(crate) fn leave_op(&mut self, frame: OpFrame) {
        if let Some(used) = frame.used {
            self.used = used;
            self.values = self.outer.pop().unwrap_or_default();
        }
        self.counters = frame.counters;
    }

    /// Start printing a region: nested ones count on from it.
    pub(crate) fn enter_region(&mut self, r: Region) -> RegionFrame {
        let saved = self.counters;
        let (counters, names) = self.pending.remove(&r).unwrap_or_default();
        self.counters = counters;
        self.used.extend(names.iter().cloned());
        RegionFrame {
            counters: saved,
            names,
        }
    }

    pub fn leave_region(&mut self, frame: RegionFrame) {
        for name in frame.names {
            self.used.remove(&name);
        }
        self.counters = frame.counters;
    }

    fn number_region(&mut self, ctx: &Context, r: Region) {
        let parent = r.parent_op(ctx);
        let arg_names = parent.def(ctx).and_then(|d| d.arg_names);
        for (n, b) in r.blocks(ctx).into_iter().enumerate() {
            self.blocks.insert(b, n as u32);
            let special = match arg_names {
                Some(f) if n == 0 => {
                    let i = parent
                        .regions(ctx)
                        .iter()
                        .position(|x| *x == r)
                        .unwrap_or(0);
                    f(ctx, parent, i)
                }
                _ => Vec::new(),
            };
            for (i, a) in b.args(ctx).into_iter().enumerate() {
                let special = special.get(i).cloned().flatten();
                match self.in_location(ctx, a).or(special) {
                    Some(s) => self.set(a, &s, None),
                    None if n == 0 => {
                        let s = format!("arg{}", self.counters.arg);
                        self.counters.arg += 1;
                        self.set(a, &s, None);
                    }
                    None => self.set(a, "", None),
                }
            }
            let mut next = b.first_op(ctx);
            while let Some(op) = next {
                next = op.next(ctx);
                self.number_op(ctx, op);
            }
        }
    }

    fn number_op(&mut self, ctx: &Context, op: Op) {
        let n = op.num_results(ctx);
        if n == 0 {
            return;
        }
        let mut special = match op.def(ctx) {
            Some(d) => match d.result_names {
                Some(f) => f(ctx, op),
                None => group_names(ctx, op, d),
            },
            None => Vec::new(),
        };
        if let Some(name) = self.in_location(ctx, op.result(ctx, 0)) {
            if special.is_empty() {
                special.push(None);
            }
            for (i, s) in special.iter_mut().enumerate() {
                if i == 0 || s.is_some() {
                    *s = Some(name.clone());
                }
            }
        }
        // A name on a later result starts a new group: `%a:2, %b = ...`.
        let named = |i: usize| special.get(i).is_some_and(Option::is_some);
        let mut start = 0;
        while start < n {
            let end = (start + 1..n).find(|i| named(*i)).unwrap_or(n);
            let first = op.result(ctx, start);
            let name = special.get(start).and_then(|s| s.as_deref()).unwrap_or("");
            self.set(first, name, (end - start > 1).then_some(0));
            let Some(base) = self.values.get(&first).map(|n| n.base.clone()) else {
                return;
            };
            for i in start + 1..end {
                let name = Name {
                    base: base.clone(),
                    part: Some((i - start) as u32),
                };
                self.values.insert(op.result(ctx, i), name);
            }
            start = end;
        }
    }

    /// Name a value: the next number for the empty name, else a name like it that is
    /// not in use.
    fn set(&mut self, v: Value, name: &str, part: Option<u32>) {
        if name.is_empty() {
            let base = Base::Number(self.counters.value);
            self.counters.value += 1;
            self.values.insert(v, Name { base, part });
            return;
        }
        let clean: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "_$.-".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        // A leading digit would read as a number.
        let clean = if clean.starts_with(|c: char| c.is_ascii_digit()) {
            format!("_{clean}")
        } else {
            clean
        };
        let mut text: std::rc::Rc<str> = clean.as_str().into();
        while self.used.contains(&text) {
            text = format!("{clean}_{}", self.counters.conflict).into();
            self.counters.conflict += 1;
        }
        self.used.insert(text.clone());
        self.added.push(text.clone());
        self.values.insert(
            v,
            Name {
                base: Base::Text(text),
                part,
            },
        );
    }
}

/// The results of an op with several are named after their groups, where the op does
/// not name them itself; only the first of a group has the name.
fn group_names(ctx: &Context, op: Op, def: &crate::opdef::OpDef) -> Vec<Option<String>> {
    if def.results.len() < 2 {
        return Vec::new();
    }
    let mut names = vec![None; op.num_results(ctx)];
    for (i, group) in def.results.iter().enumerate() {
        let first = def
            .result_range(ctx, op, i)
            .filter(|r| !r.is_empty())
            .map(|r| r.start);
        if let Some(n) = first.and_then(|k| names.get_mut(k)) {
            *n = Some(group.name.to_string());
        }
    }
    names
}
