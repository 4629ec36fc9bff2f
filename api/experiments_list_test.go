package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

func slugs(page api.Experiments) []string {
	all := []string{}
	for _, e := range page.Experiments {
		all = append(all, e.Slug)
	}
	return all
}

func TestTheLabOpensWithItsFirstExperiment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.lab(t, "")
	require.Equal(t, httpapi.Pagination{Total: 1, Limit: 20}, page.Pagination)
	require.Equal(t, api.ExperimentTotals{Experiments: 1, Running: 1}, page.Totals)
	first := page.Experiments[0]
	require.Equal(t, []any{"001", "001-public-experiments-page", "active", 60, 1, true, "seed"},
		[]any{first.ID, first.Slug, first.Status, first.Progress, first.DayCount, first.VotesOpen, first.Origin})
	w.now = now.AddDate(0, 0, 3)
	require.Equal(t, 4, w.lab(t, "").Experiments[0].DayCount, "days go by")
}

func TestTheLabIsSearchedSortedAndPaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.now = now.AddDate(0, 0, 2)
	second, third := w.planned(t, "Reply with a picture"), w.planned(t, "50% off_on Fridays")
	account, _ := w.join(t, "ada")
	ada := w.browserWith(w.login(t, account, ""))
	require.Equal(t, ok, ada.post(t, "/api/experiments/vote", `{"experimentId":"`+second.ID+`","vote":1}`).Code)
	all := []string{third.Slug, second.Slug, "001-public-experiments-page"}
	for query, want := range map[string][]string{
		"":                             all,
		"?sort=newest":                 all,
		"?sort=votes":                  {second.Slug, third.Slug, "001-public-experiments-page"},
		"?sort=progress":               {"001-public-experiments-page", third.Slug, second.Slug},
		"?status=planning":             {third.Slug, second.Slug},
		"?status=shipped":              {},
		"?q=PICTURE":                   {second.Slug},
		"?q=" + url.QueryEscape("0%"):  {third.Slug},
		"?q=" + url.QueryEscape("f_o"): {third.Slug},
		"?q=nothing+like+it":           {},
		"?limit=1":                     {third.Slug},
		"?limit=1&offset=2":            {"001-public-experiments-page"},
		"?limit=1&offset=3":            {},
	} {
		require.Equal(t, want, slugs(w.lab(t, query)), query)
	}
	require.Equal(t, httpapi.Pagination{Total: 3, Limit: 1, Offset: 1, HasMore: true}, w.lab(t, "?limit=1&offset=1").Pagination)
	require.Equal(t, api.ExperimentTotals{Experiments: 3, Running: 1, Votes: 1}, w.lab(t, "?q=picture").Totals, "of all, whatever was asked for")
}

func TestWhatWaitsIsShownToFoundersOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account, _ := w.join(t, "ada")
	ada := w.browserWith(w.login(t, account, ""))
	require.Equal(t, http.StatusCreated, ada.post(t, "/api/experiments/submit", anIdea).Code)

	require.Len(t, w.lab(t, "").Experiments, 1)
	require.Zero(t, w.lab(t, "").Totals.Waiting)
	require.Zero(t, read[api.Experiments](t, ada.get(t, "/api/experiments"), ok).Totals.Waiting)
	for _, rec := range []int{
		w.do(t, call{method: "GET", path: "/api/experiments?status=waiting", key: "none"}).Code,
		ada.get(t, "/api/experiments?status=waiting").Code,
	} {
		require.Equal(t, never, rec)
	}
	rec := w.founder(t).get(t, "/api/experiments?status=waiting")
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	waiting := read[api.Experiments](t, rec, ok)
	require.Equal(t, api.ExperimentTotals{Experiments: 1, Running: 1, Waiting: 1}, waiting.Totals)
	require.Equal(t, []string{"waiting", "member", "ada"}, []string{waiting.Experiments[0].Status, waiting.Experiments[0].Origin, waiting.Experiments[0].Submitter})
	require.Len(t, waiting.Experiments, 1)
	require.Equal(t, 1, waiting.Pagination.Total)
}

func TestTheListKnowsTheCallersOwnVotes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	account, _ := w.join(t, "ada")
	ada := w.browserWith(w.login(t, account, ""))
	require.Equal(t, ok, ada.post(t, "/api/experiments/vote", `{"experimentId":"001","vote":-1}`).Code)
	rec := ada.get(t, "/api/experiments")
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"), "not for the next person at this machine")
	mine := read[api.Experiments](t, rec, ok).Experiments[0]
	require.Equal(t, []int{0, 1, -1}, []int{mine.Upvotes, mine.Downvotes, mine.MyVote})
	theirs := w.lab(t, "").Experiments[0]
	require.Equal(t, []int{0, 1, 0}, []int{theirs.Upvotes, theirs.Downvotes, theirs.MyVote})
}

func TestIdeasThatSayNearlyTheSameAreFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 4 {
		w.planned(t, fmt.Sprintf("Reply to every mention, part %d", n))
	}
	w.submit(t, "", titled("Reply to every mention in secret"))
	declined := w.planned(t, "Reply to every mention, or not")
	w.moved(t, declined.Slug, "declined")
	similar := func(title string) []api.Experiment {
		path := "/api/experiments/similar?title=" + url.QueryEscape(title)
		return read[api.SimilarExperiments](t, w.do(t, call{method: "GET", path: path, key: "none"}), ok).Experiments
	}
	require.Len(t, similar("reply to EVERY mention"), 3, "three at most")
	for _, e := range similar("reply to EVERY mention") {
		require.Equal(t, "planning", e.Status, "what waits, and what was declined, is not told of")
	}
	require.Equal(t, "Public experiments page", similar("public experim")[0].Title)
	require.Equal(t, []api.Experiment{}, similar("quite another thing"))
	require.Equal(t, []api.Experiment{}, similar(""))
	require.Equal(t, 422, w.do(t, call{method: "GET", path: "/api/experiments/similar?title=%00%ff", key: "none"}).Code, "it is no text")
}

// Proves: V1.2.4
func TestTheListRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, query := range []string{"?status=lost", "?sort=hottest", "?limit=101", "?limit=0", "?offset=-1", "?colour=red", "?status=waiting&status=planning&x=1"} {
		rec := w.do(t, call{method: "GET", path: "/api/experiments" + query, key: "none"})
		require.Equal(t, 422, rec.Code, query)
		require.Equal(t, problem.Invalid, problemOf(t, rec).Code)
	}
}
