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
