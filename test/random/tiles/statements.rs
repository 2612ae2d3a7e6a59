//! Statements that are no control flow.

use super::generate::{Elem, Gen, Tile, ty};

const FLOAT_OPS: [&str; 7] = [
    "addf", "subf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf",
];
const INT_OPS: [&str; 10] = [
    "addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui",
];
const FLOAT_KINDS: [&str; 6] = ["addf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf"];
const INT_KINDS: [&str; 9] = [
    "addi", "muli", "andi", "ori", "xori", "maxs", "mins", "maxu", "minu",
];

impl Gen {
    pub fn load(&mut self) {
        let stored = self.row.as_ref().map(|r| r.0);
        let from: Vec<usize> = (0..self.arrays.len())
            .filter(|k| Some(*k) != stored)
            .collect();
        let array = self.arrays[*self.rng.pick(&from)].clone();
        let rank = *self.rng.pick(&[0, 1, 1, 1, 2, 2, 2, 2, 3]);
        let shape = self.shape(rank);
        let Some(access) = self.access(&array, &shape, false) else {
            return;
        };
        let mask = self.access_mask(&shape);
        let pad = match access.limits.is_empty() && mask.is_empty() {
            true => String::new(),
            false => {
                let none = Tile {
                    name: String::new(),
                    elem: array.elem,
                    shape: None,
                };
                format!(" pad {}", self.other(&none).name)
            }
        };
        let shape = Some(shape);
        let text = format!(
            "tile.load {}[{}]{}{mask}{pad} : {}, {}",
            array.name,
            access.subscripts,
            access.limits,
            array.ty(),
            ty(&shape, array.elem.text())
        );
        self.define(array.elem, shape, &text);
    }

    pub fn store(&mut self) {
        let row = self.row.as_ref().map(|r| r.0);
        let k = row.unwrap_or_else(|| self.rng.below(self.arrays.len()));
        let array = self.arrays[k].clone();
        let fits = |t: &&Tile| t.elem == array.elem && t.shape.is_some();
        let tiles: Vec<Tile> = self.pool.iter().filter(fits).cloned().collect();
        if tiles.is_empty() {
            return;
        }
        let tile = self.rng.pick(&tiles).clone();
        let shape = tile.shape.clone().unwrap_or_default();
        if let Some(access) = self.access(&array, &shape, true) {
            let (subscripts, limits) = (access.subscripts, access.limits);
            let mask = self.access_mask(&shape);
            self.line(&format!(
                "tile.store {}, {}[{subscripts}]{limits}{mask} : {}, {}",
                tile.name,
                array.name,
                tile.ty(),
                array.ty()
            ));
        }
    }

    pub fn compute(&mut self) {
        let Some(a) = self.tile() else {
            return self.load();
        };
        match self.rng.below(13) {
            0..=3 => {
                let b = self.other(&a);
                let op = match a.elem.is_float() {
                    true => *self.rng.pick(&FLOAT_OPS),
                    false => *self.rng.pick(&INT_OPS),
                };
                let text = format!("arith.{op} {}, {} : {}", a.name, b.name, a.ty());
                self.define(a.elem, a.shape, &text);
            }
            4 | 5 => self.select(&a),
            6 => self.cast(&a),
            7 => {
                let op = match a.elem.is_float() {
                    true => *self.rng.pick(&["math.absf", "arith.negf", "math.sqrt"]),
                    false => "math.absi",
                };
                self.define(
                    a.elem,
                    a.shape.clone(),
                    &format!("{op} {} : {}", a.name, a.ty()),
                );
            }
            8 => {
                let text = format!("tile.convert {} : {}", a.name, a.ty());
                self.define(a.elem, a.shape, &text);
            }
            _ => self.moved(&a),
        }
    }

    /// One of two tiles for each element.
    fn select(&mut self, a: &Tile) {
        let b = self.other(a);
        let (condition, mask) = (self.mask(a), ty(&a.shape, "i1"));
        let text = format!(
            "arith.select {condition}, {}, {} : {mask}, {}",
            a.name,
            b.name,
            a.ty()
        );
        self.define(a.elem, a.shape.clone(), &text);
    }

    /// A mask of the shape of `a`, by a comparison, by limits or by coordinates.
    fn mask(&mut self, a: &Tile) -> String {
        let shape = a.shape.clone().unwrap_or_default();
        let mask = ty(&a.shape, "i1");
        let condition = self.name();
        match self.rng.below(3) {
            0 => {
                let whole: Vec<(i64, i64)> = shape.iter().map(|n| (0, *n)).collect();
                let limits = self.limits(&shape, &whole);
                self.line(&format!("{condition} = tile.mask{limits} : {mask}"));
            }
            1 if !shape.is_empty() => {
                // Coordinates along the last dimension.
                let (steps, all) = (self.name(), self.name());
                let n = shape[shape.len() - 1];
                let (row, whole) = (format!("vector<{n}xindex>"), ty(&a.shape, "index"));
                self.line(&format!("{steps} = vector.step : {row}"));
                self.line(&format!(
                    "{all} = vector.broadcast {steps} : {row} to {whole}"
                ));
                let least = self.name();
                let number = self.rng.between(0, 4);
                self.line(&format!(
                    "{least} = arith.constant dense<{number}> : {whole}"
                ));
                self.line(&format!(
                    "{condition} = arith.cmpi sge, {all}, {least} : {whole}"
                ));
            }
            _ => {
                let c = self.other(a);
                let op = match a.elem.is_float() {
                    true => *self.rng.pick(&["cmpf olt,", "cmpf une,"]),
                    false => *self.rng.pick(&["cmpi slt,", "cmpi ult,", "cmpi eq,"]),
                };
                let text = format!("arith.{op} {}, {} : {}", a.name, c.name, a.ty());
                self.line(&format!("{condition} = {text}"));
            }
        }
        condition
    }

    /// The mask of an access, which few have.
    fn access_mask(&mut self, shape: &[i64]) -> String {
        if !self.rng.chance(30) {
            return String::new();
        }
        let like = Tile {
            name: String::new(),
            elem: Elem::I32,
            shape: Some(shape.to_vec()),
        };
        let a = self.other(&like);
        format!(" mask {}", self.mask(&a))
    }

    fn cast(&mut self, a: &Tile) {
        let (op, to) = match a.elem {
            Elem::F32 => ("extf", Elem::F64),
            Elem::F64 => ("truncf", Elem::F32),
            Elem::I32 if self.rng.chance(50) => ("extsi", Elem::I64),
            Elem::I32 => ("sitofp", Elem::F32),
            Elem::I64 if self.rng.chance(50) => ("trunci", Elem::I32),
            Elem::I64 => ("uitofp", Elem::F64),
        };
        let into = ty(&a.shape, to.text());
        self.define(
            to,
            a.shape.clone(),
            &format!("arith.{op} {} : {} to {into}", a.name, a.ty()),
        );
    }

    /// The elements elsewhere.
    fn moved(&mut self, a: &Tile) {
        let shape = a.shape.clone().unwrap_or_default();
        let (op, to) = match self.rng.below(4) {
            0 if shape.len() < 3 => {
                let mut to: Vec<i64> = shape.clone();
                for n in to.iter_mut().filter(|n| **n == 1) {
                    *n = self.rng.between(1, 4);
                }
                to.insert(0, self.rng.between(1, 4));
                (format!("vector.broadcast {}", a.name), to)
            }
            1 if shape.len() > 1 => {
                let mut order: Vec<usize> = (0..shape.len()).collect();
                for k in (1..order.len()).rev() {
                    order.swap(k, self.rng.below(k + 1));
                }
                let to = order.iter().map(|d| shape[*d]).collect();
                (format!("vector.transpose {}, {order:?}", a.name), to)
            }
            2 if !shape.is_empty() => {
                let mut to = shape.clone();
                match self.rng.chance(50) {
                    true => to.insert(self.rng.below(shape.len() + 1), 1),
                    false => {
                        let all: i64 = shape.iter().product();
                        let parts: Vec<i64> = (1..=all).filter(|n| all % n == 0).collect();
                        let n = *self.rng.pick(&parts);
                        to = vec![n, all / n];
                    }
                }
                (format!("vector.shape_cast {}", a.name), to)
            }
            3 if !shape.is_empty() => return self.slice(a),
            _ => return self.load(),
        };
        let into = ty(&Some(to.clone()), a.elem.text());
        let text = format!("{op} : {} to {into}", a.ty());
        self.define(a.elem, Some(to), &text);
    }

    /// A box of a tile, or a tile with a box of it replaced.
    fn slice(&mut self, a: &Tile) {
        let shape = a.shape.clone().unwrap_or_default();
        let offsets: Vec<i64> = shape.iter().map(|n| self.rng.between(0, n - 1)).collect();
        let fits = (0..shape.len()).map(|k| self.rng.between(1, shape[k] - offsets[k]));
        let sizes: Vec<i64> = fits.collect();
        let strides = vec![1; shape.len()];
        let part = ty(&Some(sizes.clone()), a.elem.text());
        let text = format!(
            "vector.extract_strided_slice {} {{offsets = {offsets:?}, sizes = {sizes:?}, strides = {strides:?}}} : {} to {part}",
            a.name,
            a.ty()
        );
        let part = self.define(a.elem, Some(sizes), &text);
        if self.rng.chance(50) {
            let b = self.other(a);
            let text = format!(
                "vector.insert_strided_slice {}, {} {{offsets = {offsets:?}, strides = {strides:?}}} : {} into {}",
                part.name,
                b.name,
                part.ty(),
                a.ty()
            );
            self.define(a.elem, a.shape.clone(), &text);
        }
    }

    pub fn reduce(&mut self) {
        let Some(a) = self
            .tile()
            .filter(|a| a.shape.as_ref().is_some_and(|s| !s.is_empty()))
        else {
            return self.load();
        };
        let shape = a.shape.clone().unwrap_or_default();
        let mut axes: Vec<usize> = (0..shape.len()).filter(|_| self.rng.chance(50)).collect();
        if axes.is_empty() {
            axes.push(self.rng.below(shape.len()));
        }
        let kept: Vec<i64> = (0..shape.len())
            .filter(|d| !axes.contains(d))
            .map(|d| shape[d])
            .collect();
        let result = Tile {
            name: String::new(),
            elem: a.elem,
            shape: (!kept.is_empty()).then_some(kept),
        };
        let init = self.other(&result).name;
        let kind = match a.elem.is_float() {
            true => *self.rng.pick(&FLOAT_KINDS),
            false => *self.rng.pick(&INT_KINDS),
        };
        let whole: Vec<(i64, i64)> = shape.iter().map(|n| (0, *n)).collect();
        let limits = self.limits(&shape, &whole);
        let text = format!(
            "tile.reduce {kind} {}, {init} axes {axes:?}{limits} : {} -> {}",
            a.name,
            a.ty(),
            result.ty()
        );
        let sum = self.define(a.elem, result.shape, &text);
        if sum.shape.is_none() {
            // So that it is used.
            let text = format!("vector.broadcast {} : {} to {}", sum.name, sum.ty(), a.ty());
            self.define(a.elem, a.shape, &text);
        }
    }
}
