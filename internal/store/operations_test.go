package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

// decided are the tables whose rows depend only on the operations.
var decided = []string{
	"post_attempts", "credit_entries", "experiment_numbers", "experiment_votes", "experiments", "members",
	"posts", "quota_months", "quota_shares", "quota_slots", "rate_windows",
}

// clocked matches fields that depend on the clock.
var clocked = regexp.MustCompile(`"updated_at":"[^"]*"`)

const steps = 450

// TestDatabasesBehaveTheSame runs one list of operations on both databases, with and without lost
// connections: all results and the rows at the end must be equal.
// Proves: F38 seeded
func TestDatabasesBehaveTheSame(t *testing.T) {
	t.Parallel()
	seed := testseed.Seed(t)
	todo := operations(testseed.Of(t, seed, 0), steps)
	var first observed
	for i, kind := range testdb.Kinds {
		for _, stormy := range []bool{false, true} {
			s := storetest.New(t, kind)
			lost := func() int { return 1 }
			if stormy {
				lost = s.LoseConnections(t, testseed.Of(t, seed, 1+i))
			}
			told := carryOut(t, s, todo)
			require.Positive(t, lost(), "nothing was lost, so nothing was tried")
			lines := takeDump(t, s).lines
			for _, table := range decided {
				require.Contains(t, lines, table)
				told.rows[table] = clocked.ReplaceAllString(lines[table], "")
			}
			if first.answers == nil {
				first = told
				continue
			}
			where := fmt.Sprintf("%s, connections lost: %t", kind, stormy)
			for n, answer := range told.answers {
				require.Equal(t, first.answers[n], answer, "step %d, %s; %s", n, todo[n].what, where)
			}
			require.Equal(t, first.rows, told.rows, where)
		}
	}
	require.Subset(t, first.codes, []problem.Code{
		problem.ShareExhausted, problem.TextDuplicate, problem.PostClosed, problem.Conflict, problem.EditStale, problem.NotFound,
	}, "the operations meet the limits")
}

// observed is all that a caller sees of a store.
type observed struct {
	answers []string
	codes   []problem.Code
	rows    map[string]string
}

func carryOut(t *testing.T, s *store.DB, todo []operation) observed {
	t.Helper()
	told := observed{rows: map[string]string{}}
	w := world{s, t.Context(), storetest.Connection(t, s)}
	for n, o := range todo {
		said, err := o.do(w)
		answer := fmt.Sprint(said)
		if err != nil {
			code := problem.CodeOf(err)
			require.NotEqual(t, problem.Internal, code, "step %d, %s: %v", n, o.what, err)
			answer = fmt.Sprintf("%s %s: %v", answer, code, err)
			told.codes = append(told.codes, code)
		}
		told.answers = append(told.answers, answer)
	}
	return told
}

type world struct {
	*store.DB
	ctx        context.Context //nolint:containedctx // of the test
	connection string
}

// operation is one call of the store with fixed arguments.
type operation struct {
	what string
	do   func(w world) (told any, err error)
}

// author generates operations on few objects, so that they collide.
type author struct {
	*rand.Rand
	posts int
	at    time.Time
}

func operations(chance *rand.Rand, n int) []operation {
	a := &author{Rand: chance, at: november}
	var all []operation
	for i := range 60 { // so that shares are small
		id := fmt.Sprintf("m%02d", i)
		joins := member.Member{ID: id, Username: id, UsernameKey: id, Status: member.StatusActive, JoinedAt: november}
		all = append(all, operation{"join " + id, func(w world) (any, error) { return nil, w.Members.AddMember(w.ctx, joins, nil) }})
	}
	for i := range 3 {
		e := experiment.Experiment{
			ID: fmt.Sprint("e", i), Slug: fmt.Sprint("e", i), Title: fmt.Sprint("Idea ", i), Problem: "So.", Hypothesis: "So.", Impact: "So.", Difficulty: experiment.Easy, Status: experiment.Planning,
			Origin: experiment.FromFounder, Methodology: []string{}, TechStack: []string{}, SuccessMetrics: []string{}, SubmittedAt: november, Version: 1,
		}
		all = append(all, operation{"submit " + e.ID, func(w world) (any, error) {
			e, err := w.Experiments.SubmitExperiment(w.ctx, e, account.Asker{Founder: true})
			return e.Status, err
		}})
	}
	kinds := []func() operation{
		a.write, a.write, a.write, a.write, a.write, a.write, a.edit, a.vote, a.vote, a.vote, a.move, a.freeze, a.take,
	}
	for len(all) < n {
		a.at = a.at.Add(time.Duration(a.IntN(120)) * time.Second)
		next := a.later
		if i := a.IntN(2 * len(kinds)); i < len(kinds) {
			next = kinds[i]
		}
		all = append(all, next())
	}
	return append(all, a.limits()...)
}

// limits generates operations that reach the limits, which random ones rarely do.
func (a *author) limits() []operation {
	all := []operation{status("m00", member.StatusActive)}
	for range 12 { // more than a share
		p := a.written(a.at)
		p.MemberID = new("m00")
		all = append(all, a.writing(p))
	}
	for _, id := range []string{"first", "second"} {
		all = append(all, a.writing(post.Post{ID: id, Text: "said twice", Status: post.StatusDraft}))
	}
	return append(all, a.change("first", post.Change{Version: new(100)}), a.change("nobody", post.Change{}))
}

func (a *author) freeze() operation {
	return status(a.member(), []member.Status{member.StatusFrozen, member.StatusActive, member.StatusActive}[a.IntN(3)])
}

func status(who string, status member.Status) operation {
	return operation{"make " + who + " " + string(status), func(w world) (any, error) { return nil, w.SetMemberStatus(w.ctx, who, status) }}
}

func (a *author) take() operation {
	limit, who, at := account.Limit{Name: "test", Most: 1, Per: 3 * time.Hour, Doing: "tests"}, a.member(), a.at
	return operation{"take " + who, func(w world) (any, error) { return nil, w.Limits.Consume(w.ctx, limit, who, at) }}
}

// member is one of a few, so that they exhaust their shares.
func (a *author) member() string { return fmt.Sprintf("m%02d", a.IntN(3)) }

func (a *author) experiment() string { return []string{"001", "e0", "e1", "e2"}[a.IntN(4)] }

func (a *author) move() operation {
	id, version, at := a.experiment(), 1+a.IntN(3), a.at
	to := []experiment.Status{experiment.Active, experiment.Testing, experiment.Completed, experiment.Active}[a.IntN(4)]
	return operation{fmt.Sprintf("move %s %d to %s", id, version, to), func(w world) (any, error) {
		e, err := w.Experiments.MoveExperiment(w.ctx, id, version, to, "Because.", at)
		return fmt.Sprint(e.Status, e.Version), err
	}}
}

func (a *author) vote() operation {
	id, who, value, at := a.experiment(), a.member(), a.IntN(4)-1, a.at // 2 is invalid, 0 withdraws
	return operation{fmt.Sprintf("%s votes %d on %s", who, value, id), func(w world) (any, error) {
		if value == 0 {
			return w.Experiments.WithdrawVote(w.ctx, id, experiment.Voter{MemberID: who}, at)
		}
		return w.Experiments.CastVote(w.ctx, id, experiment.Voter{MemberID: who}, value, at)
	}}
}

func about(what, id string, do func(w world) (post.Post, error)) operation {
	return operation{what + " " + id, func(w world) (any, error) {
		p, err := do(w)
		return fmt.Sprint(p.Status, p.Code, p.Version, p.Attempt, p.UnclearAttempts, p.Reservations, p.Text, p.RunID, p.ScheduledAt.UTC()), err
	}}
}

func (a *author) written(at time.Time) post.Post {
	a.posts++
	return post.Post{ID: fmt.Sprintf("p%03d", a.posts), Text: fmt.Sprintf("text %d", a.posts), Status: post.StatusScheduled, ScheduledAt: at}
}

// write creates a post, mostly in this month, so that it fills up; some texts repeat.
func (a *author) write() operation {
	p := a.written(a.when())
	if a.IntN(10) == 0 {
		p.Text = fmt.Sprintf("text %d", 1+a.IntN(a.posts))
	}
	if a.IntN(10) == 0 {
		p.Status = post.StatusDraft
	}
	if a.IntN(2) == 0 {
		p.MemberID = new(a.member())
	}
	return a.writing(p)
}

func (a *author) writing(p post.Post) operation {
	at := a.at
	return about("write", p.ID, func(w world) (post.Post, error) {
		written, err := w.Posts.CreatePost(w.ctx, p, at)
		if err != nil {
			return post.Post{}, err // a refused post has no state
		}
		return written, nil
	})
}

func (a *author) when() time.Time {
	if a.IntN(5) == 0 {
		return a.at.AddDate(0, 1, a.IntN(20))
	}
	return a.at.Add(time.Duration(a.IntN(96)-1) * time.Hour)
}

// post is one of the last created ones.
func (a *author) post() string { return fmt.Sprintf("p%03d", max(1, a.posts-a.IntN(12))) }

func (a *author) edit() operation {
	id, text, when := a.post(), fmt.Sprintf("text %d", 1+a.IntN(2*a.posts+1)), a.when()
	c := post.Change{Schedule: a.IntN(4) == 0}
	if a.IntN(2) == 0 {
		c.Text = &text
	}
	if a.IntN(2) == 0 {
		c.ScheduledAt = &when
	}
	if version := 1 + a.IntN(3); a.IntN(2) == 0 {
		c.Version = &version
	}
	return a.change(id, c)
}

func (a *author) change(id string, c post.Change) operation {
	at := a.at
	return about("edit", id, func(w world) (post.Post, error) { return w.Posts.ChangePost(w.ctx, id, c, at) })
}

func (a *author) later() operation {
	id, at, n, gated, v := a.post(), a.at, 1+a.IntN(2), a.IntN(4) == 0, a.verdict()
	found := post.Verdict{Outcome: post.OutcomePublished, TweetID: fmt.Sprint(a.IntN(500)), At: at}
	arm := func(w world) (post.Post, error) {
		if _, err := w.Posts.BeginPost(w.ctx, id, "run of "+id); err != nil {
			return post.Post{}, err
		}
		return w.Posts.ArmPost(w.ctx, id, n, w.connection, at)
	}
	conclude := func(w world) (post.Post, error) { return w.Posts.ConcludePost(w.ctx, id, v, at) }
	kinds := []operation{
		about("cancel", id, func(w world) (post.Post, error) { return w.Posts.CancelPost(w.ctx, id, at) }),
		about("restore", id, func(w world) (post.Post, error) { return w.Posts.RestorePost(w.ctx, id, gated, at) }),
		about("arm", id, arm), about("arm", id, arm), about("arm", id, arm),
		about("conclude", id, conclude), about("conclude", id, conclude), about("conclude", id, conclude),
		about("doubt", id, func(w world) (post.Post, error) { return w.Posts.DoubtPost(w.ctx, id, n, "x_test", "Nobody can tell.") }),
		about("reopen", id, func(w world) (post.Post, error) { return w.Posts.ReopenPost(w.ctx, id, at) }),
		about("find", id, func(w world) (post.Post, error) { return w.Posts.FindPost(w.ctx, id, found, at) }),
		about("close", id, func(w world) (post.Post, error) { return w.Posts.ClosePost(w.ctx, id) }),
	}
	return kinds[a.IntN(len(kinds))]
}

func (a *author) verdict() post.Verdict {
	v := post.Verdict{Attempt: 1 + a.IntN(2), Code: "x_test", Reason: "A test said so.", At: a.at, Until: a.at.Add(time.Minute), Final: a.IntN(3) == 0}
	v.Outcome = []post.Outcome{post.OutcomePublished, post.OutcomePublished, post.OutcomeRefused, post.OutcomeUnclear, post.OutcomeWaiting, post.OutcomeAbsent}[a.IntN(6)]
	if v.Outcome == post.OutcomePublished {
		v.Code, v.Reason, v.TweetID = "", "", fmt.Sprint(a.IntN(500)) // almost always a new one
	}
	return v
}

// history records the concurrent calls and their results.
type history struct {
	mu    sync.Mutex
	began time.Time
	all   []porcupine.Operation
}

func (h *history) note(client int, asked any, do func() (told any)) {
	call := time.Since(h.began)
	told := do()
	end := time.Since(h.began)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, porcupine.Operation{ClientId: client, Input: asked, Call: call.Nanoseconds(), Output: told, Return: end.Nanoseconds()})
}

// isLinear checks that a sequential order explains the results.
func (h *history) isLinear(t *testing.T, model porcupine.Model) {
	t.Helper()
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(model, h.all, time.Minute), "%d operations", len(h.all))
}

// ballot is an operation on one experiment: a vote of one of two members (0 withdraws it), or a read of
// the count.
type ballot struct {
	look  bool
	voter int
	value int
}

// votes models the votes of two members. The count returned with a vote is not checked: a concurrent
// vote may be missing in it.
var votes = porcupine.Model{
	Init: func() any { return [2]int{} },
	Step: func(state, asked, told any) (bool, any) {
		stand, b := state.([2]int), asked.(ballot)
		if b.look {
			return told == countsOf(stand), stand
		}
		stand[b.voter] = b.value
		return true, stand
	},
}

func countsOf(stand [2]int) (counts experiment.VoteCounts) {
	for _, value := range stand {
		counts.Up += max(value, 0)
		counts.Down += max(-value, 0)
	}
	return counts
}

// TestVotesAreLinearizable has two members vote in three tabs each.
// Proves: F27 seeded
func TestVotesAreLinearizable(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		voters := []string{*newMember(t, s, "ada"), *newMember(t, s, "eve")}
		h, seed := &history{began: time.Now()}, testseed.Seed(t)
		atOnce(t, 6, func(client int) (err error) {
			chance := testseed.Of(t, seed, client)
			for n := 0; n < 20 && err == nil; n++ {
				b := ballot{look: chance.IntN(2) == 0, voter: client % 2, value: chance.IntN(3) - 1}
				h.note(client, b, func() (told any) {
					told, err = cast(t, s, voters, b)
					return told
				})
			}
			return err
		})
		h.isLinear(t, votes)
	})
}

func cast(t *testing.T, s *store.DB, voters []string, b ballot) (experiment.VoteCounts, error) {
	t.Helper()
	switch {
	case b.look:
		e, err := s.Experiments.Experiment(t.Context(), "001")
		return e.VoteCounts, err
	case b.value == 0:
		return s.Experiments.WithdrawVote(t.Context(), "001", experiment.Voter{MemberID: voters[b.voter]}, november)
	}
	return s.Experiments.CastVote(t.Context(), "001", experiment.Voter{MemberID: voters[b.voter]}, b.value, november)
}

// placeCall is an operation on a member's share of the month.
type placeCall string

const (
	reserve  placeCall = "reserve" // returns whether there was a slot
	giveBack placeCall = "give back"
	look     placeCall = "look" // returns how many are held
)

// share models how many slots of its share a member holds.
func share(allowed int) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return 0 },
		Step: func(state, asked, told any) (bool, any) {
			held := state.(int)
			switch asked.(placeCall) {
			case reserve:
				if !told.(bool) {
					return held == allowed, held
				}
				return held < allowed, held + 1
			case giveBack:
				return held > 0, held - 1
			default:
				return told == held, held
			}
		},
	}
}

// TestSlotsAreLinearizable reserves and releases slots in five tabs.
// Proves: F28 seeded
func TestSlotsAreLinearizable(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		const members, allowed = 100, 4
		for i := range members - 1 {
			newMember(t, s, fmt.Sprint("m", i))
		}
		h, seed := &history{began: time.Now()}, testseed.Seed(t)
		atOnce(t, 5, func(client int) (err error) {
			chance, own := testseed.Of(t, seed, client), []string{}
			for n := 0; n < 14 && err == nil; n++ {
				asked := []placeCall{reserve, reserve, giveBack, look}[chance.IntN(4)]
				if asked == giveBack && len(own) == 0 {
					asked = look
				}
				h.note(client, asked, func() (told any) {
					told, err = fulfil(t, s, ada, asked, &own)
					return told
				})
			}
			return err
		})
		h.isLinear(t, share(allowed))
	})
}

func fulfil(t *testing.T, s *store.DB, who *string, asked placeCall, own *[]string) (told any, err error) {
	t.Helper()
	switch asked {
	case reserve:
		p, err := s.Posts.CreatePost(t.Context(), draft(who, november), november)
		if problem.CodeOf(err) == problem.ShareExhausted {
			return false, nil
		}
		*own = append(*own, p.ID)
		return true, err
	case giveBack:
		id := (*own)[0]
		*own = (*own)[1:]
		return nil, errOf(s.Posts.CancelPost(t.Context(), id, november))
	default:
		a, err := s.Members.Account(t.Context(), *who, "2026-11")
		return a.SlotsHeld, err
	}
}
