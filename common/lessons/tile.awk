# Figure: which words of the tiles of A and B the first warp stores, and which it reads in one k, for
# step 03.  -v bm= -v bn= -v bk=: the tiles are bm x bk and bk x bn; -v k=: the k shown.
BEGIN { FS = "," }
FNR == 1 || $1 != 0 || ($5 != "As" && $5 != "Bs") { next }
$6 == "store" && !reads[$5] {
    for (i = 0; i < 32; i++)
        stored[$5, $(9 + i) / 4] = 1
}
$6 == "load" && reads[$5]++ < bk {
    for (i = 0; i < 32; i++) {
        all[$5, $(9 + i) / 4] = 1
        if (reads[$5] == k + 1)
            now[$5, $(9 + i) / 4] = 1
    }
}
END {
    cell = 340 / (bk > bn ? bk : bn)
    bottom = 60 + cell * (bk > bm ? bk : bm)
    svg_open(760, bottom + 34, "What the first warp stores to shared memory and reads from it")
    panel("As", bm, bk, 24)
    panel("Bs", bk, bn, 396)
    x = svg_key("b", 24, bottom + 22, "stored by the first warp")
    x = svg_key("a", x, bottom + 22, "read by it at k = " k)
    svg_key("as", x, bottom + 22, "read by it at the other k")
    svg_close()
}
function panel(array, rows, columns, left,    at, r, c, from, count, class, top) {
    top = 48
    count["stored"] = count["all"] = count["now"] = 0
    svg_rect("cell", left, top, columns * cell, rows * cell)
    for (at = 0; at < rows * columns; at++) {
        count["stored"] += (array, at) in stored
        count["all"] += (array, at) in all
        count["now"] += (array, at) in now
    }
    # Neighbours of one kind are one rectangle.
    for (r = 0; r < rows; r++)
        for (c = 0; c < columns; c = from) {
            class = kind_of(array, r * columns + c)
            for (from = c; from < columns && kind_of(array, r * columns + from) == class; from++)
                ;
            if (class != "")
                svg_rect(class, left + c * cell, top + r * cell, (from - c) * cell, cell - 0.6)
        }
    svg_text("ink", left, 20, array ", " rows " x " columns ": stores " count["stored"] " words, reads " count["all"])
    svg_text("dim", left, 37, "at k = " k " all lanes together read " count["now"] (count["now"] == 1 ? " word" : " words"), "start", 12)
}
function kind_of(array, at) {
    return (array, at) in now ? "a" : (array, at) in stored ? "b" : (array, at) in all ? "as" : ""
}
