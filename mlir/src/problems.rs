//! What upstream says of modules and passes.

use melior::Context;
use melior::diagnostic::{Diagnostic, DiagnosticSeverity};
use melior::ir::Location;
use mlir_sys::{
    mlirIdentifierStr, mlirLocationFileLineColRangeGetFilename,
    mlirLocationFileLineColRangeGetStartColumn, mlirLocationFileLineColRangeGetStartLine,
};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A message with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// `error`, `warning`, `remark` or `note`.
    pub severity: &'static str,
    /// `file:line:column`, or the location as upstream writes it; empty where there is none.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        write!(f, "{}: {}", self.severity, self.message)
    }
}

/// Messages, of which one is an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// An error without a place.
    pub fn text(message: String) -> Problems {
        Problems(vec![Problem {
            severity: "error",
            place: String::new(),
            message,
        }])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, p) in self.0.iter().enumerate() {
            let end = if i > 0 { "\n" } else { "" };
            write!(f, "{end}{p}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Does something, and gives what was said if it fails. The error of `f` itself is said where
/// upstream said no error.
pub(crate) fn within<T>(
    context: &Context,
    f: impl FnOnce() -> Result<T, String>,
) -> Result<T, Problems> {
    let said: Rc<RefCell<Vec<Problem>>> = Rc::default();
    let heard = Rc::clone(&said);
    let id = context.attach_diagnostic_handler(move |d| {
        keep(&d, &mut heard.borrow_mut());
        true
    });
    let result = f();
    context.detach_diagnostic_handler(id);
    result.map_err(|message| {
        let mut all = said.take();
        if !all.iter().any(|p| p.severity == "error") {
            all.extend(Problems::text(message).0);
        }
        Problems(all)
    })
}

fn keep(d: &Diagnostic<'_>, into: &mut Vec<Problem>) {
    into.push(Problem {
        severity: match d.severity() {
            DiagnosticSeverity::Error => "error",
            DiagnosticSeverity::Warning => "warning",
            DiagnosticSeverity::Remark => "remark",
            DiagnosticSeverity::Note => "note",
        },
        place: place(d.location()),
        message: d.to_string(),
    });
    for i in 0..d.note_count() {
        if let Ok(note) = d.note(i) {
            keep(&note, into);
        }
    }
}

fn place(location: Location<'_>) -> String {
    if !location.is_file_line_col_range() {
        let text = location.to_string();
        return match text.as_str() {
            "loc(unknown)" => String::new(),
            _ => text,
        };
    }
    let raw = location.to_raw();
    // SAFETY: the location is one of a file, and its name lives as long as the context.
    let (file, line, column) = unsafe {
        let name = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(raw));
        let bytes = std::slice::from_raw_parts(name.data.cast::<u8>(), name.length);
        (
            String::from_utf8_lossy(bytes).into_owned(),
            mlirLocationFileLineColRangeGetStartLine(raw),
            mlirLocationFileLineColRangeGetStartColumn(raw),
        )
    };
    format!("{file}:{line}:{column}")
}
