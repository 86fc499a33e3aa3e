# What lets one look inside: sass, sweep, plots, profile, counters, power.

# ---- make sass-05: the inner loop from the disassembly; needs nvcc, no GPU ----
SASS_PROGRAMS := $(STEPS) $(patsubst %/main.c,%,$(wildcard labs/*/main.c))

# $1: the program's folder; a lab for one kind of chip names it in a file `arch`
define sass_rules
.PHONY: sass-$(call short,$1)
sass-$(call short,$1): build/sass/$(notdir $1).cubin
	@echo "$(notdir $1), sm_$$(sass_arch_$(notdir $1))"
	@sh common/see/sass.sh "$(NVCC)" $$<

sass_arch_$(notdir $1) := $(or $(shell cat $1/arch 2>/dev/null),$(SASS_ARCH))
build/sass/$(notdir $1).cubin: $(wildcard $1/*.cu $1/*.cuh $1/*.h) common/sgemm.h build/sass/arch
	@mkdir -p $$(@D)
	$(NVCC) -O3 -lineinfo -arch=sm_$$(sass_arch_$(notdir $1)) -cubin -o $$@ $1/kernel.cu
endef
ifneq ($(filter sass%,$(GOALS)),)
SASS_CARD := $(shell sh common/detect.sh "$(NVCC)")
SASS_CARD := $(if $(filter gpu,$(firstword $(SASS_CARD))),$(word 2,$(SASS_CARD)))
SASS_ARCH := $(patsubst sm_%,%,$(firstword $(subst $(comma), ,$(or $(ARCH),$(SASS_CARD),90))))
$(shell mkdir -p build/sass; cd build/sass; [ "$$(cat arch 2>/dev/null)" = '$(SASS_ARCH)' ] || \
        echo '$(SASS_ARCH)' >arch)
$(foreach p,$(SASS_PROGRAMS),$(eval $(call sass_rules,$(p))))

.PHONY: sass
sass: $(foreach p,$(SASS_PROGRAMS),sass-$(call short,$(p)))

sass-%:
	@echo "make $@: there is no such program; there are:" \
	    $(foreach p,$(SASS_PROGRAMS),sass-$(call short,$(p))) >&2; exit 2
endif

# ---- One program that holds every step: what differs between the steps gets their numbers ----
ifeq ($(BACKEND),gpu)
LD      := ld
OBJCOPY := objcopy

# $1: a step, $2: its number
define see_step
build/gpu/see/$2.o: $(patsubst $1/%,build/gpu/$1/%.o,$(basename $(wildcard $1/*.c $1/*.cu))) \
    common/see.mk
	@mkdir -p $$(@D)
	$(LD) -r $$(filter %.o,$$^) -o $$@
	$(OBJCOPY) $(foreach s,sgemm sgemm_kernels predict,--redefine-sym $s=$s_$2) \
	    --redefine-sym main=main_$2 --globalize-symbol=predict_$2 $$@
endef
$(foreach s,$(STEPS),$(eval $(call see_step,$(s),$(call short,$(s)))))

build/gpu/see/steps.h: Makefile common/see.mk $(STEPS:=/main.c)
	@mkdir -p $(@D)
	printf '%s\n' $(foreach s,$(STEPS),'STEP($(call short,$(s)), $(s))') >$@

$(eval $(call gpu_objects,common/see,build/gpu/see))
build/gpu/see/paths.o: build/gpu/see/steps.h
build/gpu/see/paths.o: GPU_CFLAGS += -iquote build/gpu/see

# The steps' main() call what needs sgemm(); nothing calls them, and any will do.
SEE_ANY := $(foreach s,sgemm sgemm_kernels,-Wl$(comma)--defsym=$s=$s_$(call short,$(firstword $(STEPS))))
build/gpu/see/sweep build/gpu/see/power: %: %.o build/gpu/see/paths.o \
    $(foreach s,$(STEPS),build/gpu/see/$(call short,$(s)).o) build/gpu/libharness.a
	$(CC) $(LDFLAGS) $^ $(SEE_ANY) $(GPU_LDLIBS) -o $@

build: build/gpu/see/sweep build/gpu/see/power
endif

# ---- Measurements of a card, each to results/<device>/ ----
RESULTS ?= results/$(or $(shell nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | \
             sed -n '1{s/^NVIDIA //;s/[^A-Za-z0-9]/_/g;p;}' | tr A-Z a-z),h200)
SWEEP   ?= $(shell { seq 128 128 8192; seq 1023 1024 8191; seq 1025 1024 8193; } | sort -n)
PROFILE_SIZE ?= 4096
POWER_STEP   ?= 09
POWER_SIZES  ?= 512 1024 1536 2048 3072 4096 6144 8192

# Where the pictures and the table of counters come from: this card's results if there are any.
SHOWN     = $(or $(patsubst %/sweep.csv,%,$(wildcard $(RESULTS)/sweep.csv)),results/h200)
REPORTED  = $(or $(wildcard $(RESULTS)/profiles),results/h200/profiles)
with_commas = $(subst $(space),$(comma),$(strip $1))
counters_table = echo "$(REPORTED):"; \
    awk -f common/see/csv.awk -f common/see/counters.awk $(REPORTED)/*.csv

.PHONY: sweep power profile counters plots
plots:
	@sh common/see/plots.sh $(SHOWN)

ifeq ($(BACKEND),gpu)
sweep: build/gpu/see/sweep
	@mkdir -p $(RESULTS)
	@rm -f build/gpu/sweep.csv
	build/gpu/see/sweep --size $(call with_commas,$(SWEEP)) --csv build/gpu/sweep.csv \
	    --launches $(RESULTS)/launches.csv $(ARGS)
	mv build/gpu/sweep.csv $(RESULTS)/sweep.csv

power: build/gpu/see/power
	@mkdir -p $(RESULTS)
	build/gpu/see/power --step $(POWER_STEP) --size $(call with_commas,$(POWER_SIZES)) \
	    --csv build/gpu/power_random.csv
	build/gpu/see/power --step $(POWER_STEP) --size $(call with_commas,$(POWER_SIZES)) \
	    --data zeros --csv build/gpu/power_zeros.csv
	build/gpu/see/power --step $(POWER_STEP) --size 8192 --seconds 50 \
	    --csv build/gpu/power_run.csv
	mv build/gpu/power_random.csv build/gpu/power_zeros.csv build/gpu/power_run.csv $(RESULTS)

# $1: a step or cuBLAS, $2: its name in the goal
define profile_rules
.PHONY: profile-$2
profile-$2: build/gpu/see/sweep
	@sh common/see/profile.sh build/gpu/see/sweep $(RESULTS)/profiles $(PROFILE_SIZE) $1
endef
$(foreach s,$(STEPS),$(eval $(call profile_rules,$(s),$(call short,$(s)))))
$(eval $(call profile_rules,cuBLAS,cuBLAS))

counters: build/gpu/see/sweep emulator-counts
	@sh common/see/counters.sh build/gpu/see/sweep $(RESULTS)/profiles $(PROFILE_SIZE) $(STEPS) cuBLAS
	@$(counters_table)

profile: build/gpu/see/sweep emulator-counts
	@sh common/see/profile.sh build/gpu/see/sweep $(RESULTS)/profiles $(PROFILE_SIZE) $(STEPS) cuBLAS
	@$(counters_table)
else
sweep power:
	@echo "make $@ measures a GPU, and none is used here: BACKEND=emu" >&2; exit 3

counters:
	@$(counters_table)

profile: profile-all
profile-%:
	@echo "make profile needs a GPU, and none is used here; the reports of an H200 are in" \
	    "results/h200/profiles: read the .txt, open the .ncu-rep in ncu-ui, or see their table" \
	    "with: make counters" >&2; exit 3
endif

# The loads as the source has them, for the table of counters.
.PHONY: emulator-counts
emulator-counts:
	@mkdir -p $(RESULTS)/profiles
	$(MAKE) --no-print-directory BACKEND=emu $(patsubst %,build/emu/%,$(foreach s,$(STEPS),$(s)/$(s)))
	sh common/see/emulate.sh $(RESULTS)/profiles/emulator.csv $(STEPS)
