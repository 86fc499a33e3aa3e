# What a step's own Makefile includes: `make run` in 05_regtile_2d is `make run-05` at the root.
STEP_DIR := $(patsubst %/,%,$(dir $(abspath $(firstword $(MAKEFILE_LIST)))))
STEP     := $(firstword $(subst _, ,$(notdir $(STEP_DIR))))

.DEFAULT_GOAL := run
.PHONY: run build diff clean help

run build diff:
	+@$(MAKE) --no-print-directory -C .. $@-$(STEP)

clean help:
	+@$(MAKE) --no-print-directory -C .. $@
