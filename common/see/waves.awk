# Measured and predicted TFLOP/s of one step over the size: "size measured predicted".
# (awk -f csv.awk -f waves.awk wanted=09_big_tile launches.csv sweep.csv)
#
# The prediction: blocks run in waves of `resident` an SM, and a wave takes the same time however few
# blocks are in it.  So the speed at a size is that of full waves, times the share of the waves' tiles
# that is used.  The speed of full waves is the one number taken from the measurement: the median of
# measured / share over the sizes from half the largest on.
function ceil(x) {
    return x == int(x) ? x : int(x) + 1
}
FNR == 1 {
    files++
    csv_header($0, column)
    next
}
files == 1 {
    csv($0, field)
    if (field[column["step"]] == wanted) {
        k = field[column["kernel"]]
        bm[k] = field[column["bm"]]
        bn[k] = field[column["bn"]]
        slots[k] = field[column["resident"]] * field[column["sms"]]
    }
    next
}
{
    csv($0, field)
    N = field[column["N"]]
    if (field[column["step"]] != wanted || N % 128 != 0 || field[column["result"]] != "pass")
        next
    k = field[column["kernel"]]
    waves = ceil(ceil(N / bm[k]) * ceil(N / bn[k]) / slots[k])
    size[++n] = N
    measured[n] = field[column["gflops"]] / 1000
    share[n] = N * N / (bm[k] * bn[k]) / (waves * slots[k])
}
END {
    for (i = 1; i <= n; i++)
        if (size[i] >= size[n] / 2) {
            full = measured[i] / share[i]
            for (j = ++m; j > 1 && sorted[j - 1] > full; j--)
                sorted[j] = sorted[j - 1]
            sorted[j] = full
        }
    full = m % 2 ? sorted[(m + 1) / 2] : (sorted[m / 2] + sorted[m / 2 + 1]) / 2
    for (i = 1; i <= n; i++)
        printf "%d %.4g %.4g\n", size[i], measured[i], full * share[i]
}
