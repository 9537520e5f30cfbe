# For OpenBench and other testers: `make EXE=path [EVALFILE=net]` builds the chess engine for this machine.
EXE ?= nguky-uci
ifeq ($(OS),Windows_NT)
NAME := $(patsubst %.exe,%,$(EXE)).exe
else
NAME := $(EXE)
endif
ifneq ($(EVALFILE),)
export EVALFILE
endif

.PHONY: build
build:
	cargo rustc --profile ship --no-default-features --features chess,nets --bin nguky-uci -- --emit link=$(NAME)

# Programs for any x86-64 of the last fifteen years, in target/dist/stage (docs/build.md).
.PHONY: universal pgo
universal:
	dist/pack programs

# The fastest programs for this machine, in target/pgo/bin; needs llvm-tools of the toolchain.
pgo:
	dist/pgo

# What users get, in target/dist: an archive with its sha256, a Debian package, a Python wheel. dist/pack has the variables.
.PHONY: dist deb wheel
dist:
	dist/pack archive
deb:
	dist/pack deb
wheel:
	dist/pack wheel
