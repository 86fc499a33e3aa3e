#!/bin/sh
# The inputs on which other projects failed, and tests of the tester, on the emulator.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
. tests/cases.sh
. tests/broken.sh
backend=emu
jobs=1 # the emulator uses all CPUs by itself
programs=$(for main in [0-9][0-9]_*/main.c; do dirname "$main"; done)

make -s -j$cpus BACKEND=emu build >"$tree/out" 2>&1
ok $? "the steps are built"
build_cases

# Other cards: without cp.async, with less shared memory (3: the step says what the card lacks).
{
    common_cases
    echo "0 far apart"
    for cc in 7.5 8.0 8.6 8.9 10.0 12.0; do echo "0,3 --cc $cc --m 129 --n 260 --k 68 --beta 1"; done
} >"$tree/list"
every "$tree/list"
refusals
broken_cases

# Constants that cannot be: the compiler says why.
for edit in 'BK 7' 'TM 3'; do
    for step in $(grep -l "^#define ${edit% *} [1-9]" [0-9][0-9]_*/kernel.cu); do
        ! sed "s/^#define ${edit% *} .*/#define $edit/" "$step" | awk -v name="$step" -f common/emu/launch.awk |
            $cxx -x c++ -std=c++17 -fsyntax-only -w -Icommon/emu -iquote "${step%/*}" - >"$tree/out" 2>&1 &&
            grep -q 'static.assert.*: .*[a-z]' "$tree/out"
        ok $? "$step with $edit: a static assert says why not"
    done
done

# A broken kernel fails as well where the harness is compiled with -DNDEBUG, in a folder with a
# blank in its name, called from somewhere else.
mkdir "$tree/a b"
ln -s "$root/common" "$root/Makefile" "$tree/a b"
mkdir "$tree/a b/03_broken"
cp 03_*/main.c "$tree/a b/03_broken"
sed '/__syncthreads/s/__syncthreads();/;/' 03_*/kernel.cu >"$tree/a b/03_broken/kernel.cu"
make -s -C "$tree/a b" BACKEND=emu CFLAGS=-DNDEBUG run-03 ARGS="--size 96" >"$tree/out" 2>&1
[ $? -ne 0 ] && grep -q 'emulator: race on shared memory' "$tree/out" &&
    grep -q ' 03_broken/kernel.cu:[0-9]*: acc' "$tree/out" && grep -q 'FAILED' "$tree/out"
ok $? "with -DNDEBUG, and a blank in the folder's name, a broken kernel fails"

echo "1..$number"
exit $failed
