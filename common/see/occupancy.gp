# Set before: points (made by counters.awk -v points=1).
load "common/see/style.gp"
set title "Occupancy does not make speed, ".device
set xlabel "warps on an SM, % of the most"
set ylabel "TFLOP/s"
set xrange [0:105]
set yrange [0:*]
unset key
plot points using 3:2:0 with points pointtype 7 pointsize 1 linecolor rgb "#20a0a0", \
     points using 3:2:1 with labels left offset 1, 0 textcolor rgb grey
