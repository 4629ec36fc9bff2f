package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memory sums up what processes hold: resident (RSS), and with what they share with others
// divided by the number of sharers (PSS). In kB, as Linux tells it.
func memory(pids []int) (rss, pss int, err error) {
	for _, pid := range pids {
		resident, errRSS := field(pid, "status", "VmRSS:")
		shared, errPSS := field(pid, "smaps_rollup", "Pss:")
		rss, pss, err = rss+resident, pss+shared, errors.Join(err, errRSS, errPSS)
	}
	return rss, pss, err
}

// field reads a number out of one of a process's files.
func field(pid int, file, name string) (int, error) {
	path := filepath.Join("/proc", strconv.Itoa(pid), file)
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, fmt.Errorf("%s has no %s", path, name)
}

// family is a process with its children, and with theirs.
func family(pid int) []int {
	found := []int{pid}
	for _, child := range children(pid) {
		found = append(found, family(child)...)
	}
	return found
}

func children(pid int) (found []int) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		other, err := strconv.Atoi(filepath.Base(process))
		if err != nil {
			continue
		}
		if parent, err := field(other, "status", "PPid:"); err == nil && parent == pid {
			found = append(found, other)
		}
	}
	return found
}

// runs says whether a process was started with a subcommand.
func runs(pid int, subcommand string) bool {
	text, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	arguments := strings.Split(string(text), "\x00")
	return len(arguments) > 1 && arguments[1] == subcommand
}
