#!/bin/sh
# The table of emulated against measured counts: printed, and put between the marks of README.
# usage: calibration.sh SIZE MEASURED README PROGRAM...    MEASURED: the CSV of calibrate.sh;
# README: "" for none; PROGRAM: build/emu/01_naive/01_naive ...
size=$1 measured=$2 readme=$3
shift 3
[ -f "$measured" ] || {
    echo "make calibration: there is no $measured; measure it on a GPU with: make calibrate" >&2
    exit 2
}
tree=$(mktemp -d) || exit 3
trap 'rm -rf "$tree"' EXIT
for program; do
    "$program" --size "$size" --check --counts "$tree/counts" >"$tree/log" 2>&1 || {
        cat "$tree/log" >&2
        exit 1
    }
done
awk -f common/emu/calibration.awk "$tree/counts" "$measured" >"$tree/table" || exit 1
cat "$tree/table"
[ -z "$readme" ] || awk -v table="$tree/table" '
    /^<!-- end -->/ { inside = 0 }
    !inside { print }
    /^<!-- make calibration -->/ { inside = 1; while ((getline line <table) > 0) print line }' \
    "$readme" >"$tree/readme" && { cmp -s "$tree/readme" "$readme" || cp "$tree/readme" "$readme"; }
