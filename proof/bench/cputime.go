package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc: the kernel tells programs of hundredths, whatever it counts by.
const tick = 10 * time.Millisecond

// cpuTime is how long a process, without its children, has had a processor.
func cpuTime(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program may hold anything, and ends with the last bracket.
	_, rest, _ := strings.Cut(string(text[max(0, strings.LastIndexByte(string(text), ')')):]), " ")
	fields := strings.Fields(rest)
	const inPrograms, inKernel = 11, 12 // counted from the state on
	if len(fields) <= inKernel {
		return 0, fmt.Errorf("/proc/%d/stat cannot be read", pid)
	}
	user, errUser := strconv.Atoi(fields[inPrograms])
	kernel, errKernel := strconv.Atoi(fields[inKernel])
	if errUser != nil || errKernel != nil {
		return 0, fmt.Errorf("/proc/%d/stat cannot be read", pid)
	}
	return time.Duration(user+kernel) * tick, nil
}
