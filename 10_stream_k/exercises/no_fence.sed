# A peer raises its flag without a fence behind its sums.
/after the barrier: it covers/s/__threadfence();/;/
