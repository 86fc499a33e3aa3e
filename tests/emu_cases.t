#!/bin/sh
# The inputs on which other projects failed, on every step, on the emulator: results, bounds, races.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

make -s -j2 BACKEND=emu build >"$tree/out" 2>&1
ok $? "the steps are built"
steps=$(for main in [0-9][0-9]_*/main.c; do dirname "$main"; done)

# every CODE OPTION ...: all steps must end with the code (or one of CODE,CODE)
every() {
    codes=$1
    shift
    status=0
    : >"$tree/out"
    for step in $steps; do
        timeout 120 "build/emu/$step/$step" "$@" --check >"$tree/one" 2>&1
        code=$?
        case ,$codes, in
        *,$code,*) ;;
        *)
            status=1
            { echo "$step ended with $code"; cat "$tree/one"; } >>"$tree/out"
            ;;
        esac
    done
    ok $status "$*"
}

shape() {
    m=$1 n=$2 k=$3
    shift 3
    every 0 --m "$m" --n "$n" --k "$k" "$@"
}

# Off the tiles, short K, not square, and swapped.
shape 35 79 19 --beta 1
shape 33 32 32
shape 127 129 1 --beta -1
shape 129 127 257
shape 1 1 1 --beta 1
every 0 --size 100,200
shape 256 128 256
shape 128 4096 8
shape 4096 128 8
shape 256 512 64 --beta 0.5
shape 64 64 1
shape 128 128 3
shape 300 4 4
shape 4 300 1024

# Rows and pointers that forbid 16 bytes.
shape 70 5 3
shape 33 1025 17 --beta 1
for offset in 1 2 3 4; do shape 132 132 20 --offset $offset --beta 1; done

# Leading dimensions; the padding of C must come back untouched.
shape 65 70 33 --lda 36 --ldb 75 --ldc 77 --beta 1
shape 132 136 40 --lda 44 --ldb 140 --ldc 144 --beta 0.5
shape 132 136 40 --lda 43 --ldb 141 --ldc 143
shape 132 136 40 --ldb 139
shape 132 136 40 --ldc 139

# alpha and beta; C is full of NaN where beta is 0.
for alpha in 0 1 -1 0.5 3; do
    for beta in 0 1 -1 0.5 3; do
        shape 37 44 20 --alpha $alpha --beta $beta
    done
done

# Nothing to do.
shape 0 5 7
shape 5 0 7
shape 5 7 0 --beta 3
shape 0 0 0
shape 5 7 0

# Data.
for data in nonfinite integers zeros; do
    shape 132 140 68 --data $data --beta 1
    shape 131 67 35 --data $data
done
shape 129 65 40 --seed 7 --beta 2

# Other cards: without cp.async, with less shared memory (3: the step says what the card lacks).
for cc in 7.5 8.0 8.6 8.9 10.0 12.0; do
    every 0,3 --cc $cc --m 129 --n 260 --k 68 --beta 1
done

# Bad command lines.
every 2 --size 12x
every 2 --m 5
every 2 --size 64 --lda 63
every 3 --size 400000

# Offsets past 2^31, in a main() of its own.
mkdir "$tree/far"
ln -s "$root/common" "$root/Makefile" "$tree/far"
seed "$tree/far"
for step in $steps; do
    mkdir "$tree/far/$step"
    for file in "$step"/*; do
        case $file in
        */main.c | */Makefile | */README.md) ;;
        *) ln -s "$root/$file" "$tree/far/$step" ;;
        esac
    done
    cp tests/emu_far.c "$tree/far/$step/main.c"
done
status=0
make -s -j2 -C "$tree/far" BACKEND=emu build >"$tree/out" 2>&1 || status=1
for step in $steps; do
    "$tree/far/build/emu/$step/$step" >>"$tree/out" 2>&1 || status=1
done
ok $status "offsets past 2^31 elements"

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
