#!/bin/sh
# Draws the lessons' figures from traces of the emulator and from step 10's plan.
# usage: figures.sh OUT    OUT/NN_NAME/figures/*.svg; the steps must be built for the emulator
# Whatever a kernel's constants are: one block of one tile is traced.
unset MAKEFLAGS MFLAGS MAKELEVEL
set -e
out=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# constant STEP NAME: the value of a #define of its kernel
constant() {
    echo $(($({ grep '^#define [A-Z_]* ' "$1/kernel.cu"; echo "$2"; } | ${CC:-cc} -E -P - | tail -1)))
}

# trace PROGRAM FILE OPTIONS: block 0's requests
trace() {
    program=$1 file=$2
    shift 2
    "$program" "$@" --threads 1 --trace "$tmp/$file" >"$tmp/log" 2>&1 || {
        cat "$tmp/log" >&2
        exit 1
    }
}

# draw FIGURE PROGRAM.awk [-v NAME=VALUE ...] TRACE ...
draw() {
    figure=$out/$1 program=$2
    shift 2
    mkdir -p "${figure%/*}"
    awk -f common/lessons/svg.awk -f "common/lessons/$program" "$@" >"$figure"
}

# exercise STEP NAME: the program with the exercise's edit, in a tree of its own
exercise() {
    sh common/lessons/knobs.sh "$1" emu "$tmp/$1.$2" "" "$2" >&2
    make -s -C "$tmp/$1.$2" BACKEND=emu "build/emu/$1.$2/$1.$2" >&2
    echo "$tmp/$1.$2/build/emu/$1.$2/$1.$2"
}

for step in 01_naive 02_coalesced; do
    trace "build/emu/$step/$step" trace --size 64
    draw "$step/figures/sectors.svg" sectors.awk -v size=64 "$tmp/trace"
done

for step in 03_smem_tiling 04_regtile_1d 05_regtile_2d 09_big_tile; do
    bm=$(constant $step BM) bn=$(constant $step BN) bk=$(constant $step BK)
    trace "build/emu/$step/$step" "$step" --m "$bm" --n "$bn" --k "$bk"
    draw "$step/figures/outputs.svg" outputs.awk -v rows="$bm" -v columns="$bn" "$tmp/$step"
done
draw 03_smem_tiling/figures/tile.svg tile.awk -v bm="$(constant 03_smem_tiling BM)" -v bn="$(constant 03_smem_tiling BN)" \
    -v bk="$(constant 03_smem_tiling BK)" -v k=5 "$tmp/03_smem_tiling"

for step in 06_vec4_transpose 07_double_buffer 08_cp_async; do
    bk=$(constant $step BK)
    trace "build/emu/$step/$step" "$step" --m "$(constant $step BM)" --n "$(constant $step BN)" --k $((8 * bk))
done
for edit in pad contiguous; do
    trace "$(exercise 06_vec4_transpose $edit)" $edit --size "$(constant 06_vec4_transpose BM)"
done
draw 06_vec4_transpose/figures/fill.svg banks.awk -v array=As -v kind=store -v parts=1 \
    -v title1="Store to As as the step has it" -v title2="The same with rows of BM + 4 floats" \
    "$tmp/06_vec4_transpose" "$tmp/pad"
draw 06_vec4_transpose/figures/columns.svg banks.awk -v array=Bs -v kind=load -v parts=4 \
    -v title1="Read of Bs, a thread's columns side by side" -v title2="The same in groups of 4, GROUP apart" \
    "$tmp/contiguous" "$tmp/06_vec4_transpose"

draw 07_double_buffer/figures/timeline.svg timeline.awk -v slices=3 \
    -v title1="06: fetch, store, use" -v title2="07: the next slice is fetched before this one is used" \
    -v stage=1 \
    "$tmp/06_vec4_transpose" "$tmp/07_double_buffer"
draw 08_cp_async/figures/timeline.svg timeline.awk -v slices=4 \
    -v title1="07: one slice on its way, in registers" -v title2="08: B is on its way for longer, by cp.async" \
    -v stage=$(($(constant 08_cp_async BK) * $(constant 08_cp_async BN))) \
    "$tmp/07_double_buffer" "$tmp/08_cp_async"

${CC:-cc} -std=c17 -O1 common/lessons/schedule.c 10_stream_k/plan.c -lm -o "$tmp/schedule"
big=09_big_tile
for place in "$big/figures/schedule.svg 2049" "10_stream_k/figures/schedule_2049.svg 2049" \
    "10_stream_k/figures/schedule_4096.svg 4096"; do
    only=
    [ "${place%%/*}" != "$big" ] || only=grid
    "$tmp/schedule" "${place##* }" "$(constant $big BM)" "$(constant $big BN)" "$(constant $big BK)" $only >"$tmp/svg"
    mkdir -p "$out/${place%%/*}/figures"
    awk -f common/lessons/svg.awk -f common/lessons/style.awk "$tmp/svg" >"$out/${place%% *}"
done
