#!/bin/sh
# Expressions over arrays beside plain Rust loops: benches/array/run.sh cpu|gpu|emulator
set -e
cd "$(dirname "$0")/../.."
cargo build --release --example array_speed
TERRACE_TARGET="${1:-cpu}" exec target/release/examples/array_speed
