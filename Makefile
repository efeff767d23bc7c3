# `make demo`, `make test`, `make check`, `make bench`. Each sets up what it needs.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test check bench wasm venv lint-tools

# Python with the real SDKs, for the end-to-end tests; they find it by this variable.
export WEIR_VENV ?= $(CURDIR)/.venv
# Compiled once for the demo and the tests: one profile, and never a package alone, so that features agree.
CARGO ?= cargo
ifneq ($(shell command -v cargo-nextest),)
  RUN_TESTS = $(CARGO) nextest run --workspace && $(CARGO) test --workspace --doc
else
  RUN_TESTS = $(CARGO) test --workspace --no-fail-fast
endif

help:
	@echo "make demo   thirty agents, two providers, one governor: under a minute"
	@echo "make test   every test, with the real OpenAI and Anthropic SDKs"
	@echo "make check  format, lints, documentation, dependencies, spelling"
	@echo "make bench  what policies in WebAssembly cost, and nginx beside weir"

demo: wasm
	$(CARGO) run --bin weir -- demo

test: wasm venv
	$(RUN_TESTS)

check: wasm
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps
	@$(MAKE) --no-print-directory lint-tools

bench: wasm
	$(CARGO) bench --bench '*'
	$(CARGO) run --release --bin weir-load

# Tools beside Cargo's own. One that is missing is named, not passed over in silence.
lint-tools:
	@if command -v cargo-deny >/dev/null; then $(CARGO) deny check bans licenses sources; \
	  else echo "skipped: cargo-deny is missing (cargo install cargo-deny --locked)"; fi
	@if command -v cargo-machete >/dev/null; then $(CARGO) machete; \
	  else echo "skipped: cargo-machete is missing (cargo install cargo-machete --locked)"; fi
	@if command -v typos >/dev/null; then typos; \
	  else echo "skipped: typos is missing (cargo install typos-cli --locked)"; fi

# The shipped policies are compiled to this target.
wasm:
	@rustup target list --installed | grep -qx wasm32-wasip2 || rustup target add wasm32-wasip2

venv: $(WEIR_VENV)/installed

$(WEIR_VENV)/installed: tests/requirements.txt
	python3 -m venv $(WEIR_VENV)
	$(WEIR_VENV)/bin/pip install --quiet --requirement tests/requirements.txt
	touch $@
