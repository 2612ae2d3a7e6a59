//! Answers to questions about a text: which function answers which method.

use lsp_server::ErrorCode;
use lsp_types::{
    CodeActionParams, CodeActionResponse, CodeLensParams, CompletionParams,
    DocumentFormattingParams, DocumentHighlight, DocumentSymbolParams, DocumentSymbolResponse,
    GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverContents, HoverParams,
    InlayHintParams, Location, MarkupContent, MarkupKind, Position, Range, ReferenceParams,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::becomes::{self, Wanted};
use super::text::Snapshot;
use super::worker::Analysis;

/// All methods that are answered.
pub const METHODS: [&str; 12] = [
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/hover",
    "textDocument/documentSymbol",
    "textDocument/completion",
    "textDocument/formatting",
    "textDocument/codeAction",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "workspace/executeCommand",
    becomes::REQUEST,
];

/// The result of a request, or an error.
type Given = Result<Value, (ErrorCode, String)>;

/// When a request is answered.
pub enum Answer {
    /// This is the answer.
    Now(Given),
    /// It takes long.
    Later(Wanted),
}

/// The places of one name: where it is defined, and where it is used.
pub struct Occurrences {
    /// Definitions, as bytes.
    pub definitions: Vec<(u32, u32)>,
    /// Uses, as bytes.
    pub uses: Vec<(u32, u32)>,
}

/// Answers a request about a text.
pub fn answer(
    (method, params): (&str, Value),
    snapshot: &Snapshot,
    analysis: Option<&Analysis>,
) -> Answer {
    let opens = method == "workspace/executeCommand";
    if opens || method == becomes::REQUEST {
        return match wanted(opens, &params) {
            Ok(wanted) => Answer::Later(wanted),
            Err(m) => Answer::Now(Err((ErrorCode::InvalidParams, m))),
        };
    }
    let Some(analysis) = analysis else {
        let m = format!("nothing is known of {}", snapshot.name());
        return Answer::Now(Err((ErrorCode::InternalError, m)));
    };
    let ask = Ask {
        method,
        params,
        snapshot,
        analysis,
    };
    Answer::Now(ask.now())
}

fn wanted(command: bool, params: &Value) -> Result<Wanted, String> {
    if !command {
        return Wanted::read(params, false);
    }
    let name = params.get("command").and_then(Value::as_str).unwrap_or("");
    if name != becomes::COMMAND {
        return Err(format!(
            "found the command `{name}`, expected {}",
            becomes::COMMAND
        ));
    }
    Wanted::read(params.pointer("/arguments/0").unwrap_or(&Value::Null), true)
}

struct Ask<'a> {
    method: &'a str,
    params: Value,
    snapshot: &'a Snapshot,
    analysis: &'a Analysis,
}

impl Ask<'_> {
    fn params<P: DeserializeOwned>(&self) -> Result<P, (ErrorCode, String)> {
        serde_json::from_value(self.params.clone()).map_err(|e| {
            let m = format!("`{}` has wrong parameters: {e}", self.method);
            (ErrorCode::InvalidParams, m)
        })
    }

    fn now(&self) -> Given {
        match self.method {
            "textDocument/definition" => {
                let p: GotoDefinitionParams = self.params()?;
                let at = p.text_document_position_params.position;
                let found = self.occurrences(at).map_or(Vec::new(), |o| o.definitions);
                give(GotoDefinitionResponse::Array(self.locations(&found)))
            }
            "textDocument/references" => {
                let p: ReferenceParams = self.params()?;
                let Some(found) = self.occurrences(p.text_document_position.position) else {
                    return give(Vec::<Location>::new());
                };
                let mut all = match p.context.include_declaration {
                    true => found.definitions,
                    false => Vec::new(),
                };
                all.extend(found.uses);
                all.sort_unstable();
                give(self.locations(&all))
            }
            "textDocument/documentHighlight" => {
                let p: lsp_types::DocumentHighlightParams = self.params()?;
                let found = self.occurrences(p.text_document_position_params.position);
                give(found.map(|o| self.highlights(&o)))
            }
            "textDocument/hover" => {
                let p: HoverParams = self.params()?;
                give(self.hover(p.text_document_position_params.position))
            }
            "textDocument/documentSymbol" => {
                let _: DocumentSymbolParams = self.params()?;
                let symbols = match self.analysis {
                    Analysis::Mlir(a) => a.symbols(self.snapshot),
                    Analysis::Formulas(a) => a.symbols(self.snapshot),
                    Analysis::C(a) => a.symbols(self.snapshot),
                };
                give(DocumentSymbolResponse::Nested(symbols))
            }
            "textDocument/completion" => {
                let p: CompletionParams = self.params()?;
                let at = self.snapshot.offset(p.text_document_position.position);
                give(match self.analysis {
                    Analysis::Mlir(a) => a.completions(self.snapshot, at),
                    Analysis::Formulas(a) => a.completions(self.snapshot, at),
                    // What C has is the business of a server for C.
                    Analysis::C(_) => Vec::new(),
                })
            }
            "textDocument/formatting" => {
                let _: DocumentFormattingParams = self.params()?;
                match self.analysis {
                    Analysis::Mlir(a) => {
                        let edits = a.format(self.snapshot);
                        give(edits.map_err(|m| (ErrorCode::RequestFailed, m))?)
                    }
                    _ => give(Value::Null),
                }
            }
            "textDocument/codeAction" => {
                let p: CodeActionParams = self.params()?;
                let actions: CodeActionResponse = match self.analysis {
                    Analysis::Mlir(a) => a.actions(self.snapshot, &p),
                    Analysis::Formulas(_) => Vec::new(),
                    Analysis::C(a) => a.actions(self.snapshot, p.range),
                };
                give(actions)
            }
            "textDocument/inlayHint" => {
                let p: InlayHintParams = self.params()?;
                give(match self.analysis {
                    Analysis::C(a) => a.hints(self.snapshot, p.range),
                    _ => Vec::new(),
                })
            }
            "textDocument/codeLens" => {
                let _: CodeLensParams = self.params()?;
                give(match self.analysis {
                    Analysis::C(a) => a.lenses(self.snapshot),
                    _ => Vec::new(),
                })
            }
            // `METHODS` has no other.
            other => Err((
                ErrorCode::MethodNotFound,
                format!("found the method `{other}`"),
            )),
        }
    }

    fn occurrences(&self, at: Position) -> Option<Occurrences> {
        let at = self.snapshot.offset(at);
        match self.analysis {
            Analysis::Mlir(a) => a.occurrences(self.snapshot, at),
            Analysis::Formulas(a) => a.occurrences(at),
            Analysis::C(_) => None,
        }
    }

    fn range(&self, (start, end): (u32, u32)) -> Range {
        self.snapshot.range(start, end)
    }

    fn locations(&self, spans: &[(u32, u32)]) -> Vec<Location> {
        let uri = &self.snapshot.uri;
        spans
            .iter()
            .map(|s| Location::new(uri.clone(), self.range(*s)))
            .collect()
    }

    fn highlights(&self, o: &Occurrences) -> Vec<DocumentHighlight> {
        use lsp_types::DocumentHighlightKind as Kind;
        let written = o.definitions.iter().map(|s| (s, Kind::WRITE));
        let read = o.uses.iter().map(|s| (s, Kind::READ));
        let all = written.chain(read).map(|(s, kind)| DocumentHighlight {
            range: self.range(*s),
            kind: Some(kind),
        });
        all.collect()
    }

    fn hover(&self, at: Position) -> Option<Hover> {
        let offset = self.snapshot.offset(at);
        let (value, span) = match self.analysis {
            Analysis::Mlir(a) => a.hover(self.snapshot, offset)?,
            Analysis::Formulas(a) => a.hover(self.snapshot, offset)?,
            Analysis::C(a) => a.hover(self.snapshot, offset)?,
        };
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value,
            }),
            range: Some(self.range(span)),
        })
    }
}

fn give(value: impl Serialize) -> Given {
    serde_json::to_value(value).map_err(|e| (ErrorCode::InternalError, e.to_string()))
}
