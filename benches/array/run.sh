#!/bin/sh
# Expressions over arrays beside plain Rust loops, and beside numpy and scipy where $PYTHON (python3) has
# them: benches/array/run.sh cpu|gpu|emulator [array_speed|array_irregular]
set -e
cd "$(dirname "$0")/../.."
cargo build --release --example array_speed --example array_irregular
for part in ${2:-array_speed array_irregular}; do
    TERRACE_TARGET="${1:-cpu}" "target/release/examples/$part"
    echo
done
