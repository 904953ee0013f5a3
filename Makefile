# samara's front door.  CMake stands behind it; `make help` lists what there is.

PREFIX       ?= /usr/local
DESTDIR      ?=
JOBS         ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 20
CASES        ?=

SETUP     = tools/setup.sh build
PYTHON    = python3
# Ninja where it is installed; asked when the recipe runs, after set-up.
GENERATOR = $$(command -v ninja >/dev/null 2>&1 && echo -G Ninja)
CONFIGURE = test -e $(1)/CMakeCache.txt || cmake -S . -B $(1) $(GENERATOR) $(2)
BUILD     = cmake --build $(1) -j $(JOBS)

ASAN = -DCMAKE_BUILD_TYPE=Debug -DSAMARA_SANITIZE=address,undefined
TSAN = -DCMAKE_BUILD_TYPE=Debug -DSAMARA_SANITIZE=thread
FUZZ = -DCMAKE_BUILD_TYPE=Debug -DSAMARA_SANITIZE=address,undefined -DSAMARA_FUZZ=ON \
       -DSAMARA_TESTS=OFF -DCMAKE_C_COMPILER=clang

.PHONY: all setup demo test bench lint install uninstall fuzz asan tsan clean help

all: ## build/samara and the libraries beside it
	@$(SETUP) build
	@$(call CONFIGURE,build)
	@$(call BUILD,build)

setup: ## install the packages that building and testing need
	@$(SETUP) build test

demo: all ## train, evaluate and write a report on data in the repository
	@sh tools/demo.sh build/samara

test: ## everything that needs no special hardware; the last line counts the tests
	@$(SETUP) build test
	@$(call CONFIGURE,build)
	@$(call BUILD,build)
	@$(PYTHON) tools/run_tests.py build -j $(JOBS) --summary build/test-summary.txt

asan: ## the tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(SETUP) build test
	@$(call CONFIGURE,build-asan,$(ASAN))
	@$(call BUILD,build-asan)
	@$(PYTHON) tools/run_tests.py build-asan -j $(JOBS) --summary build-asan/test-summary.txt

tsan: ## the pool, the readers and the contract suite under ThreadSanitizer
	@$(SETUP) build test
	@$(call CONFIGURE,build-tsan,$(TSAN))
	@$(call BUILD,build-tsan)
	@$(PYTHON) tools/run_tests.py build-tsan -j $(JOBS) -L threads \
	    --summary build-tsan/test-summary.txt

fuzz: ## each fuzz target for FUZZ_SECONDS (20) seconds
	@$(SETUP) build fuzz
	@$(call CONFIGURE,build-fuzz,$(FUZZ))
	@$(call BUILD,build-fuzz)
	@$(PYTHON) tools/run_fuzz.py build-fuzz --seconds $(FUZZ_SECONDS) -j $(JOBS)

lint: ## layers, calls, registry, sizes, formatting, static analysis
	@$(SETUP) build lint
	@$(call CONFIGURE,build)
	@$(PYTHON) tools/lint.py --build build -j $(JOBS)

bench: ## samara and its peers side by side; CASES=knn chooses
	@$(SETUP) build bench
	@$(call CONFIGURE,build)
	@$(call BUILD,build)
	@$(PYTHON) bench/run.py --build build $(CASES)

install: all ## the command, header, libraries and documents, under DESTDIR PREFIX (/usr/local)
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

uninstall: ## remove what the last install put there
	@sh tools/uninstall.sh build/install_manifest.txt "$(DESTDIR)"

clean: ## remove everything that was built
	rm -rf build build-debug build-asan build-tsan build-fuzz

help: ## this list
	@awk -F ': .*## ' '/^[a-z]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile
