# Shared by the plots: no background, and colours of middle lightness, for light and dark pages.
# Set before: name (the SVG), device (for the title).
set terminal svg size 880,540 dynamic noenhanced font "sans-serif,14"
set output name
grey = "#808080"
set border 3 linecolor rgb grey
set tics nomirror textcolor rgb grey
set xlabel textcolor rgb grey
set ylabel textcolor rgb grey
set title textcolor rgb grey
set key textcolor rgb grey
set grid linecolor rgb grey dashtype 3 linewidth 0.5
set datafile missing "NaN"
# 01 to 10, then cuBLAS
array colour[11] = [0xa0703c, 0xc08a2c, 0x9a9a28, 0x5fa030, 0x2fa06a, 0x20a0a0, 0x3f8fd0, \
                    0x6a7ce0, 0xa86ad8, 0xe0508c, 0x808080]
# Of a step's name: its colour and point, cuBLAS a ring that hides none.  Of a column: of the steps or of cuBLAS.
shade(step) = colour[step eq "cuBLAS" ? 11 : 10 * int(substr(step, 1, 1)) + int(substr(step, 2, 2))]
mark(step) = step eq "cuBLAS" ? 6 : 7
step(x) = strcol(1) eq "cuBLAS" ? NaN : x
cublas(x) = strcol(1) eq "cuBLAS" ? x : NaN
