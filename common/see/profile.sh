#!/bin/sh
# Nsight Compute's report of one launch of each step, as .ncu-rep, as text and as CSV.
# usage: profile.sh SWEEP FOLDER SIZE STEP...   (SWEEP: the program build/gpu/see/sweep)
sweep=$1 folder=$2 size=$3
shift 3
shipped="the reports of an H200 are in results/h200/profiles: read the .txt, open the .ncu-rep in
ncu-ui, or print the table with: make counters"

command -v ncu >/dev/null || {
    echo "ncu (Nsight Compute) was not found on PATH; install the CUDA toolkit's package" \
        "cuda-nsight-compute; $shipped" >&2
    exit 3
}
# What the lessons speak of.  The metrics are those of common/see/counters.awk.
sections="SpeedOfLight LaunchStats Occupancy SchedulerStats WarpStateStats ComputeWorkloadAnalysis
MemoryWorkloadAnalysis MemoryWorkloadAnalysis_Tables InstructionStats SourceCounters"
metrics=$(awk -v names=1 -f common/see/csv.awk -f common/see/counters.awk </dev/null)

mkdir -p "$folder" || exit 2
for step; do
    log=$folder/$step.log
    ncu --profile-from-start off --import-source yes --clock-control none \
        --force-overwrite --export "$folder/$step" \
        $(for s in $sections; do echo "--section $s"; done) --metrics "$metrics" \
        "$sweep" --check --step "$step" --size "$size" >"$log" 2>&1
    code=$?
    if grep -q ERR_NVGPUCTRPERM "$log"; then
        cat >&2 <<END
ncu may not read the performance counters of this card (ERR_NVGPUCTRPERM): the driver keeps them for
administrators.  Run it as root (in a container: with --cap-add=SYS_ADMIN), or let everybody read
them: put "options nvidia NVreg_RestrictProfilingToAdminUsers=0" in /etc/modprobe.d/nvidia.conf and
start the machine again.  Without that, $shipped
END
        rm "$log"
        exit 3
    fi
    if [ $code -ne 0 ] || [ ! -f "$folder/$step.ncu-rep" ]; then
        sed "s/^/$step: /" "$log" >&2
        echo "profile.sh: ncu made no report of $step; its output is above" >&2
        exit 3
    fi
    rm "$log"
    ncu --import "$folder/$step.ncu-rep" --page details >"$folder/$step.txt" &&
        ncu --import "$folder/$step.ncu-rep" --page raw --csv --print-units base |
        awk -f common/see/csv.awk -f common/see/report.awk >"$folder/$step.csv" || exit 3
    echo "$folder/$step: .ncu-rep, .txt, .csv"
done
