# The commands that people and tools look for; the work is in scripts/.
.PHONY: test lint build site all

test:
	scripts/test

all:
	scripts/test --all

lint:
	scripts/lint

build:
	scripts/build

site:
	scripts/site
