#!/bin/sh
# The counters alone, of one launch of each step: a CSV each, much faster than profile.sh.
# usage: counters.sh SWEEP FOLDER SIZE STEP...   (SWEEP: the program build/gpu/see/sweep)
sweep=$1 folder=$2 size=$3
shift 3
. common/see/ncu.sh
mkdir -p "$folder" build || exit 2
collect build/ncu.log --profile-from-start off --csv --page raw --print-units base --metrics "$metrics" \
    "$sweep" --check --mark --step "$(echo "$*" | tr ' ' ,)" --size "$size"
long_csv folder="$folder" steps="$*" <build/ncu.log
