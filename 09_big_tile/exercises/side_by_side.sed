# A thread's columns stand side by side in the warp's tile, not in groups of 4 that stand apart.
s|^#define GROUP_N .*|#define GROUP_N 4|
s|lane % (WN / TN) \* 4;|lane % (WN / TN) * TN;|
