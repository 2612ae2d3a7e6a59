"""Puts lines `work n seconds check` of ours and `work n seconds check peer` of peers together as a
table, the fastest peer of each row first: together.py OURS PEERS..."""

import sys

SUMMED_ANOTHER_WAY = 1e-9


def lines(path):
    with open(path) as f:
        return [line.split() for line in f if len(line.split()) >= 4]


peers = {}
for path in sys.argv[2:]:
    for work, n, seconds, check, *peer in lines(path):
        peers.setdefault((work, n), []).append((float(seconds), float(check), " ".join(peer)))

print("| work | n | ours, ms | peer | peer, ms | peer / ours |")
print("| --- | ---: | ---: | --- | ---: | ---: |")
wrong = 0
for work, n, seconds, check, *_ in lines(sys.argv[1]):
    ours, check = float(seconds), float(check)
    for theirs, other, peer in sorted(peers.get((work, n), [])) or [(None, check, "")]:
        bound = 1e-4 if work == "random" else SUMMED_ANOTHER_WAY
        if abs(other - check) > bound * max(abs(other), abs(check)):
            wrong += 1
            peer += f" (has {other:g}, ours {check:g})"
        ms = f"{theirs * 1e3:.3f} | {theirs / ours:.2f}" if theirs else " | "
        print(f"| {work} | {n} | {ours * 1e3:.3f} | {peer} | {ms} |")
sys.exit(wrong > 0)
