#!/usr/bin/env python3
"""Emptiness questions per second: isl (through islpy) and terrace, on one file.

    pip install islpy
    cargo bench -p terrace-presburger --bench emptiness --no-run
    presburger/oracle/islpy_emptiness.py FILE target/release/deps/emptiness-...

The file has one relation a line, in isl's notation. isl keeps what it found out about
an object, so that each pass gets objects read anew; reading is not timed on either
side. The cost of a call from Python, measured on a question that needs no thought, is
shown, and taken off isl's time in a second figure. Answers are compared.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time

import islpy as isl


def read(text):
    kind = isl.Map if "->" in text[text.index("{") :] else isl.Set
    return kind.read_from_str(isl.DEFAULT_CONTEXT, text)


def timed(ask, objects):
    start = time.perf_counter()
    for one in objects:
        ask(one)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("binary", help="the built bench `emptiness`")
    parser.add_argument("--passes", type=int, default=15)
    arguments = parser.parse_args()
    with open(arguments.file) as file:
        texts = [line.strip() for line in file]
    texts = [text for text in texts if text and not text.startswith("#")]
    passes, calls = [], []
    for _ in range(arguments.passes):
        objects = [read(text) for text in texts]
        passes.append(timed(lambda one: one.is_empty(), objects))
        # What a call costs that only looks at a flag.
        calls.append(timed(lambda one: one.is_params() if isinstance(one, isl.Set) else one.n_basic_map(), objects))
    answers = [read(text).is_empty() for text in texts]
    best, median, call = min(passes), statistics.median(passes), min(calls)
    count = len(texts)
    print(f"isl {isl.version.VERSION_TEXT}: {count} questions, {len(passes)} passes: "
          f"best {count / best:.0f} per second, median {count / median:.0f} per second; "
          f"without the {call / count * 1e6:.2f} us of a call: best {count / max(best - call, 1e-9):.0f} per second")
    with tempfile.NamedTemporaryFile("r", suffix=".txt") as output:
        subprocess.run([arguments.binary, arguments.file, str(arguments.passes), output.name], check=True)
        ours = output.read().split("\n")[:count]
    unknown = sum(answer.startswith("unknown") for answer in ours)
    wrong = [
        (text, answer)
        for text, answer, expected in zip(texts, ours, answers)
        if not answer.startswith("unknown") and answer != ("true" if expected else "false")
    ]
    for text, answer in wrong:
        print(f"WRONG, empty is {answer}: {text}")
    print(f"{sum(answers)} empty, {count - sum(answers)} not; terrace: {unknown} unknown, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
