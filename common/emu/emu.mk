# Builds every program for the CPU: build/emu/NAME/NAME from the step's *.cu and *.c, the harness and
# the emulator.  Set before: PROGRAMS, CC, CFLAGS, CXX, OPENMP.
#
# Only kernel.cu is instrumented, with the hooks of -fsanitize=thread, which the emulator defines
# itself (README.md).  EMU_O=-O0 and CXX=clang++ give the same counts.

CXX   ?= c++
EMU_O ?= -O1

ifeq ($(shell command -v "$(firstword $(CXX))" 2>/dev/null),)
$(error BACKEND=emu needs a C++ compiler, and $(CXX) was not found; install g++ or clang++, or set CXX)
endif

# Each source access must stay one access, in its place: no merging, no splitting, no copies of the
# code for different lanes.
ifneq ($(findstring clang,$(shell $(CXX) --version)),)
EMU_HOOKS := -fsanitize=thread -fno-vectorize -fno-slp-vectorize -fno-builtin-memcpy \
             $(addprefix -mllvm ,-tsan-distinguish-volatile=1 -tsan-instrument-func-entry-exit=0 \
                                 -tsan-instrument-read-before-write=1 -tsan-instrument-atomics=0) \
             -Wno-pass-failed
else
EMU_HOOKS := -fsanitize=thread -fno-thread-jumps -fno-tree-loop-distribute-patterns --param tsan-distinguish-volatile=1 \
             --param tsan-instrument-func-entry-exit=0 -Wno-unknown-pragmas
endif

EMU_CFLAGS   = $(CFLAGS) $(OPENMP) -D_GNU_SOURCE -Icommon/emu -fno-pie -ftls-model=local-exec
# DWARF 4: some addr2line confuse the file names of version 5.  -fdebug-prefix-map makes them relative to this folder
EMU_CXXFLAGS = -x c++ -std=c++17 $(EMU_O) -gdwarf-4 -Wall -Wextra $(if $(filter 1,$(WERROR)),-Werror) \
               -fno-pie -ftls-model=local-exec -fno-exceptions "-fdebug-prefix-map=$(CURDIR)=." \
               -Icommon/emu $(EMU_HOOKS)

# Everything is rebuilt when a flag or a makefile changes; the C files not for a flag of C++ alone.
EMU_FLAGS_NOW   := $(CC) | $(EMU_CFLAGS)
EMU_FLAGS++_NOW := $(CXX) | $(EMU_CXXFLAGS) | $(LDFLAGS)
$(shell mkdir -p build/emu; cd build/emu; \
    [ "$$(cat flags 2>/dev/null)" = '$(EMU_FLAGS_NOW)' ] || echo '$(EMU_FLAGS_NOW)' >flags; \
    [ "$$(cat flags++ 2>/dev/null)" = '$(EMU_FLAGS++_NOW)' ] || echo '$(EMU_FLAGS++_NOW)' >flags++)
EMU_MADE_BY   := build/emu/flags Makefile common/emu/emu.mk
EMU++_MADE_BY := build/emu/flags++ Makefile common/emu/emu.mk

# Kernel sources with their launches rewritten, in the same folders: build/emu/src/NAME/kernel.cu.
# What is included between "" is found there first, and beside the original otherwise.
EMU_CUDA := $(foreach p,$(PROGRAMS) labs,$(wildcard $(p)/*.cu $(p)/*.cuh))
build/emu/src/%: % common/emu/launch.awk
	@mkdir -p $(@D)
	awk -v name=$< -f common/emu/launch.awk $< >$@

# $1: folder of the sources, $2: folder of the objects
define emu_objects
$2/%.o: $1/%.c $(EMU_MADE_BY)
	@mkdir -p $2
	$$(CC) $$(EMU_CFLAGS) -MMD -MP -c $$< -o $$@

$2/%.o: build/emu/src/$1/%.cu $(addprefix build/emu/src/,$(filter %.cuh,$(EMU_CUDA))) $(EMU++_MADE_BY)
	@mkdir -p $2
	$$(CXX) $$(EMU_CXXFLAGS) -iquote $1 -MMD -MP -MF $$(@:.o=.d) -c $$< -o $$@

-include $(wildcard $2/*.d)
endef

# $1: folder of the program.  The kernels come first: their shared arrays must lie in front of the
# emulator's dynamic shared memory.
define emu_program
$(call emu_objects,$1,build/emu/$(notdir $1))

build/emu/$(notdir $1)/$(notdir $1): \
    $(patsubst $1/%.cu,build/emu/$(notdir $1)/%.o,$(wildcard $1/*.cu)) \
    $(patsubst $1/%.c,build/emu/$(notdir $1)/%.o,$(wildcard $1/*.c)) build/emu/libharness.a \
    build/emu/flags++
	$$(CXX) $$(LDFLAGS) $$(OPENMP) -no-pie $$(filter-out %flags++,$$^) -lm -lpthread -o $$@
endef

EMU_HARNESS := $(patsubst common/%.c,build/emu/common/%.o,$(wildcard common/*.c common/emu/*.c))

build/emu/libharness.a: $(EMU_HARNESS)
	@rm -f $@
	$(AR) rcs $@ $^

$(eval $(call emu_objects,common/emu,build/emu/common/emu))
$(eval $(call emu_objects,common,build/emu/common))
$(foreach p,$(PROGRAMS),$(eval $(call emu_program,$(p))))
