# Builds every program with nvcc: build/gpu/NAME/NAME from the step's *.cu and *.c and the harness.
# Set before: PROGRAMS, CC, CFLAGS, NVCC, ARCH (may be empty), CARD_ARCH (may be empty).

ifeq ($(shell command -v "$(NVCC)" 2>/dev/null),)
$(error BACKEND=gpu needs nvcc, which was not found; install the CUDA toolkit, set \
    NVCC=/path/to/nvcc, or use BACKEND=emu)
endif

# The toolkit lies beside nvcc; its libraries in one of these folders, or where the linker looks.
CUDA     ?= $(patsubst %/bin/,%,$(dir $(shell readlink -f "$$(command -v "$(NVCC)")")))
override CUDA := $(CUDA)
CUDA_LIB := $(wildcard $(CUDA)/lib64 $(CUDA)/targets/*/lib $(CUDA)/lib)
CUBLAS   := $(firstword $(wildcard $(CUDA_LIB:=/libcublas.so) $(CUDA_LIB:=/libcublas.so.*)) -lcublas)

# ---- Architectures: 90, sm_90, or several, by blanks or commas ----
comma := ,
KNOWN_ARCH := $(shell "$(NVCC)" --list-gpu-code | sed -n 's/^sm_\([0-9]*\)$$/\1/p' | sort -n)
NEW_ARCH   := $(shell for a in $(KNOWN_ARCH); do [ $$a -lt 75 ] || echo $$a; done)
ARCHS      := $(patsubst sm_%,%,$(subst $(comma), ,$(or $(ARCH),$(CARD_ARCH),$(NEW_ARCH))))
# sm_90a and sm_100f are known where sm_90 and sm_100 are
BAD_ARCH   := $(foreach a,$(ARCHS),$(if $(filter $(patsubst %f,%,$(a:a=)),$(NEW_ARCH)),,sm_$(a)))
ifneq ($(strip $(BAD_ARCH)),)
$(error ARCH: $(strip $(BAD_ARCH)) cannot be built; this nvcc and these steps build \
    $(addprefix sm_,$(NEW_ARCH)))
endif
# Machine code for each, and the newest as PTX for cards to come.
GENCODE := $(foreach a,$(ARCHS),-gencode arch=compute_$(a),code=sm_$(a))
NEWEST  := $(lastword $(shell for a in $(filter-out %a %f,$(ARCHS)); do echo $$a; done | sort -n))
GENCODE += $(if $(NEWEST),-gencode arch=compute_$(NEWEST)$(comma)code=compute_$(NEWEST))

NVCCFLAGS     ?= -O3 -lineinfo
GPU_CFLAGS     = $(CFLAGS) $(OPENMP) $(addprefix -isystem ,$(wildcard $(CUDA)/include $(CUDA)/targets/*/include))
GPU_NVCCFLAGS  = $(NVCCFLAGS) $(if $(filter 1,$(WERROR)),-Werror all-warnings) $(GENCODE)
GPU_LDLIBS     = $(OPENMP) $(CUDA_LIB:%=-L%) $(CUDA_LIB:%=-Wl,-rpath,%) $(CUBLAS) -lcudart_static \
                 -lstdc++ -lm -ldl -lrt -lpthread

# Everything is rebuilt when a flag or a makefile changes.
GPU_FLAGS := build/gpu/flags
GPU_FLAGS_NOW := $(CC) | $(GPU_CFLAGS) | $(NVCC) | $(GPU_NVCCFLAGS) | $(GPU_LDLIBS)
$(shell mkdir -p build/gpu && [ "$$(cat $(GPU_FLAGS) 2>/dev/null)" = '$(GPU_FLAGS_NOW)' ] || \
        echo '$(GPU_FLAGS_NOW)' >$(GPU_FLAGS))
GPU_MADE_BY := $(GPU_FLAGS) Makefile common/gpu/gpu.mk

# $1: folder of the sources, $2: folder of the objects
define gpu_objects
$2/%.o: $1/%.c $(GPU_MADE_BY)
	@mkdir -p $2
	$$(CC) $$(GPU_CFLAGS) -MMD -MP -c $$< -o $$@

$2/%.o: $1/%.cu $(GPU_MADE_BY)
	@mkdir -p $2
	$$(NVCC) $$(GPU_NVCCFLAGS) -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@

-include $(wildcard $2/*.d)
endef

# $1: folder of the program
define gpu_program
$(call gpu_objects,$1,build/gpu/$(notdir $1))

build/gpu/$(notdir $1)/$(notdir $1): \
    $(patsubst $1/%,build/gpu/$(notdir $1)/%.o,$(basename $(wildcard $1/*.c $1/*.cu))) \
    build/gpu/libharness.a
	$$(CC) $$(LDFLAGS) $$^ $$(GPU_LDLIBS) -o $$@
endef

HARNESS := $(patsubst common/%,build/gpu/common/%.o,$(basename $(wildcard common/*.c) \
             $(filter-out common/gpu/peak_main.c,$(wildcard common/gpu/*.c common/gpu/*.cu))))

build/gpu/libharness.a: $(HARNESS)
	@rm -f $@
	$(AR) rcs $@ $^

build/gpu/peak/peak: build/gpu/common/gpu/peak_main.o build/gpu/libharness.a
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ $(GPU_LDLIBS) -o $@

$(eval $(call gpu_objects,common/gpu,build/gpu/common/gpu))
$(eval $(call gpu_objects,common,build/gpu/common))
$(foreach p,$(PROGRAMS),$(eval $(call gpu_program,$(p))))
# A lab for one kind of chip names it in a file `arch`.
$(foreach a,$(wildcard $(LABS:=/arch)),$(eval build/gpu/$(notdir $(patsubst %/arch,%,$(a)))/%.o: \
    GENCODE := -gencode arch=compute_$(shell cat $(a))$(comma)code=sm_$(shell cat $(a))))

build: build/gpu/peak/peak
