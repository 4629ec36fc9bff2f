package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// history is who asked what when, and was told what.
type history struct {
	mu    sync.Mutex
	began time.Time
	all   []porcupine.Operation
}

// note does something and writes it down.
func (h *history) note(client int, asked any, do func() (told any)) {
	call := time.Since(h.began)
	told := do()
	end := time.Since(h.began)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, porcupine.Operation{ClientId: client, Input: asked, Call: call.Nanoseconds(), Output: told, Return: end.Nanoseconds()})
}

// isLinear sees that one after the other would have told the same.
func (h *history) isLinear(t *testing.T, model porcupine.Model) {
	t.Helper()
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(model, h.all, time.Minute), "%d operations", len(h.all))
}

// ballot is an operation on one experiment: a vote of one of two members (0: withdrawn), or a look
// at the count.
type ballot struct {
	look  bool
	voter int
	value int
}

// votes are what two members have voted. What is told with a vote is not held against it: a vote
// that is cast at the same moment may not be in it yet.
var votes = porcupine.Model{
	Init: func() any { return [2]int{} },
	Step: func(state, asked, told any) (bool, any) {
		stand, b := state.([2]int), asked.(ballot)
		if b.look {
			return told == tallyOf(stand), stand
		}
		stand[b.voter] = b.value
		return true, stand
	},
}

func tallyOf(stand [2]int) (tally experiment.VoteCounts) {
	for _, value := range stand {
		switch value {
		case 1:
			tally.Up++
		case -1:
			tally.Down++
		}
	}
	return tally
}

// Each of two members has three tabs open, and clicks in all of them.
// Proves: F27 seeded
func TestVotesAreCountedAsIfOneCameAfterTheOther(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		voters := []string{*newMember(t, s, "ada"), *newMember(t, s, "eve")}
		h, seed := &history{began: time.Now()}, testseed.Seed(t)
		atOnce(t, 6, func(client int) error {
			chance := testseed.Of(t, seed, client)
			for range 20 {
				b := ballot{look: chance.IntN(2) == 0, voter: client % 2, value: chance.IntN(3) - 1}
				var err error
				h.note(client, b, func() any {
					var told experiment.VoteCounts
					told, err = cast(t, s, voters, b)
					return told
				})
				if err != nil {
					return err
				}
			}
			return nil
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
		return s.Experiments.WithdrawVote(t.Context(), "001", voters[b.voter], november)
	}
	return s.Experiments.CastVote(t.Context(), "001", voters[b.voter], b.value, november)
}

// placeCall is an operation on a member's share of the month.
type placeCall string

const (
	reserve  placeCall = "reserve" // told whether there was a place
	giveBack placeCall = "give back"
	look     placeCall = "look" // told how many are held
)

// share is how many places of its share a member holds.
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

// Somebody takes places and gives them back, in five tabs.
// Proves: F28 seeded
func TestPlacesAreTakenAsIfOneCameAfterTheOther(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := newMember(t, s, "ada")
		const members, allowed = 100, 4
		for i := range members - 1 {
			newMember(t, s, "m"+string(rune('a'+i/26))+string(rune('a'+i%26)))
		}
		h, seed := &history{began: time.Now()}, testseed.Seed(t)
		atOnce(t, 5, func(client int) error {
			chance, own := testseed.Of(t, seed, client), []string{}
			for range 14 {
				asked := []placeCall{reserve, reserve, giveBack, look}[chance.IntN(4)]
				if asked == giveBack && len(own) == 0 {
					asked = look
				}
				var err error
				h.note(client, asked, func() (told any) {
					told, err = fulfil(t, s, ada, asked, &own)
					return told
				})
				if err != nil {
					return err
				}
			}
			return nil
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
		_, err := s.Posts.CancelPost(t.Context(), id, november)
		return nil, err
	default:
		var a member.Account
		a, err := s.Members.Account(t.Context(), *who, "2026-11")
		return a.SlotsHeld, err
	}
}
