# samara's front door.  CMake does the work; `make help` lists what there is.

PREFIX       ?= /usr/local
DESTDIR      ?=
JOBS         ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 20
CASES        ?=
CMAKE_FLAGS  ?=

SETUP     = tools/setup.sh build
PYTHON    = python3
# Ninja where it is installed; asked when the recipe runs, after set-up.
GENERATOR = $$(command -v ninja >/dev/null 2>&1 && echo -G Ninja)
# $(1) is a preset of CMakePresets.json: release goes to build/, any other to build-<preset>/.
CONFIGURE = test -e $(call DIR,$(1))/CMakeCache.txt || cmake --preset $(1) $(GENERATOR) $(CMAKE_FLAGS)
BUILD     = cmake --build $(call DIR,$(1)) -j $(JOBS)
DIR       = build$(patsubst -release,,-$(1))
RUN_TESTS = $(PYTHON) tools/run_tests.py $(call DIR,$(1)) -j $(JOBS) \
            --summary $(call DIR,$(1))/test-summary.txt

.PHONY: all setup demo test truth ledger clang arm64 bench lint static install uninstall fuzz asan tsan \
        clean help

all: ## build/samara and the libraries beside it
	@$(SETUP) build
	@$(call CONFIGURE,release)
	@$(call BUILD,release) --target front

setup: ## install the packages that building and testing need
	@$(SETUP) build test

demo: all ## train, evaluate and write a report on data in the repository
	@sh tools/demo.sh build/samara

test: ## everything that needs no special hardware; the last line counts the tests
	@$(SETUP) build test
	@$(call CONFIGURE,release)
	@$(call BUILD,release)
	@$(call RUN_TESTS,release)

truth: ## run the scripts of tests/truth again: other programs still say what is recorded
	@$(SETUP) truth
	@$(PYTHON) tools/truth.py

ledger: ## record anew what models and predictions are; a changed line goes into the changelog
	@$(SETUP) build
	@$(call CONFIGURE,release)
	@$(call BUILD,release) --target ledger
	@build/tests/ledger --write tests/ledger/ledger.txt

clang: ## the ledger and the tests of the kernels, built by clang at -O1
	@$(SETUP) build test clang
	@$(call CONFIGURE,clang)
	@$(call BUILD,clang) --target bit_tests
	@$(call RUN_TESTS,clang) -L 'ledger|unit/kernel'

arm64: ## the ledger on arm64: cross-compiled, run by qemu; skipped where there is neither
	@$(SETUP) build test arm64
	@if ! sh tools/has_arm64.sh build-arm64; then exit 0; fi; \
	$(call CONFIGURE,arm64) && $(call BUILD,arm64) --target bit_tests && \
	$(call RUN_TESTS,arm64) -L ledger

asan: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(SETUP) build test
	@$(call CONFIGURE,asan)
	@$(call BUILD,asan)
	@$(call RUN_TESTS,asan)

tsan: ## the pool, the readers and the contract suite under ThreadSanitizer
	@$(SETUP) build test
	@$(call CONFIGURE,tsan)
	@$(call BUILD,tsan) --target thread_tests
	@$(call RUN_TESTS,tsan) -L threads

fuzz: ## each fuzz target for FUZZ_SECONDS (20) seconds
	@$(SETUP) build fuzz
	@$(call CONFIGURE,fuzz)
	@$(call BUILD,fuzz) --target fuzzers
	@$(PYTHON) tools/run_fuzz.py build-fuzz --seconds $(FUZZ_SECONDS) -j $(JOBS)

lint: ## layers, calls, registry, sizes, formatting, static analysis; and do the benchmarks build?
	@$(SETUP) build lint
	@$(call CONFIGURE,release)
	@$(call BUILD,release) --target bench_programs
	@$(PYTHON) tools/lint.py --build build -j $(JOBS)

bench: ## samara and its peers side by side; CASES=knn chooses
	@$(SETUP) build bench
	@$(call CONFIGURE,release)
	@$(call BUILD,release) --target bench_programs
	@$(PYTHON) bench/run.py --build build $(CASES)

static: ## build/static/samara: one file that runs on any Linux of this architecture
	@$(SETUP) build
	@$(call CONFIGURE,release)
	@$(call BUILD,release) --target samara_alone
	@ls -l build/static/samara

install: all ## command, header, libraries, documents, under DESTDIR PREFIX (/usr/local); DEBUG=1: for gdb
	@$(if $(DEBUG),SAMARA_DEBUG=1 )DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"
	@sh tools/refresh_loader.sh "$(DESTDIR)" "$(PREFIX)"

uninstall: ## remove what the last install put there
	@sh tools/uninstall.sh build/install_manifest.txt "$(DESTDIR)"

clean: ## remove everything that was built
	rm -rf build build-debug build-asan build-tsan build-fuzz build-clang build-arm64

help: ## this list
	@awk -F ': .*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile
