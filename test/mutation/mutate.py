#!/usr/bin/env python3
"""Mutation testing of the guards: what decides whether a transformation is right.

    mutate.py choose    [--count 40] [--seed 1]   which mutants, into mutants.tsv
    mutate.py build     --tree COPY --part PART   compiles them into a copy of the tree
    mutate.py cover     --tree COPY --part PART   which tests reach which mutants
    mutate.py run       --tree COPY --part PART   runs those tests with each mutant
    mutate.py table                               what came out, by area

All mutants of a part are compiled in at once, each behind a switch that the
environment variable TERRACE_MUTANT turns on by its number, so that one build serves
them all. COPY is a clone of this repository that may be changed. `run` goes on where
it stopped: verdicts are kept in mutants.tsv."""

import argparse
import collections
import csv
import fcntl
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutants as finder

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STATE = HERE / "mutants.tsv"
NAMED = HERE / "named.tsv"
FIELDS = ["id", "area", "place", "kind", "before", "after", "verdict", "by"]

# What is built together, and the tests that look at it: test binaries, and test files of
# `test/lit.rs` below these folders of `test`.
PARTS = {
    "presburger": {
        "areas": ["presburger"],
        "crates": ["presburger"],
        "tests": ["-p", "terrace-presburger"],
        "lit": [],
    },
    "ptx": {
        "areas": ["ptx"],
        "crates": ["targets/ptx"],
        "tests": ["-p", "terrace-ptx", "-p", "terrace-emulator", "--lib", "--test", "optimize*", "--test", "passes"],
        "lit": [],
    },
    "passes": {
        "areas": ["dependence", "legality", "xfer"],
        "crates": ["passes"],
        "tests": ["--test", "lit", "--test", "dependences*"],
        "lit": ["passes", "tools", "dialects"],
    },
}

SWITCH = """
/// Switches that test/mutation turns on, by the environment variable TERRACE_MUTANT.
#[doc(hidden)]
#[allow(dead_code, missing_docs)]
pub mod mutation_switch {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static ACTIVE: OnceLock<u32> = OnceLock::new();
    static FOLDER: OnceLock<Option<std::ffi::OsString>> = OnceLock::new();
    static SEEN: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];
    fn active(id: u32) -> bool {
        let read = || std::env::var("TERRACE_MUTANT").ok()?.parse().ok();
        *ACTIVE.get_or_init(|| read().unwrap_or(0)) == id
    }
    fn seen(id: u32) {
        let bit = 1_u64 << (id % 64);
        if SEEN[id as usize / 64].fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            let folder = FOLDER.get_or_init(|| std::env::var_os("TERRACE_MUTANT_SEEN"));
            if let Some(folder) = folder {
                let _ = std::fs::write(std::path::Path::new(folder).join(id.to_string()), "");
            }
        }
    }
    pub fn on(id: u32) -> bool {
        seen(id);
        active(id)
    }
    pub fn drop_true(id: u32, value: bool) -> bool {
        value && !on(id)
    }
    pub fn drop_false(id: u32, value: bool) -> bool {
        value || on(id)
    }
}
"""


def read_state():
    if not STATE.exists():
        return []
    with STATE.open() as f:
        return list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))


def write_state(rows):
    with STATE.open("w") as f:
        f.write("\t".join(FIELDS) + "\n")
        for row in rows:
            f.write("\t".join(row[k].replace("\t", " ") for k in FIELDS) + "\n")


def update(changed):
    """Writes the verdicts of some rows; several parts may run at the same time."""
    with open(__file__) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows = read_state()
        for row in rows:
            if row["id"] in changed:
                row["verdict"], row["by"] = changed[row["id"]]
        write_state(rows)


def row_of(number, m, verdict=""):
    return {
        "id": str(number),
        "area": m.area,
        "place": f"{m.path}:{m.line}",
        "kind": m.kind,
        "before": m.before,
        "after": m.after,
        "verdict": verdict,
        "by": "",
    }


def named():
    """Mutants that were thought of, with the line as it is and as it becomes."""
    out = []
    if not NAMED.exists():
        return out
    with NAMED.open() as f:
        for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
            lines = (ROOT / row["path"]).read_text().splitlines()
            at = [i for i, l in enumerate(lines) if l.strip() == row["before"]]
            nth = int(row["nth"] or 1)
            if len(at) < nth:
                sys.exit(f"{NAMED}: {row['path']} has no line {row['before']!r} number {nth}")
            line = at[nth - 1]
            template = row["after"].replace("{", "{{").replace("}", "}}")
            template = template.replace("ON", "crate::mutation_switch::on({id})")
            m = finder.Mutant(row["area"], row["path"], line + 1, "named", row["before"], row["after"], template)
            out.append(m)
    return out


def choose(args):
    """A random choice of lines, and of each line one mutant; half as many again as are
    wanted, since some do not compile."""
    rows, number = [], 1
    for m in named():
        rows.append(row_of(number, m))
        number += 1
    for area, found in finder.all_mutants(ROOT).items():
        rng = random.Random(f"{args.seed} {area}")
        by_line = collections.defaultdict(list)
        for m in found:
            by_line[(m.path, m.line)].append(m)
        taken = {r["place"] for r in rows}
        lines = sorted(k for k in by_line if f"{k[0]}:{k[1]}" not in taken)
        rng.shuffle(lines)
        for line in lines[: args.count * 3 // 2]:
            rows.append(row_of(number, rng.choice(by_line[line])))
            number += 1
    write_state(rows)
    print(f"{len(rows)} mutants in {STATE}")


def templates():
    """Of each mutant, by what its row says."""
    every = named()
    for found in finder.all_mutants(ROOT).values():
        every += found
    return {(f"{m.path}:{m.line}", m.kind, m.after): m.template for m in every}


def tree_lines(path, cache):
    if path not in cache:
        cache[path] = (ROOT / path).read_text().splitlines()
    return cache[path]


def build(args):
    part, tree = PARTS[args.part], pathlib.Path(args.tree).resolve()
    if tree == ROOT:
        sys.exit("--tree must be a copy: its sources are rewritten")
    rows, found = read_state(), templates()
    mine = [r for r in rows if r["area"] in part["areas"]]
    for _ in range(12):
        cache, lines_of = {}, {}
        for r in mine:
            path, line = r["place"].rsplit(":", 1)
            lines = tree_lines(path, cache)
            if r["verdict"] == "unbuildable":
                continue
            template = found.get((r["place"], r["kind"], r["after"]))
            if template is None:
                sys.exit(f"mutant {r['id']} is not of these sources: choose anew")
            lines[int(line) - 1] = template.format(id=r["id"])
            lines_of[(path, int(line))] = r
        for path, lines in cache.items():
            text = "\n".join(lines) + "\n"
            if (tree / path).read_text() != text:
                (tree / path).write_text(text)
        for crate in part["crates"]:
            lib = tree / crate / "src/lib.rs"
            text = (ROOT / crate / "src/lib.rs").read_text() + SWITCH
            if lib.read_text() != text:
                lib.write_text(text)
        said = cargo(tree, part, "--message-format", "short")
        if said.returncode == 0:
            break
        wrong = set()
        for m in re.finditer(r"^(\S+?\.rs):(\d+):\d+: error", said.stderr, re.M):
            for r in (lines_of.get((m[1], int(m[2]))),):
                if r:
                    wrong.add(r["id"])
                    r["verdict"] = "unbuildable"
        print(f"{len(wrong)} mutants do not compile")
        if not wrong:
            sys.exit(said.stderr[-6000:])
        update({number: ("unbuildable", "") for number in wrong})
    else:
        sys.exit("the mutated tree does not build")


def cargo(tree, part, *more):
    command = ["cargo", "test", "--locked", "--no-run", *more, *part["tests"]]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True)


def binaries(tree, part):
    """Of each test binary: its file, and the folder it runs in."""
    out = []
    for line in cargo(tree, part, "--message-format", "json").stdout.splitlines():
        m = json.loads(line)
        if m.get("executable") and m.get("profile", {}).get("test"):
            out.append((m["executable"], str(pathlib.Path(m["manifest_path"]).parent)))
    return out


def units(tree, part):
    """Single tests: a binary, its folder, and a name."""
    out = []
    for binary, folder in binaries(tree, part):
        said = subprocess.run([binary, "--list"], cwd=folder, capture_output=True, text=True)
        for line in said.stdout.splitlines():
            name = line.removesuffix(": test")
            if name == line:
                continue
            is_lit = "/lit-" in binary
            path = name.split("::", 1)[-1]
            if not is_lit or any(path.startswith(p) for p in part["lit"]):
                out.append((binary, folder, name))
    return out


def run_unit(unit, variables, limit):
    """Whether a test passes, and how long it took."""
    binary, folder, name = unit
    start = time.monotonic()
    env = {**os.environ, **variables, "RUST_BACKTRACE": "0"}
    try:
        said = subprocess.run(
            [binary, "--exact", name],
            cwd=folder,
            env=env,
            capture_output=True,
            timeout=limit,
        )
        passed = said.returncode == 0
    except subprocess.TimeoutExpired:
        passed = False
    return passed, time.monotonic() - start


def cover_file(tree):
    return pathlib.Path(tree).resolve() / "target" / "mutation"


def cover(args):
    part, tree = PARTS[args.part], pathlib.Path(args.tree).resolve()
    folder = cover_file(tree)
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"{args.part}.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    new = [u for u in units(tree, part) if args.again or "\n".join(u) not in known]
    new = [u for u in new if args.only in u[2]]
    print(f"{len(new)} tests to look at")
    end = time.monotonic() + args.seconds
    for unit in new:
        if time.monotonic() > end:
            print("there is more to do")
            break
        seen = folder / "seen"
        seen.mkdir(exist_ok=True)
        for f in seen.iterdir():
            f.unlink()
        passed, took = run_unit(unit, {"TERRACE_MUTANT_SEEN": str(seen)}, 300)
        if not passed:
            print(f"{unit[2]} fails without a mutant: left out")
        known["\n".join(unit)] = {
            "seconds": took,
            "passes": passed,
            "seen": sorted(int(f.name) for f in seen.iterdir()),
        }
        kept.write_text(json.dumps(known))


def run(args):
    part, tree = PARTS[args.part], pathlib.Path(args.tree).resolve()
    known = json.loads((cover_file(tree) / f"{args.part}.json").read_text())
    rows = read_state()
    end = time.monotonic() + args.seconds
    wanted = set(args.ids.split(",")) if args.ids else None
    for r in rows:
        if r["area"] not in part["areas"] or (wanted and r["id"] not in wanted):
            continue
        done = ("killed", "unbuildable", "equivalent", "surplus")
        if r["verdict"] in done or (r["verdict"] == "survived" and not (args.survivors or wanted)):
            continue
        if time.monotonic() > end:
            print("there is more to do")
            break
        reach = [(k, v) for k, v in known.items() if int(r["id"]) in v["seen"] and v["passes"]]
        reach.sort(key=lambda kv: kv[1]["seconds"])
        verdict, by, spent, tried = "survived", "", 0.0, 0
        for unit, what in reach:
            if spent > args.budget:
                break
            limit = 20 + 10 * what["seconds"]
            passed, took = run_unit(tuple(unit.split("\n")), {"TERRACE_MUTANT": r["id"]}, limit)
            spent += took
            tried += 1
            if not passed:
                verdict, by = "killed", unit.split("\n")[2]
                break
        if verdict == "survived":
            by = f"{tried} of {len(reach)} tests that reach it"
        update({r["id"]: (verdict, by)})
        print(f"{r['id']:>4} {verdict:9} {r['place']} {r['kind']}: {by}", flush=True)


def table(_):
    counts = collections.defaultdict(collections.Counter)
    for r in read_state():
        counts[r["area"]][r["verdict"] or "not run"] += 1
    for area, c in counts.items():
        print(area, dict(c))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for function in (choose, build, cover, run, table):
        p = commands.add_parser(function.__name__)
        p.set_defaults(function=function)
        if function is choose:
            p.add_argument("--count", type=int, default=40, help="mutants of an area")
            p.add_argument("--seed", default="1")
        elif function is not table:
            p.add_argument("--tree", required=True, help="a clone that may be changed")
            p.add_argument("--part", required=True, choices=PARTS)
            p.add_argument("--seconds", type=float, default=500, help="when to stop")
        if function is cover:
            p.add_argument("--only", default="", help="tests with this in their names")
            p.add_argument("--again", action="store_true", help="also those that were looked at")
        if function is run:
            p.add_argument("--budget", type=float, default=60, help="seconds of tests a mutant")
            p.add_argument("--ids", default="", help="only these mutants")
            p.add_argument("--survivors", action="store_true", help="survivors again")
    args = parser.parse_args()
    args.function(args)


main()
