# Sourced by emu_cases.t and gpu_cases.t: tests of the tester.  A kernel that is wrong in one place must
# be reported, named, given no speed, and must end the program with the right code.
# Set before: backend.

# broken NAME STEP CODE WORDS EDIT [OPTION ...]: announces a copy of the step, its kernel.cu changed by
# the sed script; run with the options, it must end with the code and say the words (no | in them)
broken() {
    copies=$((copies + 1))
    copy=$((10 + copies))_$1
    mkdir -p "$broken/$copy"
    for file in "$2"/*.c "$2"/*.h "$2"/*.cu "$2"/*.cuh; do
        [ ! -f "$file" ] || sed "s/\"$2\"/\"$copy\"/" "$file" >"$broken/$copy/${file##*/}"
    done
    sed "$5" "$2/kernel.cu" >"$broken/$copy/kernel.cu"
    if cmp -s "$2/kernel.cu" "$broken/$copy/kernel.cu"; then
        echo "$2/kernel.cu no longer has what $5 changes: adapt the test" >"$tree/out"
        ok 1 "a copy of $2: $1"
        return
    fi
    words=$4 code=$3
    shift 5
    echo "$copy|$code|$words|$*" >>"$broken/list"
}

broken_cases() {
    broken=$tree/broken
    mkdir "$broken"
    ln -s "$root/common" "$root/Makefile" "$broken"
    seed "$broken"
    : >"$broken/list"
    copies=0
    broken index 02_coalesced 1 'C\[0\]\[0\] is .*, expected' 's/ldb + n\]/ldb + (n ^ 1)]/'
    broken column 02_coalesced 1 'C\[0\]\[63\] still has its value' 's/n >= N)/n >= N - 1)/'
    broken nan 02_coalesced 1 'C\[5\]\[7\] is -*nan, expected' \
        's/float acc = 0.0f;/float acc = m == 5 \&\& n == 7 ? NAN : 0.0f;/'
    broken nothing 02_coalesced 1 'C\[0\]\[0\] still has its value' 's/m >= M ||/m >= 0 ||/'
    broken threads 02_coalesced 3 'cudaErrorInvalid[CV]' \
        's/<<<grid, NUM_THREADS/<<<grid, 2048/'
    broken shared 02_coalesced 3 'cudaErrorInvalidValue' 's/NUM_THREADS, 0, s/NUM_THREADS, 1 << 20, s/'
    address='s/&C\[(size_t)m \* ldc + n\]/\&C[((size_t)m * ldc + n + 1) << 36]/'
    hang='while (*(volatile const float *)A != 9.0f) continue;'
    if [ $backend = emu ]; then
        broken address 02_coalesced 1 'access out of bounds' "$address"
        broken hang 02_coalesced 1 'deadlock' "s/float acc = 0.0f;/$hang &/"
    else
        broken registers 05_regtile_2d 3 'cudaError[LI]' \
            's/__launch_bounds__([^)]*)//; s/<<<grid, NUM_THREADS/<<<grid, 1024/'
        broken address 02_coalesced 3 'cudaErrorIllegalAddress' "$address"
        broken hang 02_coalesced 3 'after 3 s sgemm() still runs' "s/float acc = 0.0f;/$hang &/" \
            --timeout 3
        # The check's one launch ends, a later one does not.
        broken late 02_coalesced 3 'after 3 s the timing of sgemm() and cuBLAS still runs' \
            "s/float acc = 0.0f;/if (K == -1) $hang &/; s/const dim3 grid/static int calls; if (++calls > 1) K = -1; &/" \
            --timeout 3
    fi
    make -s -j$cpus -C "$broken" BACKEND=$backend \
        $(sed "s,^\([^|]*\)|.*,build/$backend/\1/\1," "$broken/list") >"$tree/out" 2>&1
    ok $? "the broken copies are built"

    while IFS='|' read -r copy code words options; do
        rm -f "$tree/csv"
        (cd "$broken" && timeout 60 "build/$backend/$copy/$copy" --size 64 --csv "$tree/csv" $options) \
            >"$tree/out" 2>&1 </dev/null
        got=$?
        echo "exit code $got" >>"$tree/out"
        [ $got -eq "$code" ] && grep -q "^$copy: .*$words" "$tree/out"
        ok $? "$copy: exit $code, $words"
        case $backend,$copy in
        *_hang | *_late | emu,*_address) continue ;; # ended before there could be a row
        esac
        ! grep -q ',fail$' "$tree/csv" || cat "$tree/csv" >>"$tree/out"
        grep -q ",$copy,.*,64,64,64,random,,,,,,,fail\$" "$tree/csv" && ! grep -q 'pass$' "$tree/csv"
        ok $? "$copy: a row without any speed"
    done <"$broken/list"

    # The other steps go on.
    (cd "$broken" && sh common/all.sh '' "build/$backend/all.csv" 64 '' "$root/$(program 01_naive)" \
        $(sed -n "s,^\([0-9]*_[nt][a-z]*\)|.*,build/$backend/\1/\1,p" list)) >"$tree/out" 2>&1
    [ $? -eq 3 ] && grep -q '^01_naive  *[0-9p]' "$tree/out" && grep -q '^13_nan  *FAIL' "$tree/out" &&
        grep -q '^15_threads  *FAIL' "$tree/out"
    ok $? "make all: the broken steps FAIL, the others have their figures"
}
