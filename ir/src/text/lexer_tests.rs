//! Tests of the lexer; the errors and their columns are those mlir-opt reports.

use super::*;

fn lex_all(text: &str) -> Vec<(TokenKind, &str)> {
    let mut lexer = Lexer::new(text).unwrap();
    let mut out = Vec::new();
    loop {
        let token = lexer.lex();
        if token.is(TokenKind::Eof) {
            return out;
        }
        out.push((token.kind, lexer.text(token)));
    }
}

fn kinds(text: &str) -> Vec<TokenKind> {
    lex_all(text).into_iter().map(|(kind, _)| kind).collect()
}

/// The first error's message and offset.
fn first_error(text: &str) -> Option<(&'static str, u32)> {
    let mut lexer = Lexer::new(text).unwrap();
    loop {
        let token = lexer.lex();
        if let Some(error) = lexer.error(token) {
            return Some((error.kind.message(), error.offset));
        }
        if token.is(TokenKind::Eof) {
            return None;
        }
    }
}

#[test]
fn identifiers() {
    use TokenKind::*;
    assert_eq!(
        lex_all("func.func _a$b.c @f @\"q \\\" s\" @a-b %0 %a-b$. #map #d.x !t ^bb0 %12ab"),
        [
            (BareIdentifier, "func.func"),
            (BareIdentifier, "_a$b.c"),
            (AtIdentifier, "@f"),
            (AtIdentifier, "@\"q \\\" s\""),
            (AtIdentifier, "@a"),
            (Minus, "-"),
            (BareIdentifier, "b"),
            (PercentIdentifier, "%0"),
            (PercentIdentifier, "%a-b$."),
            (HashIdentifier, "#map"),
            (HashIdentifier, "#d.x"),
            (ExclamationIdentifier, "!t"),
            (CaretIdentifier, "^bb0"),
            (PercentIdentifier, "%12"),
            (BareIdentifier, "ab"),
        ]
    );
}

#[test]
fn integer_types_are_apart_from_identifiers() {
    use TokenKind::*;
    assert_eq!(
        kinds("i32 si8 ui16 i0 index i si s8 i32x u8 sindex xi32"),
        [
            IntType,
            IntType,
            IntType,
            IntType,
            BareIdentifier,
            BareIdentifier,
            BareIdentifier,
            BareIdentifier,
            BareIdentifier,
            BareIdentifier,
            BareIdentifier,
            BareIdentifier
        ]
    );
}

#[test]
fn numbers() {
    use TokenKind::*;
    assert_eq!(
        lex_all("0 42 0x1F 0xi32 0xg 1. 1.5e+10 1.0E-3 1.e 2.0e+ 3e5 1.2.3 4x8"),
        [
            (Integer, "0"),
            (Integer, "42"),
            (Integer, "0x1F"),
            (Integer, "0"),
            (BareIdentifier, "xi32"),
            (Integer, "0"),
            (BareIdentifier, "xg"),
            (Float, "1."),
            (Float, "1.5e+10"),
            (Float, "1.0E-3"),
            (Float, "1."),
            (BareIdentifier, "e"),
            (Float, "2.0"),
            (BareIdentifier, "e"),
            (Plus, "+"),
            (Integer, "3"),
            (BareIdentifier, "e5"),
            (Float, "1.2"),
            (Error, "."),
            (Integer, "3"),
            (Integer, "4"),
            (BareIdentifier, "x8"),
        ]
    );
}

#[test]
fn punctuation_spells_as_its_kind_says() {
    let text = "-> : , ... = > { ( [ < - + ? } ) ] / * | {-# #-}";
    let tokens = lex_all(text);
    assert_eq!(tokens.len(), 21);
    for (kind, spelling) in tokens {
        assert_eq!(kind.spelling(), Some(spelling));
    }
    use TokenKind::*;
    assert_eq!(kinds("@a::@b"), [AtIdentifier, Colon, Colon, AtIdentifier]);
    assert_eq!(kinds("()->()"), [LParen, RParen, Arrow, LParen, RParen]);
    assert_eq!(
        kinds("#-x {- {-"),
        [HashIdentifier, LBrace, Minus, LBrace, Minus]
    );
}

#[test]
fn comments_and_white_space() {
    use TokenKind::*;
    assert_eq!(
        kinds("a // b \" ' \n\t c//\rd // no end"),
        [BareIdentifier; 3]
    );
    assert_eq!(kinds("a\0b//x\0y\nc"), [BareIdentifier; 3]);
    assert_eq!(kinds(""), []);
    assert_eq!(kinds("/ / a"), [Slash, Slash, BareIdentifier]);
}

#[test]
fn strings_end_where_they_should() {
    assert_eq!(
        lex_all(r#""" "a b" "\"" "\\" "\41" "é" "long enough for words of eight \n bytes""#)
            .iter()
            .map(|t| t.1)
            .collect::<Vec<_>>(),
        [
            r#""""#,
            r#""a b""#,
            r#""\"""#,
            r#""\\""#,
            r#""\41""#,
            "\"é\"",
            r#""long enough for words of eight \n bytes""#
        ]
    );
    assert_eq!(kinds("\"a\rb\0c\""), [TokenKind::String]);
}

#[test]
fn errors_are_those_of_mlir_opt() {
    let quote = "expected '\"' in string literal";
    let escape = "unknown escape in string literal";
    let at = "@ identifier expected to start with letter or '_'";
    for (text, message, column) in [
        ("\"abc", quote, 5),
        ("\"a\nb\"", quote, 3),
        ("\"abc\x0bd\"", quote, 5),
        ("module @\"ab", quote, 12),
        ("// foo\r\"bb", quote, 11),
        ("\"ab\\q\"", escape, 4),
        ("\"a\\0", escape, 3),
        ("\"a\\", escape, 3),
        ("module @ {}", at, 9),
        ("module @1", at, 9),
        ("%= 1", "invalid SSA name", 1),
        ("#", "invalid attribute name", 1),
        ("^ ", "invalid block name", 1),
        ("! ", "invalid type identifier", 1),
        ("..", "expected three consecutive dots for an ellipsis", 2),
        (".", "expected three consecutive dots for an ellipsis", 2),
        ("\x01", "unexpected character", 1),
        ("\"é\"é", "unexpected character", 5),
        ("module {} ;", "unexpected character", 11),
    ] {
        assert_eq!(first_error(text), Some((message, column - 1)), "{text:?}");
    }
    assert_eq!(first_error("module { \"a\"() : () -> () }"), None);
}

#[test]
fn lexing_goes_on_after_an_error() {
    use TokenKind::*;
    assert_eq!(
        lex_all("a é b"),
        [(BareIdentifier, "a"), (Error, "é"), (BareIdentifier, "b")]
    );
    assert_eq!(lex_all("\"a\nb"), [(Error, "\"a"), (BareIdentifier, "b")]);
}

#[test]
fn dimension_lists() {
    // memref<0x4x?xf32>, as the parser goes through it.
    let mut lexer = Lexer::new("0x4x?xf32>").unwrap();
    let token = lexer.lex();
    assert_eq!(lexer.text(token), "0x4");
    let zero = lexer.split_hexadecimal(token);
    assert_eq!(lexer.text(zero), "0");
    let mut dims = vec!["0"];
    let mut token = lexer.lex();
    while let Some(next) = lexer.lex_after_x(token) {
        let next = lexer.split_hexadecimal(next);
        dims.push(lexer.text(next));
        token = lexer.lex();
    }
    assert_eq!(dims, ["0", "4", "?", "f32"]);
    assert_eq!(token.kind, TokenKind::Greater);
    assert_eq!(lexer.lex_after_x(token), None);

    let mut lexer = Lexer::new("0x").unwrap();
    let token = lexer.lex();
    assert_eq!(lexer.split_hexadecimal(token), token);
    let x = lexer.lex();
    assert!(lexer.lex_after_x(x).unwrap().is(TokenKind::Eof));
}

#[test]
fn ranges_and_resetting() {
    let text = "aa bb é cc";
    let mut lexer = Lexer::with_range(text, 3..5).unwrap();
    let bb = lexer.lex();
    assert_eq!((bb.start, bb.end), (3, 5));
    assert!(lexer.lex().is(TokenKind::Eof));
    assert!(lexer.lex().is(TokenKind::Eof));
    lexer.reset(3);
    assert_eq!(lexer.lex(), bb);
    lexer.reset(u32::MAX);
    assert!(lexer.lex().is(TokenKind::Eof));
    // Not into the middle of a character.
    let mut lexer = Lexer::with_range(text, 7..100).unwrap();
    assert_eq!(lexer.position(), 6);
    lexer.lex();
    lexer.reset(7);
    assert_eq!(lexer.position(), 6);
    #[allow(clippy::reversed_empty_ranges)]
    let mut empty = Lexer::with_range(text, 9..2).unwrap();
    assert!(empty.lex().is(TokenKind::Eof));
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_place() {
    let error = utf8_text(b"ab\n\"\xc3\xa9 \xff\"").unwrap_err();
    assert_eq!(
        error,
        InputError::NotUtf8 {
            offset: 7,
            line: 2,
            column: 5,
            byte: 0xff
        }
    );
    assert_eq!(error.to_string(), "invalid UTF-8: unexpected byte 0xff");
    assert!(utf8_text("é".as_bytes()).is_ok());
}

/// Tokens are in order, on character boundaries, not empty, and only white
/// space and comments lie between them.
fn check_invariants(text: &str) {
    let mut lexer = Lexer::new(text).unwrap();
    let mut last = 0;
    for _ in 0..=text.len() {
        let token = lexer.lex();
        let gap = text.get(last as usize..token.start as usize).unwrap();
        for line in gap.split(['\n', '\r']) {
            let blank = line.split("//").next().unwrap();
            assert!(blank.chars().all(|c| " \t\0".contains(c)), "{gap:?}");
        }
        assert_eq!(lexer.error(token).is_some(), token.is(TokenKind::Error));
        if token.is(TokenKind::Eof) {
            assert_eq!(token.start as usize, text.len());
            return;
        }
        assert!(!token.is_empty());
        assert!(text.is_char_boundary(token.end as usize));
        // A token lexes the same when lexing starts at it.
        let mut again = lexer.clone();
        again.reset(token.start);
        assert_eq!(again.lex(), token);
        last = token.end;
    }
    panic!("no end of {text:?}");
}

#[test]
fn random_text_neither_panics_nor_hangs() {
    let pieces = [
        "\"",
        "\\",
        "\n",
        "\r",
        "\0",
        "//",
        "/",
        "@",
        "#",
        "%",
        "^",
        "!",
        "-",
        ">",
        "{-#",
        "#-}",
        ".",
        "...",
        "0x",
        "1",
        "9",
        "e+",
        "i",
        "32",
        "x",
        "é",
        "\u{10ffff}",
        " ",
        "\t",
        "a",
        "_",
        "$",
        "\x0b",
        "\x7f",
        ":",
        "(",
        "[",
        "<",
        "?",
        "*",
        "|",
        ";",
        "'",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    for _ in 0..3000 {
        let len = next() % 60;
        let text: String = (0..len).map(|_| pieces[next() % pieces.len()]).collect();
        check_invariants(&text);
        let bytes: Vec<u8> = (0..len).map(|_| (next() >> 11) as u8).collect();
        check_invariants(&String::from_utf8_lossy(&bytes));
        // Refused or lexed, never a panic.
        if let Ok(text) = utf8_text(&bytes) {
            check_invariants(text);
        }
    }
}

#[test]
fn whole_programs_lex_without_errors() {
    for text in [
        "#map = affine_map<(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)>\n\
         !t = memref<?x4xf32, strided<[?, 1], offset: ?>>\n\
         func.func @f(%arg0: !t, %n: index) -> (f32, i1) attributes {a.b = #d<\"x\">} {\n\
           %0:2 = \"test.op\"(%arg0) <{p = dense<[1.0, -2.5e-1, 0x7F800000]> : tensor<3xf32>}> ({\n\
           ^bb0(%x: i32 loc(\"f.c\":1:2)):\n\
             cf.br ^bb1\n\
           }) : (!t) -> (f32, i1) // done\n\
           affine.for %i = 0 to min #map(%n)[%n] step 4 { affine.store %0#0, %arg0[%i + 1, 0] : !t }\n\
           return %0#0, %0#1 : f32, i1\n\
         }\n",
        "{-# external_resources: { mlir_reproducer: { pipeline: \"builtin.module(cse)\" } } #-}",
        "%r = vector.transfer_read %A[%i], %c {in_bounds = [true]} : memref<?xf32>, vector<[4]x2xf32>",
        "llvm.func @v(i32, ...) -> !llvm.struct<(i8, ptr<3>)>",
    ] {
        assert_eq!(first_error(text), None);
        check_invariants(text);
    }
}
