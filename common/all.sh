#!/bin/sh
# `make all` after the build: runs every program, whatever the others do, then prints one matrix
# from the CSV rows they leave.  The exit code is the worst.
# usage: all.sh SHOW CSV SIZES ARGS PROGRAM...   (SHOW empty: do not print the commands)
show=$1 csv=$2 sizes=$3 args=$4
shift 4
rm -f "$csv"
counts=
case $csv in
build/emu/*)
    counts=build/emu/counts.csv
    args="--counts $counts $args"
    rm -f "$counts"
    ;;
esac
worst=0
for program; do
    # $args is a list of words
    [ -z "$show" ] || echo "$program --size $sizes --csv $csv $args"
    "$program" --size "$sizes" --csv "$csv" $args
    code=$?
    [ $code -le $worst ] || worst=$code
    echo
done
steps=$(for program; do basename "$program"; done)
[ ! -f "$csv" ] || awk -v steps="$steps" -v sizes="$sizes" -f common/matrix.awk "$csv"
[ ! -f "$counts" ] || awk -f common/emu/counts.awk "$counts"
exit $worst
