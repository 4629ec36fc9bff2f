// Package machine describes the machine and the commit of a measurement.
package machine

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"github.com/prometheus/procfs"
)

// Describe names the machine: "2 cores (EPYC), 8 GB of memory, Linux 6.1, go1.26.0, commit 0123abc".
func Describe(ctx context.Context) string {
	cores := fmt.Sprintf("%d cores", runtime.NumCPU())
	var parts []string
	if system, err := procfs.NewDefaultFS(); err == nil { // Linux only
		if processors, err := system.CPUInfo(); err == nil && len(processors) > 0 {
			cores += " (" + processors[0].ModelName + ")"
		}
		if memory, err := system.Meminfo(); err == nil && memory.MemTotal != nil {
			parts = append(parts, fmt.Sprintf("%.0f GB of memory", float64(*memory.MemTotal)/(1<<20)))
		}
	}
	kernel, err := exec.CommandContext(ctx, "uname", "-sr").Output()
	if err != nil {
		kernel = []byte(runtime.GOOS)
	}
	commit, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty", "--exclude=*").Output()
	if err != nil {
		commit = []byte("unknown")
	}
	parts = append(parts, strings.TrimSpace(string(kernel)), runtime.Version(), "commit "+strings.TrimSpace(string(commit)))
	return strings.Join(append([]string{cores}, parts...), ", ")
}
