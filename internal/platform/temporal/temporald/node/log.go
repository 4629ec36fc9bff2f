package node

import (
	"context"
	"log/slog"
	"sync/atomic"

	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// adapter lets the server speak through slog.
type adapter struct {
	logger *slog.Logger
	quiet  *atomic.Bool // an ordinary stop logs dozens of "context canceled"
	exit   func(code int)
}

var _ serverlog.Logger = adapter{}

func (a adapter) Debug(msg string, tags ...tag.Tag)  { a.log(slog.LevelDebug, msg, tags) }
func (a adapter) Info(msg string, tags ...tag.Tag)   { a.log(slog.LevelInfo, msg, tags) }
func (a adapter) Warn(msg string, tags ...tag.Tag)   { a.log(slog.LevelWarn, msg, tags) }
func (a adapter) Error(msg string, tags ...tag.Tag)  { a.log(slog.LevelError, msg, tags) }
func (a adapter) DPanic(msg string, tags ...tag.Tag) { a.log(slog.LevelError, msg, tags) }

// Panic logs and panics: the server relies on not coming back.
func (a adapter) Panic(msg string, tags ...tag.Tag) {
	a.log(slog.LevelError, msg, tags)
	panic(msg)
}

// Fatal logs and ends the process, even during a stop: the server relies on not coming back.
func (a adapter) Fatal(msg string, tags ...tag.Tag) {
	a.write(slog.LevelError, msg, tags)
	a.exit(1)
}

func (a adapter) log(level slog.Level, msg string, tags []tag.Tag) {
	if !a.quiet.Load() && a.logger.Enabled(context.Background(), level) {
		a.write(level, msg, tags)
	}
}

func (a adapter) write(level slog.Level, msg string, tags []tag.Tag) {
	attrs := make([]slog.Attr, 0, len(tags))
	for _, t := range tags {
		attrs = append(attrs, slog.Any(t.Key(), t.Value()))
	}
	a.logger.LogAttrs(context.Background(), level, msg, attrs...)
}
