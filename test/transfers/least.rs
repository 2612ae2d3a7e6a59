//! The least that a program moves if all of it ran on the device: each array once in
//! whose values it uses, each once out that it changes.
//!
//! Found by runs of the interpreter. An array that is handed over without values is
//! needed if the run reads an element that nothing wrote, or leaves some without (arrays
//! are copied whole); it comes out if a run with values changes one. What the program
//! allocates itself is nobody else's. The runs are of small sizes, and what moves is
//! taken to be the same for all.

use terrace::dialects::func::FuncOp;
use terrace::ir::diag::Diagnostic;
use terrace::run::bind::{Value, bind};
use terrace::run::entry::{Entry, ParamKind, public_functions};
use terrace::run::executor::Program;
use terrace::runtime::dtype::DType;
use terrace::targets::interp::{Interpreter, Value as IValue};

/// An array that the caller hands over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    pub name: String,
    /// Its bytes.
    pub bytes: usize,
    /// Its bytes at the small sizes.
    pub small_bytes: usize,
    /// Its values are used, or some stay.
    pub comes_in: bool,
    /// The caller finds others in it.
    pub goes_out: bool,
}

impl Array {
    /// How often it moves.
    pub fn copies(&self) -> usize {
        usize::from(self.comes_in) + usize::from(self.goes_out)
    }
}

/// Small sizes for the dimensions of an entry function, each another.
pub fn small_sizes(entry: &Entry) -> Vec<(String, usize)> {
    let mut names: Vec<String> = Vec::new();
    for p in &entry.params {
        if let ParamKind::Array { dims, .. } = &p.kind {
            for d in dims {
                if d.parse::<usize>().is_err() && !names.contains(d) {
                    names.push(d.clone());
                }
            }
        }
    }
    let sizes = names.into_iter().enumerate();
    sizes.map(|(i, name)| (name, 9 + i)).collect()
}

fn words(all: &[Diagnostic]) -> String {
    let all: Vec<&str> = all.iter().map(|d| d.message.as_str()).collect();
    all.join("\n")
}

fn inputs(program: &Program, entry: &Entry) -> Vec<terrace::ir::Type> {
    let found = |f: &FuncOp| f.name(&program.ctx) == entry.name;
    let all = public_functions(&program.ctx, program.module);
    let function = all.into_iter().find(found);
    function.map_or(Vec::new(), |f| f.inputs(&program.ctx).to_vec())
}

/// Of each argument the bytes, and the elements that have no value.
type Left = Vec<(Vec<u8>, usize)>;

/// What a run without values in array `without` leaves in each array: the bytes, and how
/// many elements have no value. `None` where it reads one that has none.
fn run(
    program: &Program,
    entry: &Entry,
    args: &[Value],
    without: Option<usize>,
) -> Result<Option<Left>, String> {
    let mut interp = Interpreter::new(&program.ctx, program.module);
    let mut passed = Vec::new();
    for (i, (v, ty)) in args.iter().zip(inputs(program, entry)).enumerate() {
        passed.push(match v {
            Value::Scalar(s) if ty.is_index(&program.ctx) => IValue::Index(s.bits() as i64),
            Value::Scalar(s) if s.dtype() == DType::F32 => {
                IValue::F32(f32::from_bits(s.bits() as u32))
            }
            Value::Scalar(s) => IValue::F64(f64::from_bits(s.bits())),
            Value::Array(b) => {
                let shape: Vec<i64> = b.shape().iter().map(|n| *n as i64).collect();
                let made = match without == Some(i) {
                    true => interp.unwritten_array(ty, &shape),
                    false => interp.array(ty, &shape, b.bytes()),
                };
                made.map_err(|e| e.message)?
            }
        });
    }
    if let Err(e) = interp.call(&entry.name, passed.clone()) {
        return match e.message.contains("never written") && without.is_some() {
            true => Ok(None),
            false => Err(e.message),
        };
    }
    let mut left = Vec::new();
    for (v, p) in args.iter().zip(&passed) {
        left.push(match v {
            Value::Scalar(_) => (Vec::new(), 0),
            Value::Array(_) => {
                let a = interp.read_array(p).map_err(|e| e.message)?;
                (a.bytes, a.unwritten)
            }
        });
    }
    Ok(Some(left))
}

/// The arrays of a program's entry function, and what moves of each. `sizes` in place of
/// the program's own.
///
/// # Errors
///
/// What is wrong with the program.
pub fn arrays(file: &str, text: &str, sizes: &[(String, usize)]) -> Result<Vec<Array>, String> {
    let program = Program::new(file, text).map_err(|d| words(&d))?;
    let entry = program.entry(None)?;
    let own = bind(&entry, &[], sizes).map_err(|e| e.join("\n"))?;
    let small = bind(&entry, &[], &small_sizes(&entry)).map_err(|e| e.join("\n"))?;
    let full = run(&program, &entry, &small, None)?.unwrap_or_default();
    let mut out = Vec::new();
    for (i, (v, large)) in small.iter().zip(&own).enumerate() {
        let (Value::Array(b), Value::Array(large)) = (v, large) else {
            continue;
        };
        let changed = full.get(i).is_some_and(|f| f.0 != b.bytes());
        let comes_in = match run(&program, &entry, &small, Some(i))? {
            None => true,
            Some(left) => {
                let unwritten = left.get(i).map_or(0, |l| l.1);
                // Untouched it need not be there.
                unwritten > 0 && unwritten < b.len()
            }
        };
        out.push(Array {
            name: entry.params[i].name.clone(),
            bytes: large.bytes().len(),
            small_bytes: b.bytes().len(),
            comes_in,
            goes_out: changed,
        });
    }
    Ok(out)
}
