#!/bin/sh
# The pictures of a folder of results, as SVG in the same folder.  usage: plots.sh RESULTS [OUT]
results=$1 out=${2:-$1}
command -v gnuplot >/dev/null || {
    echo "gnuplot was not found; install the package gnuplot-nox (Debian, Ubuntu) or gnuplot" >&2
    exit 3
}
work=build/plots
mkdir -p "$work" "$out" || exit 2
worst=0

# have PLOT COMMAND FILE...: whether the files are there; says what writes a missing one
have() {
    plot=$1 command=$2
    shift 2
    for file; do
        [ -f "$file" ] && continue
        echo "$plot.svg is left out: $file is missing, '$command' writes it" >&2
        return 1
    done
}

# draw PLOT FILE SETTINGS: the card's name is taken from the file
draw() {
    device=$(table column name=device "$2")
    if gnuplot -e "name = '$out/$1.svg'; device = '$device'; $3" "common/see/$1.gp"; then
        echo "$out/$1.svg"
    else
        worst=1
    fi
}

table() { # SCRIPT ARGUMENT...
    script=$1
    shift
    awk -f common/see/csv.awk -f "common/see/$script.awk" "$@"
}

# Speeds over the size: of `make sweep`, else those that `make all` left.
speeds=$results/sweep.csv launches=$results/launches.csv
[ -f "$speeds" ] || speeds=$(echo $(ls "$results/ladder.csv" "$results/shapes.csv" 2>/dev/null))
if have sweep 'make sweep' ${speeds:-$results/sweep.csv}; then
    table sweep $speeds >"$work/sweep" && table sweep odd=1 $speeds >"$work/odd" || exit 1
    draw sweep "${speeds%% *}" "data = '$work/sweep'; odd = '$work/odd';
        steps = '$(sed -n 's/^# //p' "$work/sweep" | tr '\n' ' ')'"
fi
if have waves 'make sweep' ${speeds:-$results/sweep.csv} "$launches"; then
    table waves wanted=09_big_tile "$launches" $speeds >"$work/big" &&
        table waves wanted=07_double_buffer "$launches" $speeds >"$work/small" || exit 1
    draw waves "$launches" "big = '$work/big'; big_step = '09_big_tile';
        small = '$work/small'; small_step = '07_double_buffer'"
fi
if have ladder "make all; cp build/gpu/all.csv $results/ladder.csv" "$results/ladder.csv"; then
    table ladder size=4096 "$results/ladder.csv" >"$work/ladder" || exit 1
    draw ladder "$results/ladder.csv" "data = '$work/ladder'; size = '4096'"
fi
# What a step moves: as `make counters` counted it, else by `make calibrate`.
points=
if [ -f "$results/profiles/05_regtile_2d.csv" ]; then
    points=$work/points global="bytes of L2"
    table counters points=1 "$results"/profiles/*.csv >"$points" || exit 1
elif [ -f "$results/calibration_512.csv" ] && [ -f "$launches" ] && [ -f "$results/ladder.csv" ]; then
    points=$work/points global="bytes that requests ask for"
    table traffic size=4096 "$launches" "$results/ladder.csv" "$results/calibration_512.csv" \
        "$results/profiles/emulator.csv" >"$points" || exit 1
fi
steps=$(cut -d' ' -f1 ${points:-/dev/null} | tr '\n' ' ')
report=${points:-$results/profiles/05_regtile_2d.csv}
if have roofline 'make counters' "$report" && have roofline 'make peak' "$results/peak.csv"; then
    draw roofline "$results/peak.csv" "points = '$points'; steps = '$steps'; global = '$global';
        $(table peak "$results/peak.csv")"
fi
if have occupancy 'make counters' "$report"; then
    draw occupancy "$results/peak.csv" "points = '$points'; steps = '$steps'"
fi
if have power 'make power' "$results/power_random.csv" "$results/power_zeros.csv"; then
    table power "$results/power_random.csv" >"$work/random" &&
        table power "$results/power_zeros.csv" >"$work/zeros" || exit 1
    draw power "$results/power_random.csv" "random = '$work/random'; zeros = '$work/zeros';
        step = '$(table column name=step "$results/power_random.csv")'"
fi
exit $worst
