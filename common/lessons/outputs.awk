# Figure: the outputs of the first warp and of its first thread in the block's tile, for a run of one
# block.  -v columns=BN -v rows=BM -v depth=BK
BEGIN { FS = "," }
FNR == 1 || $1 != 0 { next }
$6 == "store" && $5 == "none" {
    if (!stores++)
        base = $9
    for (i = 0; i < 32; i++)
        for (e = 0; e < $7 / 4; e++) {
            at = ($(9 + i) - base) / 4 + e
            warp[at] = 1
            if (i == 0)
                thread[at] = 1
        }
}
END {
    scale = columns > 128 ? 2.4 : columns > 64 ? 2.8 : columns > 32 ? 4.6 : 9
    left = 60
    top = 66
    width = left + columns * scale + 24
    for (at in thread) {
        count++
        row_of[int(at / columns)] = 1
        column_of[at % columns] = 1
    }
    for (r in row_of)
        num_rows++
    for (c in column_of)
        num_columns++
    svg_open(760, top + rows * scale + (columns * scale < 450 ? 20 : 40), "Outputs of a thread and of a warp in the block's tile")
    svg_text("ink", left, 20, "block tile " rows " x " columns "; thread 0 owns " count (count == 1 ? " output: " : " outputs: ") num_rows (num_rows == 1 ? " row, " : " rows, ") num_columns (num_columns == 1 ? " column" : " columns"))
    svg_text("dim", left, 37, "each k: " num_rows " + " num_columns " values read for " count " FMA", "start", 12)
    svg_rect("cell", left, top, columns * scale, rows * scale)
    runs(warp, "as")
    runs(thread, "a")
    # What thread 0 reads in one k: its rows of As, its columns of Bs.
    for (r in row_of)
        svg_rect("b", left - 14, top + r * scale, 8, scale)
    for (c in column_of)
        svg_rect("c", left + c * scale, top - 14, scale, 8)
    svg_text("dim", left - 20, top + 12, "As", "end", 12)
    svg_text("dim", left - 20, top - 6, "Bs", "end", 12)
    side = columns * scale < 450 ? left + columns * scale + 36 : 0 # the legend stands beside a narrow tile
    y = side ? top + 12 : top + rows * scale + 26
    x = key("a", side ? side : left, "thread 0")
    x = key("as", x, "its warp")
    x = key("b", x, "values of A that it reads in one k")
    key("c", x, "values of B that it reads in one k")
    svg_close()
}
# Rows of equal runs are drawn as one rectangle each run.
function runs(set, class,    r, c, from) {
    for (r = 0; r < rows; r++)
        for (c = 0; c < columns; c++)
            if ((r * columns + c) in set) {
                from = c
                while (c < columns && (r * columns + c) in set)
                    c++
                svg_rect(class, left + from * scale, top + r * scale, (c - from) * scale, scale)
            }
}
function key(class, x, text,    next_x) {
    next_x = svg_key(class, x, y, text)
    if (side)
        y += 26
    return side ? side : next_x
}
