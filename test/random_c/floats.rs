//! Random expressions of floating type.

use super::expr::Expr;
use super::scope::{Class, Gen};
use super::types::Ty;

impl Gen {
    /// A float that is a small multiple of a quarter, so that sums of it are exact.
    pub fn exact(&mut self, ty: Ty) -> Expr {
        let inputs: Vec<usize> = self
            .readable()
            .into_iter()
            .filter(|o| {
                let o = &self.objects[*o];
                o.ty.is_float() && self.reordered && self.bases[o.base].class == Class::Input
            })
            .collect();
        if !inputs.is_empty() && self.rng.chance(50) {
            let o = *self.rng.pick(&inputs);
            return self.place(o);
        }
        if self.rng.chance(15) {
            let texts: &[&str] = if ty == Ty::Float {
                &["0.25f", "1.5f", "3.0f"]
            } else {
                &["0.5", "2.25", "7.0"]
            };
            return Expr::float(self.rng.pick::<&str>(texts), ty);
        }
        let e = self.integer(1);
        let e = match self.rng.below(3) {
            _ if e.lo >= -300 && e.hi <= 300 => e,
            0 => e.cast(Ty::SChar),
            1 => e.cast(Ty::UChar),
            _ => Expr::binary("&", e, Expr::number(127)).expect("& is defined"),
        };
        e.cast(ty)
    }

    /// Floats that may be read for others.
    fn float_sources(&self, for_result: bool) -> Vec<usize> {
        let may = |o: &usize| {
            let o = &self.objects[*o];
            let class = self.bases[o.base].class;
            let fits =
                !self.reordered || class == Class::Input || (for_result && class == Class::Local);
            o.ty.is_float() && fits
        };
        self.readable().into_iter().filter(may).collect()
    }

    pub fn floating(&mut self, depth: usize) -> Expr {
        self.float_from(depth, false)
    }

    /// A float for a result, which may depend on local ones.
    pub fn float_from(&mut self, depth: usize, for_result: bool) -> Expr {
        if depth == 0 || self.rng.chance(25) {
            let from = self.float_sources(for_result);
            return match self.rng.below(5) {
                0 => {
                    let e = self.integer(depth.min(1));
                    let t = *self.rng.pick(&[Ty::Float, Ty::Double]);
                    e.cast(t)
                }
                1 => {
                    let double = self.rng.chance(60);
                    if double {
                        let t = *self.rng.pick(&["0.5", "1.0", "3.25", "0.1", "1e3", "0.0"]);
                        Expr::float(t, Ty::Double)
                    } else {
                        let t = *self.rng.pick(&["0.5f", "1.0f", "2.75f", "0.1f", "1e2f"]);
                        Expr::float(t, Ty::Float)
                    }
                }
                _ if from.is_empty() => self.exact(Ty::Double),
                _ => {
                    let o = *self.rng.pick(&from);
                    self.place(o)
                }
            };
        }
        let d = depth - 1;
        match self.rng.below(10) {
            0..=5 => {
                let op = *self.rng.pick(&["+", "-", "*", "*", "/"]);
                let a = self.float_from(d, for_result);
                let b = if self.rng.chance(25) {
                    self.integer(d)
                } else {
                    self.float_from(d, for_result)
                };
                match Expr::binary(op, a.clone(), b.clone()) {
                    Some(e) => e,
                    None => Expr::binary("+", a, b).expect("floats"),
                }
            }
            6 => {
                let e = self.float_from(d, for_result);
                Expr::unary("-", e)
            }
            7 => {
                let c = self.test(d);
                let a = self.float_from(d, for_result);
                let b = if self.rng.chance(30) {
                    self.integer(d)
                } else {
                    self.float_from(d, for_result)
                };
                Expr::condition(c, a, b)
            }
            8 => {
                let e = self.float_from(d, for_result);
                let t = *self.rng.pick(&[Ty::Float, Ty::Double]);
                e.cast(t)
            }
            _ if self.rng.chance(25) => {
                let e = self.called(d, false, true);
                e.unwrap_or_else(|| self.exact(Ty::Double))
            }
            _ => {
                let e = self.float_from(d, for_result);
                let single = e.ty == Ty::Float && self.rng.chance(60);
                let (names, ty): (&[&str], Ty) = if single {
                    (
                        &["fabsf", "floorf", "ceilf", "truncf", "fminf", "fmaxf"],
                        Ty::Float,
                    )
                } else {
                    (
                        &["fabs", "floor", "ceil", "trunc", "fmin", "fmax", "sqrt"],
                        Ty::Double,
                    )
                };
                let name = *self.rng.pick(names);
                let args = if name.contains("min") || name.contains("max") {
                    let other = self.float_from(d, for_result);
                    // Of 0 and -0 either may be the least: nought and -0 make 0.
                    let positive = |e| {
                        let nought = Expr::float("0.0", Ty::Double);
                        Expr::binary("+", e, nought).expect("floats")
                    };
                    vec![positive(e), positive(other)]
                } else if name == "sqrt" {
                    vec![Expr::call("fabs", vec![e], Ty::Double)]
                } else {
                    vec![e]
                };
                Expr::call(name, args, ty)
            }
        }
    }
}
