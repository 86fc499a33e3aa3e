# The loads ahead fetch this slice again.
s/k0 + BK + /k0 + /g
