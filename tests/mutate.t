#!/bin/sh
# Every broken copy of every step (mutate.sh) must be reported by the emulator, and the unbroken
# steps, run 50 times, must not.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

make -s -j2 BACKEND=emu build >"$tree/out" 2>&1
ok $? "the steps are built"
seed "$tree"
sh tests/mutate.sh "$tree" >"$tree/out" 2>&1 && # -O0: they are built for a run or two
    make -s -j2 -C "$tree" BACKEND=emu EMU_O=-O0 build >"$tree/out" 2>&1
ok $? "the broken copies are built"

# Two shapes with several blocks and slices: with the 16-byte path, and without.  A copy must be
# reported on one of them.  Step 10 plans by shape: it also gets one whose tiles are cut along K, two
# with dot products at the edges, longer than a piece of B's column and for two rows, one whose block
# is one group of warps, and one whose groups have two warps each.
shapes='--m 132 --n 260 --k 84
--m 129 --n 131 --k 67'
planned='--m 64 --n 133 --k 1500
--cc 7.5 --m 129 --n 129 --k 1100
--cc 7.5 --m 258 --n 257 --k 64
--cc 7.5 --m 640 --n 640 --k 64
--m 1024 --n 1024 --k 128'

# reached WORDS SHAPE: the plan for SHAPE has the part that the shape is there for
reached() {
    build/emu/10_stream_k/10_stream_k $2 --plan >"$tree/out" 2>&1 && grep -q "$1" "$tree/out"
    ok $? "10_stream_k $2: the plan has: $1"
}
reached 'cut along K' "$(echo "$planned" | sed -n 1p)"
reached 'dot products' "$(echo "$planned" | sed -n 2p)"
reached 'rows from 256' "$(echo "$planned" | sed -n 3p)"
reached 'tile 128x128' "$(echo "$planned" | sed -n 4p)"
reached 'tile 64x128, 4 group' "$(echo "$planned" | sed -n 5p)"

while read -r copy place kind what; do
    finding='emulator: '
    [ "$kind" = sync ] || finding='emulator: \|: C\[' # a wrong index may stay in bounds
    status=1
    all=$shapes
    case $copy in
    10_*) all="$shapes
$planned" ;;
    esac
    while read -r shape; do
        timeout 60 "$tree/build/emu/$copy/$copy" $shape --beta 1 --check >"$tree/out" 2>&1 </dev/null
        if [ $? -eq 1 ] && grep -q "$finding" "$tree/out"; then
            status=0
            break
        fi
    done <<END
$all
END
    ok $status "$place: $what is reported"
done <"$tree/list"

# Two shapes 25 times each, with 1 and 2 OS threads in turn.
for main in [0-9][0-9]_*/main.c; do
    step=$(dirname "$main")
    status=0
    run=0
    while [ $run -lt 50 ] && [ $status -eq 0 ]; do
        shape="--m 40 --n 136 --k 100"
        [ $((run % 2)) -eq 0 ] || shape="--m 65 --n 67 --k 35"
        "build/emu/$step/$step" $shape --beta 1 --check --threads $((1 + run / 2 % 2)) \
            >"$tree/out" 2>&1 || status=1
        run=$((run + 1))
    done
    ok $status "$step: 50 runs without a report"
done
while read -r shape; do
    build/emu/10_stream_k/10_stream_k $shape --beta 1 --check >"$tree/out" 2>&1 </dev/null
    ok $? "10_stream_k $shape: no report"
done <<END
$planned
END

echo "1..$number"
exit $failed
