//! The loop that reads messages, and the texts that are open.

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    ClientCapabilities, CodeActionKind, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, CompletionOptions, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DidSaveTextDocumentParams, ExecuteCommandOptions,
    HoverProviderCapability, InitializeParams, OneOf, PositionEncodingKind, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions,
};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;

use super::answers;
use super::becomes;
use super::mlir;
use super::settings::{Settings, encoding};
use super::text::{Encoding, Language, Snapshot};
use super::worker::{Able, Client, Task, Worker};

/// Serves a client over standard input and output, until it says `exit`.
///
/// # Errors
///
/// A client that goes away before, or does not speak the protocol.
pub fn serve() -> Result<(), String> {
    let served = serve_one();
    becomes::clean();
    served
}

fn serve_one() -> Result<(), String> {
    // Threads of the connection end with the process: one may wait for input for ever.
    let (connection, _threads) = Connection::stdio();
    let mut server = Server::initialize(&connection)?;
    for message in &connection.receiver {
        match message {
            Message::Request(r) => {
                let over = connection.handle_shutdown(&r);
                if over.map_err(|e| e.to_string())? {
                    return Ok(());
                }
                server.request(r);
            }
            Message::Notification(n) => server.notification(n),
            // Of what the server asks for, nothing depends on the answer.
            Message::Response(_) => {}
        }
    }
    Err("the client went away and did not say `shutdown` and `exit`".to_string())
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let triggers = ["%", "#", "!", "^", "@", ".", "-"];
    ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers.map(str::to_string).to_vec()),
            resolve_provider: Some(true),
            ..CompletionOptions::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::REFACTOR]),
            ..CodeActionOptions::default()
        })),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![becomes::COMMAND.to_string()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

struct Server {
    documents: HashMap<String, Arc<Snapshot>>,
    settings: Arc<Settings>,
    encoding: Encoding,
    worker: Worker,
    revision: u64,
}

impl Server {
    fn initialize(connection: &Connection) -> Result<Server, String> {
        let (id, params) = connection.initialize_start().map_err(|e| e.to_string())?;
        let params: InitializeParams = match serde_json::from_value(params) {
            Ok(params) => params,
            Err(e) => {
                let said = format!("`initialize` has wrong parameters: {e}");
                let code = ErrorCode::InvalidParams as i32;
                let refused = Response::new_err(id, code, said.clone());
                // The client is told before the process ends, as far as it listens.
                let _ = connection.sender.send(Message::Response(refused));
                std::thread::sleep(std::time::Duration::from_millis(200));
                return Err(said);
            }
        };
        let general = params.capabilities.general.as_ref();
        let offered = general.and_then(|g| g.position_encodings.as_deref());
        let encoding = encoding(offered);
        let mut settings = Settings::default();
        let given = params.initialization_options.unwrap_or(Value::Null);
        let wrong = settings.update(&given);
        let able = able(&params.capabilities);
        let answer = json!({
            "capabilities": capabilities(encoding),
            "serverInfo": {"name": "terrace-lsp", "version": env!("CARGO_PKG_VERSION")},
        });
        let finished = connection.initialize_finish(id, answer);
        finished.map_err(|e| e.to_string())?;
        let sender = connection.sender.clone();
        // A client that is gone hears nothing.
        let client = Client::new(move |m| drop(sender.send(m)), able);
        let server = Server {
            documents: HashMap::new(),
            settings: Arc::new(settings),
            encoding,
            worker: Worker::start(client),
            revision: 0,
        };
        server.warn(wrong);
        Ok(server)
    }

    fn warn(&self, all: Vec<String>) {
        for message in all {
            self.worker.show(lsp_types::MessageType::WARNING, message);
        }
    }

    fn request(&mut self, r: Request) {
        // Of a completion, not of a text.
        if r.method == "completionItem/resolve" {
            let item = serde_json::from_value(r.params);
            return self.worker.respond(match item.map(mlir::resolved) {
                Ok(item) => Response::new_ok(r.id, item),
                Err(e) => {
                    let m = format!("`{}` has wrong parameters: {e}", r.method);
                    Response::new_err(r.id, ErrorCode::InvalidParams as i32, m)
                }
            });
        }
        if !answers::METHODS.contains(&r.method.as_str()) {
            let m = format!("found the method `{}`, which terrace-lsp has not", r.method);
            return self.refuse(r.id, ErrorCode::MethodNotFound, m);
        }
        let uri = [
            "/textDocument/uri",
            // Of a command.
            "/arguments/0/uri",
        ];
        let uri = uri.iter().find_map(|at| r.params.pointer(at)?.as_str());
        let Some(uri) = uri else {
            let m = format!("`{}`: found no `textDocument.uri`", r.method);
            return self.refuse(r.id, ErrorCode::InvalidParams, m);
        };
        let Some(snapshot) = self.documents.get(uri) else {
            let m = format!("`{}`: the document {uri} is not open", r.method);
            return self.refuse(r.id, ErrorCode::InvalidParams, m);
        };
        self.worker.send(Task::Request(r, snapshot.clone()));
    }

    fn refuse(&self, id: RequestId, code: ErrorCode, message: String) {
        self.worker
            .respond(Response::new_err(id, code as i32, message));
    }

    fn notification(&mut self, n: Notification) {
        let wrong = match n.method.as_str() {
            "textDocument/didOpen" => params(n).and_then(|p| self.opened(p)),
            "textDocument/didChange" => params(n).and_then(|p| self.changed(p)),
            "textDocument/didClose" => params(n).map(|p| self.closed(&p)),
            "textDocument/didSave" => params(n).map(|p| self.saved(&p)),
            "workspace/didChangeConfiguration" => {
                self.configured(n.params.get("settings").unwrap_or(&Value::Null));
                Ok(())
            }
            "$/cancelRequest" => {
                let id = n.params.get("id").cloned();
                if let Some(Ok(id)) = id.map(serde_json::from_value::<RequestId>) {
                    self.worker.cancel(id);
                }
                Ok(())
            }
            // `initialized`, `$/setTrace`: nothing to do.
            _ => Ok(()),
        };
        if let Err(message) = wrong {
            self.worker.show(lsp_types::MessageType::ERROR, message);
        }
    }

    fn opened(&mut self, p: DidOpenTextDocumentParams) -> Result<(), String> {
        let d = p.text_document;
        let language = Language::of(d.uri.path().as_str(), &d.language_id);
        let language = language.ok_or_else(|| {
            format!(
                "{}: found the language `{}`, expected mlir, terrace-formulas or c, or a file .mlir, .tf or .c",
                d.uri.as_str(),
                d.language_id
            )
        })?;
        let with = (self.encoding, self.settings.clone());
        let snapshot = Snapshot::new(d.uri, d.version, language, d.text, with);
        self.keep(snapshot);
        Ok(())
    }

    fn keep(&mut self, mut snapshot: Snapshot) {
        self.revision += 1;
        snapshot.revision = self.revision;
        let snapshot = Arc::new(snapshot);
        let key = snapshot.uri.as_str().to_string();
        self.documents.insert(key, snapshot.clone());
        self.worker.send(Task::Text(snapshot));
    }

    fn changed(&mut self, p: DidChangeTextDocumentParams) -> Result<(), String> {
        let uri = p.text_document.uri.as_str();
        let before = self.documents.get(uri);
        let before =
            before.ok_or_else(|| format!("`didChange`: the document {uri} is not open"))?;
        let next = before.changed(p.text_document.version, &p.content_changes)?;
        self.keep(next);
        Ok(())
    }

    fn closed(&mut self, p: &DidCloseTextDocumentParams) {
        let uri = p.text_document.uri.as_str();
        if self.documents.remove(uri).is_some() {
            self.worker.send(Task::Closed(p.text_document.uri.clone()));
        }
    }

    /// What was saved may be a header of others.
    fn saved(&mut self, p: &DidSaveTextDocumentParams) {
        let other = |s: &&Arc<Snapshot>| s.language == Language::C && s.uri != p.text_document.uri;
        let others: Vec<Arc<Snapshot>> = self.documents.values().filter(other).cloned().collect();
        for snapshot in others {
            self.keep((*snapshot).clone());
        }
    }

    fn configured(&mut self, given: &Value) {
        let mut settings = (*self.settings).clone();
        let wrong = settings.update(given);
        self.warn(wrong);
        self.settings = Arc::new(settings);
        let open: Vec<Arc<Snapshot>> = self.documents.values().cloned().collect();
        for snapshot in open {
            self.keep(snapshot.with(self.settings.clone()));
        }
    }
}

/// What the client can do.
fn able(c: &ClientCapabilities) -> Able {
    let workspace = c.workspace.as_ref();
    let shows = c.window.as_ref().and_then(|w| w.show_document.as_ref());
    let hints = workspace.and_then(|w| w.inlay_hint.as_ref());
    let lenses = workspace.and_then(|w| w.code_lens.as_ref());
    Able {
        show_documents: shows.is_some_and(|s| s.support),
        refresh_hints: hints.is_some_and(|h| h.refresh_support == Some(true)),
        refresh_lenses: lenses.is_some_and(|l| l.refresh_support == Some(true)),
    }
}

fn params<P: serde::de::DeserializeOwned>(n: Notification) -> Result<P, String> {
    let wrong = |e| format!("`{}` has wrong parameters: {e}", n.method);
    serde_json::from_value(n.params).map_err(wrong)
}
