# One metric a line from ncu's raw page, where a launch is a line (awk -f csv.awk -f report.awk).
# What the machine is like, and minima and maxima over its parts, are left out.
# steps="01_naive ..." folder=F: kernels path_mark of 1, 2, ... blocks stand before the launches of the
# first, second, ... of these steps; each gets a file in F.
FNR == 1 {
    n = csv($0, name)
    for (i = 1; i <= n; i++)
        column[name[i]] = i
    split(steps, step, " ")
    out = "/dev/stdout"
    title = "launch,metric,unit,value"
    if (!folder)
        print title
    next
}
{
    csv($0, value)
    if (value[column["ID"]] == "") {
        csv($0, unit)
        next
    }
    kernel = value[column["Kernel Name"]]
    sub(/^void /, "", kernel)
    sub(/\(.*/, "", kernel)
    if (kernel == "path_mark") {
        grid = value[column["Grid Size"]]
        gsub(/[( ]|,.*/, "", grid)
        if (out != "/dev/stdout")
            close(out)
        out = folder "/" step[grid] ".csv"
        print title >out
        launch = 0
        next
    }
    printf "%d,kernel,,\"%s\"\n", ++launch, kernel >out
    for (i = 1; i <= n; i++) {
        if (name[i] !~ /^[a-z0-9]+__/ || name[i] ~ /\.(min|max)(\.|$)/ || name[i] ~ /\.sum\.p/ ||
            name[i] ~ /^(c2clink|derived|device__attr|nvlink|numa|profiler)/)
            continue
        gsub(/,/, "", value[i])
        printf "%d,%s,%s,%s\n", launch, name[i], unit[i], value[i] >out
    }
}
