"""What the benchmarks of C programs on the CPU share: programs compiled in several ways and run by turns."""
import math
import os
import re
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
POLYBENCH = os.path.join(HERE, "..", "..", "examples", "c", "polybench")
WIDTHS = ("128", "256", "512")
FAST = ["-O3", "-march=native", "-ffast-math"]
STRICT = ["-ffp-contract=off"]


def shell(command, timeout=None, **env):
    """Runs a command and returns what it was. A failure says the end of its standard error. A variable of
    the environment that is None is not set."""
    env = {name: value for name, value in dict(os.environ, **env).items() if value is not None}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=env)
    except subprocess.TimeoutExpired as why:
        raise RuntimeError(f"{' '.join(command)}: still running after {timeout} s") from why
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-400:] or done.returncode}")
    return done


class Program:
    """A program compiled in one way; `compiled` is how many seconds that took."""

    def __init__(self, path, env=None, arguments=()):
        self.path, self.env, self.arguments, self.times, self.said = path, env or {}, list(arguments), [], None
        self.compiled = 0.0
        self.head = ""

    def run(self, pinned, timeout=None):
        done = shell([*pinned, self.path, *self.arguments], timeout, **self.env)
        self.said = re.findall(r"^check .*$", done.stdout, re.M)
        self.head = done.stdout.split("\n", 1)[0]
        self.times.append(float(re.search(r"^time ([0-9.]+)$", done.stderr, re.M).group(1)))

    def least(self):
        return min(self.times)

    def median(self):
        return statistics.median(self.times)


def terrace_env(threads):
    return {"TERRACE_TARGET": "cpu", "TERRACE_NUM_THREADS": str(threads)}


def pinned_to(cores):
    return ["taskset", "-c", ",".join(str(c) for c in cores)]


def built(name, ways, rest, folder, timeout=None):
    """Compiles a program in each of the ways, a command and the environment to run under; `rest` ends every
    command. A way that fails is told of and left out."""
    out = {}
    for way, (command, env) in ways.items():
        path = os.path.join(folder, name + "-" + way.replace(" ", ""))
        try:
            began = time.monotonic()
            shell([*command, *rest, "-o", path, "-lm"], timeout)
            out[way] = Program(path, env)
            out[way].compiled = time.monotonic() - began
        except RuntimeError as why:
            print(f"{name} {way}: {why}", file=sys.stderr)
    return out


def by_turns(name, programs, runs, pinned, timeout=None):
    """Runs the programs one after the other, and that RUNS times, so that a busy machine slows all alike."""
    for _ in range(runs):
        for way, program in list(programs.items()):
            try:
                program.run(pinned, timeout)
            except RuntimeError as why:
                print(f"{name} {way}: {why}", file=sys.stderr)
                del programs[way]


def compare(name, programs, ways, reference="gcc -O2"):
    """Tells of ways whose results are not those of the reference, and returns them."""
    expected = programs[reference].said
    differing = [way for way in ways if way in programs and programs[way].said != expected]
    for way in differing:
        print(f"{name} {way}: results differ from {reference}: {programs[way].said} {expected}", file=sys.stderr)
    return differing


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def shares(ratios):
    """In words, how many of the ratios (gcc's time over terrace's) are how large."""
    many = len(ratios)
    if not many:
        return "no ratios"

    def part(what, count):
        return f"{what}: {count} of {many} ({100 * count / many:.0f} %)"

    return "\n".join((
        part("at most 3 % slower", sum(r >= 1 / 1.03 for r in ratios)),
        part("more than 10 % slower", sum(r < 1 / 1.1 for r in ratios)),
        part("at least 1.3 times as fast", sum(r >= 1.3 for r in ratios)),
    ))
