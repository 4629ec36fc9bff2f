package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/problem"
)

const partnershipPath = "/api/account/onboarding/partnership"

// newMember is a browser of somebody who has just become a member.
func (w *world) newMember(t *testing.T, name string) *browser {
	t.Helper()
	id, _ := w.join(t, name)
	return w.browserWith(w.login(t, id, ""))
}

func (b *browser) onboarding(t *testing.T) api.Onboarding {
	t.Helper()
	return read[api.Onboarding](t, b.get(t, "/api/account/onboarding"), http.StatusOK)
}

func TestOnboardingGoesOnWhereItWasLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, eve := w.newMember(t, "ada"), w.newMember(t, "eve")
	begun := api.OnboardingProgress{Answers: api.Answers{}, Step: 1, Reward: 5}
	require.Equal(t, api.Onboarding{Tour: begun, Partnership: begun}, ada.onboarding(t))

	all := `{"answers":{"vision":"Honest bots.","customer_zero_excitement":"b","impressive_automation":"c","exciting_apis":"d",
		"ai_future":"e","value_creation":"f","legendary_factor":"g","experience_level":{"edge_workers":1,"card_payments":5},
		"build_preference":"plan_first","first_feature":"open_treasury",
		"project_excitement":["fair_pricing","self_healing"],"collaboration_style":["reviews"]},"step":12}`
	var sent struct{ Answers api.Answers }
	require.NoError(t, json.Unmarshal([]byte(all), &sent))
	require.Equal(t, http.StatusOK, ada.send(t, http.MethodPut, partnershipPath, all).Code)
	require.Equal(t, api.OnboardingProgress{Answers: sent.Answers, Step: 12, Reward: 5}, ada.onboarding(t).Partnership)
	require.Equal(t, begun, ada.onboarding(t).Tour)
	require.Equal(t, begun, eve.onboarding(t).Partnership, "answers are shown to nobody else")

	require.Equal(t, http.StatusOK, ada.send(t, http.MethodPut, partnershipPath, `{"step":3}`).Code)
	require.Equal(t, api.OnboardingProgress{Answers: api.Answers{}, Step: 3, Reward: 5}, ada.onboarding(t).Partnership)
}

func TestOnboardingEndsOnceAndGivesItsCreditsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, eve := w.newMember(t, "ada"), w.newMember(t, "eve")
	complete := func(b *browser, kind string) api.CompletedOnboarding {
		return read[api.CompletedOnboarding](t, b.post(t, "/api/account/onboarding/"+kind+"/complete", ""), http.StatusOK)
	}
	require.Equal(t, api.CompletedOnboarding{Success: true, Credits: 95, Awarded: 5}, complete(ada, "tour"))
	require.Equal(t, api.CompletedOnboarding{Success: true, Credits: 95}, complete(ada, "tour"))
	require.Equal(t, api.CompletedOnboarding{Success: true, Credits: 100, Awarded: 5}, complete(ada, "partnership"))
	require.True(t, ada.onboarding(t).Tour.Completed)
	require.True(t, ada.onboarding(t).Partnership.Completed)
	require.False(t, eve.onboarding(t).Tour.Completed)

	page := read[api.Credits](t, ada.get(t, "/api/account/credits?limit=2"), http.StatusOK)
	require.Equal(t, 100, page.Balance)
	require.Equal(t, httpapi.Pagination{Total: 3, Limit: 2, HasMore: true}, page.Pagination)
	require.Equal(t, member.ReasonPartnership, page.Entries[0].Reason)
	require.Equal(t, []int{5, 100, 5, 95}, []int{page.Entries[0].Delta, page.Entries[0].Balance, page.Entries[1].Delta, page.Entries[1].Balance})
	page = read[api.Credits](t, ada.get(t, "/api/account/credits?limit=2&offset=2"), http.StatusOK)
	require.Equal(t, []api.CreditEntry{{Number: 1, At: now, Delta: 90, Balance: 90, Reason: member.ReasonFoundingFee}}, page.Entries)
	require.Equal(t, 100, page.Balance)
	require.Equal(t, 90, read[api.Credits](t, eve.get(t, "/api/account/credits"), http.StatusOK).Balance)
}

func TestCreditsNameThePostThatTheyWereFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	written := read[api.PostReply](t, ada.post(t, "/api/posts", `{"content":"hers","scheduledAt":"2026-12-01T09:00:00Z"}`), http.StatusCreated).Post
	page := read[api.Credits](t, ada.get(t, "/api/account/credits"), http.StatusOK)
	require.Equal(t, api.CreditEntry{
		Number: 2, At: now, Delta: -1, Balance: 89, Reason: member.ReasonPost, PostID: written.ID,
		RunURL: "/runs/post:" + written.ID,
	}, page.Entries[0])
}

func TestBadAnswersAreRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	before := w.rows(t)
	for name, tt := range map[string]struct {
		path, body, field string
		status            int
	}{
		"an unknown question":          {partnershipPath, `{"step":1,"answers":{"shoe_size":"hunter2"}}`, "body.answers.shoe_size", 422},
		"an unknown option":            {partnershipPath, `{"step":1,"answers":{"first_feature":"hunter2"}}`, "body.answers.first_feature", 422},
		"an unknown one among many":    {partnershipPath, `{"step":1,"answers":{"project_excitement":["fair_pricing","hunter2"]}}`, "body.answers.project_excitement[1]", 422},
		"an unknown skill":             {partnershipPath, `{"step":1,"answers":{"experience_level":{"hunting":3}}}`, "body.answers.experience_level.hunting", 422},
		"a rating of six":              {partnershipPath, `{"step":1,"answers":{"experience_level":{"ai_llm":6}}}`, "body.answers.experience_level.ai_llm", 422},
		"a rating of nothing":          {partnershipPath, `{"step":1,"answers":{"experience_level":{"ai_llm":0}}}`, "body.answers.experience_level.ai_llm", 422},
		"half a rating":                {partnershipPath, `{"step":1,"answers":{"experience_level":{"ai_llm":2.5}}}`, "body.answers.experience_level.ai_llm", 422},
		"2001 characters":              {partnershipPath, `{"step":1,"answers":{"vision":"` + strings.Repeat("x", 2001) + `"}}`, "body.answers.vision", 422},
		"a number as text":             {partnershipPath, `{"step":1,"answers":{"vision":7}}`, "body.answers.vision", 422},
		"a null":                       {partnershipPath, `{"step":1,"answers":{"vision":null}}`, "body.answers.vision", 422},
		"answers that are a list":      {partnershipPath, `{"step":1,"answers":["hunter2"]}`, "body.answers", 422},
		"a question twice":             {partnershipPath, `{"step":1,"answers":{"vision":"a","vision":"b"}}`, "body", 400},
		"another field":                {partnershipPath, `{"step":1,"memberId":"hunter2"}`, "body.memberId", 422},
		"no step":                      {partnershipPath, `{}`, "body", 422},
		"a step before the first":      {partnershipPath, `{"step":0}`, "body.step", 422},
		"a step beyond the last":       {partnershipPath, `{"step":13}`, "body.step", 422},
		"a step that the tour has not": {"/api/account/onboarding/tour", `{"step":5}`, "body.step", 422},
		"answers to the tour":          {"/api/account/onboarding/tour", `{"step":1,"answers":{"vision":"a"}}`, "body.answers", 422},
		"another kind":                 {"/api/account/onboarding/hunter2", `{"step":1}`, "path.kind", 422},
		"half a body":                  {partnershipPath, `{"step":1`, "body", 400},
		"65 kB":                        {partnershipPath, `{"step":1,"answers":{"vision":"` + strings.Repeat("x", 65<<10) + `"}}`, "", 413},
	} {
		rec := ada.send(t, http.MethodPut, tt.path, tt.body)
		require.Equal(t, tt.status, rec.Code, "%s: %s", name, rec.Body)
		p := problemOf(t, rec)
		if tt.field != "" {
			require.Len(t, p.Details, 1, "%s: %s", name, rec.Body)
			require.Equal(t, tt.field, p.Details[0].Field, name)
		}
		require.NotContains(t, rec.Body.String(), "hunter2", name)
		require.Less(t, rec.Body.Len(), 600, "%s: values are not repeated", name)
	}
	rec := ada.post(t, "/api/account/onboarding/chores/complete", "")
	require.Equal(t, problem.Invalid, problemOf(t, rec).Code)
	for _, query := range []string{"?limit=101", "?limit=0", "?offset=-1", "?limit=x", "?memberId=m1"} {
		require.Equal(t, problem.Invalid, problemOf(t, ada.get(t, "/api/account/credits"+query)).Code, query)
	}
	require.Equal(t, before, w.rows(t))
}

// What a member does at the pages counts from the next request: a frozen membership is
// nobody's, also a founder's.
func TestAFrozenMembershipGetsNoCredits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, memberID := w.join(t, "ada")
	ada := w.browserWith(w.login(t, id, ""))
	grace, err := w.db.Accounts.XAccount(t.Context(), "1", "Grace", now)
	require.NoError(t, err)
	_, err = w.open(t).ExecContext(t.Context(), `UPDATE accounts SET member_id = NULL WHERE id = ?`, id)
	require.NoError(t, err)
	_, err = w.open(t).ExecContext(t.Context(), `UPDATE accounts SET member_id = ? WHERE id = ?`, memberID, grace.ID)
	require.NoError(t, err)
	founder := w.browserWith(w.login(t, grace.ID, ""))
	require.Equal(t, 90, read[api.Credits](t, founder.get(t, "/api/account/credits"), http.StatusOK).Balance, "hers, since she joined")
	w.freeze(t, memberID)
	for _, b := range []*browser{ada, founder} {
		rec := b.post(t, "/api/account/onboarding/tour/complete", "")
		require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
	}
	progress, err := w.db.Members.Onboarding(t.Context(), memberID, onboarding.Tour)
	require.NoError(t, err)
	require.Nil(t, progress.CompletedAt)
}

// A minted token is for the bot's credentials, and for nothing of its owner's.
func TestATokenActsForNoMembership(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, _ := w.join(t, "ada")
	token := w.login(t, id, account.ScopeCredentials)
	rec := w.do(t, call{method: http.MethodGet, path: "/api/account/credits", key: "none", header: map[string]string{"Authorization": "Bearer " + token}})
	require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
}
