package api_test

import (
	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/problem"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestANewAddressIsMineWhenItsCodeSaysSo(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.canaries.addAddress("new@example.com")
	b := w.browserWith(w.login(t, ada, ""))
	addressIs := func(want string) {
		require.Equal(t, want, read[api.Account](t, b.get(t, "/api/account"), http.StatusOK).Email)
	}
	require.Equal(t, http.StatusOK, b.post(t, "/api/account/email", `{"email":" New@Example.com "}`).Code)
	code := w.mailedCode(t, "new@example.com")
	addressIs("ada@example.com")

	rec := b.post(t, "/api/account/email/verify", body(t, map[string]string{"code": other(code, 0)}))
	require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code)
	addressIs("ada@example.com")
	require.Equal(t, http.StatusOK, b.post(t, "/api/account/email/verify", body(t, map[string]string{"code": code})).Code)
	addressIs("new@example.com")
	rec = b.post(t, "/api/account/email/verify", body(t, map[string]string{"code": code}))
	require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code, "a code is good once")
}

func TestAnAddressBelongsToOneAccount(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.join(t, "eve")
	b := w.browserWith(w.login(t, ada, ""))
	require.Equal(t, http.StatusOK, b.post(t, "/api/account/email", `{"email":"eve@example.com"}`).Code, "who has it is not told before the code")
	rec := b.post(t, "/api/account/email/verify", body(t, map[string]string{"code": w.mailedCode(t, "eve@example.com")}))
	require.Equal(t, problem.Conflict, problemOf(t, rec).Code)
	require.Equal(t, "ada@example.com", read[api.Account](t, b.get(t, "/api/account"), http.StatusOK).Email)
}

func TestACodeForMyAddressIsNobodyElses(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	b, hers := w.browserWith(w.login(t, ada, "")), w.browserWith(w.login(t, eve, ""))
	require.Equal(t, http.StatusOK, b.post(t, "/api/account/email", `{"email":"new@example.com"}`).Code)
	code := w.mailedCode(t, "new@example.com")
	rec := hers.post(t, "/api/account/email/verify", body(t, map[string]string{"code": code}))
	require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code)
	rec = w.browser().post(t, "/api/auth/email/verify", body(t, map[string]string{"email": "new@example.com", "code": code}))
	require.Equal(t, problem.CodeWrong, problemOf(t, rec).Code, "and it lets nobody in")
}

func TestOnlyTheProofOfALetterEndsLetters(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	proof := w.db.Keys().Mark(ada, account.UnsubscribePurpose)
	unsubscribe := func(id, proof string) int {
		path := "/unsubscribe?account=" + url.QueryEscape(id) + "&proof=" + url.QueryEscape(proof)
		return w.do(t, call{method: http.MethodPost, path: path, body: "List-Unsubscribe=One-Click", contentType: "application/x-www-form-urlencoded", key: "none"}).Code
	}
	before := w.rows(t)
	require.Equal(t, http.StatusNotFound, unsubscribe(eve, proof), "it is ada's")
	require.Equal(t, http.StatusNotFound, unsubscribe(ada, w.db.Keys().Mark(ada, "visitor")), "it is for something else")
	require.Equal(t, http.StatusNotFound, unsubscribe(ada, "x"))
	require.Equal(t, http.StatusUnprocessableEntity, unsubscribe(ada, ""))
	require.Equal(t, before, w.rows(t))
	require.Equal(t, http.StatusOK, unsubscribe(ada, proof))
	b := w.browserWith(w.login(t, ada, ""))
	require.False(t, read[api.Account](t, b.get(t, "/api/account"), http.StatusOK).Notices)
	require.Equal(t, http.StatusOK, b.send(t, http.MethodPut, "/api/account/notices", `{"wanted":true}`).Code)
	require.True(t, read[api.Account](t, b.get(t, "/api/account"), http.StatusOK).Notices)
}

// Proves: V7.4.2
func TestDeletionLogsOutEverywhereAndStartsItsRun(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	token, elsewhere, others := w.login(t, ada, ""), w.login(t, ada, ""), w.login(t, eve, "")
	bearer := w.login(t, ada, account.ScopeCredentials)
	b := w.browserWith(token)
	left := read[api.Deleted](t, b.post(t, "/api/account/deletion", `{"confirm":" @ADA "}`), http.StatusAccepted)
	open := must(w.db.Deletions.OpenDepartures(t.Context()))(t)
	require.Len(t, open, 1)
	require.Equal(t, []string{"depart " + open[0].ID}, w.runs.orders)
	require.Equal(t, "account-deletion:"+open[0].ID, left.WorkflowID)
	require.Equal(t, "run-"+open[0].ID, left.RunID)
	require.Equal(t, "/runs/account-deletion:"+open[0].ID+"?run="+left.RunID, left.RunURL)
	require.Equal(t, now, left.At)
	require.Empty(t, b.cookies["session"], "the cookie is closed")

	for _, one := range []string{token, elsewhere, bearer} {
		require.False(t, w.whoHas(t, one).IsAuthenticated)
		require.Equal(t, http.StatusUnauthorized, w.browserWith(one).get(t, "/api/account").Code)
		rec := w.browserWith(one).post(t, "/api/experiments/vote", `{"experimentId":"001","memberId":"x","vote":1}`)
		require.Equal(t, problem.Unauthorized, problemOf(t, rec).Code)
	}
	rec := w.do(t, call{method: http.MethodGet, path: "/api/auth/credentials/status", key: "none", header: map[string]string{"Authorization": "Bearer " + bearer}})
	require.Equal(t, http.StatusUnauthorized, rec.Code)
	require.True(t, w.whoHas(t, others).IsAuthenticated)
	require.NotContains(t, w.do(t, call{method: http.MethodGet, path: "/api/members", key: "none"}).Body.String(), `"ada"`)
}

// Whoever got the answer is forgotten, though Temporal is away: the starter sees to it.
// Proves: V16.5.2
func TestDeletionIsWrittenDownWhileTemporalIsAway(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.runs.err = problem.New(problem.Unavailable, "No.")
	b := w.browserWith(w.login(t, ada, ""))
	read[api.Deleted](t, b.post(t, "/api/account/deletion", `{"confirm":"ada"}`), http.StatusAccepted)
	open := must(w.db.Deletions.OpenDepartures(t.Context()))(t)
	require.Len(t, open, 1)
	require.Equal(t, account.DeletionRequested, open[0].Stage)
}

func TestDeletionIsRefused(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
	fresh, founder := w.login(t, ada, ""), w.login(t, grace.ID, "")
	for name, tt := range map[string]struct {
		token, body string
		later       time.Duration
		status      int
		code        problem.Code
	}{
		"another name":        {fresh, `{"confirm":"eve"}`, 0, http.StatusUnprocessableEntity, problem.ConfirmWrong},
		"the address":         {fresh, `{"confirm":"ada@example.com"}`, 0, http.StatusUnprocessableEntity, problem.ConfirmWrong},
		"no name":             {fresh, `{"confirm":""}`, 0, http.StatusUnprocessableEntity, problem.Invalid},
		"nothing":             {fresh, `{}`, 0, http.StatusUnprocessableEntity, problem.Invalid},
		"somebody else, too":  {fresh, `{"confirm":"ada","account":"x"}`, 0, http.StatusUnprocessableEntity, problem.Invalid},
		"nobody":              {"", `{"confirm":"ada"}`, 0, http.StatusUnauthorized, problem.Unauthorized},
		"a login that is old": {fresh, `{"confirm":"ada"}`, account.FreshFor, http.StatusForbidden, problem.LoginStale},
		"a founder":           {founder, `{"confirm":"grace"}`, 0, http.StatusForbidden, problem.Forbidden},
	} {
		w.now = now.Add(tt.later)
		rec := w.browserWith(tt.token).post(t, "/api/account/deletion", tt.body)
		require.Equal(t, tt.status, rec.Code, name)
		require.Equal(t, tt.code, problemOf(t, rec).Code, name)
		w.now = now
	}
	require.Zero(t, w.count(t, "SELECT count(*) FROM departures"))
	require.Equal(t, 2, w.count(t, "SELECT count(*) FROM sessions"), "nothing is half done")
	require.Empty(t, w.runs.orders)
}

// Proves: V8.2.2
func TestExportIsAFileOfMyOwn(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.join(t, "eve")
	b := w.browserWith(w.login(t, ada, ""))
	require.Equal(t, http.StatusCreated, b.post(t, "/api/posts", `{"content":"mine"}`).Code)
	rec := b.get(t, "/api/account/export")
	require.Equal(t, http.StatusOK, rec.Code)
	require.Equal(t, `attachment; filename="customerzero-ada-2026-11-20.json"`, rec.Header().Get("Content-Disposition"))
	require.Equal(t, "application/json; charset=utf-8", rec.Header().Get("Content-Type"))
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	var file account.Export
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &file))
	require.Equal(t, "ada@example.com", *file.Account.Email)
	require.Equal(t, "ada", file.Membership.Username)
	require.Len(t, file.Posts, 1)
	require.Equal(t, "mine", file.Posts[0].Text)
	require.Equal(t, account.KeptItems(), file.Stays)
	require.NotContains(t, rec.Body.String(), "eve@")
	require.Equal(t, http.StatusUnauthorized, w.browserWith("").get(t, "/api/account/export").Code)
}

// Proves: V2.4.1-rest
func TestExportIsGivenTenTimesAnHour(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	b := w.browserWith(w.login(t, ada, ""))
	for range 10 {
		require.Equal(t, http.StatusOK, b.get(t, "/api/account/export").Code)
	}
	rec := b.get(t, "/api/account/export")
	require.Equal(t, http.StatusTooManyRequests, rec.Code)
	require.Contains(t, problemOf(t, rec).Message, "Too many downloads of your data.")
	w.now = now.Add(time.Hour)
	require.Equal(t, http.StatusOK, b.get(t, "/api/account/export").Code)
}

const partnershipPath = "/api/account/onboarding/partnership"

// newMember is a browser of somebody who has just become a member.
func (w *world) newMember(t *testing.T, name string) *browser {
	id, _ := w.join(t, name)
	return w.browserWith(w.login(t, id, ""))
}

func (b *browser) onboarding(t *testing.T) api.Onboarding {
	return read[api.Onboarding](t, b.get(t, "/api/account/onboarding"), http.StatusOK)
}

func TestOnboardingGoesOnWhereItWasLeft(t *testing.T) {
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
	w := newWorld(t)
	id, memberID := w.join(t, "ada")
	ada := w.browserWith(w.login(t, id, ""))
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
	must(w.open(t).ExecContext(t.Context(), `UPDATE accounts SET member_id = NULL WHERE id = ?`, id))(t)
	must(w.open(t).ExecContext(t.Context(), `UPDATE accounts SET member_id = ? WHERE id = ?`, memberID, grace.ID))(t)
	founder := w.browserWith(w.login(t, grace.ID, ""))
	require.Equal(t, 90, read[api.Credits](t, founder.get(t, "/api/account/credits"), http.StatusOK).Balance, "hers, since she joined")
	w.freeze(t, memberID)
	for _, b := range []*browser{ada, founder} {
		rec := b.post(t, "/api/account/onboarding/tour/complete", "")
		require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
	}
	progress := must(w.db.Members.Onboarding(t.Context(), memberID, onboarding.Tour))(t)
	require.Nil(t, progress.CompletedAt)
}

// A minted token is for the bot's credentials, and for nothing of its owner's.
func TestATokenActsForNoMembership(t *testing.T) {
	w := newWorld(t)
	id, _ := w.join(t, "ada")
	token := w.login(t, id, account.ScopeCredentials)
	rec := w.do(t, call{method: http.MethodGet, path: "/api/account/credits", key: "none", header: map[string]string{"Authorization": "Bearer " + token}})
	require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
}

func (b *browser) rename(t *testing.T, name string) *httptest.ResponseRecorder {
	return b.send(t, http.MethodPut, "/api/account/username", body(t, map[string]string{"username": name}))
}

func TestAMemberChoosesAName(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "zero_7f3k2")
	for given, kept := range map[string]string{"ada": "ada", " @Ada_L ": "Ada_L", "ADA": "ADA"} {
		chosen := read[api.ChosenUsername](t, ada.rename(t, given), http.StatusOK)
		require.Equal(t, api.ChosenUsername{Success: true, Username: kept}, chosen)
		require.Equal(t, kept, ada.who(t).User.Username, "from the next request on")
		listed := read[api.Members](t, w.browser().get(t, "/api/members"), http.StatusOK)
		require.Equal(t, kept, listed.Members[0].Username)
	}
	rec := w.do(t, call{method: http.MethodPost, path: "/api/members", body: `{"username":"zero_7f3k2","paymentAmount":9}`})
	require.Equal(t, http.StatusCreated, rec.Code, "the name is free again")
}

func TestNamesThatAMemberMayNotTake(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	w.newMember(t, "eve")
	must(w.open(t).ExecContext(t.Context(), `UPDATE connections SET username = 'TheBot'`))(t)
	before := w.rows(t)
	for name, tt := range map[string]struct {
		given  string
		status int
		code   problem.Code
	}{
		"another member's":             {"eve", 409, problem.MemberExists},
		"another member's in capitals": {"@EVE", 409, problem.MemberExists},
		"a founder's":                  {"grace", 409, problem.MemberExists},
		"a founder's in capitals":      {"@GRACE", 409, problem.MemberExists},
		"a founder's who never came":   {"Barbara", 409, problem.MemberExists},
		"the bot's as configured":      {"Bot", 409, problem.MemberExists},
		"the bot's as connected":       {"thebot", 409, problem.MemberExists},
		"nothing":                      {"", 422, problem.Invalid},
		"an @":                         {"@", 422, problem.Invalid},
		"a blank inside":               {"a da", 422, problem.Invalid},
		"letters that look alike":      {"еve", 422, problem.Invalid},
		"16 letters":                   {strings.Repeat("a", 16), 422, problem.Invalid},
		"50,000 letters":               {strings.Repeat("a", 50_000), 422, problem.Invalid},
		"a control":                    {"ada\x01", 422, problem.Invalid},
	} {
		rec := ada.rename(t, tt.given)
		require.Equal(t, tt.status, rec.Code, "%s: %s", name, rec.Body)
		require.Equal(t, tt.code, problemOf(t, rec).Code, name)
		require.Less(t, rec.Body.Len(), 400, "%s is not repeated", name)
	}
	for _, wrong := range []string{`{}`, `{"username":7}`, `{"username":"zoe","memberId":"m1"}`, `[]`} {
		rec := ada.send(t, http.MethodPut, "/api/account/username", wrong)
		require.Equal(t, problem.Invalid, problemOf(t, rec).Code, wrong)
	}
	require.Equal(t, before, w.rows(t))
}

// Somebody whom X itself calls so may have the name.
func TestAFounderWhoIsAMemberMayBearTheirOwnHandle(t *testing.T) {
	w := newWorld(t)
	_, memberID := w.join(t, "zero_7f3k2")
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
	must(w.open(t).ExecContext(t.Context(), `UPDATE accounts SET member_id = NULL`))(t)
	must(w.open(t).ExecContext(t.Context(), `UPDATE accounts SET member_id = ? WHERE id = ?`, memberID, grace.ID))(t)
	founder := w.browserWith(w.login(t, grace.ID, account.Scope("")))
	require.Equal(t, problem.MemberExists, problemOf(t, founder.rename(t, "barbara")).Code)
	require.Equal(t, http.StatusOK, founder.rename(t, "Grace").Code)
}

// Proves: V8.2.3
func TestAddressesOfMembersAreShownToFoundersAndThemselves(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.join(t, "eve")
	ice, iceID := w.join(t, "ice")
	w.freeze(t, iceID)
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t)
	former := must(w.db.Accounts.XAccount(t.Context(), "2", "Former", now))(t)

	for name, tt := range map[string]struct {
		headers []header
		sees    []string
	}{
		"a visitor":           {nil, []string{"", "", ""}},
		"a member":            {[]header{{"Cookie", "session=" + w.login(t, ada, "")}}, []string{"ada@example.com", "", ""}},
		"a frozen member":     {[]header{{"Cookie", "session=" + w.login(t, ice, "")}}, []string{"", "", "ice@example.com"}},
		"a founder":           {[]header{{"Cookie", "session=" + w.login(t, grace.ID, "")}}, []string{"ada@example.com", "eve@example.com", "ice@example.com"}},
		"somebody on no list": {[]header{{"Cookie", "session=" + w.login(t, former.ID, "")}}, []string{"", "", ""}},
		"a founder's token":   {[]header{{"Authorization", "Bearer " + w.login(t, grace.ID, account.ScopeCredentials)}}, []string{"", "", ""}},
		"the founders' key":   {[]header{{"X-Admin-Key", key}}, []string{"", "", ""}},
	} {
		list := read[api.Members](t, w.say(t, call{method: http.MethodGet, path: "/api/members"}, tt.headers), http.StatusOK).Members
		require.Len(t, list, 3)
		for i, want := range tt.sees {
			require.Equal(t, want, list[i].Email, "%s looks at %s", name, list[i].Username)
		}
	}
}

// Proves: S-membership
func TestMembersWithBadAddressesAreNotEntered(t *testing.T) {
	w := newWorld(t)
	w.join(t, "ada")
	before := w.rows(t)
	for name, tt := range map[string]struct {
		email string
		code  problem.Code
	}{
		"no address":              {"nobody", problem.Invalid},
		"a display name":          {"Eve <canary@example.com>", problem.Invalid},
		"two of them":             {"canary@example.com,eve@example.com", problem.Invalid},
		"a header of its own":     {"canary@example.com\r\nBcc: eve@example.com", problem.Invalid},
		"a name of this network":  {"canary@localhost", problem.Invalid},
		"an IP address":           {"canary@[127.0.0.1]", problem.Invalid},
		"a look-alike":            {"cаnary@example.com", problem.Invalid},
		"blanks":                  {"   ", problem.Invalid},
		"255 characters":          {strings.Repeat("a", 243) + "@example.com", problem.Invalid},
		"a member's":              {"ada@example.com", problem.MemberExists},
		"a member's, in capitals": {" ADA@Example.COM", problem.MemberExists},
	} {
		rec := w.do(t, call{method: http.MethodPost, path: "/api/members", body: body(t, map[string]string{"username": "eve", "email": tt.email})})
		require.Equal(t, http.StatusUnprocessableEntity, rec.Code, "%s, without a fee", name)
		rec = w.do(t, call{
			method: http.MethodPost, path: "/api/members",
			body: strings.Replace(body(t, map[string]string{"username": "eve", "email": tt.email}), "{", `{"paymentAmount":9,`, 1),
		})
		require.Equal(t, tt.code, problemOf(t, rec).Code, name)
		require.NotRegexp(t, "(?i)canary|ada@", rec.Body.String(), name)
		require.Equal(t, before, w.rows(t), name)
	}
}

func TestAWelcomeLetterLetsItsReaderInOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		token func(t *testing.T, w *world, good string) string
		code  problem.Code // empty: in
	}{
		"the link": {func(_ *testing.T, _ *world, good string) string { return good }, ""},
		"on the seventh day": {func(_ *testing.T, w *world, good string) string {
			w.now = now.Add(account.ActivationLinkLife - 1e9)
			return good
		}, ""},
		"after seven days": {func(_ *testing.T, w *world, good string) string {
			w.now = now.Add(account.ActivationLinkLife)
			return good
		}, problem.CodeWrong},
		"any other":            {func(_ *testing.T, _ *world, _ string) string { return account.NewToken() }, problem.CodeWrong},
		"as it is stored":      {func(_ *testing.T, _ *world, good string) string { return account.Hash(good) }, problem.Invalid},
		"cut short":            {func(_ *testing.T, _ *world, good string) string { return good[:42] }, problem.Invalid},
		"nothing":              {func(_ *testing.T, _ *world, _ string) string { return "" }, problem.Invalid},
		"43 signs":             {func(_ *testing.T, _ *world, _ string) string { return strings.Repeat("'", 43) }, problem.CodeWrong},
		"in other letters":     {func(_ *testing.T, _ *world, good string) string { return strings.ToUpper(good) }, problem.CodeWrong},
		"an unsubscribe proof": {func(_ *testing.T, w *world, _ string) string { return w.db.Keys().Mark("x", "unsubscribe")[:43] }, problem.CodeWrong},
		"used already": {func(t *testing.T, w *world, good string) string {
			require.Equal(t, http.StatusOK, w.browser().post(t, "/api/auth/claim", body(t, map[string]string{"token": good})).Code)
			return good
		}, problem.CodeWrong},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.canaries.addAddress("cleo@example.com")
			entered := w.do(t, call{method: http.MethodPost, path: "/api/members", body: `{"username":"cleo","paymentAmount":9,"email":"cleo@example.com"}`})
			require.Equal(t, http.StatusCreated, entered.Code, entered.Body.String())
			good := w.claimToken(t, "cleo@example.com")
			require.NotContains(t, w.rows(t), good, "it is kept as a digest, and sealed in the letter")
			token := tt.token(t, w, good)
			before := w.count(t, "SELECT count(*) FROM sessions")

			b := w.browser()
			rec := b.post(t, "/api/auth/claim", body(t, map[string]string{"token": token}))
			if tt.code == "" {
				require.Equal(t, http.StatusOK, rec.Code, rec.Body.String())
				require.Equal(t, "member", b.who(t).Role)
				return
			}
			require.Equal(t, http.StatusUnprocessableEntity, rec.Code)
			require.Equal(t, tt.code, problemOf(t, rec).Code)
			require.Empty(t, b.cookies)
			require.Equal(t, before, w.count(t, "SELECT count(*) FROM sessions"))
		})
	}
}
