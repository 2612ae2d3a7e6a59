//! Names that PTX allows and that are used once.

use crate::ptx::Op;
use rustc_hash::FxHashSet;

/// Opcodes and other words that the assembler reserves, beyond those of the
/// instruction table.
const RESERVED: &str = "\
    addc alloca applypriority barrier brkpt brx cnot cp createpolicy discard dp2a dp4a \
    elect fns getctarank griddepcontrol isspacep istypep ldmatrix ldu lop3 mad24 madc \
    mapa match mbarrier mma movmatrix mul24 multimem nanosleep pmevent prefetchu redux \
    sad set setmaxnreg shf slct st stackrestore stacksave stmatrix subc suld suq sured \
    sust szext tensormap tex tld4 trap txq vabsdiff vadd vmad vmax vmin vset vshl vshr \
    vsub wgmma wmma WARP_SZ tcgen05";

/// Hands out names.
pub(super) struct Names {
    taken: FxHashSet<String>,
}

impl Names {
    pub fn new() -> Names {
        let ops = Op::ALL.iter().filter_map(|op| op.name().split('.').next());
        let taken = ops
            .chain(RESERVED.split_whitespace())
            .map(str::to_string)
            .collect();
        Names { taken }
    }

    /// `wanted`, with what PTX does not allow replaced, and a number behind it
    /// if it is taken.
    pub fn take(&mut self, wanted: &str) -> String {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        };
        let mut name: String = wanted.chars().map(plain).collect();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            name.insert(0, 'k');
        }
        let mut candidate = name.clone();
        let mut n = 0u64;
        while !self.taken.insert(candidate.clone()) {
            n += 1;
            candidate = format!("{name}_{n}");
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_allowed_and_distinct() {
        let mut names = Names::new();
        assert_eq!(names.take("gemm"), "gemm");
        assert_eq!(names.take("gemm"), "gemm_1");
        assert_eq!(names.take("a.b-c"), "a_b_c");
        assert_eq!(names.take("1st"), "k1st");
        assert_eq!(names.take("add"), "add_1");
        assert_eq!(names.take(""), "k");
    }
}
