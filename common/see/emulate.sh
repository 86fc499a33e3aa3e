#!/bin/sh
# The emulator's counts of every step, as CSV.  usage: emulate.sh CSV STEP...
csv=$1
shift
rm -f "$csv"
for step; do
    case $step in
    10_*) size="--m 2048 --n 2048 --k 512" ;; # takes the tile of large sizes
    *) size="--size 256" ;;
    esac
    # $size is several words
    "build/emu/$step/$step" $size --counts "$csv" >/dev/null || exit
done
