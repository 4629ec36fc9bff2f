package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

// compile makes the test program of every package once, for all seeds, and gives them by folder.
func (o options) compile(ctx context.Context, dir string, jobs []job) (map[string]string, error) {
	built := map[string]string{}
	for _, j := range jobs {
		built[j.folder] = filepath.Join(dir, strings.ReplaceAll(j.folder, "/", "-")+".test")
	}
	building, ctx := errgroup.WithContext(ctx)
	building.SetLimit(2)
	for folder, program := range built {
		building.Go(func() error { return o.compileOne(ctx, folder, program) })
	}
	return built, building.Wait()
}

// compileOne uses the flags of make build, so that most of it is in the compiler's cache.
func (o options) compileOne(ctx context.Context, folder, program string) error {
	module, below := moduleOf(o.root, folder)
	compile := exec.CommandContext(ctx, "go", "test", "-c", "-tags", "nomsgpack,testify_yaml_fail,proof", "-trimpath", "-ldflags", "-s -w", "-o", program, below)
	compile.Dir = filepath.Join(o.root, module)
	compile.Env = append(os.Environ(), "CGO_ENABLED=0")
	said, err := compile.CombinedOutput()
	if err == nil {
		_, err = os.Stat(program) // there is none for a package without tests
	}
	if err != nil {
		return fmt.Errorf("compile the tests of %s: %w\n%s", folder, err, said)
	}
	return nil
}

// moduleOf gives the module that a folder belongs to, and the folder's place in it: the Temporal
// server is a module of its own.
func moduleOf(root, folder string) (module, below string) {
	for module = folder; module != "."; module = path.Dir(module) {
		if _, err := os.Stat(filepath.Join(root, module, "go.mod")); err == nil {
			return module, "." + strings.TrimPrefix(folder, module)
		}
	}
	return module, "./" + folder
}
