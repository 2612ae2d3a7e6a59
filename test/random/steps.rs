//! Random schedules for the loops of a program.

use super::nests::Loop;
use super::rng::Rng;

/// A loop as far as the schedule knows it.
#[derive(Clone)]
struct Handle {
    /// The value that stands for it.
    name: String,
    /// The loop of the program, where it still is one of those.
    origin: Option<usize>,
    /// How many loops are perfectly nested from this one on, as far as known.
    band: usize,
}

/// A schedule with one to three steps, as text.
pub fn schedule(seed: u64, loops: &[Loop]) -> String {
    let mut s = Steps {
        rng: Rng::new(seed ^ 0x5eed),
        loops,
        handles: Vec::new(),
        text: String::from("schedule.sequence @s on @main {\n"),
        made: 0,
    };
    for (i, l) in loops.iter().enumerate() {
        let name = format!("%l{i}");
        s.text.push_str(&format!(
            "  {name} = schedule.find_loop {{iv = \"{}\"}} : !schedule.loop\n",
            l.iv
        ));
        s.handles.push(Handle {
            name,
            origin: Some(i),
            band: l.band.len(),
        });
    }
    for _ in 0..s.rng.below(3) + 1 {
        s.step();
    }
    s.text + "}\n"
}

struct Steps<'a> {
    rng: Rng,
    loops: &'a [Loop],
    handles: Vec<Handle>,
    text: String,
    made: usize,
}

impl Steps<'_> {
    /// Write a step with `results` loops and give their handles.
    fn write(&mut self, results: usize, step: &str) -> Vec<String> {
        let name = format!("%r{}", self.made);
        self.made += 1;
        let (defined, names) = match results {
            0 => (String::new(), Vec::new()),
            1 => (format!("{name} = "), vec![name]),
            n => (
                format!("{name}:{n} = "),
                (0..n).map(|i| format!("{name}#{i}")).collect(),
            ),
        };
        self.text.push_str(&format!("  {defined}schedule.{step}\n"));
        names
    }

    /// The loops of a band are no more; others stand in their place.
    fn replace(&mut self, first: &Handle, depth: usize, new: Vec<String>) {
        let gone: Vec<usize> = match first.origin {
            Some(i) => self.loops[i].band.iter().take(depth).copied().collect(),
            None => Vec::new(),
        };
        self.handles
            .retain(|h| h.name != first.name && !h.origin.is_some_and(|o| gone.contains(&o)));
        let n = new.len();
        for (i, name) in new.into_iter().enumerate() {
            self.handles.push(Handle {
                name,
                origin: None,
                band: n - i,
            });
        }
    }

    fn step(&mut self) {
        if self.handles.is_empty() {
            return;
        }
        let kind = self.rng.below(32);
        // Steps for loops of one kind get such a loop, where there is one.
        let fits = |h: &&Handle| match (kind, h.origin) {
            (16..20, Some(o)) => self.loops[o].next.is_some(),
            (20 | 21, Some(o)) => self.loops[o].statements > 1,
            (16..22, None) => false,
            (3..6 | 8 | 9 | 14 | 15, _) => h.band > 1,
            _ => true,
        };
        let mut choice: Vec<&Handle> = self.handles.iter().filter(fits).collect();
        if choice.is_empty() {
            choice = self.handles.iter().collect();
        }
        let h = (*self.rng.pick(&choice)).clone();
        let l = h.name.clone();
        let most = h.band.clamp(1, 3);
        // Now and then one too many, which must be refused.
        let too_many = usize::from(self.rng.chance(5));
        let depth = 1 + self.rng.below(most + too_many);
        match kind {
            0 | 1 => {
                let sizes: Vec<String> = (0..depth)
                    .map(|_| self.rng.between(1, 4).to_string())
                    .collect();
                let new = self.write(2 * depth, &format!("tile {l} sizes [{}]", sizes.join(", ")));
                self.replace(&h, depth, new);
            }
            2 => {
                let n = self.rng.between(1, 4);
                let new = self.write(2, &format!("strip_mine {l} by {n}"));
                self.replace(&h, 1, new);
            }
            3..6 | 14 | 15 => {
                let depth = most;
                let mut order: Vec<usize> = (0..depth).collect();
                for i in (1..depth).rev() {
                    order.swap(i, self.rng.below(i + 1));
                }
                let order: Vec<String> = order.iter().map(usize::to_string).collect();
                let new = self.write(depth, &format!("permute {l} order [{}]", order.join(", ")));
                self.replace(&h, depth, new);
            }
            6 | 13 => {
                let new = self.write(1, &format!("reverse {l}"));
                self.replace(&h, 1, new);
            }
            7 => {
                let n = self.rng.between(-3, 3);
                let new = self.write(1, &format!("shift {l} by {n}"));
                self.replace(&h, 1, new);
            }
            8 => {
                let Some(inner) = h.origin.and_then(|o| {
                    let inside = &self.loops[o].inside;
                    let there = |i: &&usize| self.handles.iter().any(|h| h.origin == Some(**i));
                    inside.iter().find(there).copied()
                }) else {
                    return;
                };
                let f = self.rng.between(-2, 2);
                let new = self.write(2, &format!("skew {l}, %l{inner} by {f}"));
                let inner_handle = Handle {
                    name: format!("%l{inner}"),
                    origin: Some(inner),
                    band: 1,
                };
                self.replace(&inner_handle, 1, Vec::new());
                self.replace(&h, 1, new);
                // The band goes on behind the two.
                let rest = self.loops[inner].band.len().saturating_sub(1);
                let n = self.handles.len();
                for h in &mut self.handles[n - 2..] {
                    h.band += rest;
                }
            }
            9 if h.band > 1 || too_many > 0 => {
                let depth = depth.max(2);
                let new = self.write(1, &format!("coalesce {l} depth {depth}"));
                self.replace(&h, depth, new);
            }
            10 => {
                let n = self.rng.between(1, 4);
                if self.rng.chance(25) {
                    let new = self.write(0, &format!("unroll {l} full"));
                    self.replace(&h, 1, new);
                } else {
                    let new = self.write(1, &format!("unroll {l} by {n}"));
                    self.replace(&h, 1, new);
                }
            }
            11 => {
                let n = self.rng.between(1, 4);
                let new = self.write(1, &format!("unroll_jam {l} by {n}"));
                self.replace(&h, 1, new);
            }
            12 => {
                let new = self.write(1, &format!("normalize {l}"));
                self.replace(&h, 1, new);
            }
            16..20 => {
                let Some(next) = h.origin.and_then(|o| self.loops[o].next) else {
                    return;
                };
                let there = |h: &Handle| h.origin == Some(next);
                let Some(second) = self.handles.iter().find(|h| there(h)).cloned() else {
                    return;
                };
                let aligned = if self.rng.chance(30) { " aligned" } else { "" };
                let new = self.write(1, &format!("fuse {l}, {}{aligned}", second.name));
                self.replace(&second, 1, Vec::new());
                self.replace(&h, 1, new);
            }
            20 | 21 => {
                let statements = h.origin.map_or(0, |o| self.loops[o].statements);
                if statements < 2 {
                    return;
                }
                let new = if self.rng.chance(70) {
                    let at = 1 + self.rng.below(statements.min(3));
                    self.write(2, &format!("distribute {l} at [{at}]"))
                } else {
                    self.write(2, &format!("distribute {l} into 2"))
                };
                self.replace(&h, 1, new);
            }
            22 => {
                let which = *self.rng.pick(&["front", "back", "remainder"]);
                let n = self.rng.between(1, 3);
                let new = self.write(2, &format!("peel {l} {which} {n}"));
                self.replace(&h, 1, new);
            }
            23 => {
                let n = self.rng.between(0, 6);
                let new = self.write(2, &format!("split {l} at {n}"));
                self.replace(&h, 1, new);
            }
            24 => {
                let array = self.rng.below(2);
                let new = self.write(1, &format!("stage {l} array \"A{array}\""));
                self.replace(&h, 1, new);
            }
            25 => {
                let new = self.write(1, &format!("promote {l}"));
                self.replace(&h, 1, new);
            }
            26 => {
                let array = self.rng.below(2);
                let private = if self.rng.chance(30) { " private" } else { "" };
                let new = self.write(1, &format!("expand {l} array \"A{array}\"{private}"));
                self.replace(&h, 1, new);
            }
            27 | 28 => {
                let n = 2 + self.rng.below(2);
                let new = self.write(n, &format!("isolate {l} into {n}"));
                self.replace(&h, 1, new);
            }
            // Floats are refused, since they would differ.
            29 | 30 => {
                let n = self.rng.between(1, 4);
                let new = self.write(3, &format!("scan {l} by {n}"));
                self.replace(&h, 1, new);
            }
            _ => {
                let new = self.write(1, &format!("parallel {l}"));
                self.replace(&h, 1, new);
            }
        }
    }
}
