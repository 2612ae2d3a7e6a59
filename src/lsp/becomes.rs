//! "Show what this becomes": a program as loops, kernels, PTX or assembly, as `terrace compile` prints them.

use lsp_types::{MessageType, ShowDocumentParams};
use serde_json::{Value, json};
use std::path::PathBuf;

use super::c::commands;
use super::text::{Language, Snapshot, uri_of};
use super::worker::Client;
use crate::c::driver::host::Host;
use crate::c::emit::emit_region;
use crate::run::options::{Emit, RunOptions, Target};
use crate::run::source::{self, ProgramText};

/// The command of `workspace/executeCommand`.
pub const COMMAND: &str = "terrace.becomes";

/// The request that answers with the text and opens nothing.
pub const REQUEST: &str = "terrace/becomes";

/// The forms by name, with what an editor calls them and the language that they are in.
pub const FORMS: [(&str, &str, &str); 6] = [
    ("mlir", "loops", "mlir"),
    ("cpu", "IR for cores", "mlir"),
    ("gpu", "IR of kernels", "mlir"),
    ("schedule", "schedule", "mlir"),
    ("ptx", "PTX", "ptx"),
    ("asm", "assembly", "asm"),
];

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    form: usize,
    /// One region of a C file; all of it where none is named.
    region: Option<String>,
    /// By the command, so that the editor is asked to open it.
    opens: bool,
}

/// A form that was made.
pub struct Shown {
    text: String,
    language: &'static str,
    title: String,
}

impl Shown {
    /// As the answer of the request and the command.
    pub fn as_json(&self) -> Value {
        json!({"text": self.text, "language": self.language, "title": self.title})
    }
}

impl Wanted {
    /// From the parameters of the request, or the argument of the command.
    ///
    /// # Errors
    ///
    /// A form that there is not.
    pub fn read(params: &Value, opens: bool) -> Result<Wanted, String> {
        let name = params.get("form").and_then(Value::as_str).unwrap_or("mlir");
        let form = FORMS.iter().position(|(n, ..)| *n == name);
        let form = form.ok_or_else(|| {
            let names: Vec<&str> = FORMS.iter().map(|(n, ..)| *n).collect();
            format!(
                "found the form `{name}`, expected one of {}",
                names.join(", ")
            )
        })?;
        let region = params.get("region").and_then(Value::as_str);
        Ok(Wanted {
            form,
            region: region.map(str::to_string),
            opens,
        })
    }
}

/// Makes the form.
///
/// # Errors
///
/// What is wrong with the program.
pub fn make(snapshot: &Snapshot, wanted: &Wanted) -> Result<Shown, String> {
    let (name, title, language) = FORMS[wanted.form];
    let (form, target) = match name {
        "mlir" => (Emit::Mlir, Target::Interp),
        "cpu" => (Emit::Mlir, Target::Cpu),
        "gpu" => (Emit::Mlir, Target::Gpu),
        "schedule" => (Emit::Schedule, Target::Gpu),
        "ptx" => (Emit::Ptx, Target::Gpu),
        _ => (Emit::Asm, Target::Cpu),
    };
    let settings = &snapshot.settings;
    let oldest = settings.arch.split(',').next().unwrap_or("sm_90");
    let options = RunOptions {
        target,
        arch: match snapshot.language {
            Language::C => settings.arch.clone(),
            _ => oldest.to_string(),
        },
        tuned: false,
        ..RunOptions::default()
    };
    let program = program(snapshot)?;
    let made = match snapshot.language {
        Language::C => emit_region(&program, form, &options, wanted.region.as_deref()),
        _ => crate::with_stack(|| crate::run::emit(&program, form, &options)),
    };
    if made.code != 0 {
        return Err(made.stderr.trim_end().to_string());
    }
    let file = snapshot.path();
    let file = file
        .as_ref()
        .and_then(|p| p.file_name())
        .map(|n| n.to_string_lossy());
    let of = wanted
        .region
        .as_deref()
        .map_or(String::new(), |r| format!(" of {r}"));
    Ok(Shown {
        text: made.stdout,
        language,
        title: format!("{}: {title}{of}", file.as_deref().unwrap_or("program")),
    })
}

fn program(snapshot: &Snapshot) -> Result<ProgramText, String> {
    let name = snapshot.name();
    Ok(match snapshot.language {
        Language::Mlir => ProgramText::mlir(&name, &snapshot.text),
        Language::Formulas => ProgramText::formulas(&name, &snapshot.text),
        Language::C => {
            let flags = commands::flags(snapshot)?;
            let words = commands::for_preprocessor(&flags);
            let path = PathBuf::from(&name);
            let made = Host::find().preprocessed_buffer(&path, &snapshot.text, &words);
            let (text, _) = made.map_err(|f| f.said())?;
            ProgramText {
                language: source::Language::C,
                flags,
                ..ProgramText::mlir(&name, &text)
            }
        }
    })
}

/// Where texts are that editors are asked to open.
fn folder() -> PathBuf {
    std::env::temp_dir().join(format!("terrace-lsp-{}", std::process::id()))
}

/// Removes what was put there.
pub fn clean() {
    // Mostly there is nothing.
    let _ = std::fs::remove_dir_all(folder());
}

/// Has the editor open the form, where it was asked for by a command, the editor can, and does not show
/// it by itself. The text is put into a file in the folder for temporary ones.
pub fn open(client: &Client, snapshot: &Snapshot, wanted: &Wanted, shown: &Shown) {
    if !wanted.opens || snapshot.settings.opens_documents || !client.able.show_documents {
        return;
    }
    let end = match shown.language {
        "asm" => "s",
        other => other,
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = shown.title.chars().map(plain).collect();
    let folder = folder();
    let path = folder.join(format!("{name}.{end}"));
    let written =
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&path, &shown.text));
    if let Err(e) = written {
        let m = format!("cannot write {}: {e}", path.display());
        return client.show(MessageType::ERROR, m);
    }
    let Some(uri) = uri_of(&path) else { return };
    let params = ShowDocumentParams {
        uri,
        external: Some(false),
        take_focus: Some(false),
        selection: None,
    };
    client.ask("window/showDocument", params);
}
