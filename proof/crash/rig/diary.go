package rig

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Diary tells what was done when, for whoever has to explain a breach.
type Diary struct {
	mu    sync.Mutex
	file  *os.File
	also  io.Writer
	start time.Time
}

func openDiary(dir string, o Options) (*Diary, error) {
	file, err := os.Create(filepath.Join(dir, "events.log"))
	d := &Diary{file: file, also: io.Discard, start: time.Now()}
	if o.Verbose {
		d.also = o.Out
	}
	return d, err
}

// Note writes a line.
func (d *Diary) Note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	line := fmt.Sprintf("%s %7.3fs  %s\n", now.UTC().Format("15:04:05.000"), now.Sub(d.start).Seconds(), fmt.Sprintf(format, args...))
	_, _ = io.WriteString(io.MultiWriter(d.file, d.also), line)
}

// Write notes what a program says as it goes.
func (d *Diary) Write(text []byte) (int, error) {
	d.Note("%s", strings.TrimSpace(string(text)))
	return len(text), nil
}

func (d *Diary) close() { _ = d.file.Close() }
