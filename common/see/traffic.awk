# For the roofline and the occupancy: lines of "step TFLOP/s occupancy F/byte-global F/byte-shared"
# (awk -f csv.awk -f traffic.awk size=4096 launches.csv ladder.csv calibration_512.csv emulator.csv).
# Speed: of `make all` at this size.  Occupancy: of the launch, % of an SM's 64 warps.  Bytes: what the
# requests move, sectors of 32 bytes and bank passes of 128, as counted by ncu (`make calibrate`, at 512).
# Step 10 takes another tile at 512: its bytes are the emulator's, of a shape that has the large tile.
FNR == 1 {
    header = 1
}
/^#/ {
    next
}
header {
    csv_header($0, column)
    header = 0
    next
}
"registers" in column {
    csv($0, field)
    warps[field[column["step"]], field[column["kernel"]]] = \
        field[column["threads"]] / 32 * field[column["resident"]]
    next
}
"gflops" in column {
    csv($0, field)
    step = field[column["step"]]
    if (step !~ /^[0-9]/ || field[column["M"]] != size || field[column["N"]] != size ||
        field[column["K"]] != size || field[column["result"]] != "pass")
        next
    order[++n] = step
    tflops[step] = field[column["gflops"]] / 1000
    occupancy[step] = 100 * warps[step, field[column["kernel"]]] / 64
    next
}
"metric" in column {
    csv($0, field)
    step = field[column["step"]]
    if (step ~ /^10_/)
        next
    flop[step] = 2 * 512 ^ 3
    if (field[column["metric"]] ~ /t_sectors_pipe_lsu_mem_global_op/)
        global[step] += 32 * field[column["value"]]
    if (field[column["metric"]] ~ /wavefronts_mem_shared_op/)
        shared[step] += 128 * field[column["value"]]
    next
}
{
    csv($0, field)
    step = field[column["step"]]
    if (step !~ /^10_/)
        next
    flop[step] = 2 * field[column["M"]] * field[column["N"]] * field[column["K"]]
    global[step] = 32 * (field[column["global_load_sectors"]] + field[column["global_store_sectors"]])
    shared[step] = 128 * (field[column["shared_load_passes"]] + field[column["shared_store_passes"]])
}
END {
    for (i = 1; i <= n; i++) {
        step = order[i]
        if (flop[step])
            printf "%s %.4g %.3g %.4g %s\n", step, tflops[step], occupancy[step],
                   flop[step] / global[step], shared[step] ? flop[step] / shared[step] : "NaN"
    }
}
