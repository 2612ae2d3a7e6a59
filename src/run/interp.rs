//! Running in the reference interpreter.

use super::bind::Value;
use super::entry::{Entry, ParamKind};
use super::executor::{Executor, Program};
use super::strided::returned;
use crate::ir::Context;
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::ir::num::{Float, FloatKind, Int};
use crate::runtime::dtype::{DType, Scalar};
use crate::runtime::profile::{Event, KernelRun, Profile};
use crate::runtime::support::c_functions::Libraries;
use crate::targets::interp::{Config, InterpError, Interpreter, Value as IValue};
use std::time::Instant;

/// See the [module](self).
pub struct InterpExecutor {
    program: Program,
    entry: Entry,
    profile: Profile,
    config: Config,
}

impl InterpExecutor {
    /// An executor of `entry`, which is a function of `program`. The program is taken as it is:
    /// no pass runs over it.
    pub fn new(program: Program, entry: Entry) -> Self {
        InterpExecutor {
            program,
            entry,
            profile: Profile::new(),
            // The other targets copy around launches what kernels use.
            config: Config {
                host_memory_in_kernels: true,
                ..Config::default()
            },
        }
    }

    /// With the libraries that functions of C are in.
    #[must_use]
    pub fn with_libraries(mut self, libraries: &Libraries) -> Self {
        self.config.libraries = libraries.clone();
        self
    }

    /// With the arrays among the arguments in memory of the device: an access by host
    /// code is an error.
    #[must_use]
    pub fn with_arguments_on_device(mut self) -> Self {
        self.config.arguments_on_device = true;
        self.config.host_memory_in_kernels = false;
        self
    }
}

fn diagnostics(ctx: &Context, e: InterpError) -> Vec<Diagnostic> {
    let mut d = Diagnostic::error(ctx.diag_loc(e.loc), e.message);
    for (loc, note) in e.trace {
        d.notes.push((ctx.diag_loc(loc), note));
    }
    vec![d]
}

/// A number as the interpreter holds it; `width` is that of an integer type.
fn to_interp(s: Scalar, width: u32) -> IValue {
    let bits = s.bits();
    match s.dtype() {
        DType::Index => IValue::Index(bits as i64),
        DType::F32 => IValue::F32(f32::from_bits(bits as u32)),
        DType::F64 => IValue::F64(f64::from_bits(bits)),
        DType::F16 => IValue::float(Float::from_bits(FloatKind::F16, u128::from(bits))),
        DType::BF16 => IValue::float(Float::from_bits(FloatKind::BF16, u128::from(bits))),
        _ => IValue::from_int(Int::from_u64(width, bits)),
    }
}

fn from_interp(v: &IValue, d: DType) -> Option<Scalar> {
    let bits = match v {
        IValue::Index(i) => *i as u64,
        IValue::F32(f) => u64::from(f.to_bits()),
        IValue::F64(f) => f.to_bits(),
        v => match (v.to_int(), v.to_float()) {
            (Some(i), _) => i.zext(64).to_u64()?,
            (_, Some(f)) => u64::try_from(f.to_bits()).ok()?,
            _ => return None,
        },
    };
    Some(Scalar::from_bits(d, bits))
}

impl Executor for InterpExecutor {
    fn call(&mut self, args: &mut [Value]) -> Result<Vec<Value>, Vec<Diagnostic>> {
        super::bind::check_call(&self.entry, args)?;
        self.profile.begin_call();
        let ctx = &self.program.ctx;
        let mut interp = Interpreter::with_config(ctx, self.program.module, self.config.clone());
        let inputs = super::entry::public_functions(ctx, self.program.module)
            .into_iter()
            .find(|f| f.name(ctx) == self.entry.name)
            .map(|f| f.inputs(ctx).to_vec())
            .unwrap_or_default();
        let mut passed = Vec::new();
        for (v, ty) in args.iter().zip(&inputs) {
            passed.push(match v {
                Value::Scalar(s) => to_interp(*s, ty.int_width(ctx).unwrap_or(64)),
                Value::Array(b) => {
                    let shape: Vec<i64> = b.shape().iter().map(|d| *d as i64).collect();
                    interp
                        .array(*ty, &shape, b.bytes())
                        .map_err(|e| diagnostics(ctx, e))?
                }
            });
        }
        let start = Instant::now();
        let results = interp
            .call(&self.entry.name, passed.clone())
            .map_err(|e| diagnostics(ctx, e))?;
        self.profile.record(Event::Kernel(KernelRun {
            name: format!("@{}", self.entry.name),
            target: "interp".into(),
            launch: None,
            microseconds: start.elapsed().as_secs_f64() * 1e6,
            flops: None,
            work: None,
        }));
        for (v, p) in args.iter_mut().zip(&passed) {
            if let Value::Array(b) = v {
                let a = interp.read_array(p).map_err(|e| diagnostics(ctx, e))?;
                if a.bytes.len() == b.bytes().len() {
                    b.bytes_mut().copy_from_slice(&a.bytes);
                }
            }
        }
        let mut given = Vec::new();
        for (i, (v, kind)) in results.iter().zip(&self.entry.results).enumerate() {
            match kind {
                ParamKind::Scalar(d) => given.extend(from_interp(v, *d).map(Value::Scalar)),
                ParamKind::Array { dtype, .. } => {
                    let a = interp.read_array(v).map_err(|e| diagnostics(ctx, e))?;
                    if a.unwritten > 0 {
                        let m = format!(
                            "result {i} of @{} has {} elements that nothing was written to",
                            self.entry.name, a.unwritten
                        );
                        return Err(vec![Diagnostic::error(DiagLoc::Unknown, m)]);
                    }
                    given.push(returned(*dtype, &a.shape, &a.bytes)?);
                }
            }
        }
        Ok(given)
    }

    fn take_profile(&mut self) -> Profile {
        std::mem::take(&mut self.profile)
    }

    fn place(&self) -> String {
        "interp".to_string()
    }
}
