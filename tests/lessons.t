#!/bin/sh
# The lessons: their generated blocks and figures are what `make lessons` makes now, each exercise does
# what its solution says, every command can be run, links lead somewhere, the prose is plain.
# A changed kernel or a new measurement needs `make lessons`.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

make -s -j2 BACKEND=emu build >"$tree/out" 2>&1
ok $? "the steps are built"

# ---- Blocks: each is made anew, each exercise runs ----
# Which of several findings the emulator prints first is for the C++ compiler to decide.
same_words() {
    grep -vE 'emulator: |^  (array|read|write|copy|barrier) ' "$1"
}
steps=$(ls -d [0-9][0-9]_*/ | tr -d /)
# The last steps take longest, so they begin.
for job in $(echo "$steps" | sort -r) figures; do echo "$job"; done | xargs -n 1 -P 2 sh -c '
    case $1 in
    figures) sh common/lessons/figures.sh "$0/figures" >"$0/figures.err" 2>&1 || rm -rf "$0/figures" ;;
    *) sh common/lessons/weave.sh "$1" "$0/$1.log" >"$0/$1.md" 2>"$0/$1.err" ;;
    esac' "$tree"
for step in $steps; do
    cp "$tree/$step.err" "$tree/out"
    while read -r verdict text; do
        [ "$verdict" = ok ]
        ok $? "$step: $(echo "${text#ok }" | tr '#' ' ')"
    done <"$tree/$step.log"
    same_words "$step/README.md" >"$tree/old"
    same_words "$tree/$step.md" >"$tree/new"
    diff "$tree/old" "$tree/new" >"$tree/out" 2>&1
    ok $? "$step/README.md is what make lessons writes"
done

cp "$tree/figures.err" "$tree/out"
[ -d "$tree/figures" ]
ok $? "the figures are drawn"
for figure in [0-9][0-9]_*/figures/*.svg; do
    cmp "$figure" "$tree/figures/$figure" >"$tree/out" 2>&1
    ok $? "$figure is what make figures draws"
    grep -q "(figures/${figure##*/})" "${figure%%/*}/README.md"
    ok $? "$figure is shown in its lesson"
done

# ---- Commands outside of blocks: run, or if marked GPU or nvcc, of known targets and options ----
for readme in [0-9][0-9]_*/README.md; do
    step=${readme%/*}
    awk '/^<!-- (run|derive|ladder|counted|diff|compiled|source):/ { block = 1 }
        /^<!-- end -->/ { block = 0 }
        /^```/ { code = !code && /^```sh/; next }
        code && !block' "$readme" >"$tree/commands"
    while read -r command; do
        case $command in
        make*'# GPU' | make*'# nvcc')
            sh -c "make -n BACKEND=emu ${command#make }" >"$tree/out" 2>&1 </dev/null
            status=$?
            for option in $(echo "$command" | grep -oE -- ' --[a-z]+|"--[a-z]+' | tr -d '" '); do
                build/emu/$step/$step --help | grep -qE "^ +$option( |\$)" || status=1
            done
            ;;
        make*)
            sh -c "$command" >"$tree/out" 2>&1 </dev/null
            status=$?
            ;;
        *) status=1 ;;
        esac
        ok $status "$step: $(echo "$command" | tr '#' ' ')"
    done <"$tree/commands"
done

# ---- Knobs and exercises by their names ----
for step in $steps; do
    for knob in $(grep -oE -- '-D[A-Z_0-9]+=' "$step/README.md" | tr -d '=' | sort -u); do
        cat "$step"/*.c* "$step"/*.h 2>/dev/null | grep -q "^#define ${knob#-D} "
        ok $? "$step: the knob ${knob#-D} is a constant of the step"
    done
    for script in "$step"/exercises/*.sed; do
        [ -f "$script" ] || continue
        grep -q "EXERCISE=$(basename "$script" .sed)[^a-z_]" "$step/README.md"
        ok $? "$script is an exercise of its lesson"
    done
done

# ---- The form of a lesson, its links and its language: lessons.awk prints TAP lines without numbers ----
for readme in [0-9][0-9]_*/README.md; do
    awk -f tests/lessons.awk "$readme" >"$tree/lines"
    rm -f "$tree/out"
    while read -r verdict text; do
        [ "$verdict" = ok ]
        ok $? "$readme: $text"
    done <"$tree/lines"
    grep -oE '\]\([^)]*\)' "$readme" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^https://' | sort -u |
        while read -r link; do [ -z "$link" ] || [ -e "${readme%/*}/$link" ] || echo "$link"; done >"$tree/out"
    [ ! -s "$tree/out" ]
    ok $? "$readme: links lead to files"
done

echo "1..$number"
exit $failed
