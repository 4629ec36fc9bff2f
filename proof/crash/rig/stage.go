// Package rig is the shared part of the crash tests: databases that can be cut, a Temporal server, the product's
// processes, which are killed and restarted, an API client, an event log and a report. Each crash test's package
// defines its actions and invariants.
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

// adminKey is not secret: the product listens on loopback.
const adminKey = "crash-test-admin-key"

// Stage is one crash-tested product on one database.
type Stage struct {
	Kind   string // of the database; a cluster has Postgres
	Dir    string // of logs, events and databases
	URL    string // of the API, or of the cluster's proxy
	Events *EventLog
	Trap   *Trap
	DB     *Database

	// Set by StartProduct.
	Runs          client.Client
	Workers, APIs Group
	TargetURL     string
	Temporal      *launcher.Server // nil in a cluster

	options  Options
	address  string
	env      []string // of every process
	temporal string
	cluster  *cluster.Cluster // nil without a cluster
	harms    harms
	rolling  rolling
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
	s.Events = &EventLog{file: file, start: time.Now()}
	s.Later(s.Events.close)
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

// Founder returns a caller with the admin key.
func (s *Stage) Founder() *Caller {
	return NewCaller(s.URL, http.Header{"X-Admin-Key": {adminKey}})
}

// AwaitReady waits until the product is ready.
func (s *Stage) AwaitReady(ctx context.Context) error {
	founder := s.Founder()
	ready := cluster.Until(ctx, 5*time.Minute, func() bool {
		return founder.Call(ctx, http.MethodGet, "/readyz", nil, &struct{}{}).Outcome == Success
	})
	if !ready {
		return errors.New("the product does not become ready")
	}
	return nil
}

// AddMember adds a member. It succeeds if the member exists, because an earlier response may have been lost.
func (s *Stage) AddMember(ctx context.Context, name string) error {
	founder, body, a := s.Founder(), members.NewMember{Username: name, PaymentAmount: 9}, Answer{}
	added := cluster.Until(ctx, 5*time.Minute, func() bool {
		a = founder.Call(ctx, http.MethodPost, "/api/members", body, &members.AddedMember{})
		return a.Outcome == Success || a.Code == problem.MemberExists
	})
	if !added {
		return fmt.Errorf("member %s could not be added: %s", name, a)
	}
	return nil
}

// Settle waits until list returns nothing, and returns what is still open after 15 minutes. That is a violation
// but not an error, so the other promises are still checked.
func (s *Stage) Settle(ctx context.Context, list func() ([]string, error)) (open []string, err error) {
	cluster.Until(ctx, 15*time.Minute, func() bool {
		open, err = list()
		return err == nil && len(open) == 0
	})
	s.Events.Note("settled, but for %d", len(open))
	if ctx.Err() != nil {
		return open, context.Cause(ctx)
	}
	return open, err
}

// Later runs f when the stage is closed, in reverse order of registration.
func (s *Stage) Later(f func()) { s.closers = append(s.closers, f) }

func (s *Stage) close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

// StartProduct starts the product with additional settings: an API and a worker, or a cluster. It runs until the
// stage is closed.
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

// StartTarget starts the chaos target after StartProduct. In a cluster it already runs.
func (s *Stage) StartTarget(ctx context.Context) error {
	if s.cluster != nil {
		return nil
	}
	_, err := s.start(ctx, "target", "target")
	return err
}

// StartAPI starts another API with its own settings after StartProduct and returns its URL. It is not behind the
// proxy and not part of rolling restarts. name is the name of its log.
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

// Group is the processes of a kind: one, or several in a cluster.
type Group []*cluster.Process

// Unharmed is the time since the last kill of one of them.
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

// Cluster is the kind of stage with two instances of each process behind a proxy.
const Cluster = "cluster"

// startCluster starts a cluster on the stage's database, so that it can be cut. Temporal's databases are on the
// same server and are not cut.
func (s *Stage) startCluster(ctx context.Context, settings []string) error {
	o := s.options.programs
	o.Dir, o.Postgres, o.Database, o.Address, o.Settings, o.Out = s.Dir, s.options.Postgres, s.DB.address, s.address, settings, s.Events
	c, err := cluster.Start(ctx, o)
	if err != nil {
		return err
	}
	s.Later(c.Stop)
	s.cluster, s.APIs, s.Workers = c, c.APIs, c.Workers
	s.env, s.TargetURL, s.temporal = c.Environment(), c.TargetURL, c.TemporalAddress
	return s.dialTemporal(ctx)
}
