# What a step's own Makefile includes: `make run` in 05_regtile_2d is `make run-05` at the root.
ROOT := $(dir $(lastword $(MAKEFILE_LIST)))..
STEP := $(firstword $(subst _, ,$(lastword $(notdir $(CURDIR)))))

.DEFAULT_GOAL := run
.PHONY: run build diff clean help

run build diff:
	+@$(MAKE) --no-print-directory -C $(ROOT) $@-$(STEP)

clean help:
	+@$(MAKE) --no-print-directory -C $(ROOT) $@
