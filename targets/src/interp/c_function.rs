//! Calls of functions of C.

use super::error::{Fault, Run};
use super::value::Value;
use terrace_support::c_functions::{Libraries, call_f32, call_f64};

/// Calls a function with numbers of 64 bits or of 32.
pub(super) fn c_function(
    libraries: &Libraries,
    name: &str,
    args: &[Value],
    double: bool,
) -> Run<Value> {
    let Some(address) = libraries.address(name) else {
        return Err(Fault::new(format!(
            "calls the C function {name}, which is in no library that was loaded"
        )));
    };
    let number = |v: &Value| match v {
        Value::F32(x) => Some(f64::from(*x)),
        Value::F64(x) => Some(*x),
        _ => None,
    };
    let args: Option<Vec<f64>> = args.iter().map(number).collect();
    let args = args.ok_or_else(|| Fault::new("is given what is no number"))?;
    // SAFETY: who opened the library answers for calls that the program makes.
    let made = unsafe {
        match double {
            true => call_f64(address, &args).map(Value::F64),
            false => {
                let args: Vec<f32> = args.iter().map(|x| *x as f32).collect();
                call_f32(address, &args).map(Value::F32)
            }
        }
    };
    made.ok_or_else(|| Fault::new("has more arguments than are handed to C"))
}
