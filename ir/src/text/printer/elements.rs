//! Elements of dense attributes.

use super::Printer;
use crate::attr::{Attr, AttrData, DenseData};
use crate::num::{Float, Int};
use crate::types::{Type, TypeData};
use std::fmt::Write as _;

/// Dense elements of more elements than this print as hexadecimal text.
const HEX_OVER: usize = 100;

impl Printer<'_> {
    pub(super) fn dense(&mut self, ty: Type, data: &DenseData) {
        let ctx = self.ctx;
        let count = ty.num_elements(ctx).unwrap_or(0) as usize;
        if let (Some(max), DenseData::Raw { splat: false, .. }) =
            (self.options.elide_elements_over, data)
            && count > max
        {
            self.write("dense_resource<__elided__>");
            return;
        }
        self.write("dense<");
        self.dense_data(ty, data, count);
        self.write(">");
    }

    pub(super) fn dense_body(&mut self, a: Attr) {
        if let AttrData::Dense { ty, data } = a.data(self.ctx) {
            let count = ty.num_elements(self.ctx).unwrap_or(0) as usize;
            self.dense_data(*ty, data, count);
        }
    }

    pub(super) fn dense_data(&mut self, ty: Type, data: &DenseData, count: usize) {
        let ctx = self.ctx;
        let elem = ty.element(ctx).unwrap_or(ty);
        let shape = ty.shape(ctx).unwrap_or(&[]);
        match data {
            DenseData::Raw { splat, bytes } => {
                let size = self.element_size(elem);
                if !*splat && count > HEX_OVER {
                    self.write("\"0x");
                    if elem == ctx.i1() {
                        // Eight to a byte, as upstream reads them.
                        for group in bytes.chunks(8) {
                            let bits = group.iter().rev().fold(0u8, |n, b| n << 1 | (b & 1));
                            let _ = write!(self.out, "{bits:02X}");
                        }
                    } else {
                        for b in bytes.iter() {
                            let _ = write!(self.out, "{b:02X}");
                        }
                    }
                    self.write("\"");
                    return;
                }
                let get = |p: &mut Self, i: usize| {
                    p.element(elem, bytes.get(i * size..(i + 1) * size).unwrap_or(&[]));
                };
                if *splat {
                    get(self, 0);
                } else {
                    self.nested_elements(shape, 0, &mut 0, &get);
                }
            }
            DenseData::Strings { splat, values } => {
                let get = |p: &mut Self, i: usize| {
                    if let Some(v) = values.get(i) {
                        p.quoted(v);
                    }
                };
                if *splat {
                    get(self, 0);
                } else {
                    self.nested_elements(shape, 0, &mut 0, &get);
                }
            }
        }
    }

    fn nested_elements(
        &mut self,
        shape: &[i64],
        depth: usize,
        next: &mut usize,
        f: &dyn Fn(&mut Self, usize),
    ) {
        let Some(n) = shape.get(depth) else {
            f(self, *next);
            *next += 1;
            return;
        };
        // An empty shape anywhere leaves nothing to print.
        if shape.contains(&0) {
            return;
        }
        self.write("[");
        for i in 0..*n {
            if i > 0 {
                self.write(", ");
            }
            self.nested_elements(shape, depth + 1, next, f);
        }
        self.write("]");
    }

    /// The bytes of one stored element.
    fn element_size(&self, elem: Type) -> usize {
        let one = |t: Type| {
            let bits = if t.is_index(self.ctx) {
                64
            } else {
                t.bit_width(self.ctx).unwrap_or(8)
            };
            (bits as usize).div_ceil(8).max(1)
        };
        match elem.data(self.ctx) {
            TypeData::Complex(t) => 2 * one(*t),
            _ => one(elem),
        }
    }

    fn element(&mut self, elem: Type, bytes: &[u8]) {
        match elem.data(self.ctx) {
            TypeData::Complex(t) => {
                let (a, b) = bytes.split_at(bytes.len() / 2);
                let t = *t;
                self.write("(");
                self.element(t, a);
                self.write(",");
                self.element(t, b);
                self.write(")");
            }
            TypeData::Float(k) => {
                let mut b = [0u8; 16];
                b[..bytes.len()].copy_from_slice(bytes);
                let v = Float::from_bits(*k, u128::from_le_bytes(b));
                self.float(&v);
            }
            TypeData::Integer { width: 1, .. } => {
                let v = bytes.first().is_some_and(|b| b & 1 != 0);
                self.write(if v { "true" } else { "false" });
            }
            TypeData::Integer { width, .. } => {
                let v = Int::from_le_bytes(*width, bytes);
                self.int(elem, &v);
            }
            _ => {
                let v = Int::from_le_bytes(64, bytes);
                self.int(elem, &v);
            }
        }
    }

    /// The elements of a dense array, without brackets.
    pub(crate) fn dense_array_elements(&mut self, a: Attr) {
        if let AttrData::DenseArray { elem, bytes } = a.data(self.ctx) {
            let size = self.element_size(*elem);
            for (i, c) in bytes.chunks_exact(size).enumerate() {
                if i > 0 {
                    self.write(", ");
                }
                self.element(*elem, c);
            }
        }
    }
}
