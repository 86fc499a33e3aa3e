# file: tile.cuh
# Nobody waits for the next slice, nor for those who still read this one.
/the slice is complete, and nobody reads/s/sync_group();/;/
