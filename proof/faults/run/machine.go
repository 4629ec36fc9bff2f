package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// machine says where and of what a run was, as far as that can be told.
func machine(ctx context.Context, root string, began time.Time) string {
	parts := []string{began.UTC().Format("2006-01-02 15:04") + " UTC", fmt.Sprintf("%d cores", runtime.NumCPU())}
	if gigabytes := memory(); gigabytes != "" {
		parts = append(parts, gigabytes)
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		parts = append(parts, "Linux "+strings.TrimSpace(string(kernel)))
	} else {
		parts = append(parts, runtime.GOOS)
	}
	return strings.Join(append(parts, runtime.Version(), "commit "+commit(ctx, root)), ", ")
}

func memory() string {
	info, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return ""
	}
	kilobytes := 0
	if _, err := fmt.Sscanf(string(info), "MemTotal: %d kB", &kilobytes); err != nil {
		return ""
	}
	return fmt.Sprintf("%.0f GB of memory", float64(kilobytes)/(1<<20))
}

func commit(ctx context.Context, root string) string {
	head, err := exec.CommandContext(ctx, "git", "-C", root, "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "unknown"
	}
	changed, err := exec.CommandContext(ctx, "git", "-C", root, "status", "--porcelain", "--untracked-files=no").Output()
	if err != nil || len(changed) > 0 {
		return strings.TrimSpace(string(head)) + " with changes"
	}
	return strings.TrimSpace(string(head))
}
