#!/bin/sh
# Nsight Compute's report of one launch of each step, as .ncu-rep, as text and as CSV.
# usage: profile.sh SWEEP FOLDER SIZE STEP...   (SWEEP: the program build/gpu/see/sweep)
sweep=$1 folder=$2 size=$3
shift 3
. common/see/ncu.sh
# What the lessons speak of.
sections="SpeedOfLight LaunchStats Occupancy SchedulerStats WarpStateStats ComputeWorkloadAnalysis
MemoryWorkloadAnalysis MemoryWorkloadAnalysis_Tables InstructionStats SourceCounters"

mkdir -p "$folder" build || exit 2
for step; do
    report=$folder/$step
    collect build/ncu.log --profile-from-start off --import-source yes --force-overwrite --export "$report" \
        $(for s in $sections; do echo "--section $s"; done) --metrics "$metrics" \
        "$sweep" --check --step "$step" --size "$size"
    ncu --import "$report.ncu-rep" --page details >"$report.txt" &&
        ncu --import "$report.ncu-rep" --page raw --csv --print-units base |
        long_csv >"$report.csv" || exit 3
    echo "$report: .ncu-rep, .txt, .csv"
done
