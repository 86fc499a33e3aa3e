# Figure: which words of the tiles of A and B the first warp stores, and which it reads in one k.
# -v size=BK: both tiles are size x size; -v k=K: the k shown.  Step 03.
BEGIN { FS = "," }
FNR == 1 || $1 != 0 || ($5 != "As" && $5 != "Bs") { next }
$6 == "store" && !((kinds[$5]++) > 0) {
    for (i = 0; i < 32; i++)
        stored[$5, $(9 + i) / 4] = 1
}
$6 == "load" && reads[$5]++ < size {
    for (i = 0; i < 32; i++) {
        all[$5, $(9 + i) / 4] = 1
        if (reads[$5] == k + 1)
            now[$5, $(9 + i) / 4] = 1
    }
}
END {
    cell = 9.5
    svg_open(760, 400, "What the first warp stores to shared memory and reads from it")
    panel("As", 40)
    panel("Bs", 410)
    x = svg_key("b", 40, 388, "stored by the first warp")
    x = svg_key("a", x, 388, "read by it at k = " k)
    x = svg_key("as", x, 388, "read at the other k: mostly other warps' words")
    svg_close()
}
function panel(array, left,    at, top, n, m, w) {
    top = 44
    n = m = w = 0
    svg_rect("cell", left, top, size * cell, size * cell)
    for (at = 0; at < size * size; at++) {
        if ((array, at) in stored)
            w++
        if ((array, at) in all)
            n++
        if ((array, at) in now)
            m++
        if ((array, at) in now)
            word("a", left, top, at)
        else if ((array, at) in stored)
            word("b", left, top, at)
        else if ((array, at) in all)
            word("as", left, top, at)
        if ((array, at) in stored && (array, at) in now)
            svg_rect("b", left + at % size * cell + 2, top + int(at / size) * cell + 2, cell - 5, cell - 5)
    }
    svg_text("ink", left, 20, array ": stores " w " words of " size * size ", reads " n)
    svg_text("dim", left, 37, "at k = " k " all lanes together read " m (m == 1 ? " word" : " words"), "start", 12)
}
function word(class, left, top, at) {
    svg_rect(class, left + at % size * cell, top + int(at / size) * cell, cell - 1, cell - 1)
}
