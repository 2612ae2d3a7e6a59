"""What `terrace run` prints of kernels, read."""
import re

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def per_call(text, repeat):
    """Seconds that kernels take of one of `repeat` calls: their medians, as often as each is
    launched."""
    total = 0.0
    for line in text.splitlines():
        found = re.match(r"(\S+) +gpu +\d+x\d+x\d+ +\d+x\d+x\d+ +(\d+)((?: +[\d.]+ [nmu]?s)+)", line)
        if found:
            number, unit = re.findall(r"([\d.]+) ([nmu]?s)", found.group(3))[2]
            total += float(number) * UNITS[unit] * int(found.group(2)) / repeat
    return total
