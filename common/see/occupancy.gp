# Set before: points (made by counters.awk -v points=1 or by traffic.awk), steps (their names).
load "common/see/style.gp"
set title "Occupancy does not make speed, ".device
set xlabel "warps on an SM, % of the most"
set ylabel "TFLOP/s"
set xrange [0:105]
set xtics 0, 25, 100
set yrange [0:*]
set key outside right top Left reverse width -4
plot points using (step($3)):2 with lines dashtype 3 linecolor rgb grey notitle, \
     points using (step($3)):2:(shade(strcol(1))) with points pointtype 7 linecolor rgb variable notitle, \
     points using (cublas($3)):2 with points pointtype 6 pointsize 1.6 linecolor rgb grey notitle, \
     for [s in steps] NaN with points pointtype mark(s) linecolor rgb shade(s) title s
