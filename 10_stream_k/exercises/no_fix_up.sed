# The pieces of cut tiles are left where they are.
s/plan->schedule.tail_tiles == 0)/true)/
