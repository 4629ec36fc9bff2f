package journeys_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"customerzero/internal/platform/telemetry"
	"customerzero/internal/platform/telemetry/telemetrytest"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/workflows"
)

var record = flag.Bool("record", false, "save the histories that the replay test does not have yet")

// server is everybody's Temporal. Each world has a namespace of its own in it.
var server *launcher.Server

// said is every line that was logged, by us, by the SDK and by the server.
var said = &transcript{}

// traced is every span of all journeys.
var traced = telemetrytest.New()

func TestMain(m *testing.M) {
	playCell()
	flag.Parse()
	_ = flag.Set("test.parallel", "8") // most of them wait
	slog.SetDefault(telemetry.NewLog(said, "text", slog.LevelDebug))
	if _, err := telemetry.Start(context.Background(), telemetry.Options{Exporter: traced, Share: 1, Service: "journey"}); err != nil {
		panic(err)
	}
	code, err := withServer(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "no Temporal server to test with (make build makes it):", err)
		code = 1
	}
	os.Exit(code)
}

func withServer(run func() int) (code int, err error) {
	dir, err := os.MkdirTemp("", "journey")
	if err != nil {
		return 1, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if server, err = launcher.Start(ctx, serverOptions(dir)); err != nil {
		return 1, err
	}
	code = run()
	stopping, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return code, server.Stop(stopping)
}

// serverOptions are of a server with its file in a folder.
func serverOptions(dir string) launcher.Options {
	bin := os.Getenv("TEMPORAL_BIN")
	if bin == "" {
		bin = filepath.Join("..", "..", "bin", "temporald")
	}
	return launcher.Options{
		Bin: bin, DBFile: filepath.Join(dir, "temporal.db"), SearchAttributes: workflows.SearchAttributes(), Logs: said,
	}
}
