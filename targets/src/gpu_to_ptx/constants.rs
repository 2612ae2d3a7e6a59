//! `arith.constant`.

use super::globals::raw_bytes;
use super::kinds::Kind;
use super::lower::{Lower, Res};
use crate::ptx::{Reg, Ty};
use terrace_ir::{AttrData, DenseData, Op};

impl Lower<'_> {
    pub fn constant(&mut self, op: Op) -> Res<()> {
        let Some(value) = op.attr(self.ctx, "value") else {
            return Err("has no value".to_string());
        };
        let (kind, lanes) = Kind::of_lanes(self.ctx, op.result(self.ctx, 0).ty(self.ctx))?;
        let bits: Vec<u64> = match value.data(self.ctx) {
            AttrData::Integer { value, .. } => {
                vec![value.limbs().first().copied().unwrap_or(0)]
            }
            AttrData::Float { value, .. } => vec![value.to_bits() as u64],
            AttrData::Dense {
                data: DenseData::Raw { splat, bytes },
                ..
            } => {
                let n = lanes.unwrap_or(1);
                let one = |c: &[u8]| {
                    let mut v = [0; 8];
                    for (to, from) in v.iter_mut().zip(c) {
                        *to = *from;
                    }
                    u64::from_le_bytes(v)
                };
                let all: Vec<u64> = bytes.chunks(raw_bytes(kind)).map(one).collect();
                match (splat, all.first()) {
                    (true, Some(v)) => vec![*v; n],
                    _ => all,
                }
            }
            _ => return Err("has a value that is not a number or dense elements".to_string()),
        };
        if bits.len() != lanes.unwrap_or(1) {
            return Err("has a value of another shape than its type".to_string());
        }
        let rs = bits
            .into_iter()
            .map(|b| self.constant_of(kind, b))
            .collect();
        self.define_lanes(op, 0, rs);
        Ok(())
    }

    /// A register that holds the value with these bits.
    pub fn constant_of(&mut self, kind: Kind, bits: u64) -> Reg {
        match kind {
            Kind::Bool => self.b.mov(Ty::Pred, (bits & 1) as i64),
            Kind::Int(t) => self.int_constant(t, bits),
            _ => self.float_constant(kind, bits),
        }
    }
}
