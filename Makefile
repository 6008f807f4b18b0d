# Everything a user or a continuous integration needs, with only Python 3.11 or newer, pip, make and git.
# `make` lists the targets. Settings are given on the command line:
#
#     make results CORES=1                         how many cores to use; all by default
#     make results CHECKINS=path/to/checkins.txt   adds a check-in file of your own (plain or gzipped),
#                  LAYOUT=snap                     in this layout; tsmc2014 by default; csv is any table that
#                                                  names its columns time, latitude, longitude, user, venue
#     make results MECHANISM=my_mechanism.py:SquaredMechanism   adds a mechanism of your own, a class in a file;
#                                                  several with commas between (docs/add_a_mechanism.md)
#     make results FIGURE=survey_size              makes one figure, and what it needs (docs/one_figure.md)
#     make results CONFIG=my.yaml INTO=folder      lays a configuration over config/config.yaml, and keeps the
#                                                  results and figures in a folder of their own
#     make results PYTHON=/path/to/python3.11      which Python makes .venv
#     make results UV=                             install with pip, even if uv is on the PATH
#
# A run that was killed (power loss, kill -9) leaves the directory locked. `make unlock` followed by the
# same command finishes it. Unlocking is a command of its own because Snakemake cannot tell a killed run
# from one that is still going on in another terminal; only you can.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help results smoke report compare robustness docs notebook cluster lint unlock clean
.PHONY: test test-library test-sweeps test-all test-docs test-engines test-opendp test-cluster mutants

CORES ?= all
CHECKINS ?=
LAYOUT ?= tsmc2014
MECHANISM ?=
CONFIG ?=
INTO ?=
FIGURE ?=
# as they were given: make would run a $(shell ...) in the name of a file, and drop a single $
override CHECKINS := $(value CHECKINS)
override LAYOUT := $(value LAYOUT)
override MECHANISM := $(value MECHANISM)
override CONFIG := $(value CONFIG)
override INTO := $(value INTO)
override FIGURE := $(value FIGURE)
export CHECKINS LAYOUT MECHANISM CONFIG INTO FIGURE

PYTHON ?= $(shell for name in python3.11 python3.12 python3.13 python3.14 python3; do \
	if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$name; break; fi; done)

UV ?= $(shell command -v uv 2>/dev/null)

# Stamps that say what the environment was made from. Their names hold a checksum, so they are missing as
# soon as the file's content changes (or the folder, as an environment cannot be moved), whatever its date:
# a new locks/study.txt makes the whole environment again, a new pyproject.toml installs the project again.
# Tests, lint and notebooks need more than the study: locks/dev.txt, which is added when they are first asked
# for; so is locks/docs.txt for the documentation. A new one makes the whole environment again, so that nothing
# of the old one is left in it. What a cluster needs is small, and is put over the old.
checksum = $(firstword $(shell { pwd; cat $(1); } | cksum))
PACKAGES := .venv/.lock-$(call checksum,locks/study.txt)
READY := .venv/.project-$(call checksum,locks/study.txt pyproject.toml)
DEV := .venv/.dev-$(call checksum,locks/study.txt locks/dev.txt locks/arrow.txt)
DOCS := .venv/.docs-$(call checksum,locks/study.txt locks/docs.txt)
ENGINES := .venv/.engines-$(call checksum,locks/engines.txt)
OPENDP := .venv/.opendp-$(call checksum,locks/opendp.txt)
CLUSTER := .venv/.cluster-$(call checksum,locks/study.txt locks/cluster.txt)
MUTANTS := .venv/.mutants-$(call checksum,locks/mutants.txt)
BIN := .venv/bin
# A link may lead to the environment of another folder. It is used if its stamps are current for this one. Make
# clears nothing behind it and installs nothing through it: each recipe that would do so begins with $(refuse_link).
LINKED := $(shell [ ! -L .venv ] || echo yes)
refuse_link = $(if $(LINKED),$(error .venv is a link, and the environment behind it is not current for this folder, so \
	it is left as it is. Remove the link (rm .venv) and repeat the command: it makes an environment here))
# what make leaves in an environment that it has made, or was making; another .venv is the user's
MADE_VENV = $(if $(LINKED),,$(wildcard .venv/.made .venv/.lock-*))

# $(call install,lock): install what a lock pins, with its bytecode. Without, each of the hundred jobs of a run
# starts 3 s later wherever PYTHONDONTWRITEBYTECODE is set, as in many containers. The source is compiled, too. So
# are, by draws of each kind, the loops that Numba compiles: else several jobs would each do so, for up to 5 s.
ifneq ($(strip $(UV)),)
install = "$(UV)" pip install --python $(BIN)/python --compile-bytecode --require-hashes --requirement $(1)
else
install = $(BIN)/python -m pip install --disable-pip-version-check --require-hashes --requirement $(1)
endif

# The dataset "foursquare" read from CHECKINS, written as YAML for --config.
DATASET = $(if $(strip $(CHECKINS)),dataset=$$($(BIN)/python tools/dataset_of_checkins.py) || exit;)
CHECKINS_CONFIG = $(if $(strip $(CHECKINS)),--config "datasets=$$dataset")

# The mechanisms of MECHANISM with their absolute paths, in the environment of Snakemake and its jobs.
OWN = $(if $(strip $(MECHANISM)),MECHANISM=$$($(BIN)/python tools/mechanism_paths.py) || exit;)

# Where the results of the study are kept, and the configuration that is laid over that of the study.
FOLDER = $(if $(strip $(INTO)),"$$INTO",.)
ONE_FIGURE = $(if $(strip $(FIGURE)),-- "figures/$$FIGURE.png")
LAID_OVER = $(if $(strip $(CONFIG)),--configfile="$$CONFIG")

# $(call snakemake,directory,arguments): run Snakemake; if it found the directory locked, say what to do.
define snakemake
$(BIN)/snakemake --directory $(1) --cores $(CORES) $(2) || { status=$$?; \
	if [ -n "$$(find $(1)/.snakemake/locks -type f 2>/dev/null)" ]; then \
		echo "If the last run here was killed and none is going on: make unlock, then this command again." >&2; \
	fi; exit $$status; }
endef

# The tests of a file stay together, as they share what is made for them. Each core has a process of its own, so
# BLAS uses one thread: more would only wait for each other. Bytecode is kept even where PYTHONDONTWRITEBYTECODE is
# set: pytest compiles each test in a way of its own, which takes each process 4 s, also those of the second line.
# What is freed stays with the process: glibc would give back large arrays, and get each again page by page.
MEMORY := MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_TOP_PAD_=67108864
PYTEST := $(MEMORY) OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n auto --dist loadfile
# Wherever pandas finds pyarrow it uses it. The study does without, so pyarrow lies beside the environment. These tests
# are few: one process takes half as long as several.
ARROW = PYTHONPATH=.venv/arrow $(PYTEST) -n 0 -m arrow $(shell grep -l 'mark\.arrow' tests/dirpriv/test_*.py)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1 @\2/p' $(firstword $(MAKEFILE_LIST)) | \
		awk -F '@' '{ printf "%-18s %s\n", $$1, $$2 }'
	@echo "The first one makes .venv: 1.1 GB in a minute; test, lint and notebook add 0.7 GB. uv is faster than pip."

results: $(READY) ## compute all tables and figures into results/ and figures/ (5 to 12 minutes on 2 cores)
	@$(OWN) $(DATASET) $(call snakemake,$(FOLDER),$(LAID_OVER) $(CHECKINS_CONFIG) $(ONE_FIGURE))

smoke: $(READY) ## the same workflow on small grids, in .smoke/ (a minute)
	@$(OWN) $(call snakemake,.smoke,--configfile config/smoke.yaml --set-threads prepare_checkins=1 simulate_busyness=1)

robustness: $(READY) ## after results: which verdicts change with the seed and the people (an hour); config/claims/robustness.csv
	$(BIN)/python tools/measure_robustness.py --cores $(CORES)

report: results ## one page with all figures, tables and verdicts: results/report.html
	@$(OWN) $(DATASET) $(call snakemake,$(FOLDER),--report results/report.html --report-stylesheet $(if $(strip $(INTO)),"$(CURDIR)"/)src/study/workflow/report.css $(LAID_OVER) $(CHECKINS_CONFIG))
	@echo "Open results/report.html in a browser; it needs no network."

compare: $(READY) ## what changed between the results here and those of INTO=folder: configuration, verdicts, tables
	@$(BIN)/python tools/compare_results.py . "$$INTO"

docs: $(DOCS) $(if $(wildcard results/claims.csv),,smoke) ## build the documentation: docs/_build/html/index.html (a minute; another without results)
	@rm -rf docs/_build docs/api/generated docs/generated docs/notebooks
	$(BIN)/python -m sphinx --quiet --nitpicky --fail-on-warning --keep-going -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python tools/check_links.py docs/_build/html
	@echo "Open docs/_build/html/index.html in a browser."

test-docs: $(DEV) $(DOCS) ## run the tests of the documentation, which build it
	$(PYTEST) tests/workflow/test_docs.py

test-engines: $(DEV) $(ENGINES) ## release 3 million rows in DuckDB, Polars, Spark (with Java 17 or newer) and Dask
	PYTHONPATH="$(CURDIR)/.venv/engines:$(CURDIR)/.venv/arrow" OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/engines

test-opendp: $(DEV) $(OPENDP) ## releases as measurements of OpenDP, and its histogram beside ours
	DIRPRIV_OPENDP=required PYTHONPATH="$(CURDIR)/.venv/opendp" $(BIN)/python -m pytest tests/dirpriv/test_opendp.py

notebook: $(DEV) ## open the notebooks in the browser
	$(BIN)/jupyter-lab notebooks

test: $(DEV) ## run the tests (10 to 12 minutes on 2 cores)
	$(PYTEST)
	$(ARROW)

test-library: $(DEV) ## run the tests of the mathematics alone: distributions, geometry, mechanisms, guarantees, exact tables, estimators
	$(PYTEST) $(patsubst %,tests/dirpriv/test_%.py,$(shell cat tests/library.txt))

test-sweeps: $(DEV) ## run the long sweeps, which test leaves out
	$(PYTEST) -m sweep

cluster: $(CLUSTER) ## add to .venv what sends the jobs of the study to SLURM
	@echo "Now: source .venv/bin/activate && snakemake --workflow-profile profiles/slurm"

test-cluster: $(DEV) $(CLUSTER) ## run the study through a SLURM of three nodes on this machine (5 minutes)
	$(BIN)/python -m pytest tests/cluster

test-all: $(DEV) ## run the tests and the long sweeps
	$(PYTEST) -m 'not arrow'
	$(ARROW)

mutants: $(DEV) $(MUTANTS) ## what share of small faults of the library the tests notice (an hour on one core); mutants.csv
	OMP_NUM_THREADS=1 PYTHONPATH="$(CURDIR)/.venv/mutants" $(BIN)/python tools/measure_mutants.py mutants.csv

lint: $(DEV) ## check style, types, docstrings, words, names, workflow, the walls between folders and the files of GitHub
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/check_docstrings.py
	$(BIN)/python tools/check_words.py
	$(BIN)/python tools/check_names.py
	$(BIN)/snakefmt --check Snakefile src/study
	$(BIN)/snakemake --lint
	$(BIN)/lint-imports --no-cache
	$(BIN)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %/config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows $(wildcard .github/workflows/*.yml)

unlock: $(READY) ## after a run was killed: let the next one start (make sure that none is going on)
	@for directory in . .smoke "$$INTO"; do \
		if [ -d "$$directory/.snakemake" ]; then $(BIN)/snakemake --directory "$$directory" --unlock || exit; fi; \
	done

clean: ## remove the environment and all that was computed; files of your own stay
	@"$(PYTHON)" tools/clean_results.py . .smoke $(wildcard .robustness/*)
	@rm -f .robustness/*/variant.yaml .robustness/*/run.log
	@for directory in .smoke $(wildcard .robustness/*) .robustness; do if [ -d $$directory ]; then \
		rmdir $$directory 2>/dev/null || echo "left alone, as it has files of your own: $$directory"; fi; done
	rm -rf .mypy_cache .pytest_cache .ruff_cache docs/_build docs/api/generated docs/generated
	@if [ -z "$(MADE_VENV)" ] && { [ -e .venv ] || [ -L .venv ]; }; then \
		echo "left alone, as make has not made it: .venv"; else rm -rf .venv; fi

$(PACKAGES):
	$(refuse_link)
	@if [ -z "$(PYTHON)" ]; then \
		echo "Python 3.11 or newer is needed, and there is none on the PATH." >&2; \
		echo "Install it, or say where it is: make PYTHON=/path/to/python3.11" >&2; exit 1; fi
	@"$(PYTHON)" -c 'import sys; sys.exit("Python 3.11 or newer is needed; $(PYTHON) is " + sys.version.split()[0] \
		if sys.version_info < (3, 11) else None)' || { echo "Say where it is: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@if [ -z "$(MADE_VENV)" ] && [ -n "$$(ls -A .venv 2>/dev/null)" ]; then \
		echo ".venv is no environment that make has made; move it elsewhere." >&2; exit 1; fi
	@echo "Making .venv with $(PYTHON): 1.1 GB. This takes about a minute and happens once."
	"$(PYTHON)" -m venv --clear .venv
	@touch .venv/.made
	$(call install,locks/study.txt)
	@touch $@

$(READY): $(PACKAGES)
	$(refuse_link)
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@$(BIN)/python -c 'from dirpriv.distributions import Purkayastha as Distribution; [(Distribution(n, 1.0).rvs(mu, 20000, rng=1), \
		Distribution(n, 1.0).rvs([mu] * 20000, rng=1)) for n in (2, 3, 4, 100) for mu in [[1.0] + [0.0] * (n - 1)]]'
	@rm -f .venv/.project-*
	@touch $@

$(DEV): | $(READY)
	$(refuse_link)
	@if ls .venv/.dev-* >/dev/null 2>&1; then rm -rf .venv; fi
	@$(MAKE) --silent $(READY)
	@echo "Adding what tests, lint and notebooks need to .venv: 0.7 GB. This happens once."
	$(call install,locks/dev.txt)
	$(call install,locks/arrow.txt) --no-deps --target .venv/arrow
	@touch $@

$(DOCS): | $(READY)
	$(refuse_link)
	@if ls .venv/.docs-* >/dev/null 2>&1; then rm -rf .venv; fi
	@$(MAKE) --silent $(READY)
	@echo "Adding what the documentation needs to .venv: 0.2 GB. This happens once."
	$(call install,locks/docs.txt)
	@touch $@

# beside the environment, as Arrow is, which they need: nothing else finds them there
$(ENGINES): | $(DEV)
	$(refuse_link)
	@rm -rf .venv/engines .venv/.engines-*
	@echo "Adding Spark and Dask to .venv: 0.5 GB. This happens once."
	$(call install,locks/engines.txt) --no-deps --target .venv/engines
	@touch $@

$(OPENDP): | $(DEV)
	$(refuse_link)
	@rm -rf .venv/opendp .venv/.opendp-*
	@echo "Adding OpenDP to .venv: 0.3 GB. This happens once."
	$(call install,locks/opendp.txt) --no-deps --target .venv/opendp
	@touch $@

$(MUTANTS): | $(DEV)
	$(refuse_link)
	@rm -rf .venv/mutants .venv/.mutants-*
	$(call install,locks/mutants.txt) --no-deps --target .venv/mutants
	@touch $@

$(CLUSTER): | $(READY)
	$(refuse_link)
	$(call install,locks/cluster.txt)
	@rm -f .venv/.cluster-*
	@touch $@
