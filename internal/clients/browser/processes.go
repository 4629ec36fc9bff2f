package browser

import (
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
)

// process is one, and no other that got its number later.
type process struct {
	PID   int
	since uint64
}

func (p process) alive() bool {
	if p.PID == 0 {
		return false
	}
	stat, err := stat(p.PID)
	return err == nil && stat.Starttime == p.since && stat.State != "Z"
}

func (p process) kill() {
	if p.alive() {
		_ = syscall.Kill(p.PID, syscall.SIGKILL)
	}
}

func stat(pid int) (procfs.ProcStat, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return procfs.ProcStat{}, err
	}
	return proc.Stat()
}

// find looks for the first process of the browser and that of its driver by their command lines.
func find(dir string) (main, node process, profile string) {
	all, err := procfs.AllProcs()
	if err != nil {
		return main, node, ""
	}
	for _, proc := range all {
		line, err := proc.CmdLine()
		if err != nil || len(line) < 2 {
			continue
		}
		stat, err := proc.Stat()
		if err != nil {
			continue
		}
		switch {
		case line[0] == filepath.Join(dir, "node"):
			node = process{proc.PID, stat.Starttime}
		case slices.Contains(line, mark(dir)) && main.PID == 0:
			main = process{proc.PID, stat.Starttime}
			profile = profileOf(line)
		}
	}
	return main, node, profile
}

// profileOf is where the browser keeps its files.
func profileOf(line []string) string {
	for _, argument := range line {
		if dir, ok := strings.CutPrefix(argument, "--user-data-dir="); ok {
			return dir
		}
	}
	return ""
}

// zygotes are the processes of the family from which those of pages are made.
func zygotes(main process) (found []process) {
	for _, m := range family(main) {
		proc, err := procfs.NewProc(m.PID)
		if err != nil {
			continue
		}
		line, err := proc.CmdLine()
		if err == nil && strings.Contains(strings.Join(line, " "), "--type=zygote") { // some make one word of it
			found = append(found, m.process)
		}
	}
	return found
}

// member is one of the browser's processes.
type member struct {
	process
	memory int64
}

// family is a process with all that descend from it, itself first; none when it is gone.
func family(main process) []member {
	all, err := procfs.AllProcs()
	if err != nil || !main.alive() {
		return nil
	}
	children := map[int][]member{}
	members := []member{}
	for _, proc := range all {
		stat, err := proc.Stat()
		if err != nil || stat.State == "Z" {
			continue
		}
		m := member{process{stat.PID, stat.Starttime}, int64(stat.ResidentMemory())}
		children[stat.PPID] = append(children[stat.PPID], m)
		if m.process == main {
			members = append(members, m)
		}
	}
	for i := 0; i < len(members); i++ {
		members = append(members, children[members[i].PID]...)
	}
	return members
}
