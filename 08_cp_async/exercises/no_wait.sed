# Without the wait.
s/__pipeline_wait_prior([^;]*);/;/
