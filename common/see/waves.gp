# Set before: small, big (made by waves.awk), small_step, big_step (their names).
load "common/see/style.gp"
set multiplot layout 2,1 title "Waves of blocks: the last one is seldom full, ".device \
    textcolor rgb grey
set ylabel "TFLOP/s"
set ytics 10
set lmargin 9
set xrange [0:*]
set yrange [0:*]
set xtics 1024
set key bottom right
plot big index 0 with lines linewidth 2 linecolor rgb grey title "predicted", \
     big index 1 with points pointtype 7 pointsize 0.7 linecolor rgb colour[9] title big_step
set xlabel "M = N = K"
plot small index 0 with lines linewidth 2 linecolor rgb grey title "predicted", \
     small index 1 with points pointtype 7 pointsize 0.7 linecolor rgb colour[7] title small_step
unset multiplot
