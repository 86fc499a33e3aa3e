# The ladder's Makefile (GNU Make).  `make help` lists the targets.
#
# One variable picks where the kernels run: BACKEND=gpu (nvcc and a card), BACKEND=emu (the CPU
# emulator, a C and a C++ compiler), or auto, the default: the card if there is a usable one.

SHELL     := /bin/sh
.SUFFIXES:
.SECONDARY:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# ---- Knobs: make VARIABLE=value ----
BACKEND ?= auto
ARCH    ?=
SIZES   ?= $(if $(filter gpu,$(BACKEND)),512 1024 1025 2048 2049 4096,256)
ARGS    ?=
NVCC    ?= $(or $(shell command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc),nvcc)
OPENMP  ?= -fopenmp
WERROR  ?= 0
CFLAGS  ?= -O2 -g
LDFLAGS ?=

override NVCC   := $(NVCC)
override CFLAGS += -std=c17 -Wall -Wextra -Wpedantic $(if $(filter 1,$(WERROR)),-Werror)

# ---- Which backend: only where something is built or run ----
GOALS := $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out help clean diff-% sass sass-% plots,$(GOALS)),)
ifneq ($(filter-out auto gpu emu,$(BACKEND)),)
$(error BACKEND=$(BACKEND), expected auto, gpu or emu)
endif
DETECTED  := $(shell sh common/detect.sh "$(NVCC)")
CARD_ARCH := $(if $(filter gpu,$(firstword $(DETECTED))),$(wordlist 2,99,$(DETECTED)))
ifeq ($(BACKEND),auto)
override BACKEND := $(firstword $(DETECTED))
ifeq ($(BACKEND),emu)
$(info CPU emulator, no speed is measured: $(wordlist 2,99,$(DETECTED)))
endif
endif
endif

# The labs use what the emulator does not model.
STEPS    := $(patsubst %/main.c,%,$(wildcard [0-9][0-9]_*/main.c))
LABS     := $(if $(filter gpu,$(BACKEND)),$(patsubst %/main.c,%,$(wildcard labs/*/main.c)))
PROGRAMS := $(STEPS) $(LABS)

include common/lessons.mk

ifdef DETECTED
include common/$(BACKEND)/$(BACKEND).mk
endif

# Where a program is built: build/gpu/05_regtile_2d/05_regtile_2d
program = build/$(BACKEND)/$(notdir $1)/$(notdir $1)
# The name in run-05: a step's number, a lab's folder
short   = $(if $(filter $1,$(STEPS)),$(firstword $(subst _, ,$1)),$(notdir $1))

.PHONY: all build peak tune check clean help

build: $(foreach p,$(PROGRAMS),$(call program,$(p)))

all: build
	@sh common/all.sh "$(SHOW)" build/$(BACKEND)/all.csv "$(subst $(space),$(comma),$(strip $(SIZES)))" \
	    "$(ARGS)" $(foreach p,$(PROGRAMS),$(call program,$(p)))

peak: build
ifeq ($(BACKEND),emu)
	@echo "make peak measures a GPU, and none is used here: BACKEND=emu" >&2; exit 3
else
	@mkdir -p $(RESULTS)
	build/gpu/peak/peak --csv $(RESULTS)/peak.csv $(ARGS)
endif

# The emulator's counts beside those of a card: measured with ncu; and the H200's, for the README.
.PHONY: calibrate calibration
calibrate: build
ifeq ($(BACKEND),emu)
	@echo "make calibrate measures a GPU, and none is used here: BACKEND=emu" >&2; exit 3
else
	sh common/emu/calibrate.sh 512 $(RESULTS)/calibration_512.csv $(foreach s,$(STEPS),build/gpu/$(s)/$(s))
	@+$(MAKE) -s BACKEND=emu build
	@sh common/emu/calibration.sh 512 $(RESULTS)/calibration_512.csv "" $(foreach s,$(STEPS),build/emu/$(s)/$(s))
endif

calibration:
	@+$(MAKE) -s BACKEND=emu build
	@sh common/emu/calibration.sh 512 results/h200/calibration_512.csv common/emu/README.md \
	    $(foreach s,$(STEPS),build/emu/$(s)/$(s))

# Every variant of step 10 and cuBLAS on this card.
TUNE := build/gpu/tune/tune
ifeq ($(BACKEND)$(wildcard 10_stream_k/tune),gpu10_stream_k/tune)
build: $(TUNE)
$(eval $(call gpu_objects,10_stream_k/tune,build/gpu/tune))
$(TUNE): $(addprefix build/gpu/,tune/tune.o 10_stream_k/kernel.o 10_stream_k/plan.o libharness.a)
	$(CC) $(LDFLAGS) $^ $(GPU_LDLIBS) -o $@
endif

tune: $(if $(filter gpu,$(BACKEND)),$(TUNE))
ifneq ($(BACKEND),gpu)
	@echo "make tune times a GPU, and none is used here: BACKEND=$(BACKEND)" >&2; exit 3
else
	@mkdir -p $(RESULTS)
	$(TUNE) build/gpu/tune.csv
	mv build/gpu/tune.csv $(RESULTS)/tune.csv
endif

# Commands are shown unless -s was given.
empty :=
space := $(empty) $(empty)
comma := ,
SHOW  := $(if $(findstring s,$(firstword -$(MAKEFLAGS))),,show)

# $1: the program's folder
define run_rules
.PHONY: run-$(call short,$1) build-$(call short,$1)
run-$(call short,$1): $(call program,$1)
	$(call program,$1) $$(ARGS)
build-$(call short,$1): $(call program,$1)
endef
$(foreach p,$(PROGRAMS),$(eval $(call run_rules,$(p))))

# $1: a step, $2: the step before it.  diff returns 1 where the files differ, which is the point.
define diff_rules
.PHONY: diff-$(call short,$1)
diff-$(call short,$1):
	$(foreach f,kernel.cu main.c,diff -u $2/$f $1/$f || [ $$$$? -eq 1 ];)
endef
$(foreach i,$(wordlist 2,$(words $(STEPS)),$(shell seq $(words $(STEPS)))),$(eval \
    $(call diff_rules,$(word $(i),$(STEPS)),$(word $(shell expr $(i) - 1),$(STEPS)))))

run-%:
	@echo "make $@: there is no such program; there are:" \
	    $(foreach p,$(PROGRAMS),run-$(call short,$(p))) >&2; exit 2

diff-%:
	@echo "make $@: expected the number of a step that has one before it, as in make diff-05" >&2; \
	    exit 2

include common/see.mk

# ---- Tests ----
UNITS       := $(patsubst tests/%.c,build/unit/%,$(wildcard tests/unit_*.c))
UNIT_CFLAGS  = $(CFLAGS) $(OPENMP) -Itests/fake_cuda
UNIT_PARTS  := $(patsubst common/%.c,build/unit/common/%.o,$(wildcard common/*.c)) \
               build/unit/fake_cuda.o
UNIT_HEADER := $(wildcard common/*.h tests/*.h tests/fake_cuda/*.h) Makefile

build/unit/common/%.o: common/%.c $(UNIT_HEADER)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -c $< -o $@

build/unit/fake_cuda.o: tests/fake_cuda/fake_cuda.c $(UNIT_HEADER)
	@mkdir -p $(@D)
	$(CC) $(UNIT_CFLAGS) -c $< -o $@

build/unit/parts.a: $(UNIT_PARTS)
	@rm -f $@
	$(AR) rcs $@ $^

build/unit/unit_%: tests/unit_%.c build/unit/parts.a $(UNIT_HEADER)
	$(CC) $(UNIT_CFLAGS) $(LDFLAGS) $< build/unit/parts.a -lm -o $@

# Two at a time: they compile a lot.  What they share is built before.
check: build $(UNITS)
	@+$(MAKE) -s BACKEND=emu build
	BACKEND=$(BACKEND) prove -j2 tests $(UNITS)

clean:
	rm -rf build

help:
	@echo 'make all             build, check and measure every step; one matrix at the end'
	@echo 'make build           build every program'
	@echo 'make run-05          one step; ARGS="--size 2048 --check" (ARGS=--help lists them)'
	@echo 'make diff-05         what step 05 changes against 04: kernel.cu, then main.c'
	@echo 'make run-05 KNOBS="-DTM=4 -DTN=4"   the step with other constants'
	@echo 'make run-06 EXERCISE=pad             the step with the edit 06_*/exercises/pad.sed'
	@echo 'make peak            the FP32 and memory rates of the card, measured and in theory'
	@echo 'make sass-05         the inner loop from the disassembly, counted; no GPU needed'
	@echo 'make sweep           every step and cuBLAS over 80 sizes; SWEEP="1024 2048" for others'
	@echo 'make profile-05      the report of Nsight Compute; profile: of every step and cuBLAS'
	@echo 'make counters        what the hardware counts; without a GPU: what an H200 counted'
	@echo 'make power           clock, power and heat: 50 s of step 09, random inputs against zeros'
	@echo 'make plots           the pictures of results/; needs gnuplot, no GPU'
	@echo 'make lessons         the tables of the lessons and their figures, made anew'
	@echo 'make calibrate       what ncu counts on the card beside what the emulator counts'
	@echo 'make tune            every variant of step 10 timed: does the plan choose the fastest?'
	@echo 'make check           the tests'
	@echo 'make clean           remove build/'
	@echo
	@echo 'BACKEND=gpu|emu      a GPU, or the CPU emulator (default: the GPU if there is one)'
	@echo 'ARCH="sm_80 sm_90"   architectures (default: the card, else all that nvcc knows from sm_75)'
	@echo 'SIZES="512 1024"     sizes of make all'
	@echo 'CC=clang WERROR=1    another C compiler; warnings as errors'
	@echo '-j8, -s              build in parallel (runs stay serial); hide the commands'

# Runs are serial even under -j: each waits for the run before it on the command line.
RUNS := $(filter all peak tune check run-% sweep power counters profile profile-%,$(GOALS))
$(foreach i,$(wordlist 2,$(words $(RUNS)),$(shell seq $(words $(RUNS)))),$(eval \
    $(word $(i),$(RUNS)): | $(word $(shell expr $(i) - 1),$(RUNS))))
