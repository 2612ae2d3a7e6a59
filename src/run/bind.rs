//! Values for the parameters of a run.

use super::entry::{Entry, Param, ParamKind};
use crate::ir::diag::{DiagLoc, Diagnostic};
use crate::runtime::argspec::{ArgKey, ArgSpec, ArgValue};
use crate::runtime::buffer::{BufferError, HostBuffer, shape_text};
use crate::runtime::dtype::{DType, Element, Scalar};
use std::collections::BTreeMap;

/// An argument or result of a call.
#[derive(Debug)]
pub enum Value {
    /// A number, passed by value.
    Scalar(Scalar),
    /// An array in memory of the host, which a call changes in place.
    Array(HostBuffer),
}

impl From<f64> for Value {
    fn from(v: f64) -> Self {
        Value::Scalar(Scalar::from_bits(DType::F64, v.to_bits()))
    }
}

impl Value {
    /// An array with a copy of these elements.
    ///
    /// # Errors
    ///
    /// Where the shape does not hold as many elements, or memory is short.
    pub fn array<T: Element>(shape: &[usize], elements: &[T]) -> Result<Value, BufferError> {
        HostBuffer::from_slice(shape, elements).map(Value::Array)
    }

    /// The elements of an array, in row-major order.
    ///
    /// # Errors
    ///
    /// For a number, and where `T` cannot stand for the elements' type.
    pub fn elements<T: Element>(&self) -> Result<&[T], BufferError> {
        match self {
            Value::Array(b) => b.as_slice(),
            Value::Scalar(s) => Err(BufferError::NotArray(s.dtype())),
        }
    }

    /// The number, where it is one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(s) => Some(*s),
            Value::Array(_) => None,
        }
    }

    /// A copy; fails where memory is short.
    pub fn try_clone(&self) -> Result<Value, String> {
        Ok(match self {
            Value::Scalar(s) => Value::Scalar(*s),
            Value::Array(b) => Value::Array(b.try_clone().map_err(|e| e.to_string())?),
        })
    }
}

/// The position of the parameter that `key` means.
pub(crate) fn position(entry: &Entry, key: &ArgKey) -> Result<usize, String> {
    let found = match key {
        ArgKey::Index(i) => (*i < entry.params.len()).then_some(*i),
        ArgKey::Name(n) => entry.params.iter().position(|p| p.name == *n),
    };
    found.ok_or_else(|| {
        let names: Vec<&str> = entry.params.iter().map(|p| p.name.as_str()).collect();
        format!(
            "@{} has no parameter `{key}`; it has {}",
            entry.name,
            list(&names)
        )
    })
}

/// The position of the result that `key` means, by the name `result0` and so on.
pub(crate) fn result(entry: &Entry, key: &ArgKey) -> Option<usize> {
    let ArgKey::Name(name) = key else { return None };
    let i: usize = name.strip_prefix("result")?.parse().ok()?;
    (i < entry.results.len()).then_some(i)
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        "none".to_string()
    } else {
        names.join(", ")
    }
}

/// One value per parameter: from `specs`, else from the program's own
/// `terrace.init`. `sizes` replaces named dimensions of the latter. Every problem
/// is reported.
pub fn bind(
    entry: &Entry,
    specs: &[ArgSpec],
    sizes: &[(String, usize)],
) -> Result<Vec<Value>, Vec<String>> {
    let mut errors = Vec::new();
    let mut given: BTreeMap<usize, &ArgValue> = BTreeMap::new();
    for s in specs {
        match position(entry, &s.key) {
            Ok(i) if given.contains_key(&i) => {
                errors.push(format!("parameter {} is given twice", entry.params[i].name));
            }
            Ok(i) => {
                given.insert(i, &s.value);
            }
            Err(e) => errors.push(e),
        }
    }
    let dims: Vec<&String> = entry
        .params
        .iter()
        .flat_map(|p| dims_of(p).iter())
        .collect();
    for (name, _) in sizes {
        if !dims.contains(&name) {
            let mut known: Vec<&str> = dims.iter().map(|d| d.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            errors.push(format!(
                "@{} has no dimension `{name}`; it names {}",
                entry.name,
                list(&known)
            ));
        }
    }
    let mut values = Vec::new();
    for (i, p) in entry.params.iter().enumerate() {
        match bind_one(p, i, given.get(&i).copied(), sizes, &values) {
            Ok(v) => values.push(v),
            Err(e) => errors.push(format!("parameter {}: {e}", p.name)),
        }
    }
    if errors.is_empty() {
        Ok(values)
    } else {
        Err(errors)
    }
}

fn dims_of(p: &Param) -> &[String] {
    match &p.kind {
        ParamKind::Array { dims, .. } => dims,
        ParamKind::Scalar(_) => &[],
    }
}

fn bind_one(
    p: &Param,
    i: usize,
    given: Option<&ArgValue>,
    sizes: &[(String, usize)],
    before: &[Value],
) -> Result<Value, String> {
    let from_program;
    let value = match (given, &p.init) {
        (Some(v), _) => v,
        (None, Some(init)) => {
            let mut v = ArgValue::parse(init).map_err(|e| format!("terrace.init: {e}"))?;
            resize(&mut v, p, sizes);
            from_program = v;
            &from_program
        }
        (None, None) => {
            let form = match &p.kind {
                ParamKind::Scalar(d) => format!("--arg {}=NUMBER of type {d}", p.name),
                ParamKind::Array { .. } => format!("--arg {}=random:SHAPE", p.name),
            };
            return Err(format!("no value: give one with {form}"));
        }
    };
    match &p.kind {
        ParamKind::Scalar(d) => value.to_scalar(*d).map(Value::Scalar),
        ParamKind::Array { dtype, shape, .. } => {
            let sizes = sizes_by(p, before).filter(|s| s.len() == shape.len());
            let counts = sizes.iter().flatten().map(|n| usize::try_from(*n).ok());
            let known: Vec<Option<usize>> = counts.collect();
            let is_known = sizes.is_some() && known.iter().all(Option::is_some);
            let shape = if is_known { &known } else { shape };
            let made = value.to_buffer(*dtype, shape, i).map(Value::Array);
            let negative = sizes.and_then(|s| s.into_iter().find(|n| *n < 0));
            return made.map_err(|e| match negative {
                Some(n) => {
                    format!("with these numbers it would have {n} elements along a dimension")
                }
                None => e.to_string(),
            });
        }
    }
    .map_err(|e| e.to_string())
}

/// The sizes that an array has by the parameters in front of it, as far as the program says so.
fn sizes_by(p: &Param, before: &[Value]) -> Option<Vec<i64>> {
    let map = p.sizes.as_ref()?;
    let symbols = before
        .iter()
        .take(map.num_symbols() as usize)
        .map(|v| match v {
            Value::Scalar(s) => i64::try_from(s.as_int()).ok(),
            Value::Array(_) => None,
        });
    let symbols: Vec<i64> = symbols.collect::<Option<_>>()?;
    if symbols.len() < map.num_symbols() as usize {
        return None;
    }
    map.eval(&[], &symbols)
}

/// Put the sizes asked for into the shape that the program suggests.
fn resize(v: &mut ArgValue, p: &Param, sizes: &[(String, usize)]) {
    let (
        ArgValue::Fill {
            shape: Some(shape), ..
        },
        ParamKind::Array { dims, .. },
    ) = (v, &p.kind)
    else {
        return;
    };
    for (extent, dim) in shape.iter_mut().zip(dims) {
        if let Some((_, n)) = sizes.iter().find(|(name, _)| name == dim) {
            *extent = *n;
        }
    }
}

/// What names mean in the formula for the operation count.
pub(crate) fn formula_names(entry: &Entry, values: &[Value]) -> BTreeMap<String, f64> {
    let mut names = BTreeMap::new();
    for (p, v) in entry.params.iter().zip(values) {
        match (v, &p.kind) {
            (Value::Scalar(s), _) => {
                names.insert(p.name.clone(), s.as_f64());
            }
            (Value::Array(b), ParamKind::Array { dims, .. }) => {
                for (d, n) in dims.iter().zip(b.shape()) {
                    names.insert(d.clone(), *n as f64);
                }
            }
            _ => {}
        }
    }
    names
}

/// The dimensions of parameters that share a name must agree.
pub(crate) fn check_dims(entry: &Entry, values: &[Value]) -> Result<(), String> {
    let mut seen: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (p, v) in entry.params.iter().zip(values) {
        let (Value::Array(b), ParamKind::Array { dims, .. }) = (v, &p.kind) else {
            continue;
        };
        for (d, n) in dims.iter().zip(b.shape()) {
            match seen.get(d.as_str()) {
                Some((m, other)) if m != n => {
                    return Err(format!(
                        "dimension {d} is {n} in {} but {m} in {other}: they must be equal",
                        p.name
                    ));
                }
                Some(_) => {}
                None => {
                    seen.insert(d, (*n, &p.name));
                }
            }
        }
    }
    Ok(())
}

/// What is wrong with the arguments of a call: their number, whether they are arrays,
/// their element types, ranks and sizes.
pub(crate) fn check_call(entry: &Entry, args: &[Value]) -> Result<(), Vec<Diagnostic>> {
    let mut wrong = Vec::new();
    let (want, have) = (entry.params.len(), args.len());
    if want != have {
        wrong.push(format!(
            "@{} takes {want} argument{}, found {have}",
            entry.name,
            if want == 1 { "" } else { "s" }
        ));
    } else {
        for (i, (p, v)) in entry.params.iter().zip(args).enumerate() {
            if let Some(m) = mismatch(&p.kind, v) {
                let name = match p.name == i.to_string() {
                    true => String::new(),
                    false => format!(" ({})", p.name),
                };
                wrong.push(format!("argument {i}{name} of @{}: {m}", entry.name));
            }
        }
    }
    if wrong.is_empty()
        && let Err(m) = check_dims(entry, args)
    {
        wrong.push(format!("arguments of @{}: {m}", entry.name));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let error = |m| Diagnostic::error(DiagLoc::Unknown, m);
    Err(wrong.into_iter().map(error).collect())
}

/// What keeps a value from being an argument for a parameter.
fn mismatch(kind: &ParamKind, v: &Value) -> Option<String> {
    match (kind, v) {
        (ParamKind::Scalar(want), Value::Scalar(s)) => (!same_bits(*want, s.dtype()))
            .then(|| format!("found a number of type {}, expected {want}", s.dtype())),
        (ParamKind::Scalar(want), Value::Array(b)) => Some(format!(
            "found an array {}x{}, expected a number of type {want}",
            shape_text(b.shape()),
            b.dtype()
        )),
        (ParamKind::Array { dtype, shape, .. }, v) => {
            let want: String = shape
                .iter()
                .map(|d| d.map_or("?x".to_string(), |n| format!("{n}x")))
                .collect();
            let Value::Array(b) = v else {
                let Value::Scalar(s) = v else { return None };
                return Some(format!(
                    "found a number of type {}, expected an array {want}{dtype}",
                    s.dtype()
                ));
            };
            let fits = same_bits(*dtype, b.dtype())
                && shape.len() == b.shape().len()
                && (shape.iter().zip(b.shape())).all(|(want, n)| want.is_none_or(|w| w == *n));
            let have: String = b.shape().iter().map(|n| format!("{n}x")).collect();
            (!fits).then(|| format!("found an array {have}{}, expected {want}{dtype}", b.dtype()))
        }
    }
}

/// Whether numbers of one type are those of the other: the IR's integers have no sign, and
/// an index has 64 bits.
fn same_bits(want: DType, have: DType) -> bool {
    let integer = |d: DType| !is_float(d) && d != DType::I1;
    want == have || integer(want) && integer(have) && want.size() == have.size()
}

/// Whether results of this type are compared with a tolerance.
pub fn is_float(d: DType) -> bool {
    matches!(d, DType::F16 | DType::BF16 | DType::F32 | DType::F64)
}
