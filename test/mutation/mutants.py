"""Finds places in Rust sources where a condition can be made wrong, and rewrites them.

Sources are read as rustfmt leaves them: a statement on one line, or a chain with one
operand a line. What does not fit that is passed over, and what does not compile is
dropped by `mutate.py`, so nothing here has to understand Rust."""

import pathlib
import re
from dataclasses import dataclass

# Where a wrong answer makes wrong programs. What only decides whether something pays,
# prints or counts is no guard: that is left out by the names of files.
AREAS = {
    "presburger": ["presburger/src"],
    "dependence": ["passes/src/analysis"],
    "legality": [
        "passes/src/schedule/legality",
        "passes/src/transform/affine_delay_updates/legal.rs",
        "passes/src/transform/inline/legality.rs",
        "passes/src/gpu/map_scans/legal.rs",
        "passes/src/gpu/fuse_nests/legal.rs",
    ],
    "xfer": ["passes/src/xfer"],
    "ptx": ["targets/ptx/src/optimize"],
}
NO_GUARDS = re.compile(
    r"(^|/)(tests?|cost|policy|profit|estimate|print|printer|report|text|display|effort|"
    r"unknown|refused|explain|names?|words|latency|pressure)(\.rs|/|$)"
)


@dataclass
class Mutant:
    """One change of one line."""

    area: str
    path: str
    line: int
    kind: str
    before: str
    after: str
    # The line with `{id}` where the number of the switch belongs.
    template: str

    def key(self):
        return f"{self.path}:{self.line}:{self.kind}:{self.after}"


def code_lines(text):
    """The numbers and texts of lines that hold code: no comments, no test modules."""
    out = []
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("#[cfg(test)]"):
            break
        if stripped.startswith("//") or not stripped:
            continue
        out.append((number, line))
    return out


def balanced(text):
    depth = 0
    for c in text:
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def has_top(text, operator):
    """Whether an operator stands outside of all brackets."""
    depth = 0
    for i, c in enumerate(text):
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif depth == 0 and text.startswith(operator, i):
            return True
    return False


def plain(text):
    """Whether an expression can be put into brackets and repeated."""
    words = re.findall(r"\w+", text)
    bad = {"let", "return", "break", "continue", "await", "unsafe"}
    return (
        text
        and balanced(text)
        and not bad & set(words)
        and '"' not in text
        and "'" not in text
        and "?" not in text
        and "//" not in text
        and "=>" not in text
    )


SWAPS = [
    (" <= ", " < ", "boundary"),
    (" < ", " <= ", "boundary"),
    (" >= ", " > ", "boundary"),
    (" > ", " >= ", "boundary"),
    (" && ", " || ", "and-or"),
    (" || ", " && ", "or-and"),
    (" == ", " != ", "equality"),
    (".all(", ".any(", "all-any"),
    (".any(", ".all(", "any-all"),
    (".max(", ".min(", "max-min"),
    (".min(", ".max(", "min-max"),
    (" - 1", "", "off-by-one"),
    (" + 1", "", "off-by-one"),
    ("Int::ONE", "Int::ZERO", "off-by-one"),
    ("is_some_and(", "is_none_or(", "none-holds"),
    ("is_none_or(", "is_some_and(", "none-fails"),
]


def swapped(expression):
    """The expression with one operator changed, in all ways."""
    for old, new, kind in SWAPS:
        at = expression.find(old)
        while at >= 0:
            # Generic arguments and closures hold `<` and `||` that are no operators.
            if not (old.strip() == "||" and expression[at - 1 : at] in "(,"):
                yield expression[:at] + new + expression[at + len(old) :], kind
            at = expression.find(old, at + 1)


def leaves(line):
    return re.match(r"\s*(return\b.*;|continue\b.*;|break\b.*;)$", line) is not None


def of_file(area, path, text):
    """All mutants of a file."""
    lines = code_lines(text)
    made = []

    def add(number, kind, before, after, template):
        made.append(Mutant(area, path, number, kind, before.strip(), after.strip(), template))

    brace = lambda s: s.replace("{", "{{").replace("}", "}}")
    on = "crate::mutation_switch::on({id})"
    for k, (number, line) in enumerate(lines):
        following = lines[k + 1][1] if k + 1 < len(lines) else ""
        indent = line[: len(line) - len(line.lstrip())]
        body = line.strip()
        # A guard that returns early.
        m = re.match(r"(?:(\} else )?if )(.*) \{$", body)
        if m and plain(m[2]):
            head = "} else if " if m[1] else "if "
            start, cond = indent + brace(head), m[2]
            if leaves(following):
                text_ = f"{start}crate::mutation_switch::drop_true({{id}}, {brace(cond)}) {{{{"
                add(number, "guard-removed", cond, "false", text_)
            for other, kind in swapped(cond):
                text_ = f"{start}(if {on} {{{{ {brace(other)} }}}} else {{{{ {brace(cond)} }}}}) {{{{"
                add(number, kind, cond, other, text_)
        # An operand of a chain on a line of its own.
        m = re.match(r"(&&|\|\|) (.*?)(;?)$", body)
        if m and plain(m[2]) and not has_top(m[2], "||") and not (m[1] == "||" and has_top(m[2], "&&")):
            function = "drop_false" if m[1] == "&&" else "drop_true"
            value = "true" if m[1] == "&&" else "false"
            text_ = f"{indent}{m[1]} crate::mutation_switch::{function}({{id}}, {brace(m[2])}){m[3]}"
            add(number, "operand-removed", body, f"{m[1]} {value}", text_)
            for other, kind in swapped(m[2]):
                text_ = f"{indent}{m[1]} (if {on} {{{{ {brace(other)} }}}} else {{{{ {brace(m[2])} }}}}){m[3]}"
                add(number, kind, m[2], other, text_)
        # The end of a condition on one line: `if let P = e && cond {`.
        m = re.match(r"(.*) && ([^&|]*) \{$", body)
        if m and "if let" in m[1] and plain(m[2]) and balanced(m[2]):
            text_ = f"{indent}{brace(m[1])} && crate::mutation_switch::drop_false({{id}}, {brace(m[2])}) {{{{"
            add(number, "operand-removed", body, f"{m[1]} && true {{", text_)
        # An arm that answers.
        m = re.match(r"(.* =>) (false|true),$", body)
        if m:
            new = on if m[2] == "false" else "!" + on
            text_ = f"{indent}{brace(m[1])} {new},"
            add(number, "answer", body, f"{m[1]} {'true' if m[2] == 'false' else 'false'},", text_)
        # A guard of an arm.
        m = re.match(r"(.*) if (.*) => (.*)$", body)
        if m and plain(m[2]) and " let " not in m[1]:
            text_ = f"{indent}{brace(m[1])} if crate::mutation_switch::drop_true({{id}}, {brace(m[2])}) => {brace(m[3])}"
            add(number, "arm-removed", body, f"{m[1]} if false => ...", text_)
            text_ = f"{indent}{brace(m[1])} if crate::mutation_switch::drop_false({{id}}, {brace(m[2])}) => {brace(m[3])}"
            add(number, "arm-guard-removed", body, f"{m[1]} => ...", text_)
        # A statement or the value of a block.
        m = re.match(r"(let (?:mut )?\w+(?:: [\w<>]+)? = )(.*)(;)$", body)
        if not m and following.strip() in ("}", "})", "});"):
            m = re.match(r"()([^={};]*)()$", body)
        if m and plain(m[2]) and not m[2].endswith(",") and not re.match(r"(&&|\|\||\.|\)|else\b|\})", m[2]):
            for other, kind in swapped(m[2]):
                text_ = f"{indent}{brace(m[1])}if {on} {{{{ {brace(other)} }}}} else {{{{ {brace(m[2])} }}}}{m[3]}"
                add(number, kind, m[2], other, text_)
    return made


def all_mutants(root):
    """The mutants of a tree by area."""
    root = pathlib.Path(root)
    areas = {}
    for area, places in AREAS.items():
        found = []
        for place in places:
            place = root / place
            files = [place] if place.is_file() else sorted(place.rglob("*.rs"))
            for file in files:
                path = file.relative_to(root).as_posix()
                if not NO_GUARDS.search(path.split("/src/", 1)[1]):
                    found += of_file(area, path, file.read_text())
        areas[area] = found
    return areas
