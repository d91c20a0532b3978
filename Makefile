# kgen needs only Go to build. make test also needs a Vulkan driver and the
# SPIR-V tools; it installs them where apt is to be had.

GO ?= go

# The packages whose generated output is committed.
KERNELS := ./examples/... ./internal/... ./prim/...

# Tests must use Vulkan, not skip for want of it, and the validation layers
# watch every call. SWIFTSHADER=0 goes without that driver where it is not to be had.
SWIFTSHADER ?= 1
VULKAN := KGEN_REQUIRE_VULKAN=1 KGEN_REQUIRE_SWIFTSHADER=$(SWIFTSHADER) KGEN_VALIDATE=1

# Where check and modules write the modules of the test kernels, which are not committed.
DIR ?= .cache/modules
MODULES := KGEN_TEST_MODULES=$(abspath $(DIR))

# Tests make much garbage and end soon, so it is collected less often. With 400 they are no
# faster than with 200 and take twice the memory; with GOMEMLIMIT those whose heap comes near
# to the limit collect garbage most of the time, and take more than twice as long.
GC := GOGC=200

# The compiler, of which two run at a time, is faster with 400.
COMPILER_GC := GOGC=400

# make test compiles without tables for debuggers, which is a tenth faster, and each package on one
# thread, which takes an eighth less of the processors' time. Tests and generated stubs, half of the code, are
# compiled without inlining, but for golang: gc words the panics of make after it has inlined. The go commands
# that tests run have these flags, too, or they would compile everything again.
QUICK := -dwarf=false -c=1
SPARE := internal/tests internal/bench generated examples prim
lint compile nocgo check unit: export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS) '-gcflags=all=$(QUICK)' $(patsubst %,'-gcflags=github.com/kgen-go/kgen/%/...=$(QUICK) -l',$(SPARE)) '-gcflags=github.com/kgen-go/kgen/internal/tests/difftest/golang/...=$(QUICK)')

# Some packages' tests wait more than they compute: on two cores three run at a time.
PACKAGES := -p $(shell n=$$(nproc 2>/dev/null || echo 2); echo $$((n + 1)))

# Linked without tables for debuggers, which takes half the time: there are a hundred programs.
LINK := -ldflags='-s -w'

# Unit has Go's linker link the C shim, too, in two thirds of the time that it takes with the C
# linker, on the port where this is tested. LINKER=external has the C linker, as deep and users have.
LINKER ?= $(if $(filter linux_amd64,$(shell $(GO) env GOOS)_$(shell $(GO) env GOARCH)),internal,auto)

.PHONY: all build compile test deps lint generate shaders grammar modules check unit race nocgo spirv deep soak bench browser plugin cluster mesa windows arm64 container

all: build

build:
	$(GO) build ./...

test: deps lint compile nocgo check spirv unit
	@echo "make test: all passed"

# Compile packages, programs and tests, and link none: go build links each program to throw it away.
COMPILE := $(GO) list -export -f '{{with .Error}}{{.}}{{end}}'

compile:
	$(COMPILER_GC) $(COMPILE) -test ./...

deps:
	@KGEN_REQUIRE_SWIFTSHADER=$(SWIFTSHADER) sh scripts/deps.sh

lint:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofmt'ed: $$out"; exit 1; fi
	$(COMPILER_GC) $(GO) vet ./...
	$(COMPILER_GC) $(GO) vet -tags race ./dsl ./runtime/internal/host # files that only target race compiles

# Regenerate what kgen and Go alone generate.
generate:
	$(GO) generate ./...

# Compile the shaders that are written by hand: the Vulkan backend's own kernels, and those of its
# tests and of the benchmarks. Needs glslc; those with matrices need a newer one, which scripts/mesa.sh unpacks.
SHADERS := $(wildcard runtime/internal/vulkan/kernels/*.comp runtime/internal/backendtest/testdata/*.comp internal/bench/glsl/*.comp)
TENSOR := internal/bench/glsl/tensor16 internal/bench/glsl/tensor8
shaders:
	@for k in $(filter-out $(TENSOR),$(SHADERS:.comp=)); do echo $$k.comp; glslc -O --target-env=vulkan1.2 -o $$k.spv $$k.comp || exit 1; done
	@sh scripts/mesa.sh $(MESA)
	@for k in $(TENSOR); do echo $$k.comp; $(MESA)/bin/glslc -O --target-env=vulkan1.3 -o $$k.spv $$k.comp || exit 1; done

# The tables of package spirv, from the grammar of the Debian package spirv-headers.
grammar:
	cd codegen/spirv && $(GO) run ./_gen

# Committed output is what kgen writes today. The modules that are not committed are
# written to a folder, for the tests.
check:
	$(COMPILER_GC) $(GO) run ./cmd/kgen -check -strict -modules $(DIR) $(KERNELS)

# The modules of the test kernels. With KGEN_TEST_MODULES=$(DIR) test binaries need neither
# Go nor sources, as on a machine that has a GPU and nothing else.
modules:
	$(GO) run ./cmd/kgen -modules $(DIR) $(KERNELS)

# Every module is valid Vulkan 1.3 SPIR-V.
spirv:
	@find generated $(DIR) -name '*.spv' | xargs -P 2 -n 32 sh -c 'for f; do spirv-val --target-env vulkan1.3 "$$f" || { echo "$$f"; exit 255; }; done' sh

# Lint has vetted the tests. With -short the long ones run samples; see package internal/tests/sample. The
# validation layers watch calls, but check modules in the tests of the Vulkan backend alone, and in deep: that
# takes a fifth of the time, and target spirv has checked all modules that are files.
unit:
	VK_LAYER_DISABLES=VK_VALIDATION_FEATURE_DISABLE_SHADERS_EXT $(VULKAN) $(MODULES) $(GC) $(GO) run ./internal/tests/testsum $(PACKAGES) -ldflags='-s -w -linkmode=$(LINKER)' -vet=off -short -timeout 20m ./...

# The linter for golangci-lint, and gonum's BLAS on devices, are modules of their own, which require what kgen does not.
plugin:
	cd golangci && $(GO) vet ./... && $(GO) test ./...
	cd gonumblas && $(GO) vet ./... && $(VULKAN) $(GC) $(GO) test -vet=off ./...

# The modules that run kernels on several machines, which require what kgen does not: their code, what kgen has written
# for them, and all their tests, with worker processes and servers of their own on loopback. Within 15 minutes; it
# downloads modules.
CLUSTER := $(patsubst %/go.mod,%,$(wildcard natskgen/go.mod beamkgen/go.mod))
cluster:
	@for m in $(CLUSTER); do echo "$$m"; (cd $$m && \
		{ ! gofmt -l . | grep . || { echo "not gofmt'ed"; exit 1; }; } && \
		$(GO) vet ./... && $(GO) tool kgen -check -strict ./... && $(GO) run github.com/kgen-go/kgen/cmd/kgenvet ./... && \
		$(GO) test -vet=off -count=1 -timeout 10m ./...) || exit 1; done

# The race detector compiles the standard library and the runtime once more, so it is not part of
# make test. What is done thousands of times to find leaks, unit does so often. The race detector watches
# with Go's check of what is stored in C's memory; both at once compile the standard library
# once, not twice. The tests left out have one goroutine each, or are those of all backends, which
# unit runs. The validation layers, which no race detector sees, watch the same calls in unit.
# Garbage is collected as often as by default: the race detector has several times a program's
# memory of its own.
race: export GOEXPERIMENT = cgocheck2
race:
	$(filter-out KGEN_VALIDATE=1,$(VULKAN)) $(MODULES) $(GO) run ./internal/tests/testsum $(PACKAGES) $(LINK) -vet=off -race -short -timeout 20m -skip '^(Test(Injected|CacheStore|FlatCycles|Random|DamagedIR|RecordRounds|Conformance)|ExampleCheckError)$$' \
		./dsl ./runtime/...

# The runtime, which alone has files for builds without cgo, and an example work without cgo and
# without a Vulkan driver; the example is static. A program that asks for it has Vulkan, too: its calls are
# a part of TestConformance's, and deep runs all tests of the runtime so. TestPorts of internal/tests/archtest type-checks prim and the stubs
# without cgo, for other ports too; deep compiles all with an int of 32 bits.
nocgo:
	CGO_ENABLED=0 $(COMPILER_GC) $(COMPILE) ./checked ./runtime/...
	CGO_ENABLED=0 $(COMPILER_GC) $(GO) build $(LINK) -o .cache/nocgo/ ./examples/quickstart ./internal/tests/first
	KGEN_DEVICE=host .cache/nocgo/quickstart
	@! grep -q 'ld-linux' .cache/nocgo/quickstart || { echo "quickstart is not static"; exit 1; }
	KGEN_DEVICE=vulkan .cache/nocgo/first
	CGO_ENABLED=0 $(VULKAN) $(GO) test $(LINK) -vet=off -short -run 'Test(Conformance|NoFunction)$$//^(Info|Fill|Copy|Launch|Spec|Fault)$$' ./runtime/internal/vulkan

# What is too long for test: the tests without -short, more random programs, all of their modules, at every point
# of the passes, all damaged modules, every call that can fail. About two hours on two cores.
deep: export GALLIVM_PERF = # Mesa's compiler optimizes in all tests; see devtest.ManyKernels
deep: export LP_NATIVE_VECTOR_WIDTH = # and takes vectors as wide as the processor's; see devtest.SmallGroups
deep: deps modules
	CGO_ENABLED=0 $(COMPILE) ./cmd/... ./prim/... ./generated/... ./examples/...
	CGO_ENABLED=0 GOARCH=386 $(COMPILE) ./cmd/... ./checked ./runtime/... ./dsl/... ./prim/... ./generated/... ./examples/...
	$(VULKAN) $(MODULES) $(GO) run ./internal/tests/testsum $(PACKAGES) -timeout 1h ./...
	CGO_ENABLED=0 $(VULKAN) $(MODULES) $(GO) test -timeout 1h ./runtime/... ./internal/tests/conformance
	KGEN_TEST_PROFILE=mac $(VULKAN) $(MODULES) $(GO) test -timeout 1h -short ./internal/tests/conformance ./internal/tests/difftest
	$(MAKE) race
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./codegen/spirv/valid -flips 0
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./runtime/internal/vulkan -run 'TestDamaged$$|TestInjected|TestTwoLines' -damage 0 -every-call
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./runtime -run TestInject -every-call
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h $(addprefix ./codegen/pass/,checks items lanes loops memory rewrite simplify split64 structurize) -seeds 20000
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./codegen/pass/numbers -seeds 20000 -every-root
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./runtime/internal/fusion -graphs 10000 -every-module
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./internal/tests/conformance -words
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h -race -short ./internal/tests/conformance
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./internal/tests/conformance -run 'TestGF35_(AsLaunched|Random)$$' -graphs 500 -words
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./internal/tests/conformance -run 'TestSwiftShader$$' -graphs 200 -every-row
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./internal/tests/difftest -run "Test(Devices|Alone|SwiftShader|General|Words|Checked|FusedTables)$$" -every-case
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./internal/tests/difftest -run "Test(Interpreter|Exhaustive)$$" -points all -every-point -every-case
	$(VULKAN) $(MODULES) $(GO) test -timeout 2h ./internal/tests/smith -programs 2000 -budget 15m -points all -modules general,small,words,cancel,cancelWords
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./internal/tests/difftest/idioms -random 5000 -every-case
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./internal/tests/library -spaces 4 -large -crypto
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./internal/tests/gotests -every-launch
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./internal/tests/litmus -trials 4000000
	$(VULKAN) $(MODULES) $(GO) test -timeout 1h ./codegen -run TestPairs -pairs
	for f in reduce scan sort pick hist move rand fft blas sparse; do $(GO) test -run '^$$' -fuzz Fuzz -fuzztime 1m ./prim/$$f || exit 1; done
	sh scripts/models.sh
	KGEN_REQUIRE_MODELS=1 $(VULKAN) $(GO) test -timeout 1h ./examples/upscale ./examples/mnist -run TestModel
	$(GO) test -timeout 1h ./cmd/kgen -run TestTutorial -tutorial

# Matrices of a device's own: on a newer Mesa, whose driver on the processor has some, with validation layers and a
# spirv-val that know them. The program without cgo asks the driver for them in pure Go, so it runs some tests, too.
# The driver is unpacked into .cache where apt is to be had; see scripts/mesa.sh. On a machine
# with a GPU that has matrices, run the test's binary there, as CONTRIBUTING.md says.
MESA ?= .cache/mesa
mesa: deps
	@sh scripts/mesa.sh $(MESA)
	$(GO) run ./cmd/kgen -modules $(DIR) ./internal/tests/difftest/matrices
	$(GO) test -c -o $(MESA)/matrices.test ./internal/tests/difftest/matrices
	cd internal/tests/difftest/matrices && KGEN_DEVICE=vulkan KGEN_REQUIRE_MATRICES=1 KGEN_PIPELINE_CACHE=off $(VULKAN) $(MODULES) \
		$(abspath $(MESA))/run $(abspath $(MESA))/matrices.test -test.short -test.skip SwiftShader
	CGO_ENABLED=0 $(GO) test -c -o $(MESA)/pure.test ./internal/tests/difftest/matrices
	cd internal/tests/difftest/matrices && KGEN_DEVICE=vulkan KGEN_REQUIRE_MATRICES=1 KGEN_PIPELINE_CACHE=off $(VULKAN) $(MODULES) \
		$(abspath $(MESA))/run $(abspath $(MESA))/pure.test -test.short -test.run 'TestNative(Tiled|Faulty)$$'

# Allocate, launch, copy, cancel, close and open again from 64 goroutines, while calls of
# the driver fail: memory stays flat and no value is wrong.
SOAK ?= 30m
soak: deps
	$(VULKAN) $(GO) test -timeout 0 -v ./runtime -run 'TestSoak$$' -soak $(SOAK)

# How far kernels are from what the device can do, and from what one would write instead, on
# the device that KGEN_DEVICE names. Within five minutes; see docs/performance.md. BENCH has
# flags of kgenbench, such as -run and -scale.
BENCH ?=
bench:
	@mkdir -p .cache/bench
	$(GO) build -o .cache/bench/ ./internal/bench/cmd/...
	.cache/bench/kgenbench -out .cache/bench $(BENCH)

# The page that kgen view writes, in a headless Chromium, which is installed where apt is to be
# had; KGEN_BROWSER names another one. PICTURES is a folder for pictures of the page.
PICTURES ?=
browser:
	@sh scripts/browser.sh
	KGEN_PICTURES=$(if $(PICTURES),$(abspath $(PICTURES))) $(GO) test -tags browser -count=1 -timeout 30m -v ./codegen/view

# Tests, the README's first program and kgen on Windows: under Debian's wine, on lavapipe. It installs wine and a
# cross compiler where apt is to be had. Within 30 minutes; scripts/windows.sh names the tests that are left out.
windows: modules
	@GO=$(GO) sh scripts/windows.sh .cache/windows $(DIR)

# The same on arm64: under qemu's user mode, on the lavapipe of Debian's arm64 packages, which are unpacked in .cache.
# Within 30 minutes; scripts/arm64.sh names the tests that are left out.
arm64: modules
	@GO=$(GO) sh scripts/arm64.sh .cache/arm64 $(DIR)

# The file lists of docs/container.md, each in a folder that is all a program sees. A minute. It needs a C compiler, for
# the program with cgo.
container: deps
	@GO=$(GO) sh scripts/container.sh .cache/container
