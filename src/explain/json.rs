//! Explanations as JSON, for other tools.
//!
//! `docs/explain.md` has the schema. What is there keeps its meaning, and new members
//! may be added; a change of meaning changes [`VERSION`].

use terrace_ir::diag::DiagLoc;
use terrace_passes::region::cost::note::{AccessCost, CostNote, KernelCost, TileNote};
use terrace_passes::region::notes::{
    AccessNote, ArrayNote, Because, CopyNote, DependenceNote, KernelNote, LoopNote, Reason,
    ReductionNote, RegionNotes, Verdict,
};

use super::json_writer::Writer;
use super::{Explanation, FunctionNotes, sentences};

/// The number in `version`.
pub const VERSION: i64 = 1;

/// An explanation as JSON.
pub fn json(e: &Explanation) -> String {
    let mut w = Writer::default();
    w.object(|w| {
        w.key("version").int(VERSION);
        w.key("file").string(&e.file);
        list(w, "functions", &e.functions, function);
    });
    w.finish()
}

fn list<T>(w: &mut Writer, key: &str, items: &[T], one: fn(&mut Writer, &T)) {
    w.key(key).array(|w| {
        for i in items {
            one(w, i);
        }
    });
}

fn place(w: &mut Writer, key: &str, p: &DiagLoc) {
    w.key(key);
    located(w, p);
}

fn located(w: &mut Writer, p: &DiagLoc) {
    match p {
        DiagLoc::Pos { file, line, column } => w.object(|w| {
            w.key("file").string(file);
            w.key("line").int(i64::from(*line));
            w.key("column").int(i64::from(*column));
        }),
        _ => w.null(),
    }
}

fn maybe_text(w: &mut Writer, text: Option<&str>) {
    match text {
        Some(s) => w.string(s),
        None => w.null(),
    }
}

fn reason(w: &mut Writer, r: &Reason) {
    w.object(|w| {
        place(w, "place", &r.place);
        w.key("text").string(&r.text);
    });
}

fn function(w: &mut Writer, f: &FunctionNotes) {
    w.object(|w| {
        w.key("name").string(&f.name);
        place(w, "place", &f.place);
        list(w, "regions", &f.regions, region);
        list(w, "host_loops", &f.host_loops, |w, l| {
            w.object(|w| {
                place(w, "place", &l.place);
                w.key("variable").string(&l.variable);
                w.key("depth").int(l.depth as i64);
            });
        });
        list(w, "kept", &f.kept, reason);
        list(w, "copies", &f.copies, copy);
        list(w, "remarks", &sentences::function(f), remark);
    });
}

fn remark(w: &mut Writer, r: &sentences::Remark) {
    w.object(|w| {
        place(w, "place", &r.place);
        list(w, "sentences", &r.sentences, |w, s| {
            w.object(|w| {
                w.key("mark").string(s.mark.name());
                w.key("text").string(&s.text);
                list(w, "places", &s.places, |w, (p, text)| {
                    reason(w, &Reason::new(p.clone(), text.clone()));
                });
            });
        });
    });
}

fn region(w: &mut Writer, r: &RegionNotes) {
    w.object(|w| {
        w.key("name").string(&r.name);
        w.key("construct").string(r.construct.name());
        place(w, "place", &r.place);
        list(w, "joined", &r.joined, located);
        list(w, "loops", &r.loops, of_loop);
        list(w, "kernels", &r.kernels, kernel);
        list(w, "versions", &r.versions, |w, v| {
            w.object(|w| {
                w.key("arch").string(&v.arch);
                list(w, "kernels", &v.kernels, kernel);
            });
        });
        list(w, "arrays", &r.arrays, array);
        list(w, "assumed_distinct", &r.assumed_distinct, |w, (a, b)| {
            w.strings([a, b]);
        });
        let texts: Vec<&str> = r.presumed.iter().map(|p| p.text.as_str()).collect();
        w.key("presumed").strings(&texts);
        list(w, "copies", &r.copies, copy);
        w.key("schedule");
        maybe_text(w, r.schedule.as_deref());
        list(w, "steps", &r.steps, reason);
        w.key("target");
        maybe_text(w, r.target.as_deref());
        w.key("stays");
        maybe_text(w, r.stays.as_deref());
        w.key("declined");
        match &r.declined {
            Some(d) => reason(w, d),
            None => w.null(),
        }
    });
}

fn of_loop(w: &mut Writer, l: &LoopNote) {
    let (verdict, because) = match &l.verdict {
        Verdict::Parallel(Because::Analysis) => ("parallel", Some("analysis")),
        Verdict::Parallel(Because::Directive) => ("parallel", Some("directive")),
        Verdict::Sequential(_) => ("sequential", None),
        Verdict::Directive(_) => ("directive", None),
        Verdict::Unknown(_) => ("unknown", None),
    };
    let dependences: &[DependenceNote] = match &l.verdict {
        Verdict::Sequential(d) => d,
        _ => &[],
    };
    let reasons: Vec<Reason> = match &l.verdict {
        Verdict::Unknown(r) => r.clone(),
        Verdict::Directive(text) => vec![Reason::new(l.place.clone(), text.clone())],
        _ => Vec::new(),
    };
    w.object(|w| {
        place(w, "place", &l.place);
        w.key("variable").string(&l.variable);
        w.key("depth").int(l.depth as i64);
        w.key("affine").bool(l.affine);
        w.key("verdict").string(verdict);
        w.key("because");
        maybe_text(w, because);
        list(w, "dependences", dependences, |w, d| {
            w.object(|w| {
                w.key("kind").string(d.kind.name());
                w.key("array").string(&d.array);
                w.key("from");
                reason(w, &d.from);
                w.key("to");
                reason(w, &d.to);
                w.key("distance").string(&d.distance);
                w.key("meaning").string(&d.meaning);
            });
        });
        list(w, "reasons", &reasons, reason);
        list(w, "reductions", &l.reductions, reduction);
        w.key("checked").strings(&l.checked);
        w.key("privatised").strings(&l.privatised);
        w.key("clauses").strings(&l.clauses);
        list(w, "warnings", &l.warnings, reason);
    });
}

fn reduction(w: &mut Writer, r: &ReductionNote) {
    w.object(|w| {
        w.key("variable").string(&r.variable);
        w.key("operation").string(&r.operation);
        w.key("reordered").bool(r.reordered);
    });
}

fn kernel(w: &mut Writer, k: &KernelNote) {
    w.object(|w| {
        w.key("name").string(&k.name);
        place(w, "place", &k.place);
        list(w, "loops", &k.loops, |w, m| {
            w.object(|w| {
                place(w, "place", &m.place);
                w.key("variable").string(&m.variable);
                w.key("to").string(&m.to.to_string());
            });
        });
        w.key("block").array(|w| {
            for n in k.block {
                w.int(i64::from(n));
            }
        });
        w.key("grid").strings(&k.grid);
        let bytes = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        w.key("registers").maybe_int(k.registers.map(i64::from));
        w.key("registers_unknown");
        maybe_text(w, k.registers_unknown.as_deref());
        w.key("spill_bytes").maybe_int(k.spill_bytes.map(bytes));
        w.key("shared_bytes").maybe_int(k.shared_bytes.map(bytes));
        w.key("local_bytes").maybe_int(k.local_bytes.map(bytes));
        w.key("occupancy");
        match k.occupancy {
            Some(x) => w.float(x),
            None => w.null(),
        }
        w.key("resident");
        match &k.resident {
            Some(r) => w.object(|w| {
                w.key("arch").string(&r.arch);
                w.key("blocks").int(i64::from(r.blocks));
                w.key("most").int(i64::from(r.most));
                w.key("limit").string(&r.limit);
            }),
            None => w.null(),
        }
        list(w, "accesses", &k.accesses, access);
        cost(w, &k.cost);
        list(w, "reductions", &k.reductions, reduction);
        w.key("remarks").strings(&k.remarks);
    });
}

/// What the model says: `cost`, what it wants to know, or why there is no answer.
fn cost(w: &mut Writer, cost: &KernelCost) {
    w.key("cost");
    match cost {
        KernelCost::Of(c) => cost_note(w, c),
        _ => w.null(),
    }
    w.key("cost_wants").strings(match cost {
        KernelCost::Wants(names) => &names[..],
        _ => &[],
    });
    w.key("cost_unknown");
    maybe_text(
        w,
        match cost {
            KernelCost::Unknown(why) => Some(why),
            _ => None,
        },
    );
}

fn cost_note(w: &mut Writer, c: &CostNote) {
    w.object(|w| {
        w.key("arch").string(&c.arch);
        w.key("part").string(&c.part);
        w.key("model").string(match c.table_lines {
            Some(_) => "table",
            None => "exact",
        });
        w.key("axes").strings(&c.axes);
        w.key("block_threads").array(|w| {
            for n in c.block {
                w.int(i64::from(n));
            }
        });
        w.key("grid_blocks").array(|w| {
            for n in c.grid {
                w.int(i64::try_from(n).unwrap_or(i64::MAX));
            }
        });
        w.key("rows");
        match &c.rows {
            Some((l, n)) => w.object(|w| {
                w.key("variable").string(l);
                w.key("iterations_per_thread").int(*n);
            }),
            None => w.null(),
        }
        w.key("tile");
        match &c.tile {
            Some(t) => tile(w, t),
            None => w.null(),
        }
        w.key("runs").bool(c.not_run.is_none());
        w.key("launches").float(c.launches);
        w.key("time_us").float(c.us);
        w.key("binding");
        maybe_text(w, c.binding().map(|t| t.name));
        w.key("exact").bool(c.exact);
        w.key("registers_per_thread").int(i64::from(c.registers));
        w.key("warps_per_sm").int(i64::from(c.warps_per_sm));
        w.key("waves").float(c.waves);
        w.key("l2_sectors").float(c.l2_sectors);
        w.key("memory_bytes").float(c.memory_bytes);
        list(w, "accesses", &c.accesses, access_cost);
        list(w, "terms", &c.terms, |w, t| {
            w.object(|w| {
                w.key("name").string(t.name);
                w.key("time_us").float(t.us);
                w.key("text").string(&t.what);
                w.key("binds").bool(t.binds);
            });
        });
        w.key("table_lines");
        maybe_float(w, c.table_lines);
        w.key("estimated").strings(&c.estimated);
    });
}

/// What a block of a matrix product computes.
fn tile(w: &mut Writer, t: &TileNote) {
    let two = |w: &mut Writer, key: &str, numbers: [i64; 2]| {
        w.key(key).array(|w| {
            for n in numbers {
                w.int(n);
            }
        });
    };
    w.object(|w| {
        w.key("rows").string(&t.rows);
        w.key("columns").string(&t.cols);
        w.key("depth").string(&t.depth);
        two(w, "size", t.size);
        two(w, "tiles", t.tiles);
        w.key("slab").int(t.slab);
        w.key("slabs").int(t.slabs);
    });
}

fn access_cost(w: &mut Writer, a: &AccessCost) {
    w.object(|w| {
        w.key("array").string(&a.array);
        w.key("text").string(&a.text);
        place(w, "place", &a.place);
        w.key("writes").bool(a.writes);
        w.key("requests").float(a.requests);
        w.key("sectors").float(a.sectors);
        w.key("sectors_per_request")
            .float(a.sectors / a.requests.max(1.0));
        w.key("lines").float(a.lines);
        w.key("bytes").float(a.bytes);
        w.key("exact").bool(a.exact);
        w.key("table_lines_per_thread");
        maybe_float(w, a.table_lines);
    });
}

fn maybe_float(w: &mut Writer, x: Option<f64>) {
    match x {
        Some(x) => w.float(x),
        None => w.null(),
    }
}

fn access(w: &mut Writer, a: &AccessNote) {
    w.object(|w| {
        w.key("array").string(&a.array);
        w.key("text").string(&a.text);
        place(w, "place", &a.place);
        w.key("writes").bool(a.writes);
        w.key("stride").maybe_int(a.stride);
        w.key("element_bytes").int(i64::from(a.element_bytes));
        w.key("apart");
        maybe_text(w, a.apart.as_deref());
        w.key("sectors").maybe_int(a.sectors.map(i64::from));
        w.key("ideal").maybe_int(a.ideal.map(i64::from));
    });
}

fn array(w: &mut Writer, a: &ArrayNote) {
    w.object(|w| {
        w.key("name").string(&a.name);
        w.key("bytes").string(&a.bytes);
        w.key("section").string(&a.section);
        w.key("movement").string(a.movement.name());
        w.key("why").string(&a.why);
        w.key("stays").bool(a.stays);
    });
}

fn copy(w: &mut Writer, c: &CopyNote) {
    w.object(|w| {
        w.key("arrays").strings(&c.arrays);
        w.key("kind").string(c.kind.name());
        place(w, "around", &c.around);
        w.key("times")
            .maybe_int(c.times.map(|n| i64::try_from(n).unwrap_or(i64::MAX)));
        w.key("text").string(&c.text);
        list(w, "reasons", &c.reasons, reason);
    });
}
