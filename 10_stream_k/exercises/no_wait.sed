# The owner does not look at its peers' flags.
s/while (\*(volatile int \*)flag == 0)/while (0)/
