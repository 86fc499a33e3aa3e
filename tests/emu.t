#!/bin/sh
# The emulator: what it finds, what it counts, and that the counts depend on nothing.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

# ---- Small kernels: each finding by name, with its lines; nothing found where all is right ----
mkdir "$tree/00_probe"
cp tests/emu_probe.cu "$tree/00_probe/kernel.cu"
cp tests/emu_probe.c "$tree/00_probe/main.c"
ln -s "$root/common" "$root/Makefile" "$tree"
if ! make -s -j2 BACKEND=emu build >"$tree/out" 2>&1 || ! seed "$tree" ||
    ! make -s -C "$tree" BACKEND=emu build >"$tree/out" 2>&1; then
    ok 1 "the small kernels are built"
    echo "1..$number"
    exit 1
fi

# probe KERNEL [OPTION ...]: runs it; the exit code
probe() {
    kernel=$1
    shift
    PROBE=$kernel timeout 60 "$tree/build/emu/00_probe/00_probe" "$@" >"$tree/out" 2>&1
}

# line TEXT: the number of the line of emu_probe.cu that holds TEXT, the COUNT-th (1)
line() {
    grep -nF "$1" tests/emu_probe.cu | sed -n "${2:-1}s/:.*//p"
}

# The right ones, with their sums: 1 and 2 OS threads.
while read -r kernel sum; do
    for threads in 1 2; do
        probe "$kernel" --threads $threads
        code=$?
        [ $code -eq 0 ] && grep -q "^sum $sum " "$tree/out"
        ok $? "$kernel is right, sum $sum, $threads OS threads"
    done
done <<END
reduce_shuffle 64512
warp_exchange 32640
flag_right 98688
counter_right 4096
named_right 102080
copy_right 16128
copy_large 16128
END
probe copy_refused
[ $? -eq 2 ]
ok $? "more than 48 KB of shared memory must be asked for"
probe copy_right --cc 7.5
[ $? -eq 0 ] && grep -q "^sum 16128 " "$tree/out"
ok $? "copy_right on --cc 7.5, which has no cp.async"

# The wrong ones: exit 1 and a report that matches.  An array and a line, where there are such.
while IFS='|' read -r kernel title array lines; do
    probe "$kernel" --threads 1
    code=$?
    [ $code -eq 1 ] && grep -q "^$kernel: emulator: $title" "$tree/out" &&
        grep -q "of $kernel\$" "$tree/out" && grep -q '^  to do ' "$tree/out" &&
        { [ -z "$array" ] || grep -q "array    $array" "$tree/out"; }
    status=$?
    for l in $lines; do
        grep -q "thread .*00_probe/kernel.cu:$l: " "$tree/out" || status=1
    done
    ok $status "$kernel: $title"
done <<END
race_warps|race on shared memory|buffer, float 32 of 256|$(line 'buffer[threadIdx.x] = in[threadIdx.x];' 4) $(line '(threadIdx.x + 32) % N')
race_lanes|race on shared memory|buffer, float 1 of 256|$(line 'buffer[threadIdx.x] = in[threadIdx.x];' 5) $(line 'buffer[threadIdx.x ^ 1]' 2)
race_reuse|race on shared memory|buffer, float 32 of 256|$(line 'in[threadIdx.x + i]') $(line '(threadIdx.x + 32) % N' 2)
race_blocks|race on global memory|out, float 0 of 4352|$(line 'out[threadIdx.x] = in[threadIdx.x];')
flag_no_release|race on global memory|out, float 256|$(line 'out[N + threadIdx.x] = 1.0f;') $(line '= out[N + threadIdx.x];')
flag_no_acquire|race on global memory|out, float 256|$(line 'out[N + threadIdx.x] = 1.0f;' 2) $(line '= out[N + threadIdx.x];' 2)
flag_no_barrier|race on global memory|out, float 257|$(line 'out[N + threadIdx.x] = 1.0f;' 3) $(line '= out[N + threadIdx.x];' 3)
flag_plain|race on global memory|flag, float 0|$(line '(float)*flag')
deadlock|deadlock|flag, float 0|$(line 'while (*flag == 0)' 5)
deadlock_resident|deadlock|flag, float 0|$(line 'while (*flag == 0)' 6)
bounds_near|access out of bounds|in, float 1024 of 1024|$(line '4 * N - 7')
bounds_far|access out of bounds|none at address|$(line '1 << 40')
bounds_dynamic|access out of bounds|dynamic shared memory, float 256 of 256|$(line 'stage[threadIdx.x + 1]')
misaligned|misaligned access|in, float 1 of 1024|$(line '4 * threadIdx.x + 1')
unwritten|shared memory is read before|buffer, float 256 of 512|$(line 'buffer[threadIdx.x + 1]')
barrier_divergent|threads wait at different barriers||$(line '__syncthreads();' 13) $(line '__syncthreads();' 14)
barrier_after_return|a barrier that some threads never reach||$(line '__syncthreads();' 15)
named_race|race on shared memory|buffer, float|$(line 'buffer[threadIdx.x] = in[threadIdx.x];' 3) $(line 'buffer[(threadIdx.x + 64) % N]')
named_short|a barrier that some threads never reach||$(line '__barrier_sync_count(1, 64);')
named_id|a named barrier that does not exist||$(line '__barrier_sync_count(16, N);')
copy_uncommitted|an asynchronous copy is still in flight|stage, float 0 of 1024|$(line 'stage[threadIdx.x * 4];')
copy_unwaited|an asynchronous copy is still in flight|stage, float 0 of 1024|$(line 'stage[threadIdx.x * 4];' 2)
copy_misaligned|a misaligned asynchronous copy|stage, float 0|$(line '4 + 2], 16')
divide|integer division by zero||$(line '100 / *zero')
END

# Costs that a reader can count by hand.  NUMBER is the stride; of vec4_lanes: 2^NUMBER neighbours share
# an address.
while read -r kernel number_ text; do
    probe "$kernel" --size "$number_"
    grep -q "$text" "$tree/out"
    ok $? "$kernel, $number_: $text"
done <<END
stride_global 0 sectors 1 requests 1 passes
stride_global 1 sectors 4 requests 1 passes
stride_global 2 sectors 8 requests 1 passes
stride_global 8 sectors 32 requests 1 passes
stride_shared 0 passes 1 requests 1 conflicts 0
stride_shared 1 passes 1 requests 1 conflicts 0
stride_shared 2 passes 2 requests 1 conflicts 1
stride_shared 8 passes 8 requests 1 conflicts 7
stride_shared 32 passes 32 requests 1 conflicts 31
stride_shared 33 passes 1 requests 1 conflicts 0
vec4_lanes 0 passes 4 requests 1 conflicts 0
vec4_lanes 1 passes 2 requests 1 conflicts 0
vec4_lanes 3 passes 2 requests 1 conflicts 0
vec4_lanes 5 passes 2 requests 1 conflicts 0
END

# ---- The steps ----
rm -f "$tree/out"
steps=$(for main in [0-9][0-9]_*/main.c; do dirname "$main"; done)
for step in $steps; do ln -s "$root/$step" "$tree"; done
rm -r "$tree/00_probe"

# counts BUILD-OPTIONS -- RUN-OPTIONS: all steps' counts on stdout
counts() {
    options=
    while [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    shift
    make -s -j2 -C "$tree" BACKEND=emu $options build >"$tree/out" 2>&1 || return 1
    rm -f "$tree/counts.csv"
    for step in $steps; do
        "$tree/build/emu/$step/$step" "$@" --counts "$tree/counts.csv" >"$tree/out" 2>&1 || return 1
    done
    cat "$tree/counts.csv"
}

counts -- --size 256 --beta 1 --threads 2 >"$tree/counts.256"
ok $? "all steps pass at 256"

# column STEP NAME: one field of the counts at 256
column() {
    awk -F , -v step="$1" -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
        $1 ~ "^" step { printf "%.0f", $at }' "$tree/counts.256"
}
N=256
warps=$((N * N / 32))
while read -r step name value; do
    got=$(column "$step" "$name")
    echo "got $got" >"$tree/out"
    [ "$got" = "$value" ]
    ok $? "$step: $name is $value"
done <<END
01 global_store_requests $warps
01 global_store_sectors $((warps * 32))
01 global_load_requests $((warps * (2 * N + 1)))
01 global_load_sectors $((warps * (33 * N + 32)))
02 global_store_sectors $((warps * 4))
02 global_load_requests $((warps * (2 * N + 1)))
02 global_load_sectors $((warps * (5 * N + 4)))
03 shared_loads $((2 * N * N * N))
04 shared_loads $((9 * N * N * N / 8))
05 shared_loads $((N * N * N / 4))
06 shared_loads $((N * N * N / 16))
06 conflicts 4096
07 conflicts 0
09 shared_loads $((6 * (N + 1) * N * N / 128))
END

# The same to the last digit, whatever builds and runs it.
rm -f "$tree/out"
shape="--m 129 --n 260 --k 36 --beta 0.5"
counts -- $shape --threads 1 >"$tree/one"
ok $? "counts with one OS thread"
counts -- $shape --threads 2 >"$tree/two" && cmp "$tree/one" "$tree/two" >"$tree/out" 2>&1
ok $? "the same with two"
counts CFLAGS=-DEMU_UCONTEXT -- $shape >"$tree/other" && cmp "$tree/one" "$tree/other" >"$tree/out" 2>&1
ok $? "the same with fibers by ucontext, the portable way"
version() {
    "$1" --version | sed 's/^[^ ]* //;q'
}
for compiler in g++ clang++; do
    for level in -O0 -O1; do
        if ! command -v $compiler >/dev/null; then
            number=$((number + 1))
            echo "ok $number # SKIP no $compiler"
            continue
        elif [ "$level" = -O1 ] && [ "$(version $compiler)" = "$(version "$cxx")" ]; then
            continue # built so already
        fi
        counts CXX=$compiler EMU_O=$level -- $shape >"$tree/other" &&
            diff "$tree/one" "$tree/other" >"$tree/out" 2>&1
        ok $? "the same from $compiler $level"
    done
done

# ---- Options ----
first=$(echo "$steps" | sed 1q)
program=$tree/build/emu/$first/$first
rm -f "$tree/out"

"$program" --size 64 --lines >"$tree/out" 2>&1
grep -q "^$first/kernel.cu:[0-9]* *global  store *4 *128 *32.00 .*\*c = " "$tree/out"
ok $? "--lines shows what the store to C costs"

"$program" --size 64 --trace "$tree/trace.csv" >"$tree/out" 2>&1
code=$?
# 32 warps of block 0, N loads of A and of B and one store each, 32 lanes; A's rows are 256 bytes apart
awk -F , 'NR > 1 { rows++; if (NF != 40) bad = 1 }
    $5 == "A" && $6 == "load" && $10 - $9 != 256 { bad = 1 }
    END { exit bad || rows != 32 * (2 * 64 + 1) }' "$tree/trace.csv"
[ $? -eq 0 ] && [ $code -eq 0 ]
ok $? "--trace writes the requests of block 0"

for step in $steps; do
    case $step in
    0[1-7]*) lines=0 ;;
    *) lines=1 ;;
    esac
    "$tree/build/emu/$step/$step" --cc 7.5 --size 32 --check >"$tree/out" 2>&1
    [ "$(grep -c '^sm_75 has no cp.async' "$tree/out")" = $lines ]
    ok $? "$step on --cc 7.5 says whether it needs cp.async"
done

# refused WORDS-EXPECTED OPTION ...: exit 2 and a reason
refused() {
    text=$1
    shift
    "$program" "$@" >"$tree/out" 2>&1
    [ $? -eq 2 ] && grep -q -e "$text" "$tree/out"
    ok $? "refused: $*"
}
refused 'measures no time' --rounds 5
refused '--cc takes' --cc 6.0
refused '--threads takes' --threads 0
refused '--trace .* cannot be opened' --trace "$tree/no/such/folder"
refused '--counts .* cannot be opened' --counts "$tree/no/such/folder"

"$program" --device 1 >"$tree/out" 2>&1
[ $? -eq 3 ] && grep -q 'one device' "$tree/out"
ok $? "--device 1 is named as missing"

echo "1..$number"
exit $failed
