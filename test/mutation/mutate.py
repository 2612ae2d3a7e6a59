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
import concurrent.futures
import csv
import fcntl
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import mutants as finder

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
STATE = HERE / "mutants.tsv"
NAMED = HERE / "named.tsv"
FIELDS = ["id", "area", "place", "kind", "before", "after", "verdict", "by"]

# What is built together, and the tests that look at it: test binaries, test files of
# `test/lit.rs` below these folders of `test`, and, with `--whole`, tests of whole
# programs, which are slow and only tried on what survives the others.
LIT = ["passes", "tools", "dialects", "frontends", "real"]
WHOLE = ["cc", "run", "nvcc_kernels"]
PARTS = {
    "presburger": {
        "areas": ["presburger"],
        "crates": ["presburger"],
        "tests": ["-p", "terrace-presburger"],
        "whole": [],
        "lit": [],
    },
    # Only mutants that were thought of.
    "ir": {
        "areas": ["ir"],
        "crates": ["ir"],
        "tests": ["-p", "terrace", "-p", "terrace-ir", "--lib", "--test", "lit"],
        "whole": [],
        "lit": ["text", "dialects"],
    },
    "ptx": {
        "areas": ["ptx"],
        "crates": ["targets/ptx"],
        "tests": ["-p", "terrace-ptx", "-p", "terrace-emulator", "--lib", "--test", "optimize*", "--test", "passes"],
        "whole": ["lit", "nvcc", *WHOLE],
        "lit": LIT,
    },
    "passes": {
        "areas": ["dependence", "legality", "xfer"],
        "crates": ["passes"],
        "tests": ["-p", "terrace", "-p", "terrace-passes", "--lib", "--test", "lit", "--test", "dependences*"],
        "whole": ["random_data", "xfer_check", "random", "run"],
        "lit": LIT,
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


def kept(rows, found):
    """The rows whose mutant the sources still have, if need be on another line, with
    their verdicts."""
    places = collections.defaultdict(list)
    for m in found:
        places[(m.path, m.kind, m.before, m.after)].append(m)
    out = []
    for r in rows:
        path, line = r["place"].rsplit(":", 1)
        same = places[(path, r["kind"], r["before"], r["after"])]
        if same:
            nearest = min(same, key=lambda m: abs(m.line - int(line)))
            same.remove(nearest)
            out.append({**r, "area": nearest.area, "place": f"{path}:{nearest.line}"})
    return out


def choose(args):
    """A random choice of lines, and of each line one mutant; half as many again as are
    wanted, since some do not compile and some no program can tell from the original.
    Rows of mutants that are still there stay, as long as `--again` does not name their
    area; those that are gone are replaced."""
    areas = finder.all_mutants(ROOT)
    thought_of = named()
    again = set(args.again.split(","))
    old = [r for r in read_state() if r["area"] not in again or r["kind"] == "named"]
    rows = kept(old, thought_of + [m for found in areas.values() for m in found])
    number = max((int(r["id"]) for r in rows), default=0) + 1
    known = {(r["place"], r["after"]) for r in rows}
    for m in thought_of:
        if (f"{m.path}:{m.line}", m.after) not in known:
            rows.append(row_of(number, m))
            number += 1
    for area, found in areas.items():
        rng = random.Random(f"{args.seed} {area}")
        by_line = collections.defaultdict(list)
        for m in found:
            by_line[(m.path, m.line)].append(m)
        taken = {r["place"] for r in rows}
        lines = sorted(k for k in by_line if f"{k[0]}:{k[1]}" not in taken)
        rng.shuffle(lines)
        have = sum(r["area"] == area and r["kind"] != "named" for r in rows)
        for line in lines[: max(0, args.count * 3 // 2 - have)]:
            rows.append(row_of(number, rng.choice(by_line[line])))
            number += 1
    rows.sort(key=lambda r: int(r["id"]))
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


def copy_sources(tree, texts):
    """Makes a tree hold what this repository does, but for the given texts."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    said = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    for path in said.stdout.splitlines():
        if not (ROOT / path).is_file():
            continue
        text = texts.get(path) or (ROOT / path).read_bytes()
        there = tree / path
        if not there.exists() or there.read_bytes() != text:
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(text)


def build(args):
    part, tree = PARTS[args.part], pathlib.Path(args.tree).resolve()
    if tree == ROOT:
        sys.exit("--tree must be a copy: its sources are rewritten")
    rows, found = read_state(), templates()
    # What was built in before stays.
    together = [p for p in PARTS.values() if p is part or is_built(tree, p)]
    areas = {area for p in together for area in p["areas"]}
    crates = [f"{crate}/src/lib.rs" for p in together for crate in p["crates"]]
    mine = [r for r in rows if r["area"] in areas]
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
        texts = {path: ("\n".join(lines) + "\n").encode() for path, lines in cache.items()}
        for path in crates:
            texts[path] = texts.get(path, (ROOT / path).read_bytes()) + SWITCH.encode()
        copy_sources(tree, texts)
        said = cargo(tree, part["tests"], "--message-format", "short")
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


def cargo(tree, tests, *more):
    command = ["cargo", "test", "--locked", "--no-run", *more, *tests]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True)


def tests_of(part, whole):
    """What cargo builds for a part."""
    if not whole:
        return part["tests"]
    named_tests = [word for name in part["whole"] for word in ("--test", name)]
    return ["-p", "terrace", "-p", "terrace-emulator", *named_tests]


def binaries(tree, tests):
    """Of each test binary: its file, and the folder it runs in."""
    said = cargo(tree, tests, "--message-format", "json")
    if said.returncode != 0:
        sys.exit(said.stderr[-6000:])
    out = []
    for line in said.stdout.splitlines():
        m = json.loads(line)
        if m.get("executable") and m.get("profile", {}).get("test"):
            out.append((m["executable"], str(pathlib.Path(m["manifest_path"]).parent)))
    return out


def units(tree, part, whole):
    """Single tests: a binary, its folder, and a name."""
    out = []
    for binary, folder in binaries(tree, tests_of(part, whole)):
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


def end_session(session):
    """Ends a process that leads a session and all it has started, also what has a process
    group of its own."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == session:
                os.kill(int(folder.name), signal.SIGKILL)
        except OSError:
            # It has ended by itself.
            continue


def run_unit(unit, variables, limit):
    """Whether a test passes, and how long it took."""
    binary, folder, name = unit
    start = time.monotonic()
    env = {**os.environ, **variables, "RUST_BACKTRACE": "0"}
    command = [binary, "--exact", name]
    running = subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        passed = running.wait(limit) == 0
    except subprocess.TimeoutExpired:
        passed = False
        end_session(running.pid)
        running.wait()
    return passed, time.monotonic() - start


class Cover:
    """What is known of the tests of a tree: of each how long it takes, whether it passes
    without a mutant, and which mutants of the parts that were built in it reaches."""

    def __init__(self, tree):
        self.folder = pathlib.Path(tree).resolve() / "target" / "mutation"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.folder / "cover.json"
        self.tests = json.loads(self.file.read_text()) if self.file.exists() else {}
        self.lock = threading.Lock()

    def lacks(self, unit, part):
        return part not in self.tests.get("\n".join(unit), {}).get("parts", [])

    def add(self, unit, what):
        with self.lock:
            self.tests["\n".join(unit)] = what
            self.file.write_text(json.dumps(self.tests))

    def reaching(self, number):
        """Tests that reach a mutant, the quickest first."""
        found = [(k, v) for k, v in self.tests.items() if number in v["seen"] and v["passes"]]
        return sorted(found, key=lambda kv: kv[1]["seconds"])


def is_built(tree, part):
    """Whether the mutants of a part are compiled into a tree."""
    return all("mod mutation_switch" in (tree / c / "src/lib.rs").read_text() for c in part["crates"])


def cover(args):
    part, tree = PARTS[args.part], pathlib.Path(args.tree).resolve()
    known = Cover(tree)
    built = [name for name, p in PARTS.items() if is_built(tree, p)]
    new = [u for u in units(tree, part, args.whole) if args.again or known.lacks(u, args.part)]
    new = [u for u in new if args.only in u[2]]
    print(f"{len(new)} tests to look at", flush=True)
    end = time.monotonic() + args.seconds

    def look(unit):
        if time.monotonic() > end:
            return False
        with tempfile.TemporaryDirectory(dir=known.folder) as seen:
            passed, took = run_unit(unit, {"TERRACE_MUTANT_SEEN": seen}, 300)
            numbers = sorted(int(name) for name in os.listdir(seen))
        if not passed:
            print(f"{unit[2]} fails without a mutant: left out", flush=True)
        known.add(unit, {"seconds": took, "passes": passed, "parts": built, "seen": numbers})
        return True

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        if not all(list(pool.map(look, new))):
            print("there is more to do")


def run(args):
    part, known = PARTS[args.part], Cover(args.tree)
    end = time.monotonic() + args.seconds
    wanted = set(args.ids.split(",")) if args.ids else None
    done = {"killed", "unbuildable", "equivalent", "harmless"}
    if not args.survivors:
        done.add("survived")

    def is_due(r):
        if wanted is not None:
            return r["id"] in wanted
        return r["area"] in part["areas"] and r["verdict"] not in done

    def judge(r):
        if time.monotonic() > end:
            return False
        reach = known.reaching(int(r["id"]))
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
        return True

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        if not all(list(pool.map(judge, [r for r in read_state() if is_due(r)]))):
            print("there is more to do")


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
            p.add_argument("--again", default="", help="areas to choose anew, with commas")
        elif function is not table:
            p.add_argument("--tree", required=True, help="a clone that may be changed")
            p.add_argument("--part", required=True, choices=PARTS)
            p.add_argument("--seconds", type=float, default=500, help="when to stop")
            p.add_argument("--jobs", type=int, default=2, help="tests at the same time")
        if function is cover:
            p.add_argument("--only", default="", help="tests with this in their names")
            p.add_argument("--whole", action="store_true", help="the tests of whole programs")
            p.add_argument("--again", action="store_true", help="also those that were looked at")
        if function is run:
            p.add_argument("--budget", type=float, default=60, help="seconds of tests a mutant")
            p.add_argument("--ids", default="", help="only these mutants")
            p.add_argument("--survivors", action="store_true", help="survivors again")
    args = parser.parse_args()
    args.function(args)


main()
