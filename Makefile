# For OpenBench and other testers: `make EXE=path [EVALFILE=net]` builds the chess engine for this machine.
EXE ?= nguky-uci
ifneq ($(EVALFILE),)
export EVALFILE
endif

.PHONY: build
build:
	cargo rustc --profile ship --no-default-features --bin nguky-uci -- --emit link=$(EXE)
