#!/usr/bin/env bash
# Builds the C programs of examples/c with `terrace cc` and with gcc, runs both, and
# compares what they print. Two steps, since a machine with a GPU may have no Rust:
#
#     benches/gpu/cc.sh build TERRACE OUTDIR     TERRACE is the tool
#     benches/gpu/cc.sh check OUTDIR [TARGET]    TARGET is gpu (where none is given),
#                                                cpu or host
#
# Each program is built in three forms: with OpenACC's directives (acc), with scop (scop)
# and without any, for regions that terrace finds (auto); each at a small size, where all
# elements are compared, and at a large one, where sums are. Numbers agree that differ by
# at most 1e-5 of the larger one, or of the array's mean magnitude.
#
# ONLY='gemm lu' takes these programs alone, FORMS='acc' these forms, SIZES='small' these
# sizes; LIMIT is the number of seconds that one run may take (120). What the compilers say
# is in OUTDIR/log. The exit status is 1 if a build fails or a program disagrees.
set -uo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
forms=${FORMS:-acc scop auto}
sizes=${SIZES:-small large}
limit=${LIMIT:-120}

# Every program: its name and its source.
programs() {
    local file name
    for file in "$here"/examples/c/polybench/*.c "$here"/examples/c/*.c; do
        name=$(basename "$file" .c)
        [[ $file == */polybench/* ]] && name=polybench-$name
        if [ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $name "* || " $ONLY " == *" ${name#polybench-} "* ]]; then
            echo "$name $file"
        fi
    done
}

# The options for a size of a program.
size_options() {
    case $2-$1 in
    small-polybench-*) echo "-DSMALL -DDUMP" ;;
    small-*) echo "-DDUMP" ;;
    # Its sweeps have no parallel loop: on a GPU one thread does all.
    large-polybench-seidel-2d) echo "-DN=600 -DT=10" ;;
    large-polybench-*) echo "-DLARGE" ;;
    large-matmul) echo "-DN=1024" ;;
    large-lu) echo "-DN=1000" ;;
    large-nbody) echo "-DN=8192 -DSTEPS=5" ;;
    large-cg) echo "-DN=400000" ;;
    large-himeno*) echo "-DN=128 -DSTEPS=40" ;;
    esac
}

form_options() {
    case $1 in
    acc) echo "-DUSE_ACC" ;;
    scop) echo "" ;;
    auto) echo "--auto -DNO_PRAGMA" ;;
    esac
}

build() {
    local terrace=$1 out=$2 size form name file failed=0 verdict
    mkdir -p "$out/log"
    for size in $sizes; do
        mkdir -p "$out/$size/gcc"
        for form in $forms; do mkdir -p "$out/$size/$form"; done
        while read -r name file; do
            # The options are words of their own.
            # shellcheck disable=SC2046
            gcc -O2 -DNO_PRAGMA $(size_options "$name" "$size") "$file" \
                -o "$out/$size/gcc/$name" -lm 2>"$out/log/$size-gcc-$name" || failed=1
            verdict=
            for form in $forms; do
                # shellcheck disable=SC2046
                if "$terrace" cc -O2 $(form_options "$form") $(size_options "$name" "$size") \
                    "$file" -o "$out/$size/$form/$name" -lm 2>"$out/log/$size-$form-$name"; then
                    # Warnings tell of regions and loops that stay on the host.
                    case $(wc -c <"$out/log/$size-$form-$name") in
                    0) verdict+=" $form ok" ;;
                    *) verdict+=" $form warned" ;;
                    esac
                else
                    verdict+=" $form FAILED"
                    failed=1
                fi
            done
            printf '%-6s %-26s%s\n' "$size" "$name" "$verdict"
        done < <(programs)
    done
    return $failed
}

# Compares two outputs: the largest relative difference, or what is wrong.
compare() {
    awk '
        function size(x) { return x < 0 ? -x : x }
        function number(x) { return x ~ /^[-+0-9.e]+$/ }
        function differ(x, y, scale, d) {
            if (!number(x) || !number(y)) {
                if (x != y) bad = bad ? bad : "line " FNR ": " x " and " y
                return
            }
            if (size(x) > scale) scale = size(x)
            if (size(y) > scale) scale = size(y)
            d = scale > 0 ? size(x - y) / scale : 0
            if (d > worst) worst = d
            if (d > 1e-5 && !bad) bad = sprintf("line %d (%s): %s and %s", FNR, name, x, y)
        }
        NR == FNR { expected[FNR] = $0; lines = FNR; next }
        {
            n = split(expected[FNR], e)
            if (n != NF) { bad = bad ? bad : "line " FNR ": " expected[FNR] " and " $0; next }
            if ($1 == "check") {
                name = $2
                mean = $3 > 0 ? e[4] / $3 : 0
                if (e[2] != $2 || e[3] != $3) bad = bad ? bad : "another array at line " FNR
                differ(e[4], $4, 0)
                differ(e[5], $5, e[4])
            } else if (NF == 1) differ(e[1], $1, mean)
            else if (expected[FNR] != $0) bad = bad ? bad : "line " FNR ": " $0
        }
        END {
            if (FNR != lines || lines == 0) bad = bad ? bad : FNR " lines, expected " lines
            if (bad) { print bad; exit 1 }
            printf "%.0e\n", worst
        }' "$1" "$2"
}

# The time that a program printed, in seconds.
seconds() { sed -n 's/^time //p' "$1" | tail -n 1; }

check() {
    local out=$1 target=$2 size form name file failed=0 agree=0 all=0 result
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    printf '%-6s %-26s %10s' size program gcc
    for form in $forms; do printf '  %10s %-8s' "$form" differs; done
    printf '\n'
    for size in $sizes; do
        while read -r name file; do
            [ -x "$out/$size/gcc/$name" ] || continue
            "$out/$size/gcc/$name" >"$work/expected" 2>"$work/error"
            printf '%-6s %-26s %10s' "$size" "$name" "$(seconds "$work/error")"
            : >"$work/wrong"
            for form in $forms; do
                all=$((all + 1))
                if [ ! -x "$out/$size/$form/$name" ]; then
                    printf '  %10s %-8s' - unbuilt
                    failed=1
                    continue
                fi
                TERRACE_TARGET=$target timeout "$limit" "$out/$size/$form/$name" \
                    >"$work/found" 2>"$work/error"
                case $? in
                0)
                    if result=$(compare "$work/expected" "$work/found"); then
                        agree=$((agree + 1))
                    else
                        echo "    $form: $result" >>"$work/wrong"
                        result=WRONG
                        failed=1
                    fi
                    ;;
                124)
                    result=timeout
                    failed=1
                    ;;
                *)
                    echo "    $form: $(head -n 3 "$work/error" | tr '\n' ' ')" >>"$work/wrong"
                    result=FAILED
                    failed=1
                    ;;
                esac
                printf '  %10s %-8s' "$(seconds "$work/error")" "$result"
            done
            printf '\n'
            cat "$work/wrong"
        done < <(programs)
    done
    echo "$agree of $all agree with gcc -O2 on target $target"
    return $failed
}

case ${1:-} in
build) build "${2:?the tool}" "${3:?a folder}" ;;
check) check "${2:?the folder that was built}" "${3:-gpu}" ;;
*)
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2
    exit 2
    ;;
esac
