s/float As\[BK\]\[BM\]/float As[BK][BM + 4]/
