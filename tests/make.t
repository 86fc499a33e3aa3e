#!/bin/sh
# The Makefiles: a step's own, and the names of the targets.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

make -s -j2 BACKEND=emu build >"$tree/out" 2>&1
ok $? "the steps are built"
for main in [0-9][0-9]_*/main.c; do
    step=$(dirname "$main")
    make -s -C "$step" run BACKEND=emu ARGS="--size 33 --check" >"$tree/out" 2>&1 &&
        grep -q "^$step: all sizes pass" "$tree/out"
    ok $? "make -C $step run"
done

make -s diff-05 >"$tree/out" 2>&1 && grep -q '^+++ 05_regtile_2d/kernel.cu' "$tree/out" &&
    grep -q '^+++ 05_regtile_2d/main.c' "$tree/out"
ok $? "make diff-05 shows kernel.cu and main.c"
make -s diff-05 -C 05_regtile_2d >"$tree/out" 2>&1
[ $? -ne 0 ]
ok $? "a target that a step's Makefile lacks is an error"
make -s run-77 BACKEND=emu >"$tree/out" 2>&1
[ $? -ne 0 ] && grep -q 'there is no such program' "$tree/out"
ok $? "make run-77 names the programs there are"

echo "1..$number"
exit $failed
