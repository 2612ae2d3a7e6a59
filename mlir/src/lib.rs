//! The bridge to MLIR: modules are read by upstream's parser, from text or bytecode, brought down by
//! upstream's passes to what terrace has, and printed with their locations.
//!
//! `terrace run --mlir-import` and `terrace-opt --load-mlir` call the program `terrace-mlir`, which
//! is this library with a command line. It knows nothing of terrace's crates: text passes between
//! them. [`Bridge`] reads, runs pipelines and writes; [`down`] chooses what is run.

#![deny(missing_docs)]

pub mod down;
mod problems;

pub use problems::{Problem, Problems};

use melior::dialect::DialectRegistry;
use melior::ir::operation::{OperationLike, OperationPrintingFlags};
use melior::ir::{Module, OperationRef};
use melior::pass::PassManager;
use melior::utility::{parse_pass_pipeline, register_all_dialects, register_all_passes};
use melior::{Context, StringRef};
use mlir_sys::{mlirModuleCreateParseFromFile, mlirOperationVerify};
use std::ffi::CString;

/// How a module is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Text, with the location of each op.
    WithLocations,
    /// Text in the generic form, with the location of each op.
    Generic,
    /// Text without locations.
    Plain,
    /// Upstream's bytecode, locations included.
    Bytecode,
}

/// Upstream's dialects and passes, and the modules that are read with them.
#[derive(Debug)]
pub struct Bridge {
    context: Context,
}

impl Default for Bridge {
    fn default() -> Self {
        Bridge::new()
    }
}

impl Bridge {
    /// All of upstream's dialects and passes. Ops of other dialects, such as terrace's own, are kept
    /// as they are.
    pub fn new() -> Bridge {
        register_all_passes();
        let registry = DialectRegistry::new();
        register_all_dialects(&registry);
        let context = Context::new_with_registry(&registry, false);
        context.set_allow_unregistered_dialects(true);
        Bridge { context }
    }

    /// The module of a file, text or bytecode; `-` for standard input.
    ///
    /// # Errors
    ///
    /// What upstream's parser and verifier say.
    pub fn read_file(&self, path: &str) -> Result<Module<'_>, Problems> {
        let named = CString::new(path).map_err(|e| Problems::text(e.to_string()))?;
        problems::within(&self.context, || {
            let name = StringRef::from_c_str(&named);
            // SAFETY: the context lives as long as the module, and the name for the call.
            unsafe {
                let raw = mlirModuleCreateParseFromFile(self.context.to_raw(), name.to_raw());
                Module::from_option_raw(raw)
            }
            .ok_or_else(|| format!("'{path}' is no module of MLIR"))
        })
    }

    /// The module that a text says.
    ///
    /// # Errors
    ///
    /// What upstream's parser and verifier say.
    pub fn read_text(&self, text: &str) -> Result<Module<'_>, Problems> {
        if text.contains('\0') {
            return Err(Problems::text("the text has a byte of value 0".into()));
        }
        problems::within(&self.context, || {
            Module::parse(&self.context, text).ok_or_else(|| "the text is no module of MLIR".into())
        })
    }

    /// Runs a pipeline, as `mlir-opt --pass-pipeline` takes it, and verifies what it made.
    ///
    /// # Errors
    ///
    /// A pipeline that is none, and what the passes say. The module is then good for nothing.
    pub fn run(&self, module: &mut Module<'_>, pipeline: &str) -> Result<(), Problems> {
        problems::within(&self.context, || {
            let passes = PassManager::new(&self.context);
            parse_pass_pipeline(passes.as_operation_pass_manager(), pipeline)
                .map_err(|e| e.to_string().trim().to_string())?;
            passes
                .run(module)
                .map_err(|_| format!("the pipeline '{pipeline}' failed"))
        })
    }

    /// The module as text or bytecode.
    ///
    /// # Errors
    ///
    /// What the verifier says of it, and what has no text.
    pub fn write(&self, module: &Module<'_>, form: Form) -> Result<Vec<u8>, Problems> {
        problems::within(&self.context, || {
            let op = module.as_operation();
            // SAFETY: the op is alive.
            if !unsafe { mlirOperationVerify(op.to_raw()) } {
                return Err("the module is wrong".to_string());
            }
            match form {
                Form::Bytecode => Ok(op.write_bytecode()),
                Form::WithLocations => text(op, true, false),
                Form::Generic => text(op, true, true),
                Form::Plain => text(op, false, false),
            }
        })
    }
}

fn text(op: OperationRef<'_, '_>, locations: bool, generic: bool) -> Result<Vec<u8>, String> {
    let flags = OperationPrintingFlags::new().enable_debug_info(locations, false);
    let flags = match generic {
        true => flags.print_generic_operation_form(),
        false => flags,
    };
    let text = op.to_string_with_flags(flags);
    let mut text = text.map_err(|e| e.to_string())?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text.into_bytes())
}
