//! What the blob of a `dense_resource` holds.

use super::literal::hex_string_bytes;
use crate::attr::{Attr, AttrData, DenseData};
use crate::context::Context;
use crate::types::TypeData;

impl Attr {
    /// A `dense_resource<key>` as the `dense` attribute of its elements, which stand at the end of the
    /// file. `None` for other attributes.
    ///
    /// # Errors
    ///
    /// That the file has no data of this name, or other than the type asks for.
    pub fn resource_elements(self, ctx: &Context) -> Option<Result<Attr, String>> {
        let AttrData::DenseResource { ty, key } = self.data(ctx) else {
            return None;
        };
        Some(elements(ctx, *ty, ctx.str(*key)))
    }
}

fn elements(ctx: &Context, ty: crate::Type, key: &str) -> Result<Attr, String> {
    let named = format!("`dense_resource<{key}>`");
    let Some(text) = ctx.resource(key) else {
        return Err(format!(
            "has data in {named}, which this file has none of; expected '{key}: \"0x...\"' below \
             dialect_resources at its end"
        ));
    };
    let blob = hex_string_bytes(text);
    // The first four bytes are how the rest was aligned.
    let Some(data) = blob.as_deref().and_then(|b| b.get(4..)) else {
        return Err(format!(
            "has data in {named} that are no hexadecimal string of an alignment and elements"
        ));
    };
    let element = ty.element(ctx).unwrap_or(ty);
    let (scalar, parts) = match element.data(ctx) {
        TypeData::Complex(t) => (*t, 2),
        _ => (element, 1),
    };
    let bits = match scalar.is_index(ctx) {
        true => Some(64),
        false => scalar.bit_width(ctx),
    };
    let count = ty.num_elements(ctx).and_then(|n| usize::try_from(n).ok());
    let (Some(bits), Some(count)) = (bits, count) else {
        return Err(format!(
            "has data in {named} of type '{}'; expected numbers and known sizes",
            ctx.type_text(ty)
        ));
    };
    let size = (bits as usize).div_ceil(8).max(1) * parts;
    if Some(data.len()) != size.checked_mul(count) {
        return Err(format!(
            "has {} bytes of data in {named}; expected {count} elements of {size} bytes for '{}'",
            data.len(),
            ctx.type_text(ty)
        ));
    }
    // Equal elements are stored once, as those that are written in place.
    let splat = count > 0 && data.chunks_exact(size).all(|c| *c == data[..size]);
    let bytes = if splat { &data[..size] } else { data };
    let data = DenseData::Raw {
        splat,
        bytes: bytes.into(),
    };
    Ok(ctx.attr(AttrData::Dense { ty, data }))
}
