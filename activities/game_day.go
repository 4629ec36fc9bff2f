package activities

import (
	"context"
	"crypto/rand"
	"errors"
	"math/big"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

// GameDay holds the activity that lets chance choose.
type GameDay struct {
	Store  GameDayStore
	Faults []chaos.Fault
	Lease  time.Duration // 0: chaos.DefaultLease
	Now    func() time.Time
}

// GameDayStore is where runs are asked for. *store.Chaos implements it.
type GameDayStore interface {
	RequestChaos(ctx context.Context, r chaos.Run, visitor string) error
	ChaosRun(ctx context.Context, id string) (chaos.Run, error)
}

// gameDaySource is where the runs of the game day are asked for.
const gameDaySource = "game-day"

type RequestRandomFaultInput struct{}

// CallGameDay asks for a run with a fault that nobody chose. The run has the name of the
// workflow run that asks, so a repeat asks for no second one.
func (a *GameDay) RequestRandomFault(ctx context.Context, _ RequestRandomFaultInput) (ChaosRef, error) {
	id := activity.GetInfo(ctx).WorkflowExecution.RunID
	fault, err := a.pick()
	if err != nil {
		return ChaosRef{}, err
	}
	lease := a.Lease
	if lease == 0 {
		lease = chaos.DefaultLease
	}
	refused := a.Store.RequestChaos(ctx, chaos.Run{
		ID: id, Fault: fault.Name, Source: gameDaySource, RequestedBy: chaos.Schedule,
		PromiseMS: int(fault.Promise.Milliseconds()), LeaseMS: int(lease.Milliseconds()), RequestedAt: a.Now(),
	}, "")
	if _, ok := errors.AsType[*problem.Error](refused); ok {
		if _, err := a.Store.ChaosRun(ctx, id); err == nil {
			return ChaosRef{ChaosID: id}, nil // ours: the answer was lost
		}
	}
	return ChaosRef{ChaosID: id}, refused
}

func (a *GameDay) pick() (chaos.Fault, error) {
	if len(a.Faults) == 0 {
		return chaos.Fault{}, problem.New(problem.FaultUnknown, "There is nothing that could be broken.")
	}
	n, err := rand.Int(rand.Reader, big.NewInt(int64(len(a.Faults))))
	if err != nil {
		return chaos.Fault{}, err
	}
	return a.Faults[n.Int64()], nil
}
