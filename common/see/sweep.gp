# Set before: data, odd (made by sweep.awk), steps (their names, cuBLAS last).
load "common/see/style.gp"
set title "Throughput over size, ".device
set xlabel "M = N = K"
set ylabel "TFLOP/s"
set xrange [0:*]
set autoscale xfixmax
set yrange [0:*]
set xtics 1024
set key outside right top Left reverse width -4
plot for [i=1:words(steps)] data index i-1 using 1:2 with linespoints pointtype 7 pointsize 0.35 linewidth 2 \
         linecolor rgb colour[i] title word(steps, i), \
     for [i=1:words(steps)] odd index i-1 using 1:2 with points pointtype 6 pointsize 0.45 \
         linecolor rgb colour[i] notitle, \
     NaN with points pointtype 6 pointsize 0.45 linecolor rgb grey \
         title "no multiple of 128"
