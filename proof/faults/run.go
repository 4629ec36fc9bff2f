package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"customerzero/internal/platform/testseed"
)

// calm is how many packages run at once of those that run once, because some of them measure times. The tests that run
// with every seed mostly wait.
const calm = 2

// run runs the tests of the scenarios, those that run once before the others.
func run(ctx context.Context, o options, scenarios []*scenario) (*report, error) {
	logs, err := os.MkdirTemp("", "customerzero-faults.")
	if err != nil {
		return nil, err
	}
	r := &report{options: o, began: time.Now(), logs: logs, jobs: plan(scenarios, o.seeds)}
	o.say("%d scenarios, %d runs of test packages, seeds %s", len(scenarios), len(r.jobs), span(o.seeds))
	r.outcomes = make([]outcome, len(r.jobs))
	done, mu := 0, sync.Mutex{}
	for _, calmly := range []bool{true, false} {
		var lanes errgroup.Group
		lanes.SetLimit(o.lanes)
		if calmly {
			lanes.SetLimit(min(calm, o.lanes))
		}
		for i, j := range r.jobs {
			if j.once != calmly {
				continue
			}
			lanes.Go(func() error {
				r.outcomes[i] = o.runJob(ctx, j, filepath.Join(logs, fmt.Sprintf("%s.%d.log", strings.ReplaceAll(j.folder, "/", "-"), i)))
				mu.Lock()
				defer mu.Unlock()
				done++
				o.say("%s  %d of %d: %s: %s", clock(time.Since(r.began)), done, len(r.jobs), j, r.outcomes[i])
				return nil
			})
		}
		_ = lanes.Wait() // no lane returns an error
	}
	r.took = time.Since(r.began)
	r.judge(scenarios)
	if ctx.Err() != nil || len(r.breaches) == 0 {
		err = os.RemoveAll(logs)
	}
	return r, errors.Join(ctx.Err(), err)
}

// outcome is what go test reported of a job.
type outcome struct {
	tests map[string]ending // that ended
	err   error             // nil if go test exited with 0
	log   string
}

// ending is how a test ended: "pass", "fail" or "skip".
type ending struct {
	action string
	took   time.Duration
}

func (found outcome) String() string {
	if found.err != nil {
		return "BREACH (" + found.err.Error() + ")"
	}
	return "passed"
}

// runJob runs go test, with all that it starts in one process group, and writes the output of the tests to the log.
func (o options) runJob(ctx context.Context, j job, log string) outcome {
	found := outcome{tests: map[string]ending{}, log: log}
	file, err := os.Create(log)
	if err != nil {
		found.err = err
		return found
	}
	defer func() { _ = file.Close() }()
	module, folder := moduleOf(o.root, j.folder)
	// The flags of make build, so that the compiler's cache serves both.
	command := exec.CommandContext(ctx, "go", "test", "-json", "-vet=off", "-tags=nomsgpack,testify_yaml_fail,proof", "-trimpath", "-ldflags=-s -w",
		"-count=1", "-timeout="+o.limit.String(), "-run="+j.pattern(), folder)
	command.Dir = filepath.Join(o.root, module)
	command.Env = append(os.Environ(), append(o.env, "CGO_ENABLED=0", fmt.Sprintf("%s=%d", testseed.Setting, j.seed))...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGINT) } // go test removes its files
	command.WaitDelay = 5 * time.Second
	command.Stderr = file
	events, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err == nil {
		found.read(events, file)
		err = command.Wait()
		if ctx.Err() != nil {
			_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // what ignored the interrupt
		}
	}
	found.err = err
	return found
}

// read notes how each test ends.
func (found *outcome) read(events io.Reader, log io.Writer) {
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var event struct {
			Action, Test, Output string
			Elapsed              float64 // in seconds
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			event.Output = lines.Text() + "\n"
		}
		_, _ = io.WriteString(log, event.Output)
		if slices.Contains([]string{"pass", "fail", "skip"}, event.Action) {
			found.tests[event.Test] = ending{event.Action, time.Duration(event.Elapsed * float64(time.Second))}
		}
	}
}

// breach returns why a test proves nothing; empty if it proves something.
func (found outcome) breach(p proof) string {
	for name, part := range found.tests {
		if part.action == "skip" && (name == p.Test || strings.HasPrefix(name, p.Test+"/")) {
			return "was skipped"
		}
	}
	switch found.tests[p.Test].action {
	case "pass":
		return ""
	case "fail":
		return "failed"
	}
	return fmt.Sprintf("did not run to its end (%v)", found.err)
}

// job is one go test of a package: of its tests that run once, or of those that run with one seed.
type job struct {
	folder string
	seed   uint64 // tests that run once may draw random numbers, too
	once   bool
	tests  []proof
}

// plan makes jobs of the scenarios, first those that run once. A test of several scenarios runs for all of them.
func plan(scenarios []*scenario, seeds []uint64) []job {
	tests := map[mode][]proof{}
	for _, s := range scenarios {
		for _, p := range s.Tests {
			if p.runs() {
				tests[p.mode] = append(tests[p.mode], p)
			}
		}
	}
	jobs := byFolder(tests[once], job{once: true, seed: seeds[0]})
	turns := byFolder(tests[inTurn], job{})
	for n, seed := range seeds {
		now := slices.Clone(tests[seeded])
		for _, turn := range turns {
			now = append(now, turn.tests[n%len(turn.tests)])
		}
		jobs = append(jobs, byFolder(now, job{seed: seed})...)
	}
	return jobs
}

func byFolder(tests []proof, like job) (jobs []job) {
	for _, p := range tests {
		i := slices.IndexFunc(jobs, func(j job) bool { return j.folder == p.Package })
		if i < 0 {
			i, jobs = len(jobs), append(jobs, like)
			jobs[i].folder = p.Package
		}
		if !slices.Contains(jobs[i].tests, p) {
			jobs[i].tests = append(jobs[i].tests, p)
		}
	}
	return jobs
}

func (j job) String() string {
	if j.once {
		return j.folder
	}
	return fmt.Sprintf("%s, seed %d", j.folder, j.seed)
}

func (j job) pattern() string {
	var patterns []string
	for _, p := range j.tests {
		patterns = append(patterns, p.pattern())
	}
	return strings.Join(patterns, "|")
}

// command repeats a test of the job with its seed.
func (j job) command(root string, p proof) string {
	module, folder := moduleOf(root, j.folder)
	command := fmt.Sprintf("%s=%d scripts/with-postgres go test ", testseed.Setting, j.seed)
	if module != "." {
		command += "-C " + module + " "
	}
	return command + fmt.Sprintf("-count=1 -run '%s' %s", p.pattern(), folder)
}

// moduleOf gives the module of a folder and the folder's path in it: the Temporal server has its own module.
func moduleOf(root, folder string) (module, below string) {
	for module = folder; module != "."; module = path.Dir(module) {
		if _, err := os.Stat(filepath.Join(root, module, "go.mod")); err == nil {
			return module, "." + strings.TrimPrefix(folder, module)
		}
	}
	return module, "./" + folder
}
