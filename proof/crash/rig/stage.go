// Package rig is what all crash tests need: databases that can be cut, a Temporal server,
// the product in processes that are killed and started again, somebody who calls it, a
// diary, and a report. What is done to the product, and what it has to keep, is for each
// crash test's own package.
package rig

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"customerzero/api"
	"customerzero/internal/domain/problem"
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
	DB    Database

	// From StartProduct on.
	Runs          client.Client
	Workers, APIs Group
	CellURL       string
	Temporal      *launcher.Server // nil: a cluster has another

	options  Options
	product  string
	address  string
	env      []string // of every process
	temporal string
	cluster  *cluster.Cluster // nil: there is one of everything
	harms    harms
	unrest   unrest
	mu       sync.Mutex
	cuts     int
	closers  []func()
}

func openStage(ctx context.Context, o Options, kind, product, dir string) (*Stage, error) {
	s := &Stage{Kind: kind, Dir: dir, Trap: &Trap{}, product: product, options: o}
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
	founder, body, a := s.Founder(), api.NewMember{Username: name, PaymentAmount: 9}, Answer{}
	entered := cluster.Until(ctx, 5*time.Minute, func() bool {
		a = founder.Call(ctx, http.MethodPost, "/api/members", body, &api.AddedMember{})
		return a.Outcome == Success || a.Code == problem.MemberExists
	})
	if !entered {
		return fmt.Errorf("member %s could not be entered: %s", name, a)
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
	workerKills, workerFalls := s.Workers.deaths()
	apiKills, apiFalls := s.APIs.deaths()
	return []Figure{
		{"kills", fmt.Sprintf("worker %d, api %d (other ends: %d, %d)", workerKills, apiKills, workerFalls, apiFalls)},
		{"database cuts", strconv.Itoa(s.cuts)},
	}
}
