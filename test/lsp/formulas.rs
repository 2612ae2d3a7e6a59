//! Models in formulas.

use crate::client::{Client, range, said};
use serde_json::Value;

const URI: &str = "file:///test/a.tf";

const MODEL: &str = "\
model wave(N, M: index; h: real) precision f64
array P(i: 1..N+1, k: 1..M+2)
array RHO(i: 1..N+1, k: 1..M+2) positive
macro T(a, b) = P[a, b]*h
compute P(i skip 1 1, k) with t = h*h
  P = T[i+1,k] + t/RHO[i,k]
";

fn opened(text: &str) -> (Client, Vec<Value>) {
    let mut client = Client::start();
    client.open(URI, "terrace-formulas", text);
    let found = client.diagnostics(URI, 1);
    (client, found)
}

fn places(v: &Value) -> Vec<String> {
    v.as_array()
        .unwrap()
        .iter()
        .map(|l| range(&l["range"]))
        .collect()
}

#[test]
fn errors_are_shown_with_their_ranges() {
    let text = "model m(N: index) precision f64\narray U(i: 1..N)\ncompute U(i) = U[i-1]\ncompute U(i) = V[i]\n";
    let (client, found) = opened(text);
    let said = said(&found);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].starts_with("2:15-2:21 `U` has no such index `i`"),
        "{said:?}"
    );
    assert!(said[1].starts_with("3:15-3:1"), "{said:?}");
    client.stop();
}

#[test]
fn names_lead_to_their_declarations() {
    let (mut client, found) = opened(MODEL);
    assert_eq!(said(&found), Vec::<String>::new());
    assert_eq!(places(&client.at("definition", URI, 5, 21)), ["2:6-2:9"]);
    assert_eq!(places(&client.at("definition", URI, 5, 6)), ["3:6-3:7"]);
    assert_eq!(places(&client.at("definition", URI, 5, 17)), ["4:30-4:31"]);
    assert_eq!(places(&client.at("definition", URI, 5, 8)), ["4:10-4:11"]);
    assert_eq!(places(&client.at("definition", URI, 1, 15)), ["0:11-0:12"]);
    assert_eq!(
        places(&client.at("references", URI, 0, 24)),
        ["0:24-0:25", "3:24-3:25", "4:34-4:35", "4:36-4:37"]
    );
    assert_eq!(
        places(&client.at("references", URI, 1, 6)),
        ["1:6-1:7", "3:16-3:17", "4:8-4:9", "5:2-5:3"]
    );
    client.stop();
}

#[test]
fn hovers_and_the_outline() {
    let (mut client, _) = opened(MODEL);
    let h = client.at("hover", URI, 5, 20);
    assert_eq!(
        h["contents"]["value"],
        "```terrace-formulas\narray RHO(i: 1..N+1, k: 1..M+2) positive\n```\nan array"
    );
    let h = client.at("hover", URI, 4, 13);
    assert_eq!(
        h["contents"]["value"],
        "`skip`: elements left out in front and behind"
    );
    let symbols = client.of("documentSymbol", URI).unwrap();
    let names: Vec<String> = symbols
        .as_array()
        .unwrap()
        .iter()
        .map(|s| {
            format!(
                "{} {}",
                s["detail"].as_str().unwrap(),
                s["name"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        names,
        ["model wave", "array P", "array RHO", "macro T", "compute P"]
    );
    assert_eq!(symbols[0]["children"][2]["name"], "h");
    client.stop();
}

#[test]
fn completion_has_names_functions_and_words() {
    let text = format!("{MODEL}compute RHO(i, k) = sq\n");
    let (mut client, _) = opened(&text);
    let all = client.at("completion", URI, 6, 22);
    let labels: Vec<&str> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["label"].as_str().unwrap())
        .collect();
    for label in ["sqrt", "RHO", "T", "h", "i", "k", "compute"] {
        assert!(labels.contains(&label), "{label} in {labels:?}");
    }
    // A temporary of another statement.
    assert!(!labels.contains(&"t"), "{labels:?}");
    client.stop();
}
