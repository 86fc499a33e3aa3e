# Both slices in one buffer.
s/buf = (buf + 1) % STAGES/buf = 0/
s/free = (buf + STAGES - 1) % STAGES/free = 0/
