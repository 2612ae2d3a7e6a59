//! `builtin.module`.

use terrace_ir::constraint::SYMBOL_NAME;
use terrace_ir::opdef::Verified;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::{Context, Op, OpKind, OpState, op};

op! {
    /// A container of top-level ops: one region of one block, isolated from above,
    /// and a table of the symbols in it.
    ModuleOp = "builtin.module" {
        attrs: [sym_name: SYMBOL_NAME.optional(), sym_visibility: terrace_ir::constraint::STRING_ATTR.optional()],
        regions: [bodyRegion: OneBlock],
        traits: ISOLATED | SYMBOL_TABLE | SINGLE_BLOCK | NO_TERMINATOR | GRAPH_REGION | AFFINE_SCOPE | NO_REGION_ARGUMENTS,
        custom: (parse, print),
        verify: verify,
        default_dialect: "builtin",
    }
}

impl ModuleOp {
    /// The block that holds the module's ops.
    pub fn body(self, ctx: &Context) -> terrace_ir::Block {
        self.op().body(ctx, 0)
    }
}

/// What is attached to a module belongs to some dialect and says to which.
fn verify(ctx: &Context, op: Op) -> Verified {
    for (name, _) in op.attrs(ctx) {
        let name = ctx.str(name);
        if !name.contains('.') && !matches!(name, "sym_name" | "sym_visibility") {
            return Err(format!(
                "can only contain attributes with dialect-prefixed names, found: '{name}'"
            )
            .into());
        }
    }
    Ok(())
}

fn parse(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    if let Some(name) = p.parse_optional_symbol_name()? {
        let a = p.ctx.string_attr(&name);
        state.set_attr(p.ctx, "sym_name", a);
    }
    p.parse_optional_attr_dict_with_keyword(state)?;
    let body = p.parse_region(&[], true)?;
    let region = body.region(p.ctx);
    if region.is_empty(p.ctx) {
        region.add_block(p.ctx, &[]);
    }
    state.regions.push(Some(body));
    Ok(())
}

fn print(p: &mut Printer, op: Op) {
    if let Some(name) = op.symbol_name(p.ctx) {
        p.write(" ");
        p.symbol(name);
    }
    p.attr_dict(op, &["sym_name"], true);
    p.write(" ");
    p.region(op.region(p.ctx, 0), false, true);
}
