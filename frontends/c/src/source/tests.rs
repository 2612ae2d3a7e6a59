use super::*;

fn map(text: &str, files: &[(&str, &str)]) -> SourceMap {
    let files: Vec<(String, Vec<u8>)> = files
        .iter()
        .map(|(name, text)| (name.to_string(), text.as_bytes().to_vec()))
        .collect();
    SourceMap::with_loader(
        text,
        Box::new(move |name| {
            let found = files.iter().find(|(n, _)| n == name);
            found.map(|(_, text)| text.clone())
        }),
    )
}

/// `line:column` of the nth occurrence of `what` in the preprocessed text.
fn at(map: &SourceMap, what: &str, nth: usize) -> String {
    let found = map.text().match_indices(what).nth(nth).expect(what);
    let place = map.locate(found.0);
    format!("{}:{}:{}", place.file, place.line, place.column)
}

#[test]
fn blanks_that_were_collapsed_and_macros_that_were_expanded() {
    let original = "#define N 10\n#define SQ(x) ((x)*(x))\nfor (int i = 0;   i < N;  i++)  \
                    a +=   SQ(a  +  i) /* c */ + N;\n";
    let text = "# 1 \"a.c\"\n\n\nfor (int i = 0; i < 10; i++) a += ((a + i)*(a + i)) + 10;\n";
    let map = map(text, &[("a.c", original)]);
    let column = |what: &str| {
        let line = original.lines().nth(2).unwrap();
        format!("a.c:3:{}", line.find(what).unwrap() + 1)
    };
    assert_eq!(at(&map, "for", 0), "a.c:3:1");
    assert_eq!(at(&map, "i < 10", 0), column("i < N"));
    assert_eq!(at(&map, "10", 0), column("N;"));
    assert_eq!(at(&map, "i++", 0), column("i++"));
    assert_eq!(at(&map, "a +=", 0), column("a +="));
    // What only the macro has is at its use, its argument where it is written.
    assert_eq!(at(&map, "*", 0), column("SQ"));
    assert_eq!(
        at(&map, ";\n", 0),
        format!("a.c:3:{}", original.lines().nth(2).unwrap().len())
    );
}

#[test]
fn a_call_of_a_macro_over_several_lines_and_a_line_that_is_split() {
    let original = "#define ADD(a, b) a + b\nx = ADD(1,\n      yy)  ;\nz = 1;\nassert(q  > 0);\n";
    let text = "# 1 \"m.c\"\n\nx = 1 + yy ;\n\nz = 1;\n\n# 5 \"m.c\" 3 4\n((\n# 5 \"m.c\"\nq > 0\n\
                # 5 \"m.c\" 3 4\n) ? 0 : 1)\n# 5 \"m.c\"\n;\n";
    let map = map(text, &[("m.c", original)]);
    assert_eq!(at(&map, "1 +", 0), "m.c:2:9");
    assert_eq!(at(&map, "yy", 0), "m.c:3:7");
    assert_eq!(at(&map, "z", 0), "m.c:4:1");
    assert_eq!(at(&map, "((", 0), "m.c:5:1");
    assert_eq!(at(&map, "q", 0), "m.c:5:8");
    assert_eq!(at(&map, "> 0", 0), "m.c:5:11");
    assert_eq!(at(&map, "? 0", 0), "m.c:5:1");
    assert!(map.is_system(text.find("((").unwrap()));
    assert!(!map.is_system(text.find("q >").unwrap()));
}

#[test]
fn includes_and_files_that_cannot_be_read() {
    let text = "# 0 \"a.c\"\n# 1 \"a.c\"\n# 1 \"/usr/h.h\" 1 3\nint  h;\n# 2 \"a.c\" 2\nint  a;\n";
    let map = map(text, &[("a.c", "#include <h.h>\n  int a;\n")]);
    assert_eq!(at(&map, "h;", 0), "/usr/h.h:1:6");
    assert_eq!(at(&map, "a;", 0), "a.c:2:7");
    assert!(map.is_system(text.find("h;").unwrap()));
    assert_eq!(&*map.main_file(), "a.c");
    assert!(map.is_main(text.find("a;").unwrap()));
    assert!(!map.is_main(text.find("h;").unwrap()));
    let end = map.locate(usize::MAX);
    assert_eq!((&*end.file, end.line), ("a.c", 3));
}

#[test]
fn text_without_markers_is_its_own_file() {
    let map = map("a b\nc", &[]);
    let place = map.locate(4);
    assert_eq!((place.line, place.column), (2, 1));
    assert_eq!(map.locate(2).column, 3);
    let empty = SourceMap::new("");
    assert_eq!((empty.locate(0).line, empty.locate(9).column), (1, 1));
}

#[test]
fn lines_of_many_tokens_are_aligned_at_their_ends() {
    let many = "x ".repeat(3000);
    let original = format!("begin M {many} end\n");
    let text = format!("# 1 \"a.c\"\nbegin 7 y{many} end\n");
    let map = map(&text, &[("a.c", &original)]);
    assert_eq!(at(&map, "7", 0), "a.c:1:7");
    assert_eq!(at(&map, "end", 0), format!("a.c:1:{}", original.len() - 3));
}
