//! Random arithmetic.

use super::generate::{Generator, Ty};
use super::program::Stmt;

impl Generator {
    /// Compute something from what there is.
    pub fn operation(&mut self, out: &mut Vec<Stmt>) {
        let ty = *self
            .rng
            .pick(&[Ty::F64, Ty::F64, Ty::F32, Ty::I32, Ty::I64, Ty::Index]);
        let t = ty.text();
        let text = match self.rng.below(10) {
            0 => self.conversion(ty, out),
            1 => {
                let c = self.value(Ty::I1, out);
                let (a, b) = (self.value(ty, out), self.value(ty, out));
                format!("arith.select {c}, {a}, {b} : {t}")
            }
            2 => {
                self.condition(out);
                return;
            }
            3 if !ty.is_float() => self.by_constant(ty, out),
            _ => {
                let floats = [
                    "addf", "addf", "subf", "mulf", "mulf", "maximumf", "minimumf", "maxnumf",
                    "minnumf", "divf",
                ];
                let integers = [
                    "addi", "addi", "subi", "muli", "muli", "andi", "ori", "xori", "maxsi",
                    "minsi", "maxui", "minui",
                ];
                let op = *if ty.is_float() {
                    self.rng.pick(&floats)
                } else {
                    self.rng.pick(&integers)
                };
                let (a, b) = (self.value(ty, out), self.value(ty, out));
                format!("arith.{op} {a}, {b} : {t}")
            }
        };
        self.define(ty, &text, out);
    }

    /// A comparison.
    pub fn condition(&mut self, out: &mut Vec<Stmt>) -> String {
        let ty = *self
            .rng
            .pick(&[Ty::F64, Ty::F32, Ty::I32, Ty::I64, Ty::Index]);
        let (a, b) = (self.value(ty, out), self.value(ty, out));
        let floats = [
            "olt", "ole", "ogt", "oge", "oeq", "one", "ult", "uge", "une", "ueq", "ord", "uno",
        ];
        let integers = [
            "slt", "sle", "sgt", "sge", "eq", "ne", "ult", "ule", "ugt", "uge",
        ];
        let text = match ty.is_float() {
            true => format!(
                "arith.cmpf {}, {a}, {b} : {}",
                self.rng.pick(&floats),
                ty.text()
            ),
            false => format!(
                "arith.cmpi {}, {a}, {b} : {}",
                self.rng.pick(&integers),
                ty.text()
            ),
        };
        self.define(Ty::I1, &text, out)
    }

    /// Divisions and shifts, whose right operand is a constant that they are defined for.
    fn by_constant(&mut self, ty: Ty, out: &mut Vec<Stmt>) -> String {
        let ops = [
            "divsi",
            "remsi",
            "divui",
            "remui",
            "floordivsi",
            "ceildivsi",
            "ceildivui",
            "shli",
            "shrsi",
            "shrui",
        ];
        let op = *self.rng.pick(&ops);
        let most = if op.starts_with("sh") { 31 } else { 9 };
        let c = self.rng.between(1, most);
        let t = ty.text();
        let a = self.value(ty, out);
        let c = self.define(ty, &format!("arith.constant {c} : {t}"), out);
        format!("arith.{op} {a}, {c} : {t}")
    }

    /// A value of another type made one of this.
    fn conversion(&mut self, to: Ty, out: &mut Vec<Stmt>) -> String {
        let choices: &[(&str, Ty)] = match to {
            Ty::F64 => &[
                ("extf", Ty::F32),
                ("sitofp", Ty::I32),
                ("sitofp", Ty::I64),
                ("uitofp", Ty::I32),
            ],
            Ty::F32 => &[
                ("truncf", Ty::F64),
                ("sitofp", Ty::I32),
                ("sitofp", Ty::I64),
            ],
            Ty::I32 => &[
                ("trunci", Ty::I64),
                ("index_cast", Ty::Index),
                ("extui", Ty::I1),
            ],
            Ty::I64 => &[
                ("extsi", Ty::I32),
                ("extui", Ty::I32),
                ("index_cast", Ty::Index),
            ],
            _ => &[
                ("index_cast", Ty::I32),
                ("index_cast", Ty::I64),
                ("index_castui", Ty::I32),
            ],
        };
        let (op, from) = *self.rng.pick(choices);
        let v = self.value(from, out);
        format!("arith.{op} {v} : {} to {}", from.text(), to.text())
    }
}
