//! Subnormal singles flushed to zero: `.ftz` on every instruction on `f32`
//! that has it.

use crate::form;
use crate::ids::InstId;
use crate::modifiers::Ftz;
use crate::module::Func;
use crate::types::Ty;

/// Sets it; returns the number of instructions changed.
pub fn flush(func: &mut Func) -> usize {
    let mut changes = 0;
    let blocks = func.layout.iter().filter_map(|b| func.blocks.get(*b));
    let ids: Vec<InstId> = blocks.flat_map(|b| b.insts.iter().copied()).collect();
    for id in ids {
        let Some(inst) = func.insts.get_mut(id) else {
            continue;
        };
        if inst.mods.ftz == Ftz::On || !inst.tys.contains(&Ty::F32) {
            continue;
        }
        inst.mods.ftz = Ftz::On;
        match form::find(inst) {
            Some(_) => changes += 1,
            None => inst.mods.ftz = Ftz::Off,
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::testing::after;

    #[test]
    fn where_there_is_such_an_instruction() {
        let lines = after(
            "ld.shared.f32 %f0, [tile];\nadd.rn.f32 %f1, %f0, %f0;\nsqrt.approx.f32 %f2, %f1;\n\
             setp.lt.f32 %p0, %f2, %f0;\nselp.f32 %f3, %f1, %f2, %p0;\n\
             cvt.rzi.s32.f32 %r0, %f3;\nst.shared.u32 [tile], %r0;\nret;",
            |_, func| flush(func),
        );
        assert_eq!(
            lines,
            [
                "ld.shared.f32 %f1, [tile];",
                "add.rn.ftz.f32 %f2, %f1, %f1;",
                "sqrt.approx.ftz.f32 %f3, %f2;",
                "setp.lt.ftz.f32 %p1, %f3, %f1;",
                "selp.f32 %f4, %f2, %f3, %p1;",
                "cvt.rzi.ftz.s32.f32 %r1, %f4;",
                "st.shared.u32 [tile], %r1;",
                "ret;"
            ]
        );
    }
}
