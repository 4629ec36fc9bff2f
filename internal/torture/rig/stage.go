// Package rig is what all tortures need: databases that can be cut, a Temporal server,
// the product in processes that are killed and started again, somebody who calls it, a
// diary, and a report. What is done to the product, and what it has to keep, is for each
// torture's own package.
package rig

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"customerzero/internal/cluster"
	"customerzero/internal/embedded"
	"customerzero/internal/keyring"
	"customerzero/workflows"
)

// adminKey is no secret: the product listens on loopback, and knows nobody.
const adminKey = "torture-admin-key"

// Stage is where the product is tortured, on one database.
type Stage struct {
	Kind   string // of the database
	Dir    string // of logs, events and databases
	URL    string // of the API
	Diary  *Diary
	Trap   *Trap
	DB     Database
	Runs   client.Client
	Worker *cluster.Process // nil until StartProduct, as API
	API    *cluster.Process

	product  string
	address  string
	env      []string // of every process
	temporal *embedded.Server
	mu       sync.Mutex
	cuts     int
	closers  []func()
}

func openStage(ctx context.Context, o Options, kind, product, dir string) (*Stage, error) {
	s := &Stage{Kind: kind, Dir: dir, Trap: &Trap{}, product: product}
	err := s.open(ctx, o)
	if err != nil {
		s.close()
	}
	return s, err
}

func (s *Stage) open(ctx context.Context, o Options) error {
	err := os.MkdirAll(s.Dir, 0o700)
	if err != nil {
		return err
	}
	if s.Diary, err = openDiary(s.Dir, o); err != nil {
		return err
	}
	s.Later(s.Diary.close)
	if s.DB, err = openDatabase(ctx, o, s.Kind, s.Dir); err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	s.Later(s.DB.close)
	port, err := embedded.FreePort("127.0.0.1", 0)
	if err != nil {
		return err
	}
	s.address = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	s.URL = "http://" + s.address
	return s.startTemporal(ctx, o)
}

// TemporalLog and TemporalFile are where the Temporal server writes.
func (s *Stage) TemporalLog() string  { return filepath.Join(s.Dir, "temporal.log") }
func (s *Stage) TemporalFile() string { return filepath.Join(s.Dir, "temporal.db") }

func (s *Stage) startTemporal(ctx context.Context, o Options) error {
	logs, err := os.Create(s.TemporalLog())
	if err != nil {
		return err
	}
	s.Later(func() { _ = logs.Close() })
	s.temporal, err = embedded.Start(ctx, embedded.Options{
		Bin: o.Temporald, DBFile: s.TemporalFile(), SearchAttributes: workflows.SearchAttributes(), Logs: logs,
	})
	if err != nil {
		return err
	}
	s.Later(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = s.temporal.Stop(ctx)
	})
	s.Runs, err = client.DialContext(ctx, client.Options{
		HostPort: s.temporal.Address(), Logger: sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err == nil {
		s.Later(s.Runs.Close)
	}
	return err
}

// StartProduct starts the API and the worker, which live until the stage is closed. The
// settings are those beside the database's, Temporal's and our own.
func (s *Stage) StartProduct(ctx context.Context, settings ...string) error {
	secretKeys, err := keyring.New("torture")
	if err != nil {
		return err
	}
	s.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "ADDR=" + s.address, "DATA_DIR=" + s.Dir, "ADMIN_KEY=" + adminKey,
		"DATABASE_URL=" + s.DB.address(), "TEMPORAL_ADDRESS=" + s.temporal.Address(), "SECRET_KEYS=" + secretKeys,
	}, settings...)
	if s.API, err = s.Start(ctx, "api", "api"); err != nil {
		return err
	}
	s.Worker, err = s.Start(ctx, "worker", "worker")
	return err
}

// Start starts one more process of the product, with settings of its own, after StartProduct.
// Its log has the name.
func (s *Stage) Start(ctx context.Context, command, name string, settings ...string) (*cluster.Process, error) {
	ctx, end := context.WithCancel(ctx)
	p, err := cluster.Keep(ctx, cluster.Program{
		Name: name, Path: s.product, Args: []string{command}, Env: slices.Concat(s.env, settings), Dir: s.Dir,
	})
	if err != nil {
		end()
		return nil, err
	}
	s.Later(func() { end(); p.Ended() })
	return p, nil
}

// Founder calls the API with the founders' key.
func (s *Stage) Founder() *Caller {
	return NewCaller(s.URL, http.Header{"X-Admin-Key": {adminKey}})
}

// AwaitReady waits until the product serves.
func (s *Stage) AwaitReady(ctx context.Context) error {
	founder := s.Founder()
	ready := cluster.Until(ctx, time.Minute, func() bool {
		return founder.Call(ctx, http.MethodGet, "/readyz", nil, &struct{}{}).Outcome == Success
	})
	if !ready {
		return errors.New("the product does not get ready")
	}
	return nil
}

// Later has f done when the stage is closed, before what was there earlier.
func (s *Stage) Later(f func()) { s.closers = append(s.closers, f) }

func (s *Stage) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

func (s *Stage) figures() []Figure {
	s.mu.Lock()
	defer s.mu.Unlock()
	workerKills, workerFalls := s.Worker.Deaths()
	apiKills, apiFalls := s.API.Deaths()
	return []Figure{
		{"kills", fmt.Sprintf("worker %d, api %d (other ends: %d, %d)", workerKills, apiKills, workerFalls, apiFalls)},
		{"database cuts", strconv.Itoa(s.cuts)},
	}
}
