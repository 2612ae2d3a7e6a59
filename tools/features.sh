#!/bin/sh
# Checks the library with no feature, and with all but each one: tools/features.sh. It compiles no
# code, so that it takes a few minutes. `tools/features.sh test` runs the tests of arrays without `fft` too.
set -e
cd "$(dirname "$0")/.."
all="c cuda emulator fft formulas ndarray"
cargo check -p terrace --lib --no-default-features
for out in $all; do
    features=$(for f in $all; do [ "$f" = "$out" ] || printf '%s,' "$f"; done)
    echo "without $out and cli"
    cargo check -p terrace --lib --no-default-features --features "$features"
done
echo "without lsp"
cargo check -p terrace --lib --no-default-features --features cli
echo "without cli"
cargo check -p terrace --lib --no-default-features --features c,cuda,emulator,fft,formulas,ndarray
if [ "$1" = test ]; then
    cargo test -p terrace --test array --no-default-features --features emulator,ndarray
fi
