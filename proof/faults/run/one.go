package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"customerzero/internal/platform/testseed"
)

// runOne runs a test program, and listens to what it says of its tests.
func (o options) runOne(ctx context.Context, j job, program string) outcome {
	began, found := time.Now(), outcome{tests: map[string]ending{}, limit: o.limit}
	if ctx.Err() != nil {
		found.err = context.Cause(ctx)
		return found
	}
	found.log = fmt.Sprintf("%s.%d.log", program, j.seed)
	if j.once {
		found.log = program + ".log"
	}
	log, err := os.Create(found.log)
	if err != nil {
		found.err = err
		return found
	}
	defer func() { _ = log.Close() }()
	// The program ends itself, and says where it hung. This is for one that cannot.
	ctx, cancel := context.WithTimeoutCause(ctx, o.limit+10*time.Second, fmt.Errorf("it was not over after %s, and had to be killed", o.limit))
	defer cancel()
	found.err = found.listen(o.command(ctx, j, program), log)
	if ctx.Err() != nil {
		found.err = context.Cause(ctx)
	}
	found.took = time.Since(began)
	return found
}

func (o options) command(ctx context.Context, j job, program string) *exec.Cmd {
	command := exec.CommandContext(ctx, "go", "tool", "test2json", "-t", program,
		"-test.v=test2json", "-test.paniconexit0", "-test.count=1", "-test.timeout="+o.limit.String(), "-test.run="+j.pattern())
	command.Dir = filepath.Join(o.root, j.folder)
	command.Env = append(append(os.Environ(), o.env...), fmt.Sprintf("%s=%d", testseed.Setting, j.seed))
	// It ends with all that it started.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	return command
}

// event is what a test says, as go tool test2json writes it.
type event struct {
	Action, Test, Output string
	Elapsed              float64
}

// listen notes how each test ends, and writes what they say to the log.
func (found *outcome) listen(command *exec.Cmd, log io.Writer) error {
	says, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	command.Stderr = log
	if err := command.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(says)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			e = event{Action: "output", Output: lines.Text() + "\n"}
		}
		found.note(e)
		_, _ = io.WriteString(log, e.Output)
	}
	return command.Wait()
}

func (found *outcome) note(e event) {
	switch e.Action {
	case "run":
		found.tests[e.Test] = ending{}
	case "pass", "fail", "skip":
		if e.Test != "" {
			found.tests[e.Test] = ending{e.Action, time.Duration(e.Elapsed * float64(time.Second))}
		}
	case "output":
		found.overdue = found.overdue || strings.HasPrefix(e.Output, "panic: test timed out")
	}
}
