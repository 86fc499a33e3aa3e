# The loads ahead fetch this slice again.
s/next = k0 + (STAGES - 1) \* BK/next = k0/
