use terrace_ir::diag::DiagLoc;
use terrace_passes::region::cost::note::{AccessCost, CostNote, KernelCost, TermNote};
use terrace_passes::region::notes::{
    AccessNote, ArrayNote, Because, Construct, CopyKind, CopyNote, DependenceKind, DependenceNote,
    KernelNote, LoopNote, MappedLoop, MappedTo, Movement, Reason, ReductionNote, RegionNotes,
    ResidentNote, Verdict,
};

use super::{Explanation, FunctionNotes, HostLoop, Sources, html, json, text};

const SOURCE: &str = "\
void f(int n, double (*a)[n], double *b)
{
  #pragma acc kernels
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      a[j][i] = a[j][i - 1] + b[j];
  while (n > 1 && n < 5) n--;
}
";

fn at(line: u32, column: u32) -> DiagLoc {
    DiagLoc::pos("f.c", line, column)
}

fn cost() -> CostNote {
    let term = |name, us, what: &str, binds| TermNote {
        name,
        us,
        what: what.to_string(),
        binds,
    };
    CostNote {
        arch: "sm_80".to_string(),
        part: "A100".to_string(),
        axes: vec!["j".to_string()],
        block: [256, 1, 1],
        grid: [4, 1, 1],
        rows: Some(("j".to_string(), 2)),
        tile: None,
        not_run: None,
        launches: 5.0,
        us: 3.5,
        exact: true,
        registers: 32,
        warps_per_sm: 64,
        waves: 0.01,
        l2_sectors: 1056.0,
        memory_bytes: 33792.0,
        accesses: vec![AccessCost {
            array: "a".to_string(),
            text: "a[j][i]".to_string(),
            place: at(6, 7),
            writes: true,
            requests: 32.0,
            sectors: 1024.0,
            lines: 1024.0,
            bytes: 8192.0,
            exact: true,
            table_lines: None,
        }],
        terms: vec![
            term("memory", 0.25, "0.034 MB at 1935 GB/s", false),
            term("launch", 3.5, "an empty kernel", true),
        ],
        table_lines: None,
        estimated: Vec::new(),
    }
}

fn sample() -> Explanation {
    let outer = LoopNote {
        place: at(4, 3),
        variable: "i".to_string(),
        affine: true,
        verdict: Verdict::Sequential(vec![DependenceNote {
            kind: DependenceKind::Flow,
            array: "a".to_string(),
            from: Reason::new(at(6, 7), "the write of a[j][i]"),
            to: Reason::new(at(6, 17), "the read of a[j][i - 1]"),
            distance: "1 iteration".to_string(),
            meaning: "each iteration reads a[j][i - 1], which the one before writes as a[j][i]"
                .to_string(),
        }]),
        warnings: vec![Reason::new(at(3, 3), "the bound is a long")],
        ..LoopNote::default()
    };
    let inner = LoopNote {
        place: at(5, 5),
        variable: "j".to_string(),
        depth: 1,
        affine: true,
        verdict: Verdict::Parallel(Because::Analysis),
        reductions: vec![ReductionNote {
            variable: "s".to_string(),
            operation: "sum".to_string(),
            reordered: true,
        }],
        privatised: vec!["t".to_string(), "u".to_string()],
        clauses: vec!["gang(32)".to_string()],
        ..LoopNote::default()
    };
    let kernel = KernelNote {
        name: "f_0".to_string(),
        place: at(5, 5),
        loops: vec![MappedLoop {
            place: at(5, 5),
            variable: "j".to_string(),
            to: MappedTo::Axis(0),
        }],
        block: [256, 1, 1],
        grid: [
            "(n + 255) / 256".to_string(),
            "1".to_string(),
            "1".to_string(),
        ],
        registers: Some(24),
        spill_bytes: Some(16),
        shared_bytes: Some(49152),
        occupancy: Some(37.5),
        resident: Some(ResidentNote {
            arch: "sm_80".to_string(),
            blocks: 3,
            most: 8,
            limit: "shared memory".to_string(),
        }),
        accesses: vec![
            AccessNote {
                array: "a".to_string(),
                text: "a[j][i]".to_string(),
                place: at(6, 7),
                writes: true,
                stride: None,
                element_bytes: 8,
                apart: Some("neighbouring threads are a row of a apart".to_string()),
                sectors: Some(32),
                ideal: Some(8),
            },
            AccessNote {
                array: "b".to_string(),
                text: "b[j]".to_string(),
                place: at(6, 31),
                stride: Some(1),
                sectors: Some(8),
                ideal: Some(8),
                ..AccessNote::default()
            },
        ],
        cost: KernelCost::Of(Box::new(cost())),
        remarks: vec!["combines the partial results".to_string()],
        ..KernelNote::default()
    };
    let region = RegionNotes {
        name: "f.region0".to_string(),
        construct: Construct::Kernels,
        place: at(3, 3),
        loops: vec![outer, inner],
        kernels: vec![kernel],
        arrays: vec![ArrayNote {
            name: "a".to_string(),
            bytes: "8*n*n".to_string(),
            section: String::new(),
            movement: Movement::Both,
            why: "read and written here".to_string(),
            overwritten: false,
            stays: false,
        }],
        copies: vec![CopyNote {
            arrays: vec!["a".to_string()],
            kind: CopyKind::Needed,
            around: at(7, 3),
            text: "a is copied in each iteration of the loop at line 7, and not once around it"
                .to_string(),
            reasons: vec![Reason::new(at(7, 29), "the host writes a")],
            ..CopyNote::default()
        }],
        assumed_distinct: vec![("a".to_string(), "b".to_string())],
        ..RegionNotes::default()
    };
    let declined = RegionNotes {
        name: "f.region1".to_string(),
        place: at(7, 3),
        declined: Some(Reason::new(at(7, 10), "it is not worth the copies")),
        ..RegionNotes::default()
    };
    Explanation {
        file: "f.c".to_string(),
        functions: vec![FunctionNotes {
            name: "f".to_string(),
            place: at(1, 6),
            regions: vec![region, declined],
            host_loops: vec![HostLoop {
                place: at(7, 3),
                ..HostLoop::default()
            }],
            kept: vec![Reason::new(at(2, 1), "an asm statement")],
            copies: vec![CopyNote {
                arrays: vec!["b".to_string()],
                kind: CopyKind::Avoidable,
                around: at(7, 3),
                times: Some(5),
                text: "b is copied in each of its 5 iterations".to_string(),
                ..CopyNote::default()
            }],
        }],
        sources: Sources::new(std::sync::Arc::new(|file| {
            (file == "f.c").then(|| SOURCE.to_string())
        })),
    }
}

#[test]
fn text_quotes_the_source() {
    let expected = "\
f.c:1: f

     2  {
        ! stays C: an asm statement

     3    #pragma acc kernels
        - a region begins here (kernels), with 1 kernel
        - kernel f_0: blocks of 256 threads, (n + 255) / 256 of them
        ! f_0: 24 registers a thread, 16 bytes of spills, 49152 bytes of shared memory a block; 3 \
of 8 blocks of 256 threads fit an SM of sm_80: occupancy 38 %, bounded by shared memory
        ! the write of a[j][i]: neighbouring threads are a row of a apart, up to 32 sectors a \
warp where 8 would do
            line 6
                a[j][i] = a[j][i - 1] + b[j];
        - f_0: combines the partial results
        - f_0: 3.500 us a launch by the cost model for sm_80 (A100), launch binds; 5 launches; \
counts are exact
            j along x: 4 blocks of 256 threads, 2 of j a thread; 32 registers a thread (a guess), \
64 warps an SM, 0.01 waves
            line 6: the write of a[j][i]: 32.00 sectors a request; 32 requests, 1024 sectors, \
8192 bytes (exact)
            memory               0.250 us  0.034 MB at 1935 GB/s
            launch               3.500 us  an empty kernel <- binds
        - a (8*n*n bytes) is copied to the device before and back after: read and written here
        - a is copied in each iteration of the loop at line 7, and not once around it:
            line 7: the host writes a
                while (n > 1 && n < 5) n--;
        - these are taken to be different memory: a and b

     4    for (int i = 1; i < n; i++)
        - the loop over i runs in order: each iteration reads a[j][i - 1], which the one before \
writes as a[j][i]
            line 6: the write of a[j][i]
                a[j][i] = a[j][i - 1] + b[j];
            line 6: the read of a[j][i - 1], 1 iteration later
        ! look at this: the bound is a long
            line 3
                #pragma acc kernels

     5      for (int j = 0; j < n; j++)
        - the loop over j is parallel
        - its iterations are threads along x of f_0
        - s is the sum of all iterations; its last digits may differ from those of the C program
        - each iteration has its own t and u
        - the directive was followed: gang(32)

     7    while (n > 1 && n < 5) n--;
        ! this region stays on the host: it is not worth the copies
        - the loop runs on the host: it is in no region
        ! b is copied in each of its 5 iterations
";
    assert_eq!(text::text(&sample()), expected);
}

#[test]
fn info_is_short_and_leaves_out_what_nobody_asked() {
    let info = text::info(&sample());
    assert!(
        info.starts_with("f.c: f:\n      2, stays C: an asm statement\n      3, a region begins")
    );
    assert!(info.contains(
        "\n      4, the loop over i runs in order: each iteration reads a[j][i - 1], which the one \
         before writes as a[j][i]\n             line 6: the write of a[j][i]\n"
    ));
    assert!(
        info.contains("\n      7, this region stays on the host"),
        "{info}"
    );
    let mut quiet = sample();
    quiet.functions[0].copies.clear();
    quiet.functions[0].regions.pop();
    assert!(!text::info(&quiet).contains("      7,"));
}

#[test]
fn json_has_everything() {
    let json = json::json(&sample());
    for part in [
        "{\n  \"version\": 1,\n  \"file\": \"f.c\",\n  \"functions\": [\n",
        "\"verdict\": \"sequential\",\n              \"because\": null,",
        "\"verdict\": \"parallel\",\n              \"because\": \"analysis\",",
        "\"distance\": \"1 iteration\",",
        "\"block\": [\n                256,\n                1,\n                1\n              ],",
        "\"occupancy\": 37.5,",
        "\"apart\": \"neighbouring threads are a row of a apart\",",
        "\"kind\": \"avoidable\",",
        "\"limit\": \"shared memory\"",
        "\"stride\": null,",
        "\"time_us\": 3.5,\n                \"binding\": \"launch\",\n                \"exact\": true,",
        "\"iterations_per_thread\": 2",
        "\"requests\": 32,",
        "\"sectors_per_request\": 32,",
        "\"name\": \"memory\",\n                    \"time_us\": 0.25,",
        "\"memory_bytes\": 33792,",
        "\"cost_wants\": [],",
        "\"cost_unknown\": null,",
        "\"movement\": \"copy\",",
        "\"declined\": {\n            \"place\": {\n",
        "\"host_loops\": [\n",
        "\"mark\": \"attention\",\n              \"text\": \"stays C: an asm statement\",",
    ] {
        assert!(json.contains(part), "no {part} in {json}");
    }
}

#[test]
fn a_page_shows_every_line_and_is_complete_in_itself() {
    let page = html::html(&sample());
    for part in [
        "<!DOCTYPE html>",
        "<title>f.c</title>",
        "prefers-color-scheme: dark",
        "<tr id=\"L1\"><td class=\"n\"><a href=\"#L1\">1</a></td><td class=\"c\">void f(int n, \
         double (*a)[n], double *b)</td><td></td></tr>",
        "while (n &gt; 1 &amp;&amp; n &lt; 5) n--;",
        "<p class=\"s good\">the loop over j is parallel</p>",
        "<li><a href=\"#L6\">line 6</a>: the write of a[j][i]</li>",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    for outside in ["http:", "https:", "src=", "<script", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("<tr").count(), 8);
    for tag in ["p", "td", "tr", "ul", "li", "table", "div"] {
        let open =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn what_is_in_headers_is_named_with_its_file() {
    let mut e = sample();
    for r in &mut e.functions[0].regions {
        r.place = DiagLoc::pos("g.h", 12, 1);
        r.loops.clear();
    }
    let shown = text::text(&e);
    assert!(
        shown.contains("  in g.h\n    12\n        - a region begins here"),
        "{shown}"
    );
    let page = html::html(&e);
    assert!(page.contains("<h2>In other files</h2>\n<p>g.h line 12: <code></code></p>"));
}

#[test]
fn costs_that_are_not_known() {
    let with = |cost: KernelCost| {
        let mut e = sample();
        e.functions[0].regions[0].kernels[0].cost = cost;
        e
    };
    let wants = with(KernelCost::Wants(vec!["n".to_string(), "a.1".to_string()]));
    let shown = text::text(&wants);
    let sentence = "- f_0: what it costs depends on n, a.1: say --size n=N --size a.1=N\n";
    assert!(shown.contains(sentence), "{shown}");
    let shown = json::json(&wants);
    assert!(
        shown.contains("\"cost\": null,\n              \"cost_wants\": [\n"),
        "{shown}"
    );
    let unknown = with(KernelCost::Unknown("its loops are not affine".to_string()));
    let shown = text::text(&unknown);
    let sentence = "- f_0: no estimate of its time: its loops are not affine\n";
    assert!(shown.contains(sentence), "{shown}");
    assert!(json::json(&unknown).contains("\"cost_unknown\": \"its loops are not affine\""));
    let shown = text::text(&with(KernelCost::NotAsked));
    assert!(
        !shown.contains("cost model") && !shown.contains("estimate"),
        "{shown}"
    );
}

#[test]
fn a_file_without_loops() {
    let mut e = sample();
    e.functions.clear();
    assert_eq!(text::text(&e), "f.c: no loops\n");
    assert_eq!(text::info(&e), "");
    assert_eq!(
        json::json(&e),
        "{\n  \"version\": 1,\n  \"file\": \"f.c\",\n  \"functions\": []\n}\n"
    );
}
