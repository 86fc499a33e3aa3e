# Figure: the order of the first warp's requests, and how long each slice is on its way: in registers from
# the load to the store, by cp.async from the copy to the first read of its buffer.
#   awk ... -v title1=... -v title2=... -v slices=3 -v stage=FLOATS -f timeline.awk before.csv after.csv
# stage: floats of Bs that one buffer holds.  The order is the source's; it says nothing of time.
BEGIN { FS = "," }
FNR == 1 {
    trace++
    next
}
$1 == 0 && ($5 != "none" || $6 == "load") {
    n = ++count[trace]
    kind[trace, n] = $5 == "none" ? "fetch" : $6 == "load" ? "use" : "store"
    array[trace, n] = $5
    offset[trace, n] = $9 / 4
    # A copy is a load and a store of one line.
    if (kind[trace, n] == "store" && kind[trace, n - 1] == "fetch" && $3 $4 == last) {
        kind[trace, n] = "none"
        kind[trace, n - 1] = "copy"
        array[trace, n - 1] = $5
        offset[trace, n - 1] = $9 / 4
        copies[trace] = 1
    }
    last = $3 $4
}
END {
    svg_open(760, 384, "When slices are fetched, stored and used")
    row_chart(1, 30, title1)
    row_chart(2, 192, title2)
    x = svg_key("b", 24, 372, "fetch")
    x = svg_key("c", x, 372, "store")
    x = svg_key("a", x, 372, "shared loads, FMAs")
    x = svg_key("bs", x, 372, "on its way in registers")
    if (copies[2])
        svg_key("cs", x, 372, "on its way by cp.async")
    svg_close()
}
# One chart: marks for each kind of request, then a bar for each slice that is on its way.
function row_chart(t, y, title,    i, j, end, used, first, number, lane) {
    used = 0
    end_of_chart = count[t]
    for (i = 1; i <= count[t]; i++)
        if (kind[t, i] == "use" && kind[t, i + 1] != "use" && ++used == slices) {
            end_of_chart = i
            break
        }
    left = 118
    unit = (740 - left) / end_of_chart
    svg_text("ink", 24, y, title)
    svg_text("dim", left - 10, y + 22, "fetch", "end", 12)
    svg_text("dim", left - 10, y + 40, "store", "end", 12)
    svg_text("dim", left - 10, y + 58, "use", "end", 12)
    svg_text("dim", left - 10, y + 80, "on its way", "end", 12)
    svg_rect("cell", left, y + 10, 740 - left, 52)
    for (i = 1; i <= end_of_chart; i = j) {
        for (j = i + 1; j <= end_of_chart && (kind[t, j] == kind[t, i] || kind[t, j] == "none"); j++)
            ;
        if (kind[t, i] == "fetch" || kind[t, i] == "copy")
            svg_rect("b", left + (i - 1) * unit, y + 12, (j - i) * unit - 0.5, 12)
        else if (kind[t, i] == "store")
            svg_rect("c", left + (i - 1) * unit, y + 30, (j - i) * unit - 0.5, 12)
        else if (kind[t, i] == "use")
            svg_rect("a", left + (i - 1) * unit, y + 48, (j - i) * unit - 0.5, 12)
    }
    # In registers: to the next store.  One lane is enough.
    number = 0
    for (i = 1; i <= end_of_chart; i = j + 1) {
        j = i
        if (kind[t, i] != "fetch")
            continue
        while (j <= end_of_chart && kind[t, j] != "store")
            j++
        # A prologue may store B by itself.
        bar("bs", i, j, y + 68, array[t, j] == "Bs" ? "" : (copies[t] ? "A of slice " : "slice ") number++)
    }
    # By cp.async: to the first read of the buffer.  As many lanes as there are buffers.
    number = 0
    first = ""
    for (i = 1; i <= end_of_chart; i++) {
        if (kind[t, i] != "copy" || int(offset[t, i] / stage) == first)
            continue
        first = int(offset[t, i] / stage)
        for (j = i + 1; j <= end_of_chart && !(kind[t, j] == "use" && array[t, j] == array[t, i] && int(offset[t, j] / stage) == first); j++)
            ;
        bar("cs", i, j, y + 82 + 14 * (number % 3), "B of slice " number)
        number++
    }
}
function bar(class, from, to, y, label) {
    svg_rect(class, left + (from - 1) * unit, y, (min(to, end_of_chart + 1) - from) * unit - 1, 12)
    if ((min(to, end_of_chart + 1) - from) * unit > 7 * length(label))
        svg_text("ink", left + (from - 1) * unit + 4, y + 10, label, "start", 11)
}
function min(a, b) {
    return a < b ? a : b
}
