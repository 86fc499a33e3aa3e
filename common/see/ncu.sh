# Sourced by the scripts that need Nsight Compute.
shipped="what an H200 gave is in results/h200/profiles (read the .txt, open the .ncu-rep in ncu-ui), and
its table is shown by: make counters BACKEND=emu"

command -v ncu >/dev/null || {
    echo "ncu (Nsight Compute) was not found on PATH; install the CUDA toolkit's package" \
        "cuda-nsight-compute; $shipped" >&2
    exit 3
}

# collect LOG ARGUMENT...: runs ncu, its output to the log; explains what goes wrong, and exits
collect() {
    log=$1
    shift
    ncu --clock-control none "$@" >"$log" 2>&1
    code=$?
    if grep -q ERR_NVGPUCTRPERM "$log"; then
        cat >&2 <<END
ncu may not read the performance counters of this card (ERR_NVGPUCTRPERM): the driver keeps them for
administrators.  Run it as root (in a container: with --cap-add=SYS_ADMIN), or let everybody read
them: put "options nvidia NVreg_RestrictProfilingToAdminUsers=0" in /etc/modprobe.d/nvidia.conf and
start the machine again.  Without that, $shipped
END
        exit 3
    fi
    if [ $code -ne 0 ]; then
        sed 's/^/ncu: /' "$log" >&2
        echo "ncu failed (code $code); its output is above" >&2
        exit 3
    fi
}

# From ncu's raw page on standard input to a CSV of one metric a line.
long_csv() {
    grep '^"' | awk -f common/see/csv.awk -f common/see/report.awk "$@"
}
metrics=$(paste -sd, common/see/metrics)
