# Threads outside C leave early, as in step 02.
/^    float acc = 0.0f;$/i\
    if (block_m + thread_m >= M || block_n + thread_n >= N)\
        return;
