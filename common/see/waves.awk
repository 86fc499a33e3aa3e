# The speed of one step over the size, for gnuplot: a block of "size predicted", then one of "size
# measured", in TFLOP/s.  (awk -f csv.awk -f waves.awk wanted=09_big_tile launches.csv FILE...; FILE: of
# `make sweep` or `make all`)
#
# The prediction: blocks run in waves of `resident` an SM, and a wave takes the same time however few
# blocks are in it, but less if each has an SM to itself.  So the speed at a size is that of full waves,
# times the share of the waves' tiles that is used.  Two numbers are taken from the measurement.  The
# speed of full waves: the median of measured / share over the sizes from half the largest on.  The time
# of a wave of lone blocks: that at the largest size where all blocks are alone.
function ceil(x) {
    return x == int(x) ? x : int(x) + 1
}
function tiles(N) {
    return ceil(N / bm) * ceil(N / bn)
}
function share(N,   waves, rest) {
    waves = int(tiles(N) / slots)
    rest = tiles(N) - waves * slots
    if (rest)
        waves += rest <= sms ? alone : 1
    return N * N / (bm * bn) / (waves * slots)
}
# The speed of full waves.
function fit(   i, j, m, full, sorted) {
    for (i = 1; i <= n; i++)
        if (size[i] >= size[n] / 2) {
            full = measured[i] / share(size[i])
            for (j = ++m; j > 1 && sorted[j - 1] > full; j--)
                sorted[j] = sorted[j - 1]
            sorted[j] = full
        }
    return m % 2 ? sorted[(m + 1) / 2] : (sorted[m / 2] + sorted[m / 2 + 1]) / 2
}
FNR == 1 {
    csv_header($0, column)
    next
}
{
    csv($0, field)
    if (field[column["step"]] != wanted)
        next
}
"resident" in column { # of a step's kernels the first is the one for sizes like these
    if (!slots) {
        bm = field[column["bm"]]
        bn = field[column["bn"]]
        sms = field[column["sms"]] + 0
        slots = field[column["resident"]] * sms
    }
    next
}
{
    N = field[column["N"]] + 0
    if (N % 128 == 0 && field[column["M"]] == N && field[column["K"]] == N &&
        field[column["result"]] == "pass") {
        for (i = ++n; i > 1 && size[i - 1] > N; i--) {
            size[i] = size[i - 1]
            measured[i] = measured[i - 1]
        }
        size[i] = N
        measured[i] = field[column["gflops"]] / 1000
    }
}
END {
    alone = 1
    full = fit()
    if (slots > sms && tiles(size[1]) <= sms) {
        for (i = 1; i < n && tiles(size[i + 1]) <= sms; i++)
            ;
        # Each depends a little on the other.
        for (round = 1; round <= 20; round++) {
            alone *= full * share(size[i]) / measured[i]
            full = fit()
        }
    }
    for (N = 128; N <= size[n]; N += 128)
        printf "%d %.4g\n", N, full * share(N)
    printf "\n\n"
    for (i = 1; i <= n; i++)
        printf "%d %.4g\n", size[i], measured[i]
}
