"""What `terrace run` prints of kernels, read."""
import re

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


# Where launches of a kernel differ in size there is none.
SHAPE = r"(?:\d+x\d+x\d+|-)"


def per_call(text, repeat):
    """Seconds that kernels take of one of `repeat` calls: their medians, as often as each is
    launched; of kernels whose launches differ in size, all of them together."""
    total = 0.0
    for line in text.splitlines():
        found = re.match(rf"\S+ +gpu +({SHAPE}) +({SHAPE}) +(\d+)((?: +[\d.]+ [nmu]?s)+)", line)
        if found:
            times = [float(n) * UNITS[unit] for n, unit in re.findall(r"([\d.]+) ([nmu]?s)", found.group(4))]
            all_launches, _, median = times[:3]
            differ = "-" in (found.group(1), found.group(2))
            total += (all_launches if differ else median * int(found.group(3))) / repeat
    return total
