//! Text of ops that are a region with results: `-> (f32) { ... } {attributes}`.

use terrace_ir::OpState;
use terrace_ir::text::parser::{OpParser, PResult};

/// Reads what stands behind the name of such an op.
pub(crate) fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    state.result_types = p.parse_optional_arrow_types()?;
    let body = p.parse_region(&[], false)?;
    state.regions.push(Some(body));
    p.parse_optional_attr_dict(state)
}
