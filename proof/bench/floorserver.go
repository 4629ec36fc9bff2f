package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"customerzero/proof/bench/floor"
)

// floorServer is what the product's API is measured beside: this program, as a child.
type floorServer struct {
	address string
	running *exec.Cmd
	stdin   io.Closer // the child ends with it
}

func startFloor(ctx context.Context, database, temporal, page string) (*floorServer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f := &floorServer{running: exec.CommandContext(ctx, self, "floor")}
	f.running.Env = []string{floor.DatabaseSetting + "=" + database, floor.TemporalSetting + "=" + temporal, floor.PageSetting + "=" + page}
	f.running.Stderr = os.Stderr
	stdin, errIn := f.running.StdinPipe()
	stdout, errOut := f.running.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return nil, err
	}
	if err := f.running.Start(); err != nil {
		return nil, err
	}
	f.stdin = stdin
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the floor does not answer: %w", err), f.stop())
	}
	f.address = strings.TrimSpace(line)
	return f, nil
}

func (f *floorServer) pid() int { return f.running.Process.Pid }

func (f *floorServer) stop() error {
	_ = f.stdin.Close()
	return f.running.Wait()
}
