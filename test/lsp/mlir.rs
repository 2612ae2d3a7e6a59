//! MLIR's text.

use crate::client::{Client, edited, range, said};
use serde_json::{Value, json};

const URI: &str = "file:///test/a.mlir";

fn opened(text: &str) -> (Client, Vec<Value>) {
    let mut client = Client::start();
    client.open(URI, "mlir", text);
    let found = client.diagnostics(URI, 1);
    (client, found)
}

/// Ranges of locations, in order.
fn places(v: &Value) -> Vec<String> {
    v.as_array()
        .unwrap()
        .iter()
        .map(|l| range(&l["range"]))
        .collect()
}

const PROGRAM: &str = "\
#map = affine_map<(d0) -> (d0 + 1)>
!vec = memref<8xf32>

func.func @callee(%x: f32) -> f32 {
  %sum:2 = \"test.two\"(%x) : (f32) -> (f32, i32)
  return %sum#0 : f32
}

func.func @caller(%m: !vec, %n: index) {
  affine.for %i = 0 to 7 {
    %v = affine.load %m[#map(%i)] : !vec
    %r = func.call @callee(%v) : (f32) -> f32
    affine.store %r, %m[%i] : !vec
  }
  cf.br ^end(%n : index)
^end(%k: index):
  return
}
";

fn program() -> (String, Client) {
    // `#map(%i)` is no subscript of affine.load: the map is used as an attribute instead.
    let text = PROGRAM.replace("%m[#map(%i)]", "%m[%i + 1] {use = #map}");
    let mut client = Client::with(json!({}), json!({"allowUnregisteredDialects": true}));
    client.open(URI, "mlir", &text);
    let found = client.diagnostics(URI, 1);
    assert_eq!(said(&found), Vec::<String>::new());
    (text, client)
}

#[test]
fn all_errors_are_shown_at_once_with_their_notes() {
    let text = "\
func.func @f(%a: i32, %b: f32) {
  %c = arith.addi %a, %b : i32
  %d = arith.wrong %a : i32
  %e = arith.muli %d, %a : i32
  %a = arith.constant 1 : i32
  return
}
";
    let (client, found) = opened(text);
    assert_eq!(
        said(&found),
        [
            "1:22-1:24 use of value '%b' expects different type than prior uses: 'i32' vs 'f32'",
            "2:7-2:18 custom op 'arith.wrong' is unknown",
            "4:2-4:4 redefinition of SSA value '%a'",
        ]
    );
    let note = &found[0]["relatedInformation"][0];
    assert_eq!(note["message"], "prior use here");
    assert_eq!(range(&note["location"]["range"]), "0:22-0:24");
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["source"], "terrace");
    client.stop();
}

#[test]
fn the_verifier_speaks_too() {
    let text = "\
func.func @f(%a: i32) -> i64 {
  return %a : i32
}
func.func @f() {
  return
}
";
    let (client, found) = opened(text);
    let said = said(&found);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("1:2-1:8 "), "{said:?}");
    assert!(
        said[1].starts_with("3:0-3:9 redefinition of symbol named 'f'"),
        "{said:?}"
    );
    client.stop();
}

#[test]
fn parts_of_a_test_are_parsed_apart() {
    let text = "func.func @f() { return }\n// -----\nfunc.func @f() { foo }\n// -----\n  bar\n";
    let (client, found) = opened(text);
    let said = said(&found);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("2:17-2:20 "), "{said:?}");
    assert!(said[1].starts_with("4:2-4:5 "), "{said:?}");
    client.stop();
}

#[test]
fn definitions_and_references() {
    let (_, mut client) = program();
    // A result with a number, from its use.
    assert_eq!(places(&client.at("definition", URI, 5, 11)), ["4:2-4:6"]);
    // A block's argument, an alias of a type and of an attribute, a function, a block.
    assert_eq!(places(&client.at("definition", URI, 12, 24)), ["9:13-9:15"]);
    assert_eq!(places(&client.at("definition", URI, 12, 32)), ["1:0-1:4"]);
    assert_eq!(places(&client.at("definition", URI, 10, 39)), ["0:0-0:4"]);
    assert_eq!(places(&client.at("definition", URI, 11, 22)), ["3:10-3:17"]);
    assert_eq!(places(&client.at("definition", URI, 14, 9)), ["15:0-15:4"]);
    assert_eq!(
        places(&client.at("references", URI, 3, 12)),
        ["3:10-3:17", "11:19-11:26"]
    );
    assert_eq!(
        places(&client.at("references", URI, 8, 19)),
        ["8:18-8:20", "10:21-10:23", "12:21-12:23"]
    );
    let lit = client.at("documentHighlight", URI, 10, 5);
    assert_eq!(places(&lit), ["10:4-10:6", "11:27-11:29"]);
    assert_eq!(lit[0]["kind"], 3);
    assert_eq!(lit[1]["kind"], 2);
    // Nothing is there.
    assert_eq!(
        places(&client.at("definition", URI, 2, 0)),
        Vec::<String>::new()
    );
    client.stop();
}

#[test]
fn names_are_found_in_a_text_with_errors() {
    let text = "\
func.func @f(%a: i32) {
  %b = arith.wrong %a : i32
  %c = arith.addi %b, %a : i32
  %d = arith.addi %c, %c : i32
";
    let (mut client, _) = opened(text);
    assert_eq!(places(&client.at("definition", URI, 2, 19)), ["1:2-1:4"]);
    assert_eq!(places(&client.at("definition", URI, 3, 19)), ["2:2-2:4"]);
    assert_eq!(
        places(&client.at("references", URI, 0, 14)),
        ["0:13-0:15", "2:22-2:24"]
    );
    client.stop();
}

fn hover(client: &mut Client, line: u32, character: u32) -> String {
    let h = client.at("hover", URI, line, character);
    h["contents"]["value"].as_str().unwrap_or("").to_string()
}

#[test]
fn hovers_tell_types_documentation_and_aliases() {
    let (_, mut client) = program();
    assert_eq!(
        hover(&mut client, 4, 4),
        "```mlir\n%sum#0 : f32\n%sum#1 : i32\n```\nresult of `test.two`"
    );
    assert_eq!(
        hover(&mut client, 5, 11),
        "```mlir\n%sum : f32\n```\nresult of `test.two`"
    );
    assert_eq!(
        hover(&mut client, 9, 14),
        "```mlir\n%i : index\n```\nargument in `affine.for`"
    );
    assert_eq!(
        hover(&mut client, 12, 31),
        "```mlir\n!vec = memref<8xf32>\n```"
    );
    assert_eq!(
        hover(&mut client, 11, 22),
        "```mlir\nfunc.func @callee(%x: f32) -> f32\n```"
    );
    let op = hover(&mut client, 10, 12);
    assert!(op.starts_with("**affine.load**\n\n"), "{op}");
    assert!(op.contains("operands\n- `"), "{op}");
    assert_eq!(
        hover(&mut client, 15, 1),
        "```mlir\n^end(%k: index):\n```\n1 branch to it"
    );
    client.stop();
}

#[test]
fn the_outline_has_functions_kernels_and_blocks() {
    let text = "\
module @outer {
  memref.global @table : memref<4xf32>
  gpu.module @kernels {
    gpu.func @kernel() kernel {
      gpu.return
    }
  }
  func.func @f(%c: i1) {
    cf.cond_br %c, ^a, ^b
  ^a:
    cf.br ^b
  ^b:
    return
  }
}
";
    let (mut client, found) = opened(text);
    assert_eq!(said(&found), Vec::<String>::new());
    let symbols = client.of("documentSymbol", URI).unwrap();
    fn shown(v: &Value, depth: usize, out: &mut Vec<String>) {
        for s in v.as_array().into_iter().flatten() {
            let indent = " ".repeat(depth);
            out.push(format!(
                "{indent}{} {}",
                s["detail"].as_str().unwrap(),
                s["name"].as_str().unwrap()
            ));
            shown(&s["children"], depth + 1, out);
        }
    }
    let mut out = Vec::new();
    shown(&symbols, 0, &mut out);
    assert_eq!(
        out,
        [
            "builtin.module outer",
            " memref.global table",
            " gpu.module kernels",
            "  gpu.func kernel",
            " func.func f",
            "  block ^a",
            "  block ^b",
        ]
    );
    assert_eq!(range(&symbols[0]["children"][2]["range"]), "7:2-13:3");
    assert_eq!(
        range(&symbols[0]["children"][2]["children"][0]["range"]),
        "9:2-11:2"
    );
    client.stop();
}

/// Labels of the completions at a position.
fn offers(client: &mut Client, line: u32, character: u32) -> Vec<String> {
    let all = client.at("completion", URI, line, character);
    let all = all.as_array().unwrap().iter();
    all.map(|c| c["label"].as_str().unwrap().to_string())
        .collect()
}

#[test]
fn completion_knows_where_it_is() {
    let text = "\
// RUN: terrace-opt %s --aff
#one = affine_map<(d0) -> (d0)>
!small = memref<4xf32>
func.func @f(%a: i32, %b: !small) {
  %c = arith.constant 1 : i32
  affine.for %i = 0 to 4 {
    %d = arith.constant 2 : i32
  }
  %e = arith.addi %a, %
  %x = arith.con
  affine.store %e, %b[0] {
  cf.br ^
^end:
  func.call @
  return
}
";
    let (mut client, _) = opened(text);
    let passes = offers(&mut client, 0, 28);
    assert!(
        passes.contains(&"affine-loop-tile".to_string()),
        "{passes:?}"
    );
    let values = offers(&mut client, 8, 23);
    assert_eq!(values, ["%a", "%b", "%c"]);
    let typed = client.at("completion", URI, 8, 23);
    assert_eq!(typed[0]["detail"], "i32");
    assert_eq!(typed[1]["detail"], "memref<4xf32>");
    let ops = offers(&mut client, 9, 16);
    assert!(ops.contains(&"arith.constant".to_string()));
    assert!(ops.contains(&"memref.load".to_string()));
    // Documentation comes when it is asked for.
    let all = client.at("completion", URI, 9, 16);
    let add = all
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["label"] == "arith.addi")
        .unwrap();
    assert_eq!(add["documentation"], Value::Null);
    let add = client
        .request("completionItem/resolve", add.clone())
        .unwrap();
    let text = add["documentation"]["value"].as_str().unwrap();
    assert!(text.starts_with("**arith.addi**\n\n"), "{text}");
    let e = client
        .request("completionItem/resolve", json!(3))
        .unwrap_err();
    assert_eq!(e["code"], -32602);
    assert!(offers(&mut client, 11, 9).contains(&"^end".to_string()));
    assert!(offers(&mut client, 13, 13).contains(&"@f".to_string()));
    let types = offers(&mut client, 4, 26);
    assert!(types.contains(&"i32".to_string()) && types.contains(&"!small".to_string()));
    client.stop();

    let (mut client, _) =
        opened("func.func @f() attributes {g = #} {\n  %c = arith.cmpi slt, %a, %b : !\n}\n");
    let attributes = offers(&mut client, 0, 32);
    assert!(
        attributes.iter().any(|a| a.starts_with("#gpu.")),
        "{attributes:?}"
    );
    let types = offers(&mut client, 1, 33);
    assert!(types.iter().any(|a| a.starts_with('!')), "{types:?}");
    let names = offers(&mut client, 0, 27);
    assert!(names.contains(&"sym_visibility".to_string()), "{names:?}");
    client.stop();
}

/// A text as the server formats it.
fn formatted(text: &str) -> Result<String, String> {
    let mut client = Client::start();
    client.open(URI, "mlir", text);
    client.diagnostics(URI, 1);
    let edits = client.of("formatting", URI);
    client.stop();
    match edits {
        Ok(edits) => Ok(edited(text, &edits)),
        Err(e) => Err(e["message"].as_str().unwrap().to_string()),
    }
}

#[test]
fn formatting_prints_and_keeps_names_and_comments() {
    let text = "\
// RUN: terrace-opt %s | FileCheck %s

// The head.
func.func   @f( %left : i32 , // the left one
   %right: i32) -> i32 {
// CHECK: addi
     %sum = arith.addi   %left ,%right : i32 // they are added

  // The end.
  \"func.return\"(%sum) : (i32) -> ()
  // Nothing follows.
}
// Last.
";
    let expected = "\
// RUN: terrace-opt %s | FileCheck %s

// The head.
func.func @f(%left: i32, %right: i32) -> i32 { // the left one
  // CHECK: addi
  %sum = arith.addi %left, %right : i32 // they are added

  // The end.
  return %sum : i32
  // Nothing follows.
}
// Last.
";
    assert_eq!(formatted(text).unwrap(), expected);
    // What is formatted stays.
    assert_eq!(formatted(expected).unwrap(), expected);
}

#[test]
fn formatting_keeps_comments_at_labels_and_blank_lines() {
    let text = "\
func.func @f(%c: i1) {
  cf.cond_br   %c, ^one, ^two // either

// The first.
^one: // here
  cf.br ^two

^two:  // 2 preds: ^bb0, ^one
  return // done
}


func.func @g() { return }
";
    let expected = "\
func.func @f(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2 // either

// The first.
^bb1: // here
  cf.br ^bb2

^bb2:
  return // done
}

func.func @g() {
  return
}
";
    assert_eq!(formatted(text).unwrap(), expected);
    assert_eq!(formatted(expected).unwrap(), expected);
}

#[test]
fn formatting_keeps_the_parts_of_a_test() {
    let text = "\
func.func @f()   {
  return }

// -----

// A second one.
module {
func.func @g() { return }
}
";
    let expected = "\
func.func @f() {
  return
}

// -----

// A second one.
module {
  func.func @g() {
    return
  }
}
";
    assert_eq!(formatted(text).unwrap(), expected);
    assert_eq!(formatted(expected).unwrap(), expected);
}

#[test]
fn formatting_keeps_names_of_several_results() {
    let text = "\
func.func private @two() -> (index, index)
func.func @f() -> index {
  %pair:2 = call @two() : () -> (index, index)
  %7 = arith.addi %pair#0, %pair#1 : index
  return %7 : index
}
";
    assert_eq!(formatted(text).unwrap(), text);
}

#[test]
fn a_text_with_locations_is_not_formatted() {
    let text = "func.func @f() {\n  return loc(\"a.c\":1:2)\n}\n";
    assert_eq!(
        formatted(text).unwrap_err(),
        "the locations that it has, `loc(...)`, would be lost"
    );
}

#[test]
fn a_text_with_errors_is_not_formatted() {
    let text = "func.func @f() {\n  foo\n  return\n}\n";
    assert_eq!(
        formatted(text).unwrap_err(),
        "a text with errors is not formatted: line 2: custom op 'foo' is unknown (tried 'func.foo' as well)"
    );
}

#[test]
fn expected_diagnostics_are_put_in() {
    let text = "func.func @f(%a: f32) {\n  %c = arith.addi %a, %a : i32\n  return\n}\n";
    let (mut client, _) = opened(text);
    let actions = client.actions(URI, 1, 1);
    assert_eq!(
        actions[0]["title"],
        "Expect this error: use of value '%a' expects different type than prior uses: 'i32' vs 'f32'"
    );
    let made = edited(text, &actions[0]["edit"]["changes"][URI]);
    assert_eq!(
        made,
        "\
// expected-note @below {{prior use here}}
func.func @f(%a: f32) {
  // expected-error @below {{use of value '%a' expects different type than prior uses: 'i32' vs 'f32'}}
  %c = arith.addi %a, %a : i32
  return
}
"
    );
    client.stop();
    // The test that this makes passes.
    let args = ["-verify-diagnostics".to_string()];
    let tool = terrace::opt::Tool::new("terrace-opt");
    let out = tool.run(&args, &mut made.as_bytes());
    assert_eq!((out.code, out.stderr), (0, String::new()));
}
