package rig

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// CrashTest is something that is done to the product, with the promises it has to keep.
type CrashTest struct {
	Things string // what is done many times: "posts"
	// On does it on a stage, and gives what was found when everything was quiet.
	On func(ctx context.Context, o Options, s *Stage) (Report, error)
}

// Run does it to the product on each database, and says whether it kept every promise.
func (t CrashTest) Run(ctx context.Context, o Options) (bool, error) {
	Say(o.Out, "seed %d: %d %s, %d kills", o.Seed, o.Count, t.Things, o.Kills)
	root, err := ModuleRoot()
	if err != nil {
		return false, err
	}
	o.Temporald = cmp.Or(o.Temporald, filepath.Join(root, "bin", "temporald"))
	o.Caddy = cmp.Or(o.Caddy, filepath.Join(root, "bin", "caddy"))
	o.Caddyfile = cmp.Or(o.Caddyfile, filepath.Join(root, "deploy", "Caddyfile"))
	dir, err := os.MkdirTemp("", "customerzero-crash.")
	if err != nil {
		return false, err
	}
	product, err := o.product(ctx, root, dir)
	if err != nil {
		return false, err
	}
	kept := true
	for _, kind := range o.Databases {
		ok, err := t.onOne(ctx, o, kind, product, filepath.Join(dir, kind))
		if err != nil {
			return false, fmt.Errorf("%s: %w (seed %d, logs: %s)", kind, err, o.Seed, dir)
		}
		kept = kept && ok
	}
	if !kept {
		Say(o.Out, "seed %d; logs, events and databases: %s", o.Seed, dir)
		return false, nil
	}
	return true, os.RemoveAll(dir)
}

// onOne runs the crash test on one database.
func (t CrashTest) onOne(ctx context.Context, o Options, kind, product, dir string) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, o.Timeout, fmt.Errorf("not over after %s", o.Timeout))
	defer cancel()
	began := time.Now()
	s, err := openStage(ctx, o, kind, product, dir)
	if err != nil {
		return false, err
	}
	defer s.close()
	found, err := t.On(ctx, o, s)
	if err != nil {
		return false, err
	}
	restless := s.unrest.report(&s.harms)
	found.Verdicts = append(found.Verdicts, restless.Verdicts...)
	found.Figures = slices.Concat(found.Figures, restless.Figures, s.figures())
	found.Figures = append(found.Figures, Figure{"elapsed", time.Since(began).Round(time.Second).String()})
	return found.print(o.Out, kind), nil
}

// Say prints a line.
func Say(out io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(out, format+"\n", args...) }

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
