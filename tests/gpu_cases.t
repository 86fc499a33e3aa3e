#!/bin/sh
# The inputs on which other projects failed, and tests of the tester, on the GPU, where there is one.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
backend=gpu
found=$(sh common/detect.sh "${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}")
case $found in
emu*)
    echo "1..0 # SKIP no GPU is used: ${found#emu }"
    exit
    ;;
esac
. tests/cases.sh
. tests/broken.sh
programs=$(for main in [0-9][0-9]_*/main.c; do dirname "$main"; done)
card=${found##* } # 90
for lab in labs/*/arch; do
    if [ "$(tr -d 'a-z\n' <"$lab")" = "$card" ]; then
        programs="$programs ${lab%/arch}"
    else
        number=$((number + 1))
        echo "ok $number # SKIP ${lab%/arch} is for sm_$(cat "$lab"), the card is sm_$card"
    fi
done
memory=$(nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits | sed 1q) # MiB

make -s -j$cpus BACKEND=gpu build >"$tree/out" 2>&1
ok $? "the programs are built"
build_cases

# at_once MIB: how many programs share the card where each needs so much of its memory
at_once() {
    jobs=$((memory / $1))
    [ $jobs -le $((cpus / 2)) ] || jobs=$((cpus / 2))
    [ $jobs -le 8 ] || jobs=8
    [ $jobs -ge 1 ] || jobs=1
}

# needs MIB CASE: all programs run the case, or a line says why they do not
needs() {
    if [ "$memory" -gt "$1" ]; then
        at_once "$1"
        echo "$2" >"$tree/list"
        every "$tree/list"
    else
        echo "# SKIP $1 MiB are needed, $memory are free: ${2#* }" >>"$tree/skipped"
    fi
}
: >"$tree/skipped"

# Then: past the grid's 65535 rows of blocks; timed; offsets past 2^31.
{
    common_cases
    echo "0 --size 1000"
    echo "0 --m 8400000 --n 3 --k 2 --beta 1"
    echo "0 --m 3 --n 8400000 --k 2 --beta 1"
} | sed 's/$/ --check/' >"$tree/list"
echo "0 --m 129 --n 257 --k 65 --beta 0.5 --lda 68 --rounds 2" >>"$tree/list"
at_once 1000
every "$tree/list"
needs 10000 "0 --m 46341 --n 46341 --k 1 --check"
needs 27000 "0 far apart"

at_once 1000
if command -v compute-sanitizer >/dev/null; then
    cat >"$tree/list" <<'CASES'
0 --m 129 --n 131 --k 67 --beta 1 --check
0 --m 132 --n 260 --k 68 --lda 72 --ldb 264 --ldc 261 --check
0 --m 1 --n 1 --k 1 --check
CASES
    every "$tree/list" compute-sanitizer --tool memcheck --error-exitcode 9
    for p in $programs; do
        step=$(basename "$p")
        cp "$tree/out.$step" "$tree/out"
        grep -q 'ERROR SUMMARY: 0 errors' "$tree/out"
        ok $? "$step: memcheck finds nothing"
    done
else
    echo "# SKIP memcheck: compute-sanitizer is not on PATH" >>"$tree/skipped"
fi
refusals
broken_cases

# No card, or another one than it was built for.
CUDA_VISIBLE_DEVICES='' "$(program 01_naive)" --size 64 >"$tree/out" 2>&1
[ $? -eq 3 ] && grep -q 'CUDA_VISIBLE_DEVICES does not hide it' "$tree/out"
ok $? 'CUDA_VISIBLE_DEVICES="": exit 3 and the variable is named'
"$(program 01_naive)" --size 64 --device 99 >"$tree/out" 2>&1
[ $? -eq 2 ] && grep -q -e '--device 0: .*sm_' "$tree/out"
ok $? "--device 99: exit 2 and a list of those there are"

other=100a
[ "$card" -lt 100 ] || other=90a
mkdir -p "$tree/other/01_naive"
ln -s "$root/common" "$root/Makefile" "$tree/other"
cp 01_naive/*.c* "$tree/other/01_naive"
if make -s -j$cpus -C "$tree/other" BACKEND=gpu ARCH=$other build/gpu/01_naive/01_naive >"$tree/out" 2>&1; then
    "$tree/other/build/gpu/01_naive/01_naive" --size 64 >"$tree/out" 2>&1
    [ $? -eq 3 ] && grep -q "no kernel image .*make ARCH=sm_$card" "$tree/out"
    ok $? "built for sm_$other: exit 3 and how to build it"
else
    echo "# SKIP a program for another card: this nvcc does not know sm_$other" >>"$tree/skipped"
fi

NVIDIA_TF32_OVERRIDE=1 "$(program 01_naive)" --size 512 --rounds 1 >"$tree/out" 2>&1
[ $? -eq 0 ] && grep -q 'NVIDIA_TF32_OVERRIDE=1 is set' "$tree/out" &&
    grep -q 'cuBLAS failed its check' "$tree/out"
ok $? "cuBLAS in TF32 is noticed and fails its check"

while read -r line; do
    number=$((number + 1))
    echo "ok $number $line"
done <"$tree/skipped"
echo "1..$number"
exit $failed
