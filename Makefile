# The two commands: `make demo` and `make test`. Both set up, build and run; see README.md.

CARGO ?= cargo
OUT := target/release

.PHONY: all setup build install uninstall deb tarball packages demo test test-all check fuzz scale figures bench checkpoints clean

all: build

setup:
	@bash scripts/setup.sh

# libadpass.so, libadrt.a, adcc; the C++ and Fortran wrappers are adcc under other names. Where it can be done, the runtimes for 32-bit
# programs in i386/. adshadow.so and libadguest.a: see scripts/build-shared.sh.
build: setup
	$(CARGO) build --release
	@ln -sf adcc $(OUT)/ad++
	@ln -sf adcc $(OUT)/adfc
	@CARGO=$(CARGO) bash scripts/build-i386.sh $(OUT)
	@bash scripts/build-shared.sh $(OUT)
	@bash scripts/build-modules.sh $(OUT)
	@bash scripts/build-shared.sh $(OUT)/i386 -m32

# What was built, below DESTDIR and PREFIX; it works wherever it is moved.
PREFIX ?= /usr/local
install:
	@DESTDIR=$(DESTDIR) bash scripts/install.sh $(OUT) $(PREFIX)
uninstall:
	@DESTDIR=$(DESTDIR) bash scripts/install.sh --remove $(PREFIX)

# A Debian package, and a tar file that may be unpacked anywhere, in target/packages.
deb: build
	@bash scripts/deb.sh $(OUT) target/packages
tarball: build
	@bash scripts/tarball.sh $(OUT) target/packages

# Debian's sources of numerical packages, built with adcc as their compiler, and their own tests. They go to target/packages. Some minutes.
PACKAGES ?=
packages: build
	@bash scripts/packages.sh $(OUT) target/packages $(PACKAGES)

# Differentiates the Gaussian mixture objective of ADBench in adjoint mode and shows the result.
demo: build
	$(OUT)/adcc -O3 -Ibench/objectives \
	    --ad-adjoint='gmm_objective(err)/(alphas, means, icf)' \
	    --ad-tangent='gmm_objective(err)/(alphas, means, icf)' \
	    demo/gmm_demo.c bench/objectives/gmm.c bench/objectives/load_gmm.c -o $(OUT)/gmm_demo
	$(OUT)/gmm_demo

# Tests whose names contain FILTER, or all that every change is tested with.
FILTER ?=
test: build
	@CARGO=$(CARGO) $(OUT)/adtest $(FILTER)

# The same with all of the large cross products: each program at each level, each library at each.
test-all: build
	@CARGO=$(CARGO) $(OUT)/adtest --all $(FILTER)

# What needs no program to run: style, lints, layers, the pages of the crates, the book, links and spelling.
check: setup
	$(CARGO) fmt --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS=-Dwarnings $(CARGO) doc --release --workspace --no-deps --document-private-items
	$(CARGO) test --release -p adpass -p adshadow --test layers
	$(CARGO) test -p xtask
	$(CARGO) xtask book links spelling

# Random programs against an interpreter of dual numbers, in both modes at four levels. Failing programs go to target/fuzz.
FUZZ_COUNT ?= 2000
FUZZ_SEED ?= 1
# For example --prebuilt: the programs are machine code of gcc and clang, through the shadow runtime; or --boundaries: they are divided between both, and share
# memory; or --files: they are divided over several files, which adcc links; or --checkpoints.
FUZZ_WAY ?=
fuzz: build
	$(CARGO) run --release -p adfuzz -- --count $(FUZZ_COUNT) --seed $(FUZZ_SEED) --levels 0,1,2,3 --keep target/fuzz $(FUZZ_WAY)

# What derivatives cost the compiler: of a large module, by stage and as it grows, and of single programs. They go to target/scale.
SCALE_FUNCTIONS ?= 2000
SCALE_INSTRUCTIONS ?= 200000
SCALE_REPEAT ?= 3
scale: build
	$(CARGO) run --release -p adscale -- --functions $(SCALE_FUNCTIONS) --instructions $(SCALE_INSTRUCTIONS) \
	    --repeat $(SCALE_REPEAT)

# What each analysis is worth: tape, time and code size of seven gradients with it and without it, to docs/figures.md.
figures: build
	$(OUT)/adfigures --write docs/figures.md

# Gradients beside hand-written ones and other tools, second derivatives, several directions and sparse Jacobians, to docs/performance.md with its plots. Runs
# for less than half an hour; BENCH='--cases second,directions,sparse --update docs/performance.md' replaces these three sections alone, in six minutes.
BENCH ?= --write docs/performance.md
bench: build
	@bash scripts/setup-bench.sh
	$(OUT)/adbench $(BENCH)

# Gradients of time-stepping codes with checkpoints: memory and time by snapshots, to docs/checkpointing.md with its plot. About ten minutes.
CHECKPOINTS ?= --write docs/checkpointing.md
checkpoints: build
	$(OUT)/adcheckpoints $(CHECKPOINTS)

clean:
	$(CARGO) clean
