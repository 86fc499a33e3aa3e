# Both slices in one buffer.
s/buf ^= 1/buf = 0/
