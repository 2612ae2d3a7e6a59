#!/usr/bin/env bash
# Times the 30 PolyBench programs of examples/c/polybench as a whole: the regions with their
# transfers, by terrace and, where they are there, gcc's OpenACC and PPCG. Three steps, since
# a machine with a GPU may have no compilers:
#
#     benches/gpu/whole.sh build TERRACE OUT [PEERS]   TERRACE is the tool
#     benches/gpu/whole.sh run OUT                     times, checks, prints the tables
#     benches/gpu/whole.sh table OUT                   the tables of the last run again
#
# PEERS is a folder with links bin/gcc (one that offloads to nvptx), bin/ppcg, bin/nvcc and
# bin/clang-include (the folder of clang's own headers, for ppcg), any of which may be missing.
#
# All compile the same sources with the same sizes, PolyBench 4.2.1's LARGE in f64:
#
#     gcc    without directives, by gcc -O2: one core of the host
#     acc    OpenACC's directives, by gcc -O3
#     ppcg   the scop, by PPCG as it comes and nvcc -O3
#     Tacc   OpenACC's directives, by terrace; TERRACE_TARGET=gpu
#     Tscop  the scop, by terrace; TERRACE_TARGET=gpu
#     Tauto  the same program without TERRACE_TARGET; `(host)` where it then leaves a region
#            on the host (Tscop as well where there is no kernel)
#
# A time is the program's own, around the call of its kernel with data on the host before and
# after: memory on the device, copies, kernels. Each program runs in a process of its own,
# a first call, which starts the device and loads kernels, and five whose median counts
# (fewer where they take more than 2.5 s). A run is right if the sums that each call prints are
# those of gcc -O2 without a device, which `build` runs, within 1e-5; one that is not, or
# that takes more than LIMIT seconds (8), has no time. gcc's programs without directives run
# before the others, four at a time, twice each, the second of which counts.
#
# `build` into the same folder again with FORMS makes those anew and keeps the others.
# ONLY='gemm lu' takes these programs alone, FORMS='acc Tscop' these columns, ARCH another
# architecture than sm_90, SIZE=extralarge PolyBench's EXTRALARGE, SIZE=small the small sizes.
# After TOTAL seconds (330) nothing new starts. TARGET takes another value of
# TERRACE_TARGET than gpu (emulator, cpu), and host has gcc's program run without a device:
# the times mean nothing then, what is checked does. What the programs say is in OUT/log, a
# profile of each Tscop in OUT/log/NAME-profile.
set -uo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
sources=$here/examples/c/polybench
forms=${FORMS:-gcc acc ppcg Tacc Tscop Tauto}
arch=${ARCH:-sm_90}
size=${SIZE:-large}
limit=${LIMIT:-8}
total=${TOTAL:-330}

programs() {
    local file name
    for file in "$sources"/*.c; do
        name=$(basename "$file" .c)
        if [ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $name "* ]]; then echo "$name"; fi
    done
}

# The options for a program's size. The LARGE of some sources is smaller than PolyBench's.
size_options() {
    case $size-$1 in
    small-*) echo "-DSMALL" ;;
    large-floyd-warshall) echo "-DN=2800" ;;
    large-gramschmidt) echo "-DM=1000 -DN=1200" ;;
    large-nussinov) echo "-DN=2500" ;;
    large-*) echo "-DLARGE" ;;
    extralarge-gemm) echo "-DNI=2000 -DNJ=2300 -DNK=2600" ;;
    extralarge-2mm) echo "-DNI=1600 -DNJ=1800 -DNK=2200 -DNL=2400" ;;
    extralarge-3mm) echo "-DNI=1600 -DNJ=1800 -DNK=2000 -DNL=2200 -DNM=2400" ;;
    extralarge-correlation | extralarge-covariance) echo "-DM=2600 -DN=3000" ;;
    extralarge-symm | extralarge-syr2k | extralarge-syrk | extralarge-trmm | extralarge-gramschmidt)
        echo "-DM=2000 -DN=2600"
        ;;
    extralarge-atax | extralarge-bicg) echo "-DM=1800 -DN=2200" ;;
    extralarge-gesummv) echo "-DN=2800" ;;
    extralarge-doitgen) echo "-DNQ=220 -DNR=250 -DNP=270" ;;
    extralarge-deriche) echo "-DW=7680 -DH=4320" ;;
    extralarge-floyd-warshall) echo "-DN=5600" ;;
    extralarge-nussinov) echo "-DN=5500" ;;
    extralarge-adi) echo "-DT=1000 -DN=2000" ;;
    extralarge-fdtd-2d) echo "-DT=1000 -DNX=2000 -DNY=2600" ;;
    extralarge-heat-3d) echo "-DT=1000 -DN=200" ;;
    extralarge-jacobi-2d) echo "-DT=1000 -DN=2800" ;;
    extralarge-jacobi-1d | extralarge-seidel-2d) echo "-DT=1000 -DN=4000" ;;
    extralarge-*) echo "-DN=4000" ;;
    esac
}

# A program as PPCG can read it: macros expanded, headers not. Where the kernel is given a
# number, its parameter becomes that: with sizes as parameters PPCG takes minutes for adi.
expand() {
    local file=$1 header
    shift
    mkdir -p "$work/empty"
    for header in math stdint stdio stdlib time; do
        : >"$work/empty/$header.h"
        echo "#include <$header.h>"
    done
    gcc -E -P -nostdinc -I "$work/empty" "$@" "$file" | perl -0pe '
        if (/static void (kernel_\w+)\(([^{]*)\)\s*\{(.*?)\n\}\n/s) {
            my ($kernel, $parameters, $body, @value) = ($1, $2, $3);
            my ($old, $new) = ($body, $body);
            @value = split /,\s*/, $1 if /\b$kernel\(([^()]*)\);/;
            my @parameter = split /,\s*/, $parameters;
            for my $i (0 .. $#parameter) {
                my $number = $value[$i];
                next unless $number =~ /^\d+$/ && $parameter[$i] =~ /^\s*int (\w+)$/;
                my $name = $1;
                $new =~ s/\b$name\b/$number/g;
            }
            s/\Q$old\E/$new/;
        }'
}

# PPCG writes C++, in which what malloc returns needs a cast.
build_ppcg() {
    local name=$1 out=$2 peers=$3
    shift 3
    local folder=$out/ppcg/$name.d
    mkdir -p "$folder"
    expand "$sources/$name.c" "$@" >"$folder/$name.c" || return
    (cd "$folder" && timeout 60 "$peers/bin/ppcg" --target=cuda \
        ${clang_include:+-I "$clang_include"} "$name.c") || return
    sed -i -E -e 's/^int bench_main/extern "C" int bench_main/' \
        -e 's/(double|float|int) ?\(\*(\w+)\)((\[[^]]*\])+) = bench_alloc/\1 (*\2)\3 = (\1 (*)\3) bench_alloc/' \
        -e 's/(double|float|int) ?\*(\w+) = bench_alloc/\1 *\2 = (\1 *) bench_alloc/' \
        "$folder/${name}_host.cu"
    "$peers/bin/nvcc" -O3 -arch="$arch" "$folder/${name}_host.cu" "$folder/${name}_kernel.cu" \
        "$out/whole.o" -o "$out/ppcg/$name" -Wno-deprecated-gpu-targets
}

# Compiles a program in a form.
build_one() {
    local form=$1 name=$2 terrace=$3 out=$4 peers=$5
    local source=$sources/$name.c options
    read -ra options < <(size_options "$name")
    options+=(-Dmain=bench_main)
    case $form in
    gcc)
        gcc -O2 -DNO_PRAGMA "${options[@]}" "$source" "$out/whole.o" -o "$out/gcc/$name" -lm
        ;;
    acc)
        "$peers/bin/gcc" -O3 -fopenacc -foffload=nvptx-none -foffload-options=-lm -DUSE_ACC \
            "${options[@]}" "$source" "$out/whole.o" -o "$out/acc/$name" -lm -s
        ;;
    ppcg) build_ppcg "$name" "$out" "$peers" "${options[@]}" ;;
    Tacc | Tscop)
        "$terrace" cc -O2 --target-arch="$arch" $([ "$form" = Tacc ] && echo -DUSE_ACC) \
            "${options[@]}" -c "$source" -o "$work/$name.o" &&
            "$terrace" cc -O2 "$work/$name.o" "$out/whole.o" -o "$out/$form/$name" -lm -s
        ;;
    esac
}

build() {
    local terrace=$1 out=$2 peers=${3:-/nonexistent} name form made said failed=0
    mkdir -p "$out/log" "$out/expected" "$out/lib"
    out=$(cd "$out" && pwd)
    if [ "$(cat "$out/size" 2>/dev/null || echo "$size")" != "$size" ]; then
        echo "$out has programs of size $(cat "$out/size"), expected $size: take another folder" >&2
        return 1
    fi
    echo "$size" >"$out/size"
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    clang_include=
    [ -e "$peers/bin/clang-include" ] && clang_include=$(readlink -f "$peers/bin/clang-include")
    gcc -O2 -c "$here/benches/gpu/whole.c" -o "$out/whole.o" || return
    made=gcc
    for form in $forms; do
        case $form in
        acc) [ -x "$peers/bin/gcc" ] && made+=" acc" ;;
        ppcg) [ -x "$peers/bin/ppcg" ] && [ -x "$peers/bin/nvcc" ] && made+=" ppcg" ;;
        gcc | Tauto) ;;
        *) made+=" $form" ;;
        esac
    done
    for form in $made; do mkdir -p "$out/$form"; done
    if [[ $made == *acc* ]] && [ -x "$peers/bin/gcc" ]; then
        for name in libgomp.so.1 libgomp-plugin-nvptx.so.1; do
            cp -L "$("$peers/bin/gcc" -print-file-name="$name")" "$out/lib/" ||
                echo "$name is missing: gcc's programs will not find the device" >&2
        done
    fi
    while read -r name; do
        printf '%-16s' "$name"
        for form in $made; do
            if build_one "$form" "$name" "$terrace" "$out" "$peers" >"$out/log/$name-$form-build" 2>&1; then
                said=ok
            else
                said=FAILED
                rm -f "$out/$form/$name"
                [[ $form == T* || $form == gcc ]] && failed=1
            fi
            printf ' %s %s' "$form" "$said"
        done
        # What it has to compute, with the time that it takes without a device.
        if [ ! "$out/expected/$name" -nt "$sources/$name.c" ] &&
            ! WHOLE_RUNS=1 "$out/gcc/$name" >"$work/expected" 2>"$out/log/$name-gcc"; then
            printf ' does not run'
            failed=1
        elif [ -s "$work/expected" ]; then
            mv "$work/expected" "$out/expected/$name"
        fi
        printf '\n'
    done < <(programs)
    return $failed
}

# Whether each of the calls in a file printed the sums that another has.
agrees() {
    awk '
        function size(x) { return x < 0 ? -x : x }
        function near(x, y) { return size(x - y) <= 1e-5 * (size(x) > size(y) ? size(x) : size(y)) }
        /^check/ && NR == FNR { expected[lines++] = $0 }
        /^check/ && NR != FNR {
            split(expected[found++ % lines], e)
            # The weighted sum may cancel, so it is held against that of the magnitudes.
            right = $2 == e[2] && $3 == e[3] && $4 ~ /^[0-9]/ && near($4, e[4]) &&
                size($5 - e[5]) <= 1e-5 * e[4]
            if (!right) {
                print "call " int((found - 1) / lines) ": " $0 ", expected " expected[(found - 1) % lines]
                bad = 1
                exit
            }
        }
        END { exit bad || lines == 0 || found == 0 || found % lines != 0 }' "$1" "$2"
}

# What the times in a file are: the first, the median of the others, their number.
times() {
    sed -n 's/^time //p' "$1" | { read -r first && sort -n | awk -v first="$first" '
        { t[NR] = $1 }
        END {
            if (NR) printf "%s %.9f %d\n", first, (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2, NR
        }'; }
}

# Runs a program of a form: `ok FIRST MEDIAN RUNS`, or what is wrong.
run_one() {
    local form=$1 name=$2 out=$3 log=$3/log/$2-$1 program=$3/$1/$2 target=${TARGET:-gpu} status
    [ "$form" = Tauto ] && program=$out/Tscop/$name
    [ -x "$program" ] || { echo unbuilt; return; }
    local setup=()
    case $form in
    acc)
        setup=("LD_LIBRARY_PATH=$out/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ACC_DEVICE_TYPE=nvidia)
        [ "$target" = gpu ] || setup[1]=ACC_DEVICE_TYPE=host
        ;;
    Tauto) setup=(-u TERRACE_TARGET) ;;
    T*) setup=("TERRACE_TARGET=$target") ;;
    esac
    local seconds=$limit
    if [ "$form" = gcc ]; then
        setup=(WHOLE_RUNS=2)
        seconds=$((4 * limit))
    fi
    env "${setup[@]}" timeout -k 1 "$seconds" "$program" >"$log.out" 2>"$log"
    status=$?
    case $status in
    0)
        if agrees "$out/expected/$name" "$log.out" >>"$log"; then echo "ok $(times "$log")"; else echo wrong; fi
        ;;
    124 | 137) echo "over $seconds s" ;;
    *) echo failed ;;
    esac
}

# Whether a program leaves a region on the host where nothing asks for the device.
stays() {
    env -u TERRACE_TARGET TERRACE_NOTIFY=1 WHOLE_RUNS=1 timeout -k 1 "$limit" "$2/Tscop/$1" 2>&1 \
        >"$2/log/$1-Tauto.out" | grep 'stays on the host' >/dev/null
}

# How a device spends the time of a program that was called twice.
profile() {
    TERRACE_TARGET=${TARGET:-gpu} TERRACE_PROFILE=1 WHOLE_RUNS=2 timeout -k 1 "$limit" \
        "$2/Tscop/$1" >"$2/log/$1-profile.out" 2>"$2/log/$1-profile"
    grep -q '^terrace: on ' "$2/log/$1-profile"
}

# The programs without a device, which leave the others alone.
hosts() {
    local out=$1 name
    while read -r name; do
        while [ "$(jobs -rp | wc -l)" -ge 4 ]; do wait -n; done
        echo "$name gcc $(run_one gcc "$name" "$out")" >>"$out/results" &
    done < <(programs)
    wait
    sort -o "$out/results" "$out/results"
    cat "$out/results" >&2
}

run() {
    local out name form result
    out=$(cd "$1" && pwd) || return
    mkdir -p "$out/log"
    ulimit -c 0
    SECONDS=0
    : >"$out/results"
    [[ " $forms " != *" gcc "* ]] || hosts "$out"
    while read -r name; do
        for form in $forms; do
            [ "$form" != gcc ] || continue
            if [ $SECONDS -ge "$total" ]; then
                result=late
            elif [ "$form" = Tauto ] && ! stays "$name" "$out"; then
                result=same
            else
                result=$(run_one "$form" "$name" "$out")
            fi
            printf '%s %s %s\n' "$name" "$form" "$result" | tee -a "$out/results" >&2
        done
    done < <(programs)
    if [[ $forms == *Tscop* ]]; then
        while read -r name; do
            [ $SECONDS -ge "$total" ] || profile "$name" "$out" ||
                printf '%s none\n' "$name" >>"$out/results"
        done < <(programs)
    fi
    echo "$SECONDS s" >&2
    table "$out"
}

# The tables of the results.
table() {
    awk '
        function cell(name, form, which) {
            if (!((name, form) in said)) return "-"
            if (said[name, form] == "same") return "-"
            if (said[name, form] != "ok") return said[name, form]
            return sprintf("%.3f", 1000 * time[name, form, which])
        }
        function ratio(name, peer, ours, r) {
            if (!((name, peer) in said) || !((name, ours) in said)) return "-"
            if (said[name, peer] != "ok" || said[name, ours] != "ok") return "-"
            r = time[name, peer, "median"] / time[name, ours, "median"]
            sum[peer, ours] += log(r)
            count[peer, ours]++
            if (r < 1) below[peer, ours]++
            return sprintf("%.2f", r)
        }
        function mean(peer, ours, n) {
            n = count[peer, ours]
            return n ? sprintf("%.2f (%d of %d below 1)", exp(sum[peer, ours] / n), below[peer, ours], n) : "-"
        }
        function line(text, i, n, part) {
            n = split(text, part, ";")
            text = "|"
            for (i = 1; i <= n; i++) text = text " " part[i] " |"
            print text
        }
        !($1 in seen) { seen[$1] = 1; names[++n] = $1 }
        $2 == "none" { none[$1] = " (host)"; next }
        $2 == "Tauto" && $3 == "same" && said[$1, "Tscop"] == "ok" {
            said[$1, $2] = "ok"
            time[$1, $2, "median"] = time[$1, "Tscop", "median"]
            next
        }
        {
            said[$1, $2] = $3
            if ($2 == "Tauto" && $3 != "same" && $3 != "late") left[$1] = 1
            if ($3 == "ok") {
                time[$1, $2, "first"] = $4
                time[$1, $2, "median"] = $5
                if ($6 < 5 && $2 != "gcc") few = few " " $1 "/" $2 ":" $6
            } else for (i = 4; i <= NF; i++) said[$1, $2] = said[$1, $2] " " $i
        }
        END {
            line("milliseconds, with transfers;gcc, host;gcc OpenACC;PPCG;terrace acc;terrace scop;terrace, free;gcc / acc;PPCG / scop;PPCG / free;host / free")
            line("---;---:;---:;---:;---:;---:;---:;---:;---:;---:;---:")
            for (i = 1; i <= n; i++) {
                p = names[i]
                line(p ";" cell(p, "gcc", "median") ";" cell(p, "acc", "median") ";" cell(p, "ppcg", "median") ";" \
                    cell(p, "Tacc", "median") ";" cell(p, "Tscop", "median") (said[p, "Tscop"] == "ok" ? none[p] : "") ";" \
                    cell(p, "Tauto", "median") (said[p, "Tauto"] != "ok" ? "" : left[p] ? " (host)" : none[p]) ";" \
                    ratio(p, "acc", "Tacc") ";" ratio(p, "ppcg", "Tscop") ";" ratio(p, "ppcg", "Tauto") ";" ratio(p, "gcc", "Tauto"))
            }
            line("geometric mean;;;;;;;" mean("acc", "Tacc") ";" mean("ppcg", "Tscop") ";" mean("ppcg", "Tauto") ";" mean("gcc", "Tauto"))
            if (few) print "\nFewer than five calls counted:" few
            print "\nThe first call of a process, which starts the device and loads kernels, in milliseconds:\n"
            line("program;gcc OpenACC;PPCG;terrace acc;terrace scop")
            line("---;---;---;---;---")
            for (i = 1; i <= n; i++) {
                p = names[i]
                line(p ";" cell(p, "acc", "first") ";" cell(p, "ppcg", "first") ";" \
                    cell(p, "Tacc", "first") ";" cell(p, "Tscop", "first"))
            }
        }' "$1/results"
}

case ${1:-} in
build) build "${2:?the tool}" "${3:?a folder}" "${4:-}" ;;
run) run "${2:?the folder that was built}" ;;
table) table "${2:?the folder of a run}" ;;
*)
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
