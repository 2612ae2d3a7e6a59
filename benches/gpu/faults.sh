#!/usr/bin/env bash
# What can go wrong around a device, tried one by one with programs from `terrace cc`. Two
# steps, since a machine with a GPU may have no Rust:
#
#     benches/gpu/faults.sh build TERRACE OUTDIR      TERRACE is the tool
#     benches/gpu/faults.sh check OUTDIR [TARGET]     TARGET is gpu (where none is given)
#                                                     or emulator
#     benches/gpu/faults.sh OUTDIR                    the same as check
#
# Each line is PASS, FAIL with what was expected and found, or SKIP with the reason. The exit
# status is 1 if one failed. ONLY='cache driver' takes cases whose names have such a word
# alone; LIMIT is the number of seconds that one run may take (60).
set -uo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
limit=${LIMIT:-60}

build() {
    local terrace=$1 out=$2 file name failed=0
    mkdir -p "$out"
    for file in "$here"/benches/gpu/faults/*.c; do
        name=$(basename "$file" .c)
        if "$terrace" cc -O2 -DUSE_ACC "$file" -o "$out/$name" -lm -lpthread 2>"$out/$name.log"; then
            strip "$out/$name"
            printf '%-10s ok\n' "$name"
        else
            printf '%-10s FAILED\n' "$name"
            cat "$out/$name.log"
            failed=1
        fi
    done
    return $failed
}

passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)) && echo "PASS  $1"; }
skip() { skipped=$((skipped + 1)) && echo "SKIP  $1: $2"; }
fail() {
    failed=$((failed + 1))
    echo "FAIL  $1"
    sed 's/^/      /' <<<"$2"
}

wanted() {
    local word
    [ -z "${ONLY:-}" ] && return 0
    for word in $ONLY; do [[ $1 == *"$word"* ]] && return 0; done
    return 1
}

# expect NAME STATUS STDOUT PATTERN... -- COMMAND...
# Runs the command; each PATTERN is an extended regular expression that standard error must
# have, or with ! in front must not. STDOUT is the text, or * for any.
expect() {
    local name=$1 status=$2 out=$3 patterns=() p found problem=
    shift 3
    while [ "$1" != -- ]; do
        patterns+=("$1")
        shift
    done
    shift
    wanted "$name" || return 0
    timeout -k 5 "$limit" "$@" >"$work/out" 2>"$work/err"
    found=$?
    [ "$found" = "$status" ] || problem+="status $found, expected $status (124: it hung)"$'\n'
    [ "$out" = '*' ] || [ "$(cat "$work/out")" = "$out" ] ||
        problem+="standard output: $(head -c 300 "$work/out"), expected $out"$'\n'
    for p in "${patterns[@]}"; do
        case $p in
        '!'*) grep -Eq -- "${p#!}" "$work/err" && problem+="standard error has ${p#!}"$'\n' ;;
        *) grep -Eq -- "$p" "$work/err" || problem+="standard error has no $p"$'\n' ;;
        esac
    done
    if [ -z "$problem" ]; then
        pass "$name"
    else
        fail "$name" "$problem--- standard error:"$'\n'"$(head -n 12 "$work/err")"
    fi
}

# One line for a condition that was looked at: holds NAME EXPECTED FOUND
holds() {
    wanted "$1" || return 0
    if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "expected $2, found $3"; fi
}

driver_cases() {
    local sum=$1
    # Files that are no libraries, found before the driver's.
    mkdir -p "$work/none"
    for name in libcuda.so libcuda.so.1 libnvcuda.so libnvcuda.so.1; do
        echo nothing >"$work/none/$name"
    done
    local none=(env -u TERRACE_TARGET "LD_LIBRARY_PATH=$work/none")
    expect "driver missing: the program runs without" 0 "$sum" '!.' -- "${none[@]}" "$dir/sum"
    expect "driver missing: said when asked" 0 "$sum" \
        'not using a GPU: no usable CUDA driver: found no NVIDIA driver library' -- \
        "${none[@]}" TERRACE_NOTIFY=1 "$dir/sum"
    expect "driver missing: a GPU is asked for" 1 "" \
        'TERRACE_TARGET=gpu asks for a GPU, but there is none to use: no usable CUDA driver' \
        'TERRACE_TARGET=host runs without one' -- \
        "${none[@]}" TERRACE_TARGET=gpu "$dir/sum"
    if [ "$target" != gpu ]; then
        expect "device that is not there" 1 "" 'no emulated device 99: there is 1' -- \
            env TERRACE_DEVICE=99 "$dir/sum"
        return
    fi
    expect "driver without devices: a GPU is asked for" 1 "" 'finds no device at all' -- \
        env CUDA_VISIBLE_DEVICES= "$dir/sum"
    expect "driver without devices: the program runs without" 0 "$sum" '!.' -- \
        env -u TERRACE_TARGET CUDA_VISIBLE_DEVICES= "$dir/sum"
    expect "device that is not there" 1 "" \
        'no CUDA device 99: the driver finds [0-9]+, numbered from 0' -- \
        env TERRACE_DEVICE=99 "$dir/sum"
}

memory_cases() {
    expect "out of memory: array, sizes and who holds it" 1 "host 2 2" \
        'memory\.c:[0-9]+: error: no place for `big` \(70368744177664 bytes\)' \
        'out of device memory: 70368744177664 bytes requested, [0-9]+ of [0-9]+ free' \
        'this program holds [0-9]+ bytes there' \
        '`held`, 8000000 bytes, is there since .*memory\.c:[0-9]+' -- "$dir/memory"
    # The emulator counts memory, so that little of it is soon full.
    expect "out of memory: filled in pieces" 1 "host 2 2" \
        'error: no place for `address` \(268435456 bytes\)' \
        'more arrays, [0-9]+ bytes|`address`, 268435456 bytes' -- \
        env TERRACE_EMULATOR=memory=1100000000,uninitialized=off "$dir/memory" fill
}

ptx_cases() {
    local sum=$1
    LC_ALL=C sed 's/\.entry/.entrz/g' "$dir/sum" >"$work/corrupt"
    chmod +x "$work/corrupt"
    if cmp -s "$dir/sum" "$work/corrupt"; then
        wanted "bad PTX" && skip "bad PTX" "the program has no text to change"
        return
    fi
    expect "bad PTX: the compiler's log and the lines" 1 "" 'sum\.c:[0-9]+' \
        'could not compile the module' 'entrz' -- "$work/corrupt"
    expect "bad PTX: other targets do not care" 0 "$sum" -- env TERRACE_TARGET=cpu "$work/corrupt"
    # The emulator takes any architecture.
    if [ "$target" = gpu ]; then
        LC_ALL=C sed 's/^\.target sm_[0-9]*/.target sm_99/' "$dir/sum" >"$work/other"
        chmod +x "$work/other"
        expect "bad PTX: an architecture that is none" 1 "" 'sum\.c:[0-9]+' \
            'could not compile the module' -- "$work/other"
    fi
}

fault_cases() {
    local sum=$1 what='CUDA_ERROR_ILLEGAL_ADDRESS|CUDA_ERROR_LAUNCH_FAILED'
    [ "$target" = gpu ] || what='at 0x[0-9a-f]+'
    expect "fault: the program without" 0 $'to the end\nhost 5000' '!.' -- "$dir/fault"
    expect "fault: the kernel is named, the host's data is as copied last" 1 "host 2000" \
        'fault\.c:4[0-9]' 'main_region|main\.region' "$what" -- "$dir/fault" wild
    expect "fault: found by a wait" 1 "host 2000" 'fault\.c:[34][0-9]' "$what" -- \
        "$dir/fault" wild async
    expect "fault: the next program works" 0 "$sum" '!.' -- "$dir/sum"
    expect "fault: a profile is printed nevertheless" 1 "host 2000" "$what" -- \
        env TERRACE_PROFILE=1 "$dir/fault" wild
    expect "fault: threads without" 0 800000 '!.' -- "$dir/threads"
    expect "fault: other threads do not hang" 1 '*' "$what" -- "$dir/threads" wild
}

# Of a cache: its entries, how many, what interrupted writers left, and which files they are.
list() { find "$1" -name '*.kernels' 2>/dev/null | sort; }
entries() { list "$1" | wc -l; }
leftovers() { find "$1" -name '*.unfinished' 2>/dev/null | wc -l; }
inodes() { find "$1" -name '*.kernels' -printf '%f %i\n' 2>/dev/null | sort; }
sizes() { find "$1" -name '*.kernels' -printf '%f %s\n' 2>/dev/null | sort; }

# Changes every entry by a function that takes a file, and expects the program to be right
# and the entries to be written anew.
damage() {
    local name=$1 change=$2 sum=$3 file before
    wanted "cache: $name" || return 0
    rm -rf "$TERRACE_CACHE_DIR" && cp -r "$work/good" "$TERRACE_CACHE_DIR"
    for file in $(list "$TERRACE_CACHE_DIR"); do $change "$file"; done
    before=$(inodes "$TERRACE_CACHE_DIR")
    expect "cache: $name: the program runs" 0 "$sum" '!.' -- "$dir/sum"
    if [ -n "$(comm -12 <(echo "$before") <(inodes "$TERRACE_CACHE_DIR"))" ]; then
        fail "cache: $name: the entries are written anew" "some are still those that were damaged"
    else
        holds "cache: $name: the entries are written anew" "$(sizes "$work/good")" \
            "$(sizes "$TERRACE_CACHE_DIR")"
    fi
}
flip() {
    local at byte
    at=$(($(stat -c %s "$1") / 2))
    byte=$(od -An -tu1 -j "$at" -N 1 "$1")
    # The format is the byte.
    # shellcheck disable=SC2059
    printf "\\x$(printf %02x $((byte ^ 255)))" | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
}
cut_off() { truncate -s 100 "$1"; }
empty() { truncate -s 0 "$1"; }
randomize() { head -c "$(stat -c %s "$1")" /dev/urandom | dd of="$1" conv=notrunc 2>/dev/null; }
lengthen() { echo more >>"$1"; }
to_folder() { rm -f "$1" && mkdir "$1"; }
to_link() { ln -sf /nowhere/at/all "$1"; }

cache_cases() {
    local sum=$1 c=$work/cache before i pids codes bad n first
    export TERRACE_CACHE_DIR=$c
    expect "cache: a first run" 0 "$sum" '!.' -- "$dir/sum"
    [ -d "$c" ] || timeout "$limit" "$dir/sum" >/dev/null 2>&1
    n=$(entries "$c")
    if [ "$n" = 0 ]; then
        wanted cache && skip "cache: all else" "nothing was kept on target $target"
        return
    fi
    before=$(inodes "$c")
    expect "cache: a second run" 0 "$sum" '!.' -- "$dir/sum"
    holds "cache: which takes the entries as they are" "$before" "$(inodes "$c")"
    cp -r "$c" "$work/good"
    damage "one byte changed" flip "$sum"
    damage "cut off" cut_off "$sum"
    damage "empty" empty "$sum"
    damage "of random bytes" randomize "$sum"
    damage "longer" lengthen "$sum"
    for i in folder link; do
        rm -rf "$c" && cp -r "$work/good" "$c"
        for first in $(list "$c"); do "to_$i" "$first"; done
        expect "cache: a $i where an entry should be" 0 "$sum" '!.' -- "$dir/sum"
    done
    rm -rf "$c"

    echo text >"$work/file"
    expect "cache: the folder cannot be made" 0 "$sum" \
        'going on without the kernel cache: cannot (make|read)' -- \
        env TERRACE_NOTIFY=1 "TERRACE_CACHE_DIR=$work/file/cache" "$dir/sum"
    expect "cache: the folder cannot be made, in silence" 0 "$sum" '!.' -- \
        env "TERRACE_CACHE_DIR=$work/file/cache" "$dir/sum"
    expect "cache: a file system without files of ours" 0 "$sum" '!.' -- \
        env TERRACE_CACHE_DIR=/proc/self/terrace "$dir/sum"
    if [ "$(id -u)" = 0 ]; then
        wanted "cache: a folder for reading alone" &&
            skip "cache: a folder for reading alone" "root may write anywhere"
    else
        mkdir -p "$work/readonly" && chmod 555 "$work/readonly"
        expect "cache: a folder for reading alone" 0 "$sum" \
            'going on without the kernel cache: cannot write' -- \
            env TERRACE_NOTIFY=1 "TERRACE_CACHE_DIR=$work/readonly" "$dir/sum"
        chmod 755 "$work/readonly"
    fi
    # A limit to the size of files stops a write half-way, as a full disk does.
    expect "cache: no room for the entry" 0 "$sum" \
        'going on without the kernel cache: cannot write' -- \
        env TERRACE_NOTIFY=1 bash -c 'trap "" XFSZ; ulimit -f 1; exec "$0"' "$dir/sum"
    wanted "cache: no room" &&
        holds "cache: no room: nothing half-written stays" "0 0" "$(entries "$c") $(leftovers "$c")"
    mkdir -p "$work/disk"
    if mount -t tmpfs -o size=4k terrace-faults "$work/disk" 2>/dev/null; then
        expect "cache: a full disk" 0 "$sum" \
            'going on without the kernel cache: cannot write' -- \
            env TERRACE_NOTIFY=1 "TERRACE_CACHE_DIR=$work/disk" "$dir/sum"
        umount "$work/disk"
    else
        wanted "cache: a full disk" && skip "cache: a full disk" "no file system may be mounted here"
    fi
    expect "cache: a limit that is less than one entry" 0 "$sum" '!.' -- \
        env TERRACE_CACHE_SIZE=100 "$dir/sum"
    wanted "cache: a limit" && holds "cache: a limit: nothing is kept" 0 "$(entries "$c")"
    expect "cache: a setting that is none" 1 "" 'TERRACE_CACHE_SIZE=`much`' -- \
        env TERRACE_CACHE_SIZE=much "$dir/sum"

    for count in 2 8; do
        wanted "cache: $count processes" || continue
        rm -rf "$c"
        pids=() codes=
        for ((i = 0; i < count; i++)); do
            timeout -k 5 "$limit" "$dir/sum" >"$work/out.$i" 2>"$work/err.$i" &
            pids+=($!)
        done
        for i in "${pids[@]}"; do wait "$i" && codes+=0 || codes+=1; done
        bad=0
        for ((i = 0; i < count; i++)); do
            [ "$(cat "$work/out.$i")" = "$sum" ] && [ ! -s "$work/err.$i" ] || bad=$((bad + 1))
        done
        holds "cache: $count processes at once: all are right" "0 ${codes//1/0}" "$bad $codes"
        holds "cache: $count processes at once: each entry once, nothing else" "$n 0" \
            "$(entries "$c") $(leftovers "$c")"
        before=$(inodes "$c")
        expect "cache: $count processes: the entries are good" 0 "$sum" '!.' -- "$dir/sum"
        holds "cache: $count processes: and are taken" "$before" "$(inodes "$c")"
    done

    if wanted "cache: killed"; then
        bad=0
        for ((i = 0; i < 60; i++)); do
            rm -f "$c"/*.kernels
            "$dir/sum" >/dev/null 2>&1 &
            sleep "$(printf '0.%03d' $((i * 10)))"
            { kill -9 $! && wait $!; } 2>/dev/null
            # Whatever is there is whole: the next run is right, and takes or writes it.
            [ $((i % 6)) = 5 ] && { [ "$("$dir/sum" 2>&1)" = "$sum" ] || bad=$((bad + 1)); }
        done
        holds "cache: killed sixty times at any moment: the next run is right" 0 "$bad"
        # What a writer left that was killed goes after an hour.
        first=$(basename "$(list "$work/good" | head -n 1)" .kernels)
        rm -f "$c"/*
        echo half >"$c/$first.1.2.3.unfinished" && touch -d '2 hours ago' "$c/$first.1.2.3.unfinished"
        echo half >"$c/$first.1.2.4.unfinished"
        expect "cache: killed: the next run" 0 "$sum" '!.' -- "$dir/sum"
        holds "cache: killed: of what was left the older goes" "$n 1" \
            "$(entries "$c") $(leftovers "$c")"
    fi
    rm -rf "$c"
}

check() {
    dir=$(cd "$1" && pwd) target=$2
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    unset TERRACE_PROFILE TERRACE_NOTIFY TERRACE_TRACE TERRACE_DEVICE TERRACE_EMULATOR
    unset ACC_DEVICE_NUM ACC_DEVICE_TYPE TERRACE_CACHE TERRACE_CACHE_SIZE
    export TERRACE_TARGET=$target TERRACE_CACHE_DIR=$work/kernels
    local sum
    sum=$(TERRACE_TARGET=host "$dir/sum") || { echo "FAIL  $dir/sum does not run" && return 1; }
    expect "a program that is right" 0 "$sum" '!.' -- "$dir/sum"
    driver_cases "$sum"
    memory_cases
    ptx_cases "$sum"
    fault_cases "$sum"
    cache_cases "$sum"
    echo "$passed passed, $failed failed, $skipped skipped on target $target"
    [ "$failed" = 0 ]
}

case ${1:-} in
build) build "${2:?the tool}" "${3:?a folder}" ;;
check) check "${2:?the folder that was built}" "${3:-gpu}" ;;
*)
    if [ -d "${1:-}" ]; then
        check "$1" "${2:-gpu}"
    else
        sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
        exit 2
    fi
    ;;
esac
