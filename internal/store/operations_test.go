package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/store"
)

// operation is one call of the store's. All that is in it was decided before.
type operation struct {
	what string
	do   func(ctx context.Context, s *store.DB, connection string) (told any, err error)
}

// author makes operations, of few things, so that they meet.
type author struct {
	*rand.Rand
	t     *testing.T
	posts int
	at    time.Time
}

// operations makes so many.
func operations(t *testing.T, chance *rand.Rand, n int) []operation {
	t.Helper()
	a := &author{Rand: chance, t: t, at: november}
	all := make([]operation, 0, n)
	for i := range 60 { // many members have small shares
		all = append(all, a.join(fmt.Sprintf("m%02d", i)))
	}
	for i := range 3 {
		all = append(all, a.submit(fmt.Sprintf("e%d", i)))
	}
	for len(all) < n {
		a.at = a.at.Add(time.Duration(a.IntN(120)) * time.Second)
		all = append(all, a.next())
	}
	return append(all, a.limits()...)
}

// limits are met by these, whatever came before: what chance seldom brings, some list has not.
func (a *author) limits() []operation {
	all := []operation{a.make("m00", member.StatusActive)}
	for range 12 { // more than a share
		all = append(all, a.writeOf("m00"))
	}
	draft := func(id string) operation {
		return a.writing(post.Post{ID: id, Text: "said twice", Status: post.StatusDraft})
	}
	return append(all, draft("first"), draft("second"), a.change("first", post.Change{Version: new(100)}), a.change("nobody", post.Change{}))
}

func (a *author) next() operation {
	kinds := []func() operation{
		a.write, a.write, a.write, a.write, a.write, a.write, a.edit, a.cancel, a.restore, a.arm, a.arm, a.arm,
		a.conclude, a.conclude, a.conclude, a.doubt, a.reopen, a.find, a.close,
		a.vote, a.vote, a.withdraw, a.move, a.freeze, a.take,
	}
	return kinds[a.IntN(len(kinds))]()
}

func (a *author) join(id string) operation {
	return operation{"join " + id, func(ctx context.Context, s *store.DB, _ string) (any, error) {
		return nil, s.Members.AddMember(ctx, member.Member{
			ID: id, Username: id, UsernameKey: id, Status: member.StatusActive, PaymentCents: member.FoundingFeeCents, JoinedAt: november,
		}, nil)
	}}
}

func (a *author) freeze() operation {
	who := a.member()
	status := []member.Status{member.StatusFrozen, member.StatusActive, member.StatusActive}[a.IntN(3)]
	return a.make(who, status)
}

func (a *author) make(who string, status member.Status) operation {
	return operation{"make " + who + " " + string(status), func(ctx context.Context, s *store.DB, _ string) (any, error) {
		return nil, s.SetMemberStatus(ctx, who, status)
	}}
}

// take uses up a limit.
func (a *author) take() operation {
	limit, who, at := account.Limit{Name: "test", Most: 1, Per: 3 * time.Hour, Doing: "tests"}, a.member(), a.at
	return operation{"take " + who, func(ctx context.Context, s *store.DB, _ string) (any, error) {
		return nil, s.Limits.Consume(ctx, limit, who, at)
	}}
}

// member is one of few, who so come to their share's end.
func (a *author) member() string { return fmt.Sprintf("m%02d", a.IntN(3)) }

func (a *author) submit(id string) operation {
	e, err := experiment.New(id, experiment.Submission{
		Title: "Idea " + id, Problem: "Nobody can say how they feel.",
		Hypothesis: "If we build it, then they come, because they can.", Impact: "More people say more.",
	}, experiment.FromFounder, nil, experiment.ReviewAll, a.at)
	require.NoError(a.t, err)
	return operation{"submit " + id, func(ctx context.Context, s *store.DB, _ string) (any, error) {
		e, err := s.Experiments.SubmitExperiment(ctx, e, "")
		return e.Status, err
	}}
}

func (a *author) experiment() string { return []string{"001", "e0", "e1", "e2"}[a.IntN(4)] }

func (a *author) move() operation {
	id, version, at := a.experiment(), 1+a.IntN(3), a.at
	to := []experiment.Status{experiment.Active, experiment.Testing, experiment.Completed, experiment.Active}[a.IntN(4)]
	return operation{fmt.Sprintf("move %s %d to %s", id, version, to), func(ctx context.Context, s *store.DB, _ string) (any, error) {
		e, err := s.Experiments.MoveExperiment(ctx, id, version, to, "Because.", at)
		return fmt.Sprint(e.Status, e.Version), err
	}}
}

func (a *author) vote() operation {
	id, who, value, at := a.experiment(), a.member(), a.IntN(4)-1, a.at // 0 and 2 are no votes
	return operation{fmt.Sprintf("%s votes %d on %s", who, value, id), func(ctx context.Context, s *store.DB, _ string) (any, error) {
		return s.Experiments.CastVote(ctx, id, who, value, at)
	}}
}

func (a *author) withdraw() operation {
	id, who, at := a.experiment(), a.member(), a.at
	return operation{who + " withdraws on " + id, func(ctx context.Context, s *store.DB, _ string) (any, error) {
		return s.Experiments.WithdrawVote(ctx, id, who, at)
	}}
}

// about is an operation on a post, which tells how that stands then.
func about(what string, do func(ctx context.Context, s *store.DB, connection string) (post.Post, error)) operation {
	return operation{what, func(ctx context.Context, s *store.DB, connection string) (any, error) {
		p, err := do(ctx, s, connection)
		return fmt.Sprint(p.Status, p.Code, p.Version, p.Attempt, p.Unclear, p.Reservation, p.Text, p.RunID, p.ScheduledAt.UTC()), err
	}}
}
