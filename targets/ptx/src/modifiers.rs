//! The modifiers between an opcode and its types, as plain values.
//!
//! One macro lists every modifier with its spellings. From it come the enums
//! for Rust code, the packed [`Mods`] that an instruction carries, and the
//! uniform view (a [`Field`] and a small number) that the instruction table,
//! the printer and the checker work on.

macro_rules! modifiers {
    ($( $(#[$doc:meta])* $field:ident : $name:ident { $first:ident, $( $value:ident $text:literal ),* $(,)? } )*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
            #[repr(u8)]
            pub enum $name { #[default] $first, $( $value ),* }

            impl $name {
                /// Every value, the absent one first.
                pub const ALL: &'static [$name] = &[$name::$first, $( $name::$value ),*];
                /// The spelling with its dot; empty when absent.
                pub const fn suffix(self) -> &'static str {
                    match self { $name::$first => "", $( $name::$value => $text ),* }
                }
                /// The value's bit in a mask of permitted values.
                pub const fn bit(self) -> u32 { 1 << self as u32 }
            }
        )*

        /// All modifiers of one instruction; the default has none.
        #[derive(Clone, Copy, Eq, Debug, Default)]
        pub struct Mods { $( pub $field: $name ),* }

        // All fields at once: derived, each would be looked at by itself.
        impl PartialEq for Mods {
            #[inline]
            fn eq(&self, other: &Mods) -> bool {
                [$( self.$field as u8 ),*] == [$( other.$field as u8 ),*]
            }
        }

        impl std::hash::Hash for Mods {
            #[inline]
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                state.write(&[$( self.$field as u8 ),*]);
            }
        }

        /// The name of one modifier position.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Field { $( $name ),* }

        impl Field {
            /// Every field.
            pub const ALL: &'static [Field] = &[$( Field::$name ),*];

            /// The spellings of the field's values, the absent (empty) one first.
            pub const fn spellings(self) -> &'static [&'static str] {
                match self { $( Field::$name => &["", $( $text ),*] ),* }
            }
        }

        impl Mods {
            /// The field's value as a number: 0 when absent, else the index
            /// into [`Field::spellings`].
            #[inline]
            pub fn get(&self, field: Field) -> u8 {
                match field { $( Field::$name => self.$field as u8 ),* }
            }

            /// Sets a field by number; false, and nothing changed, if the
            /// field has no such value.
            pub fn set(&mut self, field: Field, value: u8) -> bool {
                match field {
                    $( Field::$name => match $name::ALL.get(usize::from(value)) {
                        Some(v) => { self.$field = *v; true }
                        None => false,
                    } ),*
                }
            }
        }
    };
}

modifiers! {
    /// Rounding. The `i` ones round a float to an integral value.
    rnd: Rnd { Default, Rn ".rn", Rz ".rz", Rm ".rm", Rp ".rp", Rni ".rni", Rzi ".rzi", Rmi ".rmi", Rpi ".rpi", Rna ".rna" }
    /// Which half of a product.
    half: Half { Default, Lo ".lo", Hi ".hi", Wide ".wide" }
    /// The fast versions of division and the transcendental functions.
    approx: Approx { Exact, Approx ".approx", Full ".full" }
    /// Flush subnormal inputs and results to zero.
    ftz: Ftz { Off, On ".ftz" }
    /// Saturate to the type's range, or to [0, 1] for floats. `Finite` is the matrix
    /// product's spelling for integers.
    sat: Sat { Off, On ".sat", Finite ".satfinite" }
    /// Let min and max return NaN if an operand is NaN.
    nan: NanPolicy { Ignore, Propagate ".NaN" }
    /// Comparison. The `u` ones are true when an operand is NaN.
    cmp: Cmp {
        Default, Eq ".eq", Ne ".ne", Lt ".lt", Le ".le", Gt ".gt", Ge ".ge",
        Lo ".lo", Ls ".ls", Hi ".hi", Hs ".hs",
        Equ ".equ", Neu ".neu", Ltu ".ltu", Leu ".leu", Gtu ".gtu", Geu ".geu",
        Num ".num", Nan ".nan",
    }
    /// How a comparison's result meets the third operand.
    combine: Combine { Default, And ".and", Or ".or", Xor ".xor" }
    /// State space; generic when absent.
    space: Space { Generic, Global ".global", Shared ".shared", Local ".local", Const ".const", Param ".param" }
    /// Cache operator of a load or store.
    cache: Cache { Default, Ca ".ca", Cg ".cg", Cs ".cs", Lu ".lu", Cv ".cv", Wb ".wb", Wt ".wt" }
    /// How soon a cache may give up the line.
    evict: Evict {
        Default, Normal ".L1::evict_normal", Unchanged ".L1::evict_unchanged",
        First ".L1::evict_first", Last ".L1::evict_last", NoAllocate ".L1::no_allocate",
    }
    /// How much around the access the second-level cache is to fetch.
    fetch: FetchSize { Default, B64 ".L2::64B", B128 ".L2::128B", B256 ".L2::256B" }
    /// A load through the read-only path.
    nc: ReadOnly { Off, On ".nc" }
    /// Elements moved by one access.
    vec: VecLen { V1, V2 ".v2", V4 ".v4" }
    /// What an atomic does.
    atom: AtomOp {
        Default, Add ".add", Min ".min", Max ".max", And ".and", Or ".or", Xor ".xor",
        Exch ".exch", Cas ".cas", Inc ".inc", Dec ".dec",
    }
    /// Memory ordering.
    sem: Sem {
        Default, Weak ".weak", Volatile ".volatile", Relaxed ".relaxed", Acquire ".acquire",
        Release ".release", AcqRel ".acq_rel", Sc ".sc",
    }
    /// Who observes an ordering. `Gl` is membar's spelling of `Gpu`.
    scope: Scope { Default, Cta ".cta", Cluster ".cluster", Gpu ".gpu", Sys ".sys", Gl ".gl" }
    /// Where a shuffle reads from.
    shfl: ShflMode { Default, Up ".up", Down ".down", Bfly ".bfly", Idx ".idx" }
    /// What a vote computes.
    vote: VoteMode { Default, All ".all", Any ".any", Uni ".uni", Ballot ".ballot" }
    /// Rows of A, columns of B and depth of a matrix product.
    shape: Shape {
        Default, M8n8k4 ".m8n8k4", M8n8k16 ".m8n8k16", M16n8k4 ".m16n8k4", M16n8k8 ".m16n8k8",
        M16n8k16 ".m16n8k16", M16n8k32 ".m16n8k32",
    }
    /// Matrices moved by ldmatrix and stmatrix.
    tiles: Tiles { Default, X1 ".x1", X2 ".x2", X4 ".x4" }
    /// Transpose each matrix on the way.
    trans: Trans { Off, On ".trans" }
    /// Which way a funnel shift goes.
    funnel: Funnel { Default, L ".l", R ".r" }
    /// What a funnel shift makes of amounts over 32.
    amount: Amount { Default, Wrap ".wrap", Clamp ".clamp" }
    /// What a barrier computes of its threads' predicates.
    reduce: Reduce { Default, Popc ".popc", And ".and", Or ".or" }
    /// Also write the carry flag.
    cc: Carry { Off, Out ".cc" }
    /// bfind gives how far to shift the bit to the top, instead of its position.
    shiftamt: ShiftAmount { Off, On ".shiftamt" }
    /// The property testp asks for.
    test: TestClass {
        Default, Finite ".finite", Infinite ".infinite", Number ".number", NotANumber ".notanumber",
        Normal ".normal", Subnormal ".subnormal",
    }
    /// Cache level of a prefetch.
    level: Level { Default, L1 ".L1", L2 ".L2" }
    /// All active threads of the warp take the same branch or call.
    uni: Uni { Off, On ".uni" }
    /// cvta from generic to the space instead of the other way.
    to: ToSpace { Off, On ".to" }
}

impl Shape {
    /// Rows of A, columns of B, columns of A; none when absent.
    pub const fn dims(self) -> Option<[usize; 3]> {
        match self {
            Shape::Default => None,
            Shape::M8n8k4 => Some([8, 8, 4]),
            Shape::M8n8k16 => Some([8, 8, 16]),
            Shape::M16n8k4 => Some([16, 8, 4]),
            Shape::M16n8k8 => Some([16, 8, 8]),
            Shape::M16n8k16 => Some([16, 8, 16]),
            Shape::M16n8k32 => Some([16, 8, 32]),
        }
    }
}

impl Tiles {
    /// Number of matrices; 0 when absent.
    pub const fn count(self) -> usize {
        match self {
            Tiles::Default => 0,
            Tiles::X1 => 1,
            Tiles::X2 => 2,
            Tiles::X4 => 4,
        }
    }

    /// The modifier for `n` matrices, if there is one.
    pub const fn from_count(n: usize) -> Option<Tiles> {
        match n {
            1 => Some(Tiles::X1),
            2 => Some(Tiles::X2),
            4 => Some(Tiles::X4),
            _ => None,
        }
    }
}

impl VecLen {
    /// Number of elements.
    pub const fn len(self) -> usize {
        match self {
            VecLen::V1 => 1,
            VecLen::V2 => 2,
            VecLen::V4 => 4,
        }
    }

    /// Always false: an access moves at least one element.
    pub const fn is_empty(self) -> bool {
        false
    }

    /// The modifier for `n` elements, if there is one.
    pub const fn from_len(n: usize) -> Option<VecLen> {
        match n {
            1 => Some(VecLen::V1),
            2 => Some(VecLen::V2),
            4 => Some(VecLen::V4),
            _ => None,
        }
    }
}

impl Cmp {
    /// The comparison that holds exactly when this one does not. Ordered
    /// float comparisons turn into unordered ones, so `float` matters.
    pub const fn negated(self, float: bool) -> Cmp {
        match (self, float) {
            (Cmp::Eq, false) => Cmp::Ne,
            (Cmp::Ne, false) => Cmp::Eq,
            (Cmp::Lt, false) => Cmp::Ge,
            (Cmp::Le, false) => Cmp::Gt,
            (Cmp::Gt, false) => Cmp::Le,
            (Cmp::Ge, false) => Cmp::Lt,
            (Cmp::Lo, _) => Cmp::Hs,
            (Cmp::Ls, _) => Cmp::Hi,
            (Cmp::Hi, _) => Cmp::Ls,
            (Cmp::Hs, _) => Cmp::Lo,
            (Cmp::Eq, true) => Cmp::Neu,
            (Cmp::Ne, true) => Cmp::Equ,
            (Cmp::Lt, true) => Cmp::Geu,
            (Cmp::Le, true) => Cmp::Gtu,
            (Cmp::Gt, true) => Cmp::Leu,
            (Cmp::Ge, true) => Cmp::Ltu,
            (Cmp::Equ, _) => Cmp::Ne,
            (Cmp::Neu, _) => Cmp::Eq,
            (Cmp::Ltu, _) => Cmp::Ge,
            (Cmp::Leu, _) => Cmp::Gt,
            (Cmp::Gtu, _) => Cmp::Le,
            (Cmp::Geu, _) => Cmp::Lt,
            (Cmp::Num, _) => Cmp::Nan,
            (Cmp::Nan, _) => Cmp::Num,
            (Cmp::Default, _) => Cmp::Default,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_sets_and_gets_every_value() {
        for &field in Field::ALL {
            let n = field.spellings().len() as u8;
            for v in 0..n {
                let mut mods = Mods::default();
                assert!(mods.set(field, v));
                assert_eq!(mods.get(field), v);
            }
            let mut mods = Mods::default();
            assert!(!mods.set(field, n), "{field:?} has only {n} values");
            assert_eq!(mods, Mods::default());
        }
    }

    #[test]
    fn negating_twice_is_the_identity() {
        for &c in &Cmp::ALL[1..] {
            let float = !matches!(c, Cmp::Lo | Cmp::Ls | Cmp::Hi | Cmp::Hs);
            assert_eq!(c.negated(float).negated(float), c, "{c:?}");
        }
    }
}
