//! What does not depend on the language: starting, ending, wrong requests.

use crate::client::{Client, range, said};
use serde_json::{Value, json};

const URI: &str = "file:///test/a.mlir";

#[test]
fn it_starts_and_ends() {
    let client = Client::start();
    assert_eq!(client.capabilities["positionEncoding"], "utf-16");
    assert_eq!(client.capabilities["textDocumentSync"]["change"], 2);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn a_client_that_goes_away_ends_it_with_an_error() {
    assert_eq!(Client::start().hang_up(), Some(1));
}

#[test]
fn what_is_no_message_ends_it_and_does_not_hang() {
    let mut client = Client::start();
    client.raw("Content-Length: 7\r\n\r\n{\"a\": 1");
    assert!(client.hang_up().is_some());
}

#[test]
fn wrong_requests_are_errors_and_it_goes_on() {
    let mut client = Client::start();
    let e = client
        .request("textDocument/teleport", json!({}))
        .unwrap_err();
    assert_eq!(e["code"], -32601);
    assert_eq!(
        e["message"],
        "found the method `textDocument/teleport`, which terrace-lsp has not"
    );
    let e = client
        .request("textDocument/hover", json!({"position": 3}))
        .unwrap_err();
    assert_eq!(e["code"], -32602);
    assert_eq!(
        e["message"],
        "`textDocument/hover`: found no `textDocument.uri`"
    );
    let unknown = json!({"textDocument": {"uri": "file:///nowhere.mlir"}});
    let e = client.request("textDocument/hover", unknown).unwrap_err();
    assert_eq!(
        e["message"],
        "`textDocument/hover`: the document file:///nowhere.mlir is not open"
    );
    client.open(URI, "mlir", "func.func @f() {\n  return\n}\n");
    assert!(client.diagnostics(URI, 1).is_empty());
    let wrong = json!({"textDocument": {"uri": URI}, "position": "here"});
    let e = client.request("textDocument/hover", wrong).unwrap_err();
    assert_eq!(e["code"], -32602);
    let said = e["message"].as_str().unwrap();
    assert!(
        said.starts_with("`textDocument/hover` has wrong parameters: "),
        "{said}"
    );
    let form = json!({"textDocument": {"uri": URI}, "form": "gold"});
    let e = client.request("terrace/becomes", form).unwrap_err();
    assert_eq!(
        e["message"],
        "found the form `gold`, expected one of mlir, cpu, gpu, schedule, ptx, asm"
    );
    let command = json!({"command": "terrace.fly", "arguments": [{"uri": URI}]});
    let e = client
        .request("workspace/executeCommand", command)
        .unwrap_err();
    assert_eq!(
        e["message"],
        "found the command `terrace.fly`, expected terrace.becomes"
    );
    // Notifications have no answer: what is wrong with them is shown.
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": URI}}),
    );
    let shown = client.wait(|m| m["method"] == "window/showMessage");
    let shown = shown["params"]["message"].as_str().unwrap();
    assert!(
        shown.starts_with("`textDocument/didChange` has wrong parameters: "),
        "{shown}"
    );
    client.open("file:///test/a.py", "python", "");
    let shown = client.wait(|m| m["method"] == "window/showMessage");
    assert_eq!(
        shown["params"]["message"],
        "file:///test/a.py: found the language `python`, expected mlir, terrace-formulas or c, or a \
         file .mlir, .tf or .c"
    );
    // A position outside the text is no error.
    assert_eq!(client.at("hover", URI, 900, 900), Value::Null);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn wrong_settings_are_said() {
    let mut client = Client::with(json!({}), json!({"sizes": {"n": "many"}}));
    let shown = client.wait(|m| m["method"] == "window/showMessage");
    assert_eq!(
        shown["params"]["message"],
        "terrace.sizes: found `{\"n\":\"many\"}`, expected whole numbers by name, as {\"n\": 1000}"
    );
    client.stop();
}

#[test]
fn changes_come_in_parts_and_closing_clears() {
    let mut client = Client::start();
    client.open(URI, "mlir", "func.func @f() {\n  retrun\n}\n");
    let found = client.diagnostics(URI, 1);
    assert_eq!(
        said(&found),
        ["1:2-1:8 custom op 'retrun' is unknown (tried 'func.retrun' as well)"]
    );
    client.change(URI, 2, [1, 4, 1, 8], "turn");
    assert!(client.diagnostics(URI, 2).is_empty());
    client.change(URI, 3, [0, 0, 1, 0], "");
    assert!(!client.diagnostics(URI, 3).is_empty());
    client.notify(
        "textDocument/didClose",
        json!({"textDocument": {"uri": URI}}),
    );
    let closed = client.wait(|m| m["params"]["uri"] == URI && m["params"].get("version").is_none());
    assert_eq!(closed["params"]["diagnostics"], json!([]));
    client.stop();
}

#[test]
fn columns_are_those_that_were_agreed_on() {
    let text = "// \u{1F600}\nfunc.func @f() {\n  \"\u{1F600}.op\"() : () -> ()\n  foo\n}\n";
    let mut client = Client::start();
    client.open(URI, "mlir", text);
    let found = client.diagnostics(URI, 1);
    assert_eq!(range(&found[0]["range"]), "2:2-2:9");
    client.stop();
    let utf8 = json!({"general": {"positionEncodings": ["utf-8", "utf-16"]}});
    let mut client = Client::with(utf8, json!({}));
    assert_eq!(client.capabilities["positionEncoding"], "utf-8");
    client.open(URI, "mlir", text);
    let found = client.diagnostics(URI, 1);
    assert_eq!(range(&found[0]["range"]), "2:2-2:11");
    client.stop();
}

#[test]
fn a_question_about_a_text_that_changed_is_refused() {
    // Answered or refused, but never about another text; and the server goes on.
    let mut client = Client::start();
    client.open(URI, "mlir", "func.func @f() {\n  return\n}\n");
    let mut refused = 0;
    for version in 2..60 {
        let id = client.ask(
            "textDocument/hover",
            json!({"textDocument": {"uri": URI}, "position": {"line": 1, "character": 3}}),
        );
        client.change(URI, version, [0, 0, 0, 0], "// a line\n");
        match client.answer(id) {
            Ok(v) => assert!(v.is_null() || v["contents"]["value"].is_string()),
            Err(e) => {
                assert_eq!(e["code"], -32801);
                refused += 1;
            }
        }
    }
    println!("{refused} of 58 were refused");
    assert!(client.diagnostics(URI, 59).is_empty());
    client.stop();
}

#[test]
fn cancelled_requests_are_answered_as_such() {
    let mut client = Client::start();
    let body: String = (0..2000)
        .map(|i| format!("  %c{i} = arith.constant {i} : index\n"))
        .collect();
    client.open(
        URI,
        "mlir",
        &format!("func.func @f() {{\n{body}  return\n}}\n"),
    );
    // The text is being parsed when these come.
    let first = client.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": URI}}),
    );
    let second = client.ask(
        "textDocument/documentSymbol",
        json!({"textDocument": {"uri": URI}}),
    );
    client.notify("$/cancelRequest", json!({"id": second}));
    assert!(client.answer(first).is_ok());
    // It may have been answered before the cancellation came.
    if let Err(e) = client.answer(second) {
        assert_eq!(e["code"], -32800);
    }
    client.stop();
}
