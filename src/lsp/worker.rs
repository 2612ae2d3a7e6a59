//! The thread that parses texts and answers questions about them, in the order in which they came.
//!
//! Of the texts of one document that wait, all but the newest are passed over. So are questions about a
//! text that was changed since, but for completion, which is asked for while one types.

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{MessageType, PublishDiagnosticsParams, ShowMessageParams, Uri};
use serde_json::Value;
use std::collections::{HashMap, HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::answers::{self, Answer};
use super::slow::{Job, Slow};
use super::text::{Language, Snapshot};
use super::{c, formulas, mlir};

/// What the thread has to do.
pub enum Task {
    /// A text is new, or another one.
    Text(Arc<Snapshot>),
    /// A document is closed.
    Closed(Uri),
    /// A question about a text.
    Request(Request, Arc<Snapshot>),
    /// What became of the loops of a C file.
    Explained(Box<c::Explained>),
    /// What is wrong with a large model.
    Checked(Box<formulas::Checked>),
}

/// Sends a message to the client.
type Outbox = Arc<dyn Fn(Message) + Send + Sync>;

/// The way to the client, for all threads.
#[derive(Clone)]
pub struct Client {
    outbox: Outbox,
    /// Requests that the client wants no answer to any more.
    cancelled: Arc<Mutex<HashSet<RequestId>>>,
    /// How many requests were sent to it.
    asked: Arc<AtomicU64>,
    /// What the client can do beyond the least.
    pub able: Able,
}

/// What a client says that it can do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Able {
    /// It opens documents that the server names.
    pub show_documents: bool,
    /// It asks for inlay hints again when it is told to.
    pub refresh_hints: bool,
    /// It asks for code lenses again when it is told to.
    pub refresh_lenses: bool,
}

impl Client {
    /// The client to which `outbox` sends.
    pub fn new(outbox: impl Fn(Message) + Send + Sync + 'static, able: Able) -> Client {
        Client {
            outbox: Arc::new(outbox),
            cancelled: Arc::default(),
            asked: Arc::default(),
            able,
        }
    }

    /// Sends an answer.
    pub fn respond(&self, r: Response) {
        self.take_cancelled(&r.id);
        (self.outbox)(Message::Response(r));
    }

    /// Sends a notification.
    pub fn notify<P: serde::Serialize>(&self, method: &str, params: P) {
        let n = Notification::new(method.to_string(), params);
        (self.outbox)(Message::Notification(n));
    }

    /// Sends a request whose answer nobody waits for.
    pub fn ask<P: serde::Serialize>(&self, method: &str, params: P) {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        let id = format!("terrace/{number}");
        let r = Request::new(id.into(), method.to_string(), params);
        (self.outbox)(Message::Request(r));
    }

    /// Shows a message.
    pub fn show(&self, typ: MessageType, message: String) {
        self.notify("window/showMessage", ShowMessageParams { typ, message });
    }

    /// Whether a request was cancelled, which is then forgotten.
    pub fn take_cancelled(&self, id: &RequestId) -> bool {
        let mut all = self.cancelled.lock().unwrap_or_else(|e| e.into_inner());
        all.remove(id)
    }

    /// The answer to a request that was cancelled.
    pub fn respond_cancelled(&self, id: RequestId) {
        let code = ErrorCode::RequestCanceled as i32;
        self.respond(Response::new_err(id, code, "cancelled".to_string()));
    }

    /// The answer to a request, as it turned out.
    pub fn respond_with(&self, id: RequestId, result: Result<Value, (ErrorCode, String)>) {
        self.respond(match result {
            Ok(value) => Response::new_ok(id, value),
            Err((code, message)) => Response::new_err(id, code as i32, message),
        });
    }
}

/// The thread, as others see it.
pub struct Worker {
    tasks: Sender<Task>,
    client: Client,
}

/// What is known of a text.
pub enum Analysis {
    /// MLIR's text.
    Mlir(Box<mlir::Analysis>),
    /// A model in formulas.
    Formulas(Box<formulas::Analysis>),
    /// C with directives.
    C(Box<c::Analysis>),
}

struct Document {
    snapshot: Arc<Snapshot>,
    analysis: Analysis,
}

impl Worker {
    /// Starts the thread, and the one for what takes long.
    pub fn start(client: Client) -> Worker {
        let (tasks, inbox) = channel();
        let slow = Slow::start(client.clone(), tasks.clone());
        let told = client.clone();
        let work = move || {
            let room = Room {
                inbox,
                waiting: VecDeque::new(),
                // What is known of a text stays in this thread: its IR may not leave it.
                documents: HashMap::new(),
                client: told,
                slow,
            };
            room.work();
        };
        let stack = crate::STACK;
        let thread = std::thread::Builder::new()
            .name("worker".into())
            .stack_size(stack);
        if let Err(e) = thread.spawn(work) {
            client.show(MessageType::ERROR, format!("cannot start a thread: {e}"));
        }
        Worker { tasks, client }
    }

    /// Hands a task over.
    pub fn send(&self, task: Task) {
        // The thread ends with the process.
        let _ = self.tasks.send(task);
    }

    /// Marks a request as cancelled.
    pub fn cancel(&self, id: RequestId) {
        let mut all = self
            .client
            .cancelled
            .lock()
            .unwrap_or_else(|e| e.into_inner());
        all.insert(id);
    }

    /// Answers without the thread.
    pub fn respond(&self, r: Response) {
        self.client.respond(r);
    }

    /// Shows a message.
    pub fn show(&self, typ: MessageType, message: String) {
        self.client.show(typ, message);
    }
}

struct Room {
    inbox: Receiver<Task>,
    waiting: VecDeque<Task>,
    documents: HashMap<String, Document>,
    client: Client,
    slow: Slow,
}

impl Room {
    fn work(mut self) {
        loop {
            self.waiting.extend(self.inbox.try_iter());
            let task = match self.waiting.pop_front() {
                Some(task) => task,
                None => match self.inbox.recv() {
                    Ok(task) => task,
                    Err(_) => return,
                },
            };
            // What came meanwhile decides whether this is worth while.
            self.waiting.extend(self.inbox.try_iter());
            match task {
                Task::Text(snapshot) => self.text(snapshot),
                Task::Closed(uri) => self.closed(uri),
                Task::Request(r, snapshot) => self.request(r, &snapshot),
                Task::Explained(explained) => self.explained(*explained),
                Task::Checked(checked) => self.checked(*checked),
            }
        }
    }

    /// Whether a newer text of the document waits.
    fn is_stale(&self, snapshot: &Snapshot) -> bool {
        let newer = |t: &Task| matches!(t, Task::Text(s) if s.uri == snapshot.uri);
        self.waiting.iter().any(newer)
    }

    fn text(&mut self, snapshot: Arc<Snapshot>) {
        if self.is_stale(&snapshot) {
            return;
        }
        let key = snapshot.uri.as_str().to_string();
        // What is known of the last text is given back when this one's answer is on its way: that takes
        // a while for a large text.
        let before = self.documents.remove(&key).map(|d| d.analysis);
        let made = catch_unwind(AssertUnwindSafe(|| analyse(&snapshot, before.as_ref())));
        let Ok(analysis) = made else {
            let m = format!(
                "{}: terrace failed in a way that it should not; what is shown of this text is not up to date",
                snapshot.name()
            );
            self.client.show(MessageType::ERROR, m);
            return;
        };
        if let Analysis::C(c) = &analysis
            && let Some(text) = &c.preprocessed
        {
            self.slow.send(Job::Explain(snapshot.clone(), text.clone()));
        }
        if let Analysis::Formulas(f) = &analysis
            && f.wants_check()
        {
            self.slow.send(Job::Check(snapshot.clone()));
        }
        let document = Document { snapshot, analysis };
        self.waiting.extend(self.inbox.try_iter());
        if !self.is_stale(&document.snapshot) {
            self.publish(&document);
        }
        self.documents.insert(key, document);
    }

    fn publish(&self, d: &Document) {
        let diagnostics = match &d.analysis {
            Analysis::Mlir(a) => a.diagnostics.clone(),
            Analysis::Formulas(a) => a.diagnostics(&d.snapshot),
            Analysis::C(a) => a.diagnostics(&d.snapshot),
        };
        let params = PublishDiagnosticsParams {
            uri: d.snapshot.uri.clone(),
            diagnostics,
            version: Some(d.snapshot.version),
        };
        self.client
            .notify("textDocument/publishDiagnostics", params);
    }

    fn closed(&mut self, uri: Uri) {
        self.documents.remove(uri.as_str());
        self.slow.forget(&uri);
        let params = PublishDiagnosticsParams {
            uri,
            diagnostics: Vec::new(),
            version: None,
        };
        self.client
            .notify("textDocument/publishDiagnostics", params);
    }

    fn explained(&mut self, explained: c::Explained) {
        let key = explained.uri.as_str().to_string();
        let Some(d) = self.documents.get_mut(&key) else {
            return;
        };
        let Analysis::C(analysis) = &mut d.analysis else {
            return;
        };
        analysis.explained = Some(Arc::new(explained));
        let d = &self.documents[&key];
        if !self.is_stale(&d.snapshot) {
            self.publish(d);
            // What is shown beside the text is asked for again.
            let able = self.client.able;
            let refresh = |able: bool, method: &str| {
                if able {
                    self.client.ask(method, Value::Null);
                }
            };
            refresh(able.refresh_hints, "workspace/inlayHint/refresh");
            refresh(able.refresh_lenses, "workspace/codeLens/refresh");
        }
    }

    fn checked(&mut self, checked: formulas::Checked) {
        let key = checked.uri.as_str().to_string();
        let Some(d) = self.documents.get_mut(&key) else {
            return;
        };
        if let Analysis::Formulas(analysis) = &mut d.analysis {
            analysis.checked = Some(checked);
        }
        let d = &self.documents[&key];
        if !self.is_stale(&d.snapshot) {
            self.publish(d);
        }
    }

    fn request(&mut self, r: Request, snapshot: &Arc<Snapshot>) {
        if self.client.take_cancelled(&r.id) {
            return self.client.respond_cancelled(r.id);
        }
        if self.is_stale(snapshot) && r.method != "textDocument/completion" {
            let code = ErrorCode::ContentModified;
            let m = "the text was changed meanwhile".to_string();
            return self.client.respond_with(r.id, Err((code, m)));
        }
        let position = r.params.get("position").cloned();
        let document = self.documents.get(snapshot.uri.as_str());
        let analysis = document.map(|d| &d.analysis);
        let asked = (r.method.as_str(), r.params);
        let answer = catch_unwind(AssertUnwindSafe(|| {
            answers::answer(asked, snapshot, analysis)
        }));
        let answer = answer.unwrap_or_else(|_| {
            let m = format!("`{}`: terrace failed in a way that it should not", r.method);
            Answer::Now(Err((ErrorCode::InternalError, m)))
        });
        match answer {
            Answer::Now(result) => {
                self.client.respond_with(r.id, result);
                if r.method == "textDocument/hover" {
                    self.look_outside(snapshot, position);
                }
            }
            Answer::Later(form) => {
                self.slow.send(Job::Becomes(r.id, snapshot.clone(), form));
            }
        }
    }
}

impl Room {
    /// A loop that a person asked about and nobody has looked at.
    fn look_outside(&mut self, snapshot: &Arc<Snapshot>, position: Option<Value>) {
        let position = position.and_then(|p| serde_json::from_value(p).ok());
        let document = self.documents.get_mut(snapshot.uri.as_str());
        let (Some(position), Some(document)) = (position, document) else {
            return;
        };
        let Analysis::C(analysis) = &mut document.analysis else {
            return;
        };
        if let Some((text, mut explained)) = analysis.unseen(snapshot, position) {
            explained.looks_outside = true;
            analysis.explained = Some(Arc::new(explained.clone()));
            let job = Job::ExplainOutside(snapshot.clone(), text, Box::new(explained));
            self.slow.send(job);
        }
    }
}

fn analyse(snapshot: &Arc<Snapshot>, before: Option<&Analysis>) -> Analysis {
    match snapshot.language {
        Language::Mlir => Analysis::Mlir(Box::new(mlir::Analysis::of(snapshot))),
        Language::Formulas => {
            let before = match before {
                Some(Analysis::Formulas(before)) => before.checked.clone(),
                _ => None,
            };
            Analysis::Formulas(Box::new(formulas::Analysis::of(snapshot, before)))
        }
        Language::C => {
            let before = match before {
                Some(Analysis::C(before)) => before.explained.clone(),
                _ => None,
            };
            Analysis::C(Box::new(c::Analysis::of(snapshot, before)))
        }
    }
}
