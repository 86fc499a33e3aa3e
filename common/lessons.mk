# What the lessons need: other constants of a step, exercises, generated parts and figures.
# Included by the Makefile once PROGRAMS is known.

# ---- run-05 KNOBS="-DTM=4 -DTN=4", run-06 EXERCISE=pad: a copy of the step is edited ----
KNOBS    ?=
EXERCISE ?=
ifneq ($(strip $(KNOBS) $(EXERCISE)),)
ifneq ($(filter-out run-% build-%,$(GOALS)),)
$(error KNOBS and EXERCISE change one step: make run-05 KNOBS="-DTM=4 -DTN=4")
endif
PROGRAMS   :=
KNOB_NAMES := $(shell printf '%s' '$(strip $(KNOBS:-D%=%) $(EXERCISE))' | tr -c 'A-Za-z0-9_' '-')
knob_tree   = build/knobs/$1.$(KNOB_NAMES)
knob_build  = build/$(BACKEND)/$1.$(KNOB_NAMES)/$1.$(KNOB_NAMES)

# $1: a step, $2: its number
define knob_rules
.PHONY: run-$2 build-$2
build-$2: build/$(BACKEND)/libharness.a
	@sh common/lessons/knobs.sh $1 $(BACKEND) $(knob_tree) '$(KNOBS)' '$(EXERCISE)'
	@+$$(MAKE) -s --no-print-directory -C $(knob_tree) BACKEND=$(BACKEND) KNOBS= EXERCISE= $(knob_build)
run-$2: build-$2
	$(knob_tree)/$(knob_build) $$(ARGS)
endef
$(foreach s,$(STEPS),$(eval $(call knob_rules,$(s),$(firstword $(subst _, ,$(s))))))
endif

# ---- The generated parts of the lessons, and their figures: always from the emulator ----
.PHONY: lessons figures
lessons: figures
	@sh common/lessons/compiled.sh "$(NVCC)"
	@for step in $(STEPS); do echo $$step; done | xargs -n 1 -P 2 sh common/lessons/update.sh

figures:
	@+$(MAKE) -s BACKEND=emu build
	@sh common/lessons/figures.sh .
