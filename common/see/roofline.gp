# Set before: points (made by counters.awk -v points=1 or by traffic.awk), steps (their names), flops
# (TFLOP/s), dram, l2, shared (TB/s), global (what the global bytes are).
load "common/see/style.gp"
set title "Roofline, ".device
set xlabel "FLOP for each byte moved"
set ylabel "TFLOP/s"
set logscale xy
set xrange [0.07:100]
set yrange [0.3:120]
set samples 400
set lmargin 9
set rmargin 31
set key outside right top Left reverse width -4
roof(x, rate) = x * rate < flops ? x * rate : flops
# With these ranges and margins a decade is as long on both axes, and the lines rise at 45 degrees.
set label sprintf("shared memory %.1f TB/s", shared) at 0.09, 0.13 * shared rotate by 45 textcolor rgb grey
set label sprintf("L2 %.1f TB/s", l2) at 0.09, 0.13 * l2 rotate by 45 textcolor rgb grey
set label sprintf("device memory %.2f TB/s", dram) at 0.15, 0.22 * dram rotate by 45 textcolor rgb grey
set label sprintf("FMA chain %.1f TFLOP/s", flops) at 7, flops * 1.15 textcolor rgb grey
plot roof(x, shared) with lines linecolor rgb grey notitle, \
     roof(x, l2) with lines linecolor rgb grey notitle, \
     roof(x, dram) with lines linecolor rgb grey notitle, \
     points using (step($5)):2 with lines dashtype 3 linecolor rgb grey notitle, \
     points using (step($4)):2 with lines dashtype 3 linecolor rgb grey notitle, \
     points using (step($5)):2:(shade(strcol(1))) with points pointtype 5 pointsize 0.8 \
         linecolor rgb variable notitle, \
     points using (step($4)):2:(shade(strcol(1))) with points pointtype 7 pointsize 0.8 \
         linecolor rgb variable notitle, \
     points using (cublas($5)):2 with points pointtype 4 pointsize 1.3 linecolor rgb grey notitle, \
     points using (cublas($4)):2 with points pointtype 6 pointsize 1.3 linecolor rgb grey notitle, \
     for [s in steps] NaN with points pointtype mark(s) linecolor rgb shade(s) title s, \
     NaN with points pointtype 5 linecolor rgb grey title "bytes of shared memory", \
     NaN with points pointtype 7 linecolor rgb grey title global
