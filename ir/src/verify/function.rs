//! Functions: type, attributes of arguments and results, entry block.

use super::Verifier;
use crate::op::Op;
use crate::opdef::OpAttrPlace;

use crate::types::Type;

impl Verifier<'_> {
    pub(super) fn check_function(&mut self, op: Op) {
        let ctx = self.ctx;
        let ty = op.attr(ctx, "function_type").and_then(|a| a.as_type(ctx));
        let Some((inputs, results)) = ty.and_then(|t| t.function_parts(ctx)) else {
            return self.error(
                op,
                "requires a type attribute 'function_type' of function type",
            );
        };
        self.check_entry_attrs(op, "arg_attrs", "argument", "argument", inputs.len());
        self.check_entry_attrs(op, "res_attrs", "result", "result", results.len());
        if op.num_regions(ctx) == 0 {
            return self.error(op, "expects one region");
        }
        let Some(entry) = op.region(ctx, 0).entry(ctx) else {
            return;
        };
        if entry.num_args(ctx) != inputs.len() {
            let n = inputs.len();
            return self.error(
                op,
                format!("entry block must have {n} arguments to match function signature"),
            );
        }
        for (i, wanted) in inputs.iter().enumerate() {
            let found: Type = entry.arg(ctx, i).ty(ctx);
            if found != *wanted {
                let (found, wanted) = (ctx.type_text(found), ctx.type_text(*wanted));
                return self.error(
                    op,
                    format!(
                        "type of entry block argument #{i}('{found}') must match the type of \
                         the corresponding argument in function signature('{wanted}')"
                    ),
                );
            }
        }
    }

    fn check_entry_attrs(&mut self, op: Op, name: &str, of: &str, one: &str, count: usize) {
        let ctx = self.ctx;
        let Some(list) = op.attr(ctx, name).and_then(|a| a.as_array(ctx)) else {
            return;
        };
        if list.len() != count {
            let n = list.len();
            return self.error(
                op,
                format!(
                    "expects {of} attribute array to have the same number of elements as the \
                     number of function {one}s, got {n}, but expected {count}"
                ),
            );
        }
        for a in list {
            let Some(d) = a.as_dict(ctx) else {
                let found = ctx.attr_text(*a);
                return self.error(
                    op,
                    format!("expects {of} attribute dictionary to be a DictionaryAttr, but got `{found}`"),
                );
            };
            if d.iter().any(|(k, _)| !ctx.str(*k).contains('.')) {
                return self.error(op, format!("{one}s may only have dialect attributes"));
            }
            if name == "arg_attrs" {
                for (k, a) in d {
                    self.check_op_attr(op, ctx.str(*k), *a, OpAttrPlace::Argument);
                }
            }
        }
    }
}
