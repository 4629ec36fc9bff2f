package rig

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// product is the program that is crash tested.
func (o Options) product(ctx context.Context, root, dir string) (string, error) {
	if o.Product != "" {
		return filepath.Abs(o.Product)
	}
	return Build(ctx, root, dir)
}

// Build makes the product from the sources as they are, with the flags of `make build`,
// so that most of it is in the compiler's cache.
func Build(ctx context.Context, root, dir string) (string, error) {
	program := filepath.Join(dir, "customerzero")
	compile := exec.CommandContext(ctx, "go", "build", "-tags", "nomsgpack,testify_yaml_fail", "-trimpath", "-ldflags", "-s -w", "-o", program, ".")
	compile.Dir = root
	compile.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := compile.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the product: %w\n%s", err, said)
	}
	return program, nil
}

// ModuleRoot finds the repository, from inside of it.
func ModuleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("run this inside the repository")
		}
		dir = parent
	}
}
