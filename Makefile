BACKEND ?= volcano
OPERATOR ?=
PROFILE ?= core,recovery
PROVIDER ?= lab
OUT ?= out
ARGS ?=

.DEFAULT_GOAL := help

##@ Use
.PHONY: conformance
conformance: build ## Run the suite in the lab: BACKEND=volcano[@version] OPERATOR=training-operator PROFILE=core OUT=out
	bin/gangctl-verify run --provider $(PROVIDER) --backend $(BACKEND) --operator "$(OPERATOR)" --profile $(PROFILE) --out $(OUT) $(ARGS)

.PHONY: conformance-matrix
conformance-matrix: build ## Run every release, and record it in docs/matrix.yaml: ARGS="--only volcano --again"
	bin/gangctl-verify matrix $(ARGS)

.PHONY: conformance-mutants
conformance-mutants: build ## Break backends and operators on purpose: the suite must notice each
	bin/gangctl-verify mutants $(ARGS)

.PHONY: mutants
mutants: conformance-mutants ## The same, and ten whole runs of Volcano: each must show the same
	bin/gangctl-verify run --times 10 --backend $(BACKEND) --profile all --out $(OUT)/steady

.PHONY: build
build: ## Build bin/gangctl-verify
	go build -o bin/gangctl-verify ./cmd/gangctl-verify

##@ Develop
.PHONY: test
test: ## Unit tests, and the suite on Volcano in the lab
	go vet ./...
	GOOS=darwin go vet ./internal/toolchain ./internal/runfolder
	go test ./internal/... ./cmd/...
	go test ./conformance -timeout 60m -args -backend=volcano -profile=core

.PHONY: portable
portable: ## All that builds on macOS, too: it compiles Kubernetes' clients once more
	GOOS=darwin go vet ./...

.PHONY: unit
unit: ## Unit tests alone
	go test ./internal/... ./cmd/...

.PHONY: lint
lint: ## golangci-lint, built from its pinned module
	go tool -modfile hack/tools/go.mod golangci-lint run ./...

.PHONY: golden
golden: ## Write the goldens and generated parts of documents anew
	go test ./internal/scenario ./internal/gang ./internal/workload ./internal/render ./internal/report ./internal/setup -update

.PHONY: bench-harness
bench-harness: ## Measure gangctl itself: the figures of docs/performance.md
	go run ./hack/bench-harness

##@ Clean
.PHONY: clean
clean: ## Remove bin/ and out/; built binaries stay in the cache (gangctl-verify cache clear)
	rm -rf bin out

.PHONY: help
help: ## Show this
	@awk 'BEGIN {FS = ":.*##"} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*##/ {printf "  %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
