package worker_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/worker"
)

// cellStore is the chaos run that is open, and the switch.
type cellStore struct {
	open *chaos.Run
	off  bool
	err  error
}

func (b cellStore) OpenChaos(context.Context) (*chaos.Run, error) { return b.open, b.err }
func (b cellStore) Cell(context.Context) (heal.Cell, error)       { return heal.Cell{ChaosOn: !b.off}, nil }

// cellFlows notes what is started.
type cellFlows struct {
	carried bool
	err     error
	told    []string
	healed  int
}

func (f *cellFlows) KeepHealing(context.Context) error { f.healed++; return f.err }

func (f *cellFlows) StartChaos(_ context.Context, id string) (string, error) {
	f.told = append(f.told, "start "+id)
	return "run", f.err
}

func (f *cellFlows) StopChaos(context.Context) error {
	f.told = append(f.told, "stop")
	return f.err
}

func (f *cellFlows) CarriesChaos(context.Context, string) (bool, error) { return f.carried, f.err }

func (f *cellFlows) SweepChaos(_ context.Context, id string) error {
	f.told = append(f.told, "sweep "+id)
	return f.err
}

func cellStarter(rows cellStore, flows *cellFlows) worker.Dispatcher {
	return worker.Dispatcher{
		Store: &book{}, Posts: &book{}, Checkouts: tillStore{}, Letters: outbox{}, Series: shelf{}, Runs: &runs{},
		Chaos: rows, Cell: flows, Every: time.Second,
	}
}

func TestStarterLooksAfterTheChaosRunThatIsOpen(t *testing.T) {
	t.Parallel()
	ago := func(d time.Duration) time.Time { return time.Now().Add(-d) }
	leased := func(runID string, over time.Duration) chaos.Run {
		until := ago(over)
		return chaos.Run{ID: "c", RunID: runID, RequestedAt: ago(time.Minute), LeaseUntil: &until}
	}
	for name, tt := range map[string]struct {
		open func() chaos.Run // nil: none
		off  bool
		lost bool
		told []string
	}{
		"none":                                   {},
		"just asked for: others begin it":        {open: func() chaos.Run { return chaos.Run{ID: "c", RequestedAt: ago(time.Second)} }},
		"not begun by them":                      {open: func() chaos.Run { return chaos.Run{ID: "c", RequestedAt: ago(2 * time.Second)} }, told: []string{"start c"}},
		"asked for too long ago":                 {open: func() chaos.Run { return chaos.Run{ID: "c", RequestedAt: ago(20 * time.Second)} }, told: []string{"sweep c"}},
		"under way":                              {open: func() chaos.Run { return leased("r", -time.Second) }},
		"its lease was over just now":            {open: func() chaos.Run { return leased("r", 10*time.Second) }},
		"its lease is long over":                 {open: func() chaos.Run { return leased("r", 11*time.Second) }, told: []string{"sweep c"}},
		"never leased":                           {open: func() chaos.Run { return chaos.Run{ID: "c", RunID: "r", RequestedAt: ago(61 * time.Second)} }, told: []string{"sweep c"}},
		"carried by nobody":                      {open: func() chaos.Run { return leased("r", -time.Second) }, lost: true, told: []string{"sweep c"}},
		"switched off, and it was not told then": {open: func() chaos.Run { return leased("r", -time.Second) }, off: true, told: []string{"stop"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rows, flows := cellStore{off: tt.off}, &cellFlows{carried: !tt.lost}
				if tt.open != nil {
					open := tt.open()
					rows.open = &open
				}
				starter := cellStarter(rows, flows)
				ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
				defer cancel()
				starter.Run(ctx)
				require.Equal(t, tt.told, flows.told)
			})
		})
	}
}

func TestStarterKeepsTheHealerAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		flows := &cellFlows{err: errors.New("no Temporal")}
		starter := cellStarter(cellStore{err: errors.New("no database")}, flows)
		ctx, cancel := context.WithTimeout(t.Context(), 31*time.Second)
		defer cancel()
		starter.Run(ctx)
		require.Equal(t, 4, flows.healed, "at once, and every ten seconds")
	})
}
