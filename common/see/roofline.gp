# Set before: points (made by counters.awk -v points=1), flops (TFLOP/s), dram, l2, shared (TB/s).
load "common/see/style.gp"
set title "Roofline, ".device
set xlabel "FLOP for each byte moved"
set ylabel "TFLOP/s"
set logscale xy
set xrange [0.04:200]
set yrange [0.3:120]
set samples 400
set key bottom right
roof(x, rate) = x * rate < flops ? x * rate : flops
# Labels above and below in turn, so that neighbours do not meet.
label(s, now) = now ? (s eq "cuBLAS" ? "cu" : substr(s, 1, 2)) : ""
set label 1 sprintf("FMA chain %.1f TFLOP/s", flops) at 0.044, flops * 1.15 textcolor rgb grey
plot roof(x, shared) with lines linewidth 2 linecolor rgb "#3f8fd0" \
         title sprintf("shared memory %.1f TB/s", shared), \
     roof(x, l2) with lines linewidth 2 linecolor rgb "#c08a2c" title sprintf("L2 %.1f TB/s", l2), \
     roof(x, dram) with lines linewidth 2 dashtype 2 linecolor rgb grey \
         title sprintf("device memory %.2f TB/s", dram), \
     points using 5:2 with points pointtype 5 pointsize 0.7 linecolor rgb "#3f8fd0" \
         title "step: what it moves in shared memory", \
     points using 4:2 with points pointtype 7 pointsize 0.8 linecolor rgb "#c08a2c" \
         title "step: what it asks of global memory", \
     points using 5:2:(label(strcol(1), $6 == 1)) with labels offset 0, 0.8 \
         textcolor rgb "#3f8fd0" notitle, \
     points using 5:2:(label(strcol(1), $6 == 0)) with labels offset 0, -0.8 \
         textcolor rgb "#3f8fd0" notitle, \
     points using 4:2:(label(strcol(1), $6 == 1)) with labels offset 0, 0.8 \
         textcolor rgb "#c08a2c" notitle, \
     points using 4:2:(label(strcol(1), $6 == 0)) with labels offset 0, -0.8 \
         textcolor rgb "#c08a2c" notitle
