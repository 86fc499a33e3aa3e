# Sourced by emu_cases.t and gpu_cases.t: the inputs on which other projects failed, on every step.
# Set before: backend, programs (the folders of the steps and labs), jobs (programs at a time).

# The cases of both backends, one a line: the code with which a program must end, its command line.
common_cases() {
    cat <<'CASES'
0 --m 35 --n 79 --k 19 --beta 1
0 --m 33 --n 32 --k 32
0 --m 127 --n 129 --k 1 --beta -1
0 --m 129 --n 127 --k 257
0 --m 1 --n 1 --k 1 --beta 1
0 --size 100,200
0 --m 256 --n 128 --k 256
0 --m 128 --n 4096 --k 8
0 --m 4096 --n 128 --k 8
0 --m 256 --n 512 --k 64 --beta 0.5
0 --m 64 --n 64 --k 1
0 --m 128 --n 128 --k 3
0 --m 300 --n 4 --k 4
0 --m 4 --n 300 --k 1024
0 --m 70 --n 5 --k 3
0 --m 33 --n 1025 --k 17 --beta 1
0 --m 132 --n 132 --k 20 --beta 1 --offset 1
0 --m 132 --n 132 --k 20 --beta 1 --offset 2
0 --m 132 --n 132 --k 20 --beta 1 --offset 3
0 --m 132 --n 132 --k 20 --beta 1 --offset 4
0 --m 65 --n 70 --k 33 --lda 36 --ldb 75 --ldc 77 --beta 1
0 --m 132 --n 136 --k 40 --lda 44 --ldb 140 --ldc 144 --beta 0.5
0 --m 132 --n 136 --k 40 --lda 43 --ldb 141 --ldc 143
0 --m 132 --n 136 --k 40 --ldb 139
0 --m 132 --n 136 --k 40 --ldc 139
0 --m 0 --n 5 --k 7
0 --m 5 --n 0 --k 7
0 --m 5 --n 7 --k 0 --beta 3
0 --m 0 --n 0 --k 0
0 --m 5 --n 7 --k 0
0 --m 129 --n 65 --k 40 --seed 7 --beta 2
CASES
    for alpha in 0 1 -1 0.5 3; do
        for beta in 0 1 -1 0.5 3; do
            echo "0 --m 37 --n 44 --k 20 --alpha $alpha --beta $beta"
        done
    done
    for data in nonfinite integers zeros; do
        echo "0 --m 132 --n 140 --k 68 --data $data --beta 1"
        echo "0 --m 131 --n 67 --k 35 --data $data"
    done
}

# program STEP: where it is built
program() {
    echo "build/$backend/$(basename "$1")/$(basename "$1")"
}

# build_cases: in $tree, every program with tests/cases.c.  The kernels are there already: copied after
# make has noted its flags, they pass for new.
build_cases() {
    ln -s "$root/common" "$root/Makefile" "$tree"
    seed "$tree"
    make -s -C "$tree" BACKEND=$backend build/$backend/flags >"$tree/out" 2>&1
    [ ! -d build/$backend/src ] || cp -r build/$backend/src "$tree/build/$backend"
    for p in $programs; do
        cp -r "build/$backend/$(basename "$p")" "$tree/build/$backend"
        rm -f "$tree/$(program "$p")" "$tree/build/$backend/$(basename "$p")"/main.*
        mkdir -p "$tree/$p"
        for file in "$p"/*; do
            case $file in
            */main.c | */Makefile | */README.md) ;;
            *) ln -s "$root/$file" "$tree/$p" ;;
            esac
        done
        printf '#define main step_main\n#include "%s"\n#undef main\n#include "%s"\n' \
            "$root/$p/main.c" "$root/tests/cases.c" >"$tree/$p/main.c"
    done
    make -s -j$cpus -C "$tree" BACKEND=$backend $(for p in $programs; do program "$p"; done) \
        >"$tree/out" 2>&1
    ok $? "the programs are built with tests/cases.c"
}

# judge LIST STEP CODE OUTPUT: a test's line for each case that the step ran, or did not
judge() {
    awk -v step="$2" -v ended="$3" -v number="$number" '
        function line(fine, why) {
            print (fine ? "ok " : "not ok ") (++number) " - " step ": " name[i]
            if (!fine)
                printf "%s# %s, expected %s\n", text, why, code[i]
            failed += !fine
            text = ""
        }
        NR == FNR { code[++n] = $1; name[n] = substr($0, length($1) + 2); next }
        /^case / { i++; line(index("," code[i] ",", "," $2 ","), "ended with " $2); next }
        { text = text "# " $0 "\n" }
        END { while (i < n) { i++; line(0, "not reached: the program ended with " ended) }
              exit failed > 0 }' "$1" "$4" || failed=1
    number=$((number + $(wc -l <"$1")))
}

# every LIST [COMMAND ...]: all programs run the cases of the file, below the command if there is one
every() {
    list=$1
    shift
    [ -s "$list" ] || return 0
    running=0
    for p in $programs; do
        step=$(basename "$p")
        (
            sed 's/^[^ ]* //' "$list" | timeout 300 "$@" "$tree/$(program "$p")" "$(program "$p")" \
                >"$tree/out.$step" 2>&1
            echo $? >"$tree/code.$step"
        ) &
        running=$((running + 1))
        [ $((running % jobs)) -ne 0 ] || wait
    done
    wait
    for p in $programs; do
        step=$(basename "$p")
        judge "$list" "$step" "$(cat "$tree/code.$step")" "$tree/out.$step"
    done
}

# ends CODE WORDS OPTION ...: each program ends so, and says so, before it runs anything
ends() {
    code=$1 words=$2
    shift 2
    status=0
    : >"$tree/out"
    for p in $programs; do
        timeout 60 "$(program "$p")" "$@" >"$tree/one" 2>&1
        got=$?
        if [ $got -ne "$code" ] || ! grep -q -e "$words" "$tree/one"; then
            status=1
            { echo "$p ended with $got, expected $code and \"$words\""; cat "$tree/one"; } >>"$tree/out"
        fi
    done
    ok $status "all programs refuse $*"
}

refusals() {
    ends 2 '--size takes' --size 12x
    ends 2 '--n is missing' --m 5
    ends 2 '--lda is 63, expected at least K = 64' --size 64 --lda 63
    ends 3 'of device memory, .* is free' --size 400000
}
