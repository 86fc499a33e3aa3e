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
