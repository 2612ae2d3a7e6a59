#!/usr/bin/env bash
# The tables of docs/performance.md that say how fast programs without hints are on a GPU, in
# one run:
#
#     benches/gpu/all.sh TERRACE OUT [WHOLE]
#
# TERRACE is a release build of the tool; OUT gets the plot. WHOLE is a folder that
# `whole.sh build` filled, whose programs run too, with their transfers, beside gcc's and PPCG's.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
terrace=$(realpath "${1:?the tool}")
out=${2:?a folder for the plot}
mkdir -p "$out"
failed=0
SECONDS=0
"$here/speed.py" "$terrace" --peers --plot "$out/speed.svg" || failed=1
echo
"$here/speed.py" "$terrace" --extralarge || failed=1
if [ -n "${3:-}" ]; then
    echo
    "$here/whole.sh" run "$3" 2>"$out/whole.log" || failed=1
fi
echo
echo "$SECONDS s in all"
exit $failed
