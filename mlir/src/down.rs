//! From what other compilers make to what terrace has, by upstream's passes.
//!
//! A stage runs where a module has what it takes away, so that a module of affine loops is left as
//! it is. Each is a pipeline as `mlir-opt` takes it.

use crate::{Bridge, Problems};
use melior::ir::attribute::Attribute;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationLike, OperationMutLike, WalkOrder, WalkResult};
use melior::ir::r#type::TypeLike;
use melior::ir::{Module, Type, ValueLike};
use std::collections::BTreeSet;

/// A pipeline, and what a module has that it is for.
#[derive(Debug, Clone, Copy)]
pub struct Stage {
    /// Names of dialects or ops, and `tensor<` for values that are tensors.
    pub of: &'static [&'static str],
    /// What takes them away.
    pub pipeline: &'static str,
}

/// The stages in their order.
pub static STAGES: &[Stage] = &[
    Stage {
        of: &["tosa"],
        pipeline: "builtin.module(func.func(tosa-to-linalg-named,tosa-to-linalg,tosa-to-arith{include-apply-rescale=true use-32-bit=true},tosa-to-tensor,tosa-to-scf))",
    },
    Stage {
        of: &["shape"],
        pipeline: "builtin.module(func.func(shape-to-shape-lowering,convert-shape-constraints,remove-shape-constraints),convert-shape-to-std,canonicalize)",
    },
    Stage {
        of: DECOMPOSED,
        pipeline: "builtin.module(transform-interpreter{entry-point=__terrace_decompose})",
    },
    Stage {
        of: &["tensor<"],
        pipeline: "builtin.module(canonicalize,func.func(convert-elementwise-to-linalg))",
    },
    Stage {
        of: &["complex"],
        pipeline: "builtin.module(func.func(convert-complex-to-standard))",
    },
    Stage {
        of: &["tensor<", "bufferization", "ml_program"],
        pipeline: "builtin.module(eliminate-empty-tensors,func.func(empty-tensor-to-alloc-tensor),one-shot-bufferize{allow-return-allocs-from-loops bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},func.func(buffer-hoisting,buffer-loop-hoisting),convert-bufferization-to-memref,canonicalize,cse)",
    },
    Stage {
        of: &["linalg"],
        pipeline: "builtin.module(func.func(convert-linalg-to-affine-loops),func.func(fold-memref-alias-ops),canonicalize,cse)",
    },
];

/// Ops that are several others in one.
const DECOMPOSED: &[&str] = &["linalg.softmax"];

/// Takes them apart.
const DECOMPOSITION: &str = r#"
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__terrace_decompose(%root: !transform.any_op {transform.readonly}) {
    %ops = transform.structured.match ops{["linalg.softmax"]} in %root : (!transform.any_op) -> !transform.any_op
    %parts = transform.structured.decompose_interface %ops : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
"#;

impl Bridge {
    /// Brings a module down to what terrace has. Gives the pipelines that it took.
    ///
    /// # Errors
    ///
    /// What the passes say. The module is then good for nothing.
    pub fn lower(&self, module: &mut Module<'_>) -> Result<Vec<&'static str>, Problems> {
        let mut taken = Vec::new();
        for stage in STAGES {
            let has = contents(module);
            if !stage.of.iter().any(|name| has.contains(*name)) {
                continue;
            }
            match stage.of == DECOMPOSED {
                true => self.decompose(module, stage.pipeline)?,
                false => self.run(module, stage.pipeline)?,
            }
            taken.push(stage.pipeline);
        }
        Ok(taken)
    }

    /// Runs the pipeline with the decomposition in the module.
    fn decompose(&self, module: &mut Module<'_>, pipeline: &str) -> Result<(), Problems> {
        let library = self.read_text(DECOMPOSITION)?;
        let sequence = library.body().first_operation();
        let sequence = sequence.ok_or_else(|| Problems::text("a fault of terrace's own".into()))?;
        let name = "transform.with_named_sequence";
        let had = module.as_operation().attribute(name).is_ok();
        let put = module.body().insert_operation(0, (*sequence).clone());
        let put = put.to_raw();
        module
            .as_operation_mut()
            .set_attribute(name, Attribute::unit(&self.context));
        let result = self.run(module, pipeline);
        // SAFETY: the interpreter only reads the sequence, which stands in the module still, and
        // nothing refers to it after this.
        unsafe {
            mlir_sys::mlirOperationRemoveFromParent(put);
            mlir_sys::mlirOperationDestroy(put);
        }
        if !had {
            // It was put there above.
            let _ = module.as_operation_mut().remove_attribute(name);
        }
        result
    }
}

/// The dialects and names of a module's ops, and `tensor<` where there are values that are tensors.
fn contents(module: &Module<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut tensors = false;
    module.as_operation().walk(WalkOrder::PreOrder, |op| {
        let name = op.name();
        let name = name.as_string_ref();
        let name = name.as_str().unwrap_or("");
        if !found.contains(name) {
            found.insert(name.to_string());
            found.extend(name.split('.').next().map(str::to_string));
        }
        tensors |= op.results().any(|v| is_tensor(v.r#type()))
            || op.operands().any(|v| is_tensor(v.r#type()))
            || op
                .attribute("function_type")
                .is_ok_and(|t| t.to_string().contains("tensor<"));
        WalkResult::Advance
    });
    if tensors {
        found.insert("tensor<".into());
    }
    found
}

fn is_tensor(t: Type<'_>) -> bool {
    // SAFETY: the type is alive.
    unsafe { mlir_sys::mlirTypeIsATensor(t.to_raw()) }
}
