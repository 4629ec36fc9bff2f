package store_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testseed"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

// decided are the tables in which nothing is left to chance when the operations are not.
var decided = []string{
	"attempts", "credit_entries", "experiment_numbers", "experiment_votes", "experiments", "members",
	"posts", "quota_months", "quota_shares", "quota_slots", "rate_windows",
}

// clocked is what a row has of the clock on the wall.
var clocked = regexp.MustCompile(`"updated_at":"[^"]*"`)

const steps = 450

// One list of operations is carried out on both databases, with and without connections that are
// lost in the middle of it: what is told is the same at every step, and so are the rows at the end.
// Proves: F38 seeded
func TestEveryDatabaseTellsTheSame(t *testing.T) {
	t.Parallel()
	seed := testseed.Seed(t)
	todo := operations(t, testseed.Of(t, seed, 0), steps)
	var first telling
	for i, kind := range testdb.Kinds {
		for _, stormy := range []bool{false, true} {
			s := storetest.New(t, kind)
			lost := func() int { return 1 }
			if stormy {
				lost = s.LoseConnections(t, testseed.Of(t, seed, 1+i))
			}
			told := carryOut(t, s, todo)
			require.Positive(t, lost(), "nothing was lost, so nothing was tried")
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

// telling is all that is seen of a store from outside.
type telling struct {
	answers []string
	codes   []problem.Code
	rows    map[string]string
}

func carryOut(t *testing.T, s *store.DB, todo []operation) telling {
	t.Helper()
	told := telling{rows: map[string]string{}}
	connection := storetest.Connection(t, s)
	for n, o := range todo {
		said, err := o.do(t.Context(), s, connection)
		answer := fmt.Sprint(said)
		if err != nil {
			code := problem.CodeOf(err)
			require.NotEqual(t, problem.Internal, code, "step %d, %s: %v", n, o.what, err)
			answer = fmt.Sprintf("%s %s: %v", answer, code, err)
			told.codes = append(told.codes, code)
		}
		told.answers = append(told.answers, answer)
	}
	lines := takeDump(t, s).lines
	for _, table := range decided {
		require.Contains(t, lines, table)
		told.rows[table] = clocked.ReplaceAllString(lines[table], "")
	}
	return told
}
