package outages

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"time"

	"customerzero/proof/crash/rig"
)

// readVotes reads who has voted what, by member.
func readVotes(ctx context.Context, db *sql.DB) (map[string]castVote, error) {
	votes := map[string]castVote{}
	err := rig.Each(ctx, db, "SELECT member_id, value, updated_at FROM experiment_votes WHERE experiment_id = '"+experimentID+"'", func(scan rig.Scanner) error {
		var id string
		var v castVote
		err := scan(&id, &v.value, &v.at)
		votes[id] = v
		return err
	})
	return votes, err
}

// readPosts counts posts by their text.
func readPosts(ctx context.Context, db *sql.DB) (map[string]int, error) {
	posts := map[string]int{}
	err := rig.Each(ctx, db, "SELECT text, count(*) FROM posts GROUP BY text", func(scan rig.Scanner) error {
		var text string
		var n int
		err := scan(&text, &n)
		posts[text] = n
		return err
	})
	return posts, err
}

func (w *world) figures() []rig.Figure {
	outcomes, votes := map[string]int{}, 0
	var waits []time.Duration
	for _, c := range w.everything() {
		outcomes[c.String()]++
		waits = append(waits, c.took())
		if c.vote != 0 && c.Outcome == rig.Success {
			votes++
		}
	}
	slices.Sort(waits)
	figures := []rig.Figure{
		{Name: "calls", Value: strconv.Itoa(len(waits))},
		{Name: "votes acknowledged", Value: strconv.Itoa(votes)},
	}
	for _, outcome := range slices.Sorted(maps.Keys(outcomes)) {
		figures = append(figures, rig.Figure{Name: "  " + outcome, Value: strconv.Itoa(outcomes[outcome])})
	}
	if len(waits) > 0 {
		figures = append(figures, rig.Figure{Name: "longest wait", Value: waits[len(waits)-1].Round(time.Millisecond).String()})
	}
	return figures
}
