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

make -s BACKEND=emu build >"$tree/out" 2>&1 && [ ! -s "$tree/out" ]
ok $? "a second make has nothing to do"

# Which backend is chosen, and why: stubs stand for nvcc and nvidia-smi.
mkdir "$tree/bin"
for tool in tr sort; do ln -s "$(command -v $tool)" "$tree/bin"; done
stub() {
    printf '#!/bin/sh\n%s\n' "$2" >"$tree/bin/$1"
    chmod +x "$tree/bin/$1"
}
detects() {
    PATH=$tree/bin /bin/sh common/detect.sh nvcc >"$tree/out" 2>&1
    grep -q "^$1" "$tree/out"
    ok $? "detect.sh: $1"
}
unset CUDA_VISIBLE_DEVICES
detects 'emu nvcc was not found'
stub nvcc :
detects 'emu no NVIDIA driver was found'
stub nvidia-smi 'echo no driver is loaded; exit 9'
detects 'emu nvidia-smi fails: no driver is loaded'
stub nvidia-smi :
detects 'emu nvidia-smi lists no GPU'
stub nvidia-smi 'echo 9.0; echo 8.0; echo 9.0'
detects 'gpu 80 90$'
CUDA_VISIBLE_DEVICES= detects 'emu CUDA_VISIBLE_DEVICES="" hides every GPU'
CUDA_VISIBLE_DEVICES=-1 detects 'emu CUDA_VISIBLE_DEVICES="-1" hides every GPU'
make -s BACKEND=auto NVCC=/none/nvcc run-01 ARGS="--size 8" >"$tree/out" 2>&1 &&
    sed 1q "$tree/out" | grep -q '^CPU emulator, no speed is measured: nvcc was not found'
ok $? "without nvcc, the first line says why the emulator runs"

if command -v "${NVCC:-nvcc}" >/dev/null; then
    make -n BACKEND=gpu ARCH=sm_60 build >"$tree/out" 2>&1
    [ $? -ne 0 ] && grep -q 'sm_60 cannot be built; .* build .*sm_90' "$tree/out"
    ok $? "ARCH=sm_60: what this nvcc supports"
else
    number=$((number + 1))
    echo "ok $number # SKIP ARCH=sm_60: no nvcc"
fi

# The cover's figures are those of results/.
awk -v steps="$(ls -d [0-9][0-9]_* labs/* | sed 's|.*/||')" -v sizes=512,1024,1025,2048,2049,4096 \
    -f common/matrix.awk results/h200/ladder.csv | sed '/^$/d' >"$tree/out"
awk -F , '$(NF - 10) == 4096 { printf "%-24s%10.3f%12.2f%7.1f%%\n", $(NF - 12), $(NF - 6), $(NF - 4) / 1000, 100 * $(NF - 5) }' \
    results/h200/ladder.csv >>"$tree/out"
[ "$(wc -l <"$tree/out")" -gt 20 ] && [ "$(grep -cxFf "$tree/out" README.md)" -ge "$(wc -l <"$tree/out")" ]
ok $? "README.md has the figures of results/h200/ladder.csv"

# So are those of what was tried: the last column, % of cuBLAS at 4096; of step 10, also at 1024.
for step in 08 09 10; do
    sizes=4096
    [ $step != 10 ] || sizes='1024|4096'
    sed -n '/^### What was tried/,/^## /s/^|.*| *\([0-9.]*\) |$/\1/p' "$step"_*/README.md >"$tree/said"
    awk -F , -v step=$step -v sizes="^($sizes)\$" '$1 == step && $(NF - 3) ~ sizes { printf "%.1f\n", 100 * $(NF - 1) }' \
        results/h200/tried.csv >"$tree/measured"
    grep -vxFf "$tree/measured" "$tree/said" >"$tree/out"
    [ $? -eq 1 ] && [ "$(wc -l <"$tree/said")" -gt 5 ]
    ok $? "$step: what was tried has the figures of results/h200/tried.csv"
done

echo "1..$number"
exit $failed
