#!/bin/sh
# Makes broken copies of every step, for tests/mutate.t.
# usage: mutate.sh TREE    TREE is filled with one folder a copy, 03_m7/, and with what make needs
#
# A copy lacks one call: each __syncthreads(), __syncwarp(), __barrier_sync_count(),
# __pipeline_commit(), __pipeline_wait_prior() and __threadfence() in turn; or has a wrong tile index,
# guard or leading dimension.  TREE/list names them: folder, file:line, kind (sync or wrong), what
# was done.
set -e
tree=$1
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$tree"
ln -sfn "$root/common" "$tree/common"
ln -sfn "$root/Makefile" "$tree/Makefile"
: >"$tree/list"

# mutant STEP FILE LINE KIND WHAT AWK: one more copy of the step, its FILE edited by AWK
mutant() {
    if [ -z "$3" ]; then
        echo "mutate.sh: $1: no line was found for \"$5\"; adapt the patterns to the step" >&2
        exit 1
    fi
    count=$((count + 1))
    copy=${1%%_*}_m$count
    mkdir -p "$tree/$copy"
    cp "$root/$1"/*.c "$root/$1"/*.cu* "$tree/$copy"
    for header in "$root/$1"/*.h; do
        [ ! -f "$header" ] || cp "$header" "$tree/$copy"
    done
    awk -v at="$3" "$6" "$root/$1/$2" >"$tree/$copy/$2"
    if cmp -s "$root/$1/$2" "$tree/$copy/$2"; then
        echo "mutate.sh: $1/$2:$3 was to be changed ($5) and was not" >&2
        exit 1
    fi
    echo "$copy $1/$2:$3 $4 $5" >>"$tree/list"
}

# first STEP PATTERN: FILE LINE of the first code line that matches
first() {
    (cd "$root/$1" && grep -nE "$2" /dev/null kernel.cu *.cuh 2>/dev/null |
        grep -vE ':[0-9]+: *(/?\*|//|#)' | sed -n 's/^\([^:]*\):\([0-9]*\):.*/\1 \2/p' | sed 1q)
}

for main in "$root"/[0-9][0-9]_*/main.c; do
    dir=$(dirname "$main")
    step=$(basename "$dir")
    count=0
    calls='__(syncthreads|syncwarp|barrier_sync_count|pipeline_commit|pipeline_wait_prior|threadfence)\([^;]*\);'
    for place in $(cd "$dir" && grep -noE "$calls" /dev/null kernel.cu $(ls *.cuh 2>/dev/null) |
        tr -d ' '); do
        file=${place%%:*}
        rest=${place#*:}
        line=${rest%%:*}
        mutant "$step" "$file" "$line" sync "without ${rest#*:}" \
            "NR == at { sub(/$calls/, \";\") } { print }"
    done
    set -- $(first "$step" 'blockIdx\.x')
    mutant "$step" "$1" "$2" wrong "tile index" 'NR == at { sub(/blockIdx\.x/, "blockIdx.y") } { print }'
    set -- $(first "$step" '[nk] (<|>=) (N|columns)')
    mutant "$step" "$1" "$2" wrong "guard" \
        'NR == at { sub(/(<|>=) (N|columns)/, "& - 1") } { print }'
    set -- $(first "$step" '\* lda? ')
    mutant "$step" "$1" "$2" wrong "leading dimension" \
        'NR == at { sub(/\* lda? /, "& * 2 ") } { print }'
done
