//! A client: the server as a process, and JSON-RPC through its standard input and output.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// How long the server may take in a test. Machines are busy, and it is built without optimisation.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    /// Messages that came while another was waited for.
    kept: Vec<Value>,
    next: i64,
    /// What the server said of itself.
    pub capabilities: Value,
}

impl Client {
    /// A server that was started and initialised.
    pub fn start() -> Client {
        Client::with(json!({}), json!({}))
    }

    /// The same with the client's capabilities and settings.
    pub fn with(capabilities: Value, settings: Value) -> Client {
        let mut client = Client::bare();
        let params = json!({
            "processId": null,
            "rootUri": null,
            "capabilities": capabilities,
            "initializationOptions": settings,
        });
        let answer = client.request("initialize", params).unwrap();
        client.capabilities = answer["capabilities"].clone();
        client.notify("initialized", json!({}));
        client
    }

    /// A server that was only started.
    pub fn bare() -> Client {
        let program = std::env::var_os("TERRACE_LSP");
        let program = program.unwrap_or(env!("CARGO_BIN_EXE_terrace-lsp").into());
        let mut child = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .env("TERRACE_PTXAS", "none")
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (sender, from) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut out) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client {
            child,
            to,
            from,
            kept: Vec::new(),
            next: 0,
            capabilities: Value::Null,
        }
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, text: &str) {
        self.to.write_all(text.as_bytes()).unwrap();
        self.to.flush().unwrap();
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(&format!("Content-Length: {}\r\n\r\n{text}", text.len()));
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and does not wait; gives its number.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The answer to a request: its result, or its error.
    pub fn answer(&mut self, id: i64) -> Result<Value, Value> {
        let message = self.wait(|m| m["id"] == id && m.get("method").is_none());
        match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].clone()),
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// The first message of this kind, whether it came already or comes.
    pub fn wait(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        if let Some(i) = self.kept.iter().position(&is) {
            return self.kept.remove(i);
        }
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            match self.from.recv_timeout(left) {
                Ok(message) if is(&message) => return message,
                Ok(message) => self.kept.push(message),
                Err(e) => panic!("{e}; what came: {:#?}", self.kept),
            }
        }
    }

    /// What came and was not waited for.
    pub fn seen(&mut self) -> impl Iterator<Item = &Value> {
        self.kept.extend(self.from.try_iter());
        self.kept.iter()
    }

    /// Opens a document.
    pub fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
    }

    /// Puts a text in place of a range of an open document.
    pub fn change(&mut self, uri: &str, version: i32, range: [u32; 4], text: &str) {
        let [l0, c0, l1, c1] = range;
        let range = json!({
            "start": {"line": l0, "character": c0},
            "end": {"line": l1, "character": c1},
        });
        let params = json!({
            "textDocument": {"uri": uri, "version": version},
            "contentChanges": [{"range": range, "text": text}],
        });
        self.notify("textDocument/didChange", params);
    }

    /// The diagnostics of a version of a document, as they are published first.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        self.diagnostics_where(uri, version, |_| true)
    }

    /// The first ones in which something holds.
    pub fn diagnostics_where(
        &mut self,
        uri: &str,
        version: i32,
        holds: impl Fn(&[Value]) -> bool,
    ) -> Vec<Value> {
        let message = self.wait(|m| {
            let all = m["params"]["diagnostics"].as_array();
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == uri
                && m["params"]["version"] == version
                && all.is_some_and(|all| holds(all))
        });
        message["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// A request about a position.
    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let params = json!({
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
            "context": {"includeDeclaration": true, "triggerKind": 1},
        });
        self.request(&format!("textDocument/{method}"), params)
            .unwrap()
    }

    /// A request about a document.
    pub fn of(&mut self, method: &str, uri: &str) -> Result<Value, Value> {
        let params = json!({
            "textDocument": {"uri": uri},
            "options": {"tabSize": 2, "insertSpaces": true},
            "range": {
                "start": {"line": 0, "character": 0},
                "end": {"line": 100_000, "character": 0},
            },
        });
        self.request(&format!("textDocument/{method}"), params)
    }

    /// The code actions of some lines.
    pub fn actions(&mut self, uri: &str, first: u32, last: u32) -> Vec<Value> {
        let params = json!({
            "textDocument": {"uri": uri},
            "range": {
                "start": {"line": first, "character": 0},
                "end": {"line": last, "character": 0},
            },
            "context": {"diagnostics": []},
        });
        let answer = self.request("textDocument/codeAction", params).unwrap();
        answer.as_array().unwrap().clone()
    }

    /// Ends the server as editors do; its exit code.
    pub fn stop(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.child.wait().unwrap().code()
    }

    /// Ends the server by closing its input; its exit code.
    pub fn hang_up(self) -> Option<i32> {
        let Client { mut child, to, .. } = self;
        drop(to);
        child.wait().unwrap().code()
    }
}

fn read(out: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if out.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        if let Some(n) = line.strip_prefix("Content-Length: ") {
            length = n.parse().unwrap();
        }
    }
    let mut bytes = vec![0; length];
    out.read_exact(&mut bytes).ok()?;
    Some(serde_json::from_slice(&bytes).unwrap())
}

/// `12:3-12:9` of a range.
pub fn range(v: &Value) -> String {
    let at = |p: &Value| format!("{}:{}", p["line"], p["character"]);
    format!("{}-{}", at(&v["start"]), at(&v["end"]))
}

/// Ranges and messages of diagnostics.
pub fn said(all: &[Value]) -> Vec<String> {
    let one = |d: &Value| format!("{} {}", range(&d["range"]), d["message"].as_str().unwrap());
    all.iter().map(one).collect()
}

/// A text with edits, which do not overlap. Columns are of ASCII.
pub fn edited(text: &str, edits: &Value) -> String {
    let offset = |p: &Value| {
        let line = p["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        (start + p["character"].as_u64().unwrap() as usize).min(text.len())
    };
    let mut all: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|e| {
            let r = &e["range"];
            (
                offset(&r["start"]),
                offset(&r["end"]),
                e["newText"].as_str().unwrap(),
            )
        })
        .collect();
    all.sort();
    let mut out = text.to_string();
    for (start, end, new) in all.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}
