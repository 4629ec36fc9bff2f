// Package rig is what all crash tests need: databases that can be cut, a Temporal server, the product in processes that
// are killed and started again, somebody who calls it, a diary, and a report. What is done to the product, and what it
// has to keep, is for each crash test's own package.
package rig

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"

	"customerzero/api/members"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/platform/ports"
	"customerzero/internal/platform/temporal/launcher"
	"customerzero/proof/cluster"
)

// adminKey is no secret: the product listens on loopback, and knows nobody.
const adminKey = "crash-admin-key"

// Stage is where the product is crash tested, on one database.
type Stage struct {
	Kind  string // of the database; a cluster has Postgres
	Dir   string // of logs, events and databases
	URL   string // of the API, or of the proxy before it
	Diary *Diary
	Trap  *Trap
	DB    *Database

	// From StartProduct on.
	Runs          client.Client
	Workers, APIs Group
	TargetURL     string
	Temporal      *launcher.Server // nil: a cluster has another

	options  Options
	address  string
	env      []string // of every process
	temporal string
	cluster  *cluster.Cluster // nil: there is one of everything
	harms    harms
	unrest   unrest
	cuts     atomic.Int32
	closers  []func()
}

func (s *Stage) open(ctx context.Context, o Options) error {
	err := os.MkdirAll(s.Dir, 0o700)
	if err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(s.Dir, "events.log"))
	if err != nil {
		return err
	}
	s.Diary = &Diary{file: file, start: time.Now()}
	s.Later(s.Diary.close)
	if s.DB, err = openDatabase(ctx, o, s.Kind, s.Dir); err != nil {
		return fmt.Errorf("the database: %w", err)
	}
	s.Later(s.DB.close)
	if s.address, err = ports.Address(); err != nil {
		return err
	}
	s.URL = "http://" + s.address
	return nil
}

// Founder calls the API with the founders' key.
func (s *Stage) Founder() *Caller {
	return NewCaller(s.URL, http.Header{"X-Admin-Key": {adminKey}})
}

// AwaitReady waits until the product serves.
func (s *Stage) AwaitReady(ctx context.Context) error {
	founder := s.Founder()
	ready := cluster.Until(ctx, 5*time.Minute, func() bool {
		return founder.Call(ctx, http.MethodGet, "/readyz", nil, &struct{}{}).Outcome == Success
	})
	if !ready {
		return errors.New("the product does not get ready")
	}
	return nil
}

// AddMember enters a member. One who is there already is fine: an earlier answer may be lost.
func (s *Stage) AddMember(ctx context.Context, name string) error {
	founder, body, a := s.Founder(), members.NewMember{Username: name, PaymentAmount: 9}, Answer{}
	entered := cluster.Until(ctx, 5*time.Minute, func() bool {
		a = founder.Call(ctx, http.MethodPost, "/api/members", body, &members.AddedMember{})
		return a.Outcome == Success || a.Code == problem.MemberExists
	})
	if !entered {
		return fmt.Errorf("member %s could not be entered: %s", name, a)
	}
	return nil
}

// Settle waits until nothing is open, and returns what still is after a quarter of an hour: that is a breach,
// and no reason to stop looking.
func (s *Stage) Settle(ctx context.Context, list func() ([]string, error)) (open []string, err error) {
	cluster.Until(ctx, 15*time.Minute, func() bool {
		open, err = list()
		return err == nil && len(open) == 0
	})
	s.Diary.Note("settled, but for %d", len(open))
	if ctx.Err() != nil {
		return open, context.Cause(ctx)
	}
	return open, err
}

// Later has f done when the stage is closed, before what was there earlier.
func (s *Stage) Later(f func()) { s.closers = append(s.closers, f) }

func (s *Stage) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

// StartProduct starts the product, which lives until the stage is closed: an API and a worker,
// or a whole cluster. The settings are those beside our own.
func (s *Stage) StartProduct(ctx context.Context, settings ...string) error {
	secretKeys, err := keyring.New("crash")
	if err != nil {
		return err
	}
	settings = append([]string{"ADMIN_KEY=" + adminKey, "SECRET_KEYS=" + secretKeys, "CHAOS_TARGET_KEY=crash-chaos-target-key"}, settings...)
	if s.Kind == Cluster {
		return s.startCluster(ctx, settings)
	}
	return s.startAlone(ctx, settings)
}

// startAlone starts an API and a worker.
func (s *Stage) startAlone(ctx context.Context, settings []string) error {
	if err := s.startTemporal(ctx); err != nil {
		return err
	}
	pages, err := ports.Address()
	if err != nil {
		return err
	}
	control, err := ports.Address()
	if err != nil {
		return err
	}
	s.TargetURL = "http://" + pages
	s.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir, "ADDR=" + s.address, "DATA_DIR=" + s.Dir,
		"DATABASE_URL=" + s.DB.address, "TEMPORAL_ADDRESS=" + s.temporal,
		"CHAOS_TARGET_ADDR=" + pages, "CHAOS_TARGET_CONTROL_ADDR=" + control,
	}, settings...)
	if s.options.Blind {
		s.env = append(s.env, "CHROMIUM="+filepath.Join(s.Dir, "no-browser"))
	}
	api, err := s.start(ctx, "api", "api")
	if err != nil {
		return err
	}
	worker, err := s.start(ctx, "worker", "worker")
	s.APIs, s.Workers = Group{api}, Group{worker}
	return err
}

// StartTarget starts the chaos target, after StartProduct; a cluster has one already.
func (s *Stage) StartTarget(ctx context.Context) error {
	if s.cluster != nil {
		return nil
	}
	_, err := s.start(ctx, "target", "target")
	return err
}

// StartAPI starts one more API, with settings of its own, after StartProduct, and gives its
// URL. Its log has the name. It stands behind no proxy, and nobody restarts it.
func (s *Stage) StartAPI(ctx context.Context, name string, settings ...string) (url string, err error) {
	address, err := ports.Address()
	if err != nil {
		return "", err
	}
	_, err = s.start(ctx, "api", name, append(settings, "ADDR="+address, "OPS_ADDR=")...)
	return "http://" + address, err
}

func (s *Stage) start(ctx context.Context, command, name string, settings ...string) (*cluster.Process, error) {
	ctx, end := context.WithCancel(ctx)
	p, err := cluster.Keep(ctx, cluster.Program{
		Name: name, Path: s.options.programs.Product, Args: []string{command}, Env: slices.Concat(s.env, settings), Dir: s.Dir,
	})
	if err != nil {
		end()
		return nil, err
	}
	s.Later(func() { end(); p.Ended() })
	return p, nil
}

// Group are the processes of a kind: one, or in a cluster several.
type Group []*cluster.Process

// Unharmed says for how long nobody has killed any of them.
func (g Group) Unharmed() time.Duration {
	least := g[0].Unharmed()
	for _, p := range g {
		least = min(least, p.Unharmed())
	}
	return least
}

func (g Group) deaths() (kills, falls int) {
	for _, p := range g {
		k, f := p.Deaths()
		kills, falls = kills+k, falls+f
	}
	return kills, falls
}

// Cluster is the kind of stage on which everything is there twice, behind a proxy.
const Cluster = "cluster"

// startCluster starts a cluster on our database, so that it can be cut off; Temporal keeps its
// data on the same server, and cannot.
func (s *Stage) startCluster(ctx context.Context, settings []string) error {
	o := s.options.programs
	o.Dir, o.Postgres, o.Database, o.Address, o.Settings, o.Out = s.Dir, s.options.Postgres, s.DB.address, s.address, settings, s.Diary
	c, err := cluster.Start(ctx, o)
	if err != nil {
		return err
	}
	s.Later(c.Stop)
	s.cluster, s.APIs, s.Workers = c, c.APIs, c.Workers
	s.env, s.TargetURL, s.temporal = c.Environment(), c.TargetURL, c.TemporalAddress
	return s.dialTemporal(ctx)
}
