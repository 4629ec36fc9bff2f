package api_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/problem"
)

// vote casts one, and reads how the votes stand.
func (b *browser) vote(t *testing.T, body string) api.VoteCounted {
	t.Helper()
	return read[api.VoteCounted](t, b.post(t, "/api/experiments/vote", body), ok)
}

func (b *browser) withdraw(t *testing.T, key string) api.VoteCounted {
	t.Helper()
	return read[api.VoteCounted](t, b.send(t, http.MethodDelete, "/api/experiments/"+key+"/vote", ""), ok)
}

// Proves: F27
func TestVotesAreCastChangedAndTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, _ := w.everybody(t)
	ada, eve := w.browserWith(p.member), w.browserWith(p.other)
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1, MyVote: 1}, ada.vote(t, `{"experimentId":"001-public-experiments-page","vote":1}`))
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1, MyVote: 1}, ada.vote(t, `{"experimentId":"001","vote":1}`), "twice is once")
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 2, MyVote: 1}, eve.vote(t, `{"experimentId":"1","vote":1}`))
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1, Downvotes: 1, MyVote: -1}, ada.vote(t, `{"experimentId":"001","vote":-1}`))
	require.Equal(t, -1, read[api.ExperimentDetail](t, ada.get(t, "/api/experiments/001"), ok).MyVote)
	require.Equal(t, 2, w.count(t, "SELECT count(*) FROM experiment_votes"))

	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1}, ada.withdraw(t, "001"))
	require.Equal(t, api.VoteCounted{Success: true, Upvotes: 1}, ada.withdraw(t, "1"), "there is none any more, and that is harmless")
	e := w.shown(t, "001")
	require.Equal(t, []int{1, 0, 0}, []int{e.Upvotes, e.Downvotes, e.MyVote})
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM experiment_votes"))
}

// Proves: F27, S-voter
func TestAVoteIsTheSessionsAndNobodyElses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	adaAccount, adaID := w.join(t, "Ada_L")
	_, eveID := w.join(t, "eve")
	ada := w.browserWith(w.login(t, adaAccount, ""))
	before := w.rows(t)
	for _, name := range []string{"eve", "@eve", eveID, "@", "nobody", "Ada", "@@Ada_L", adaID[:19], "\x01", " "} {
		rec := ada.post(t, "/api/experiments/vote", asJSON(t, map[string]any{"experimentId": "001", "vote": 1, "memberId": name}))
		require.Equal(t, never, rec.Code, "%q: %s", name, rec.Body)
		require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
	}
	require.Equal(t, before, w.rows(t))
	for _, name := range []string{"", "Ada_L", "ada_l", "@ADA_L", " @ada_l ", adaID} {
		ada.vote(t, asJSON(t, map[string]any{"experimentId": "001", "vote": 1, "memberId": name}))
	}
	require.Equal(t, 1, w.count(t, "SELECT count(*) FROM experiment_votes WHERE member_id = '"+adaID+"'"))
}

// A founder who is a member is called by the handle with X.
func TestAMemberIsKnownByTheirHandleToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	accountID, _ := w.join(t, "ada")
	_, err := w.open(t).ExecContext(t.Context(), "UPDATE accounts SET x_user_id = '9', x_handle = 'Ada_on_X', x_handle_key = 'ada_on_x' WHERE id = ?", accountID)
	require.NoError(t, err)
	ada := w.browserWith(w.login(t, accountID, ""))
	require.Equal(t, 1, ada.vote(t, `{"experimentId":"001","vote":1,"memberId":"@ada_ON_x"}`).Upvotes)
	require.Equal(t, 1, ada.vote(t, `{"experimentId":"001","vote":1,"memberId":"ada"}`).Upvotes)
}

// Proves: F29, V15.3.3
func TestBadVotesAreRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.browserWith(w.someMember(t))
	waiting := read[api.SubmittedExperiment](t, w.submit(t, "", anIdea), 201).Experiment
	hers := read[api.SubmittedExperiment](t, ada.post(t, "/api/experiments/submit", titled("Her own idea")), 201).Experiment
	ended := w.planned(t, "It has ended")
	w.moved(t, ended.Slug, "active", "completed")
	shipped := w.planned(t, "It has shipped")
	w.moved(t, shipped.Slug, "active", "completed", "shipped")
	before := w.rows(t)
	for name, tt := range map[string]struct {
		body   string
		status int
		code   problem.Code
	}{
		"two":                  {`{"experimentId":"001","vote":2}`, 422, problem.Invalid},
		"nothing":              {`{"experimentId":"001","vote":0}`, 422, problem.Invalid},
		"minus two":            {`{"experimentId":"001","vote":-2}`, 422, problem.Invalid},
		"a half":               {`{"experimentId":"001","vote":0.5}`, 422, problem.Invalid},
		"very many":            {`{"experimentId":"001","vote":98765432109876543210}`, 422, problem.Invalid},
		"a word":               {`{"experimentId":"001","vote":"1"}`, 422, problem.Invalid},
		"a yes":                {`{"experimentId":"001","vote":true}`, 422, problem.Invalid},
		"null":                 {`{"experimentId":"001","vote":null}`, 422, problem.Invalid},
		"no vote":              {`{"experimentId":"001"}`, 422, problem.Invalid},
		"for nothing":          {`{"vote":1}`, 422, problem.Invalid},
		"for an empty name":    {`{"experimentId":"","vote":1}`, 422, problem.Invalid},
		"for a number":         {`{"experimentId":1,"vote":1}`, 422, problem.Invalid},
		"an unknown field":     {`{"experimentId":"001","vote":1,"weight":100}`, 422, problem.Invalid},
		"a field twice":        {`{"experimentId":"001","vote":1,"vote":-1}`, 400, problem.Invalid},
		"for nobody":           {`{"experimentId":"nobody","vote":1}`, 404, problem.NotFound},
		"for NUL":              {`{"experimentId":"a\u0000b","vote":1}`, 400, problem.Invalid},
		"for what waits":       {`{"experimentId":"` + waiting.ID + `","vote":1}`, 404, problem.NotFound},
		"for one's own, early": {`{"experimentId":"` + hers.ID + `","vote":1}`, 409, problem.VotesClosed},
		"for what has ended":   {`{"experimentId":"` + ended.Slug + `","vote":1}`, 409, problem.VotesClosed},
		"for what has shipped": {`{"experimentId":"` + shipped.Slug + `","vote":-1}`, 409, problem.VotesClosed},
		"a body of 1 MB":       {`{"experimentId":"` + string(make([]byte, 1<<20)) + `","vote":1}`, 413, problem.TooLarge},
		"for a name of 121":    {`{"experimentId":"` + longName + `","vote":1}`, 422, problem.Invalid},
		"of a name of 41":      {`{"experimentId":"001","vote":1,"memberId":"` + longName + `"}`, 422, problem.Invalid},
	} {
		rec := ada.post(t, "/api/experiments/vote", tt.body)
		require.Equal(t, tt.status, rec.Code, "%s: %s", name, rec.Body)
		p := problemOf(t, rec)
		require.Equal(t, tt.code, p.Code, name)
		if tt.status == 422 {
			require.NotEmpty(t, p.Details, name)
		}
		require.NotContains(t, rec.Body.String(), "9876543210", "values are not echoed")
		require.Less(t, rec.Body.Len(), 1000)
	}
	for key, status := range map[string]int{"nobody": 404, waiting.ID: 404, ended.Slug: 409, "%00": 404} {
		require.Equal(t, status, ada.send(t, http.MethodDelete, "/api/experiments/"+key+"/vote", "").Code, key)
	}
	require.Equal(t, before, w.rows(t))
}

const longName = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

// Proves: S-voter
func TestOnlyMembersVote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, _ := w.everybody(t)
	before := w.rows(t)
	const vote = `{"experimentId":"001","vote":1}`
	for name, status := range map[string]int{"": no, p.frozen: never, p.founder: never} {
		b := w.browser()
		if name != "" {
			b = w.browserWith(name)
		}
		require.Equal(t, status, b.post(t, "/api/experiments/vote", vote).Code)
		require.Equal(t, status, b.send(t, http.MethodDelete, "/api/experiments/001/vote", "").Code)
	}
	require.Equal(t, never, w.do(t, call{method: "POST", path: "/api/experiments/vote", body: vote}).Code, "a program has no vote")
	require.Equal(t, before, w.rows(t))
	rec := w.do(t, call{method: "POST", path: "/api/experiments/vote", body: vote, key: "none", header: map[string]string{
		"Cookie": "session=" + p.member, "Origin": "https://evil.example",
	}})
	require.Equal(t, never, rec.Code, "another site's page")
	require.Equal(t, before, w.rows(t))
}
