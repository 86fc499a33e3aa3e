# Figure: the order of the first warp's requests, and how long each slice is on its way: from the
# requests that fetch it to the store (registers) or the first read (cp.async) that needs it.
#   awk ... -v title1=... -v title2=... -v slices=3 -v stage1=FLOATS -v stage2=FLOATS -f timeline.awk before.csv after.csv
# stage: floats of As that one buffer holds.  The order is the source's; it says nothing of time.
BEGIN { FS = "," }
FNR == 1 {
    trace++
    n = 0
    next
}
$1 == 0 {
    if ($5 == "none" && $6 == "store")
        next
    n = ++count[trace]
    kind[trace, n] = $5 == "none" ? "global" : $6
    array[trace, n] = $5
    offset[trace, n] = $9
}
END {
    svg_open(760, 372, "When slices are fetched, stored and used")
    row_chart(1, 30, title1, stage1)
    row_chart(2, 192, title2, stage2)
    x = svg_key("b", 24, 362, "global load or cp.async")
    x = svg_key("c", x, 362, "store to shared memory")
    x = svg_key("a", x, 362, "shared loads and FMAs")
    x = svg_key("bs", x, 362, "slice on its way")
    svg_close()
}
# One chart: rows of marks for the kinds; a bar from fetch to need for each slice.
function row_chart(t, y, title, stage,    i, j, last, batch, x, left, unit, uses, start, buffer, end, lane, async, depth) {
    # Up to the slices that are shown: a change from load to something else ends a slice's use.
    uses = 0
    last = count[t]
    for (i = 1; i <= count[t]; i++)
        if (kind[t, i] == "load" && (i == count[t] || kind[t, i + 1] != "load") && ++uses == slices) {
            last = i
            break
        }
    left = 118
    unit = (740 - left) / last
    svg_text("ink", 24, y, title)
    svg_text("dim", left - 10, y + 22, "fetch", "end", 12)
    svg_text("dim", left - 10, y + 40, "store", "end", 12)
    svg_text("dim", left - 10, y + 58, "use", "end", 12)
    svg_text("dim", left - 10, y + 80, "on its way", "end", 12)
    svg_rect("cell", left, y + 10, 740 - left, 52)
    async = 0
    for (i = 1; i < last; i++)
        if (kind[t, i] == "global" && kind[t, i + 1] == "store" && kind[t, i + 2] == "global")
            async = 1
    for (i = 1; i <= last; i = j) {
        for (j = i; j <= last && kind[t, j] == kind[t, i] && !(async && kind[t, j] == "global"); j++)
            ;
        if (j == i)
            j = i + 1
        x = left + (i - 1) * unit
        if (kind[t, i] == "global")
            svg_rect("b", x, y + 12, max(1.5, (j - i) * unit), 12)
        else if (kind[t, i] == "store" && !async)
            svg_rect("c", x, y + 30, max(1.5, (j - i) * unit), 12)
        else if (kind[t, i] == "load")
            svg_rect("a", x, y + 48, (j - i) * unit - 1, 12)
    }
    # Fetches, slice by slice.
    depth = 0
    for (i = 1; i <= last; i = j) {
        j = i + 1
        if (kind[t, i] != "global")
            continue
        start = i
        if (async) {
            if (array[t, i + 1] != "As")
                continue
            buffer = int(offset[t, i + 1] / 4 / stage)
            for (j = i; j <= last && kind[t, j] == "global" && (array[t, j + 1] != "As" || int(offset[t, j + 1] / 4 / stage) == buffer); j += 2)
                ;
            for (end = j; end <= last && !(kind[t, end] == "load" && array[t, end] == "As" && int(offset[t, end] / 4 / stage) == buffer); end++)
                ;
        } else {
            for (; j <= last && kind[t, j] == "global"; j++)
                ;
            for (end = j; end <= last && kind[t, end] != "store"; end++)
                ;
        }
        lane = depth++ % 4
        svg_rect("bs", left + (start - 1) * unit, y + 68 + lane * 14, (min(end, last + 1) - start) * unit - 1, 12)
        if ((min(end, last + 1) - start) * unit > 40)
            svg_text("ink", left + (start - 1) * unit + 4, y + 78 + lane * 14, "slice " depth - 1, "start", 11)
    }
}
function max(a, b) {
    return a > b ? a : b
}
function min(a, b) {
    return a < b ? a : b
}
