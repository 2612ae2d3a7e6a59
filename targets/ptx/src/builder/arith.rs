//! Arithmetic, logic, comparisons, conversions.

use super::FuncBuilder;
use crate::ids::Reg;
use crate::modifiers::{
    Amount, Approx, Carry, Cmp, Combine, Ftz, Funnel, Half, Mods, NanPolicy, Rnd, Sat, TestClass,
};
use crate::op::Op;
use crate::operand::{Operand, RegList, Special};
use crate::types::{RegTy, Ty};

/// The modifiers of an exactly rounded operation: none for integers, `.rn`
/// for floats. Without `.rn` the assembler may contract a multiplication and
/// an addition into one fma, which is not what was written.
fn exact(ty: Ty) -> Mods {
    rounded(if ty.is_float() { Rnd::Rn } else { Rnd::Default })
}

fn rounded(rnd: Rnd) -> Mods {
    Mods {
        rnd,
        ..Mods::default()
    }
}

fn half(half: Half) -> Mods {
    Mods {
        half,
        ..Mods::default()
    }
}

fn approximate() -> Mods {
    Mods {
        approx: Approx::Approx,
        ..Mods::default()
    }
}

macro_rules! unary {
    ($( $(#[$doc:meta])* $name:ident $op:ident $mods:expr ),* $(,)?) => {
        impl FuncBuilder<'_> { $(
            $(#[$doc])*
            pub fn $name(&mut self, ty: Ty, a: impl Into<Operand>) -> Reg {
                let mods: fn(Ty) -> Mods = $mods;
                self.value(Op::$op, mods(ty), &[ty], [a.into()])
            }
        )* }
    };
}

macro_rules! binary {
    ($( $(#[$doc:meta])* $name:ident $op:ident $mods:expr ),* $(,)?) => {
        impl FuncBuilder<'_> { $(
            $(#[$doc])*
            pub fn $name(&mut self, ty: Ty, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
                let mods: fn(Ty) -> Mods = $mods;
                self.value(Op::$op, mods(ty), &[ty], [a.into(), b.into()])
            }
        )* }
    };
}

macro_rules! ternary {
    ($( $(#[$doc:meta])* $name:ident $op:ident $mods:expr ),* $(,)?) => {
        impl FuncBuilder<'_> { $(
            $(#[$doc])*
            pub fn $name(
                &mut self,
                ty: Ty,
                a: impl Into<Operand>,
                b: impl Into<Operand>,
                c: impl Into<Operand>,
            ) -> Reg {
                let mods: fn(Ty) -> Mods = $mods;
                self.value(Op::$op, mods(ty), &[ty], [a.into(), b.into(), c.into()])
            }
        )* }
    };
}

unary! {
    /// A copy, or an immediate, special register or symbol's address.
    mov Mov |_| Mods::default(),
    neg Neg |_| Mods::default(),
    abs Abs |_| Mods::default(),
    not Not |_| Mods::default(),
    /// Number of one bits, as 32 bits.
    popc Popc |_| Mods::default(),
    /// Number of leading zero bits, as 32 bits.
    clz Clz |_| Mods::default(),
    /// Bits in reverse order.
    brev Brev |_| Mods::default(),
    /// Position of the highest bit that differs from the sign, as 32 bits;
    /// all ones if there is none.
    bfind Bfind |_| Mods::default(),
    /// Square root, rounded to nearest.
    sqrt Sqrt |_| rounded(Rnd::Rn),
    sqrt_approx Sqrt |_| approximate(),
    /// 1/a, rounded to nearest.
    rcp Rcp |_| rounded(Rnd::Rn),
    rcp_approx Rcp |_| approximate(),
    rsqrt_approx Rsqrt |_| approximate(),
    sin_approx Sin |_| approximate(),
    cos_approx Cos |_| approximate(),
    /// 2 to the power a.
    ex2_approx Ex2 |_| approximate(),
    /// The same with subnormal arguments and results as zeros, which is shorter.
    ex2_flushed Ex2 |_| Mods {
        ftz: Ftz::On,
        ..approximate()
    },
    /// Logarithm to base 2.
    lg2_approx Lg2 |_| approximate(),
    tanh_approx Tanh |_| approximate(),
}

binary! {
    /// Sum; floats are rounded to nearest and never contracted.
    add Add exact,
    /// Difference; floats are rounded to nearest and never contracted.
    sub Sub exact,
    /// Product: the low half for integers; floats are rounded to nearest and
    /// never contracted.
    mul Mul |ty| if ty.is_float() { rounded(Rnd::Rn) } else { half(Half::Lo) },
    /// High half of an integer product.
    mul_hi Mul |_| half(Half::Hi),
    /// Integer product at twice the width.
    mul_wide Mul |_| half(Half::Wide),
    /// Quotient: towards zero for integers, rounded to nearest for floats.
    div Div exact,
    div_approx Div |_| approximate(),
    /// Within 2 ulp over the whole range of singles.
    div_full Div |_| Mods { approx: Approx::Full, ..Mods::default() },
    /// Integer remainder with the sign of the dividend.
    rem Rem |_| Mods::default(),
    /// The lesser; for floats the number, if one operand is NaN.
    min Min |_| Mods::default(),
    /// The greater; for floats the number, if one operand is NaN.
    max Max |_| Mods::default(),
    /// The lesser, or NaN if one operand is.
    min_nan Min |_| Mods { nan: NanPolicy::Propagate, ..Mods::default() },
    /// The greater, or NaN if one operand is.
    max_nan Max |_| Mods { nan: NanPolicy::Propagate, ..Mods::default() },
    and And |_| Mods::default(),
    or Or |_| Mods::default(),
    xor Xor |_| Mods::default(),
    /// Left shift; amounts over the width give 0.
    shl Shl |_| Mods::default(),
    /// Right shift, arithmetic for signed types.
    shr Shr |_| Mods::default(),
    /// Sum that also writes the carry flag.
    add_cc AddCc |_| Mods::default(),
    /// Sum and the carry flag.
    addc Addc |_| Mods::default(),
    /// Sum and the carry flag, which it writes again.
    addc_cc Addc |_| Mods { cc: Carry::Out, ..Mods::default() },
    /// Difference that also writes the carry flag, with the borrow.
    sub_cc SubCc |_| Mods::default(),
    /// Difference less the borrow.
    subc Subc |_| Mods::default(),
    /// Difference less the borrow, which it writes again.
    subc_cc Subc |_| Mods { cc: Carry::Out, ..Mods::default() },
    /// The magnitude of b with the sign of a.
    copysign Copysign |_| Mods::default(),
}

ternary! {
    /// a * b + c rounded once, to nearest.
    fma Fma |_| rounded(Rnd::Rn),
    /// The same of `f32`, between zero and one; zero for NaN.
    fma_saturated Fma |_| Mods {
        sat: Sat::On,
        ..rounded(Rnd::Rn)
    },
    /// Integer a * b + c, low half of the product.
    mad Mad |_| half(Half::Lo),
    mad_hi Mad |_| half(Half::Hi),
    /// Integer a * b + c, product and c at twice the width of `ty`.
    mad_wide Mad |_| half(Half::Wide),
    /// The field of a that starts at bit b and is c bits long.
    bfe Bfe |_| Mods::default(),
    /// Bytes of the pair (a, b) picked by the nibbles of c.
    prmt Prmt |_| Mods::default(),
    /// |a - b| + c.
    sad Sad |_| Mods::default(),
    /// Integer a * b + c, low half of the product; also writes the carry flag.
    mad_cc MadLoCc |_| Mods::default(),
    /// Integer a * b + c + the carry flag, low half of the product.
    madc_lo MadcLo |_| Mods::default(),
    /// Integer a * b + c + the carry flag, high half of the product.
    madc_hi MadcHi |_| Mods::default(),
    /// a where the predicate c is true, else b.
    selp Selp |_| Mods::default(),
}

impl FuncBuilder<'_> {
    /// Reads a special register.
    pub fn special(&mut self, special: Special) -> Reg {
        self.mov(special.ty(), special)
    }

    /// Copies into an existing register.
    pub fn mov_to(&mut self, dest: Reg, ty: Ty, a: impl Into<Operand>) {
        self.value_to(dest, Op::Mov, Mods::default(), &[ty], [a.into()]);
    }

    /// Sum into an existing register.
    pub fn add_to(&mut self, dest: Reg, ty: Ty, a: impl Into<Operand>, b: impl Into<Operand>) {
        self.value_to(dest, Op::Add, exact(ty), &[ty], [a.into(), b.into()]);
    }

    /// a * b + c, rounded once, into an existing register.
    pub fn fma_to(
        &mut self,
        dest: Reg,
        ty: Ty,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
        c: impl Into<Operand>,
    ) {
        let sources = [a.into(), b.into(), c.into()];
        self.value_to(dest, Op::Fma, rounded(Rnd::Rn), &[ty], sources);
    }

    /// Any logic of three operands: bit `4 a + 2 b + c` of `table` is the result for
    /// bits a, b and c.
    pub fn lop3(
        &mut self,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
        c: impl Into<Operand>,
        table: u8,
    ) -> Reg {
        let table = Operand::Imm(i64::from(table));
        let sources = [a.into(), b.into(), c.into(), table];
        self.value(Op::Lop3, Mods::default(), &[Ty::B32], sources)
    }

    /// Funnel shift of the pair `high:low` by an amount modulo 32: the high word of
    /// it shifted left, or the low word of it shifted right.
    pub fn shf(
        &mut self,
        funnel: Funnel,
        low: impl Into<Operand>,
        high: impl Into<Operand>,
        by: impl Into<Operand>,
    ) -> Reg {
        let mods = Mods {
            funnel,
            amount: Amount::Wrap,
            ..Mods::default()
        };
        let sources = [low.into(), high.into(), by.into()];
        self.value(Op::Shf, mods, &[Ty::B32], sources)
    }

    /// The sum of the products of four bytes of a and b, and c.
    pub fn dp4a(
        &mut self,
        tys: [Ty; 2],
        a: impl Into<Operand>,
        b: impl Into<Operand>,
        c: impl Into<Operand>,
    ) -> Reg {
        let sources = [a.into(), b.into(), c.into()];
        self.value(Op::Dp4a, Mods::default(), &tys, sources)
    }

    /// Inserts the low `len` bits of a into b at bit `start`.
    pub fn bfi(
        &mut self,
        ty: Ty,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
        start: impl Into<Operand>,
        len: impl Into<Operand>,
    ) -> Reg {
        let sources = [a.into(), b.into(), start.into(), len.into()];
        self.value(Op::Bfi, Mods::default(), &[ty], sources)
    }

    /// Comparison, as a predicate.
    pub fn setp(&mut self, cmp: Cmp, ty: Ty, a: impl Into<Operand>, b: impl Into<Operand>) -> Reg {
        let mods = Mods {
            cmp,
            ..Mods::default()
        };
        self.value(Op::Setp, mods, &[ty], [a.into(), b.into()])
    }

    /// Comparison combined with a predicate.
    pub fn setp_with(
        &mut self,
        cmp: Cmp,
        combine: Combine,
        ty: Ty,
        a: impl Into<Operand>,
        b: impl Into<Operand>,
        with: Reg,
    ) -> Reg {
        let mods = Mods {
            cmp,
            combine,
            ..Mods::default()
        };
        let sources = [a.into(), b.into(), Operand::Reg(with)];
        self.value(Op::Setp, mods, &[ty], sources)
    }

    /// Whether a float is in a class, as a predicate.
    pub fn testp(&mut self, test: TestClass, ty: Ty, a: impl Into<Operand>) -> Reg {
        let mods = Mods {
            test,
            ..Mods::default()
        };
        self.value(Op::Testp, mods, &[ty], [a.into()])
    }

    /// Conversion with the default rounding: none between integers and to
    /// wider floats, to nearest into floats, towards zero into integers.
    pub fn cvt(&mut self, to: Ty, from: Ty, a: impl Into<Operand>) -> Reg {
        let rnd = match (to.is_float(), from.is_float()) {
            (true, false) => Rnd::Rn,
            (false, true) => Rnd::Rzi,
            (true, true) if to == Ty::Tf32 => Rnd::Rna,
            (true, true) if to.bits() < from.bits() => Rnd::Rn,
            _ => Rnd::Default,
        };
        self.cvt_rnd(rnd, to, from, a)
    }

    /// Conversion with the given rounding.
    pub fn cvt_rnd(&mut self, rnd: Rnd, to: Ty, from: Ty, a: impl Into<Operand>) -> Reg {
        self.value(Op::Cvt, rounded(rnd), &[to, from], [a.into()])
    }

    /// Puts two or four registers together into one, the first lowest.
    pub fn pack(&mut self, ty: Ty, parts: &[Reg]) -> Reg {
        let parts = Operand::Vec(RegList::from_slice(parts));
        let dest = self.reg(ty.reg());
        self.value_to(dest, Op::Mov, Mods::default(), &[ty], [parts]);
        dest
    }

    /// Splits a register into `count` parts, the lowest first.
    pub fn unpack(&mut self, ty: Ty, a: Reg, count: usize) -> RegList {
        let part = match ty.bits() as usize / count.max(1) {
            32 => RegTy::B32,
            _ => RegTy::B16,
        };
        let parts: RegList = (0..count).map(|_| self.reg(part)).collect();
        let dest = Operand::Vec(parts.clone());
        self.effect(Op::Mov, Mods::default(), &[ty], [dest, Operand::Reg(a)]);
        parts
    }
}
