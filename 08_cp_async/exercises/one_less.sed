# Waits for one slice less than it should.
s/__pipeline_wait_prior(STAGES - 2)/__pipeline_wait_prior(STAGES - 1)/
