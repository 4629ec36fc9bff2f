package rig

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"customerzero/internal/platform/temporal/launcher"
	"customerzero/workflows"
)

// startTemporal starts the server that a single worker has for itself.
func (s *Stage) startTemporal(ctx context.Context) error {
	logs, err := os.Create(filepath.Join(s.Dir, "temporal.log"))
	if err != nil {
		return err
	}
	s.Later(func() { _ = logs.Close() })
	server, err := launcher.Supervise(ctx, launcher.Options{
		Bin: s.options.Temporald, DBFile: s.temporalFile(), SearchAttributes: workflows.SearchAttributes(), Logs: logs,
	}, func(cause error) { s.Diary.Note("Temporal was started again: %v", cause) })
	if err != nil {
		return err
	}
	s.Temporal = server
	s.Later(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = server.Stop(ctx)
	})
	s.temporal = server.Address()
	return s.dialTemporal(ctx)
}

func (s *Stage) dialTemporal(ctx context.Context) error {
	var err error
	s.Runs, err = client.DialContext(ctx, client.Options{
		HostPort: s.temporal, ConnectionOptions: launcher.Connection(s.temporal), Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err == nil {
		s.Later(s.Runs.Close)
	}
	return err
}

func (s *Stage) temporalFile() string { return filepath.Join(s.Dir, "temporal.db") }
