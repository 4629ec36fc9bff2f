package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	accountapi "customerzero/api/account"
	"customerzero/api/httpapi"
	membersapi "customerzero/api/members"
	"customerzero/api/posts"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/problem"
)

func TestANewAddressIsMineWhenItsCodeSaysSo(t *testing.T) {
	w := newWorld(t)
	w.canaries.addAddress("new@example.com")
	b, eve := w.newMember(t, "ada"), w.newMember(t, "eve")
	ask := func(address string) (code string) {
		require.Equal(t, ok, b.post(t, "/api/account/email", asJSON(t, map[string]string{"email": address})).Code)
		return w.mailedCode(t, strings.ToLower(strings.TrimSpace(address)))
	}
	guess := func(b *browser, code string) *httptest.ResponseRecorder {
		return b.post(t, "/api/account/email/verify", asJSON(t, map[string]string{"code": code}))
	}
	addressIs := func(want string) {
		require.Equal(t, want, read[accountapi.Account](t, b.get(t, "/api/account"), ok).Email)
	}
	code := ask(" New@Example.com ")
	refused(t, guess(b, other(code, 0)), problem.CodeWrong)
	refused(t, guess(eve, code), problem.CodeWrong, "it is for nobody else's account")
	refused(t, w.browser().post(t, "/api/auth/email/verify", asJSON(t, map[string]string{"email": "new@example.com", "code": code})), problem.CodeWrong, "and it lets nobody in")
	addressIs("ada@example.com")
	require.Equal(t, ok, guess(b, code).Code)
	addressIs("new@example.com")
	refused(t, guess(b, code), problem.CodeWrong, "a code is good once")
	refused(t, guess(b, ask("eve@example.com")), problem.Conflict, "who has an address is not told before the code")
	addressIs("new@example.com")
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
	require.Equal(t, ok, unsubscribe(ada, proof))
	b := w.browserWith(w.login(t, ada, ""))
	require.False(t, read[accountapi.Account](t, b.get(t, "/api/account"), ok).Notices)
	require.Equal(t, ok, b.send(t, http.MethodPut, "/api/account/notices", `{"wanted":true}`).Code)
	require.True(t, read[accountapi.Account](t, b.get(t, "/api/account"), ok).Notices)
}

// Proves: V7.4.2
func TestDeletionLogsOutEverywhereAndStartsItsRun(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	token, elsewhere, others := w.login(t, ada, ""), w.login(t, ada, ""), w.login(t, eve, "")
	bearer := w.login(t, ada, account.ScopeCredentials)
	b := w.browserWith(token)
	left := read[accountapi.Deleted](t, b.post(t, "/api/account/deletion", `{"confirm":" @ADA "}`), http.StatusAccepted)
	open := must(w.db.Deletions.OpenDeletions(t.Context()))(t)
	require.Len(t, open, 1)
	require.Equal(t, []string{"depart " + open[0].ID}, w.runs.orders)
	require.Equal(t, []any{"account-deletion:" + open[0].ID, "run-" + open[0].ID}, []any{left.WorkflowID, left.RunID})
	require.Equal(t, []any{"/runs/account-deletion:" + open[0].ID + "?run=" + left.RunID, now}, []any{left.RunURL, left.At})
	require.Empty(t, b.cookies["session"], "the cookie is closed")

	for _, one := range []string{token, elsewhere, bearer} {
		require.False(t, w.whoHas(t, one).IsAuthenticated)
		require.Equal(t, http.StatusUnauthorized, w.browserWith(one).get(t, "/api/account").Code)
		rec := w.browserWith(one).post(t, "/api/experiments/vote", `{"experimentId":"001","memberId":"x","vote":1}`)
		refused(t, rec, problem.Unauthorized)
	}
	rec := w.do(t, call{method: http.MethodGet, path: "/api/auth/credentials/status", key: "none", header: map[string]string{"Authorization": "Bearer " + bearer}})
	require.Equal(t, http.StatusUnauthorized, rec.Code)
	require.True(t, w.whoHas(t, others).IsAuthenticated)
	require.NotContains(t, w.visits(t, "/api/members").Body.String(), `"ada"`)
}

func TestDeletionIsRefused(t *testing.T) {
	w := newWorld(t)
	ada, grace := w.newMember(t, "ada"), w.founder(t)
	w.refusesAll(t, ada.send, map[string]bad{
		"another name": {"POST", "/api/account/deletion", `{"confirm":"eve"}`, problem.ConfirmWrong},
		"the address":  {"POST", "/api/account/deletion", `{"confirm":"ada@example.com"}`, problem.ConfirmWrong},
	})
	w.refusesAll(t, w.browser().send, map[string]bad{"nobody": {"POST", "/api/account/deletion", `{"confirm":"ada"}`, problem.Unauthorized}})
	w.refusesAll(t, grace.send, map[string]bad{"a founder": {"POST", "/api/account/deletion", `{"confirm":"grace"}`, problem.Forbidden}})
	w.now = now.Add(account.FreshFor)
	refused(t, ada.post(t, "/api/account/deletion", `{"confirm":"ada"}`), problem.LoginStale)
	require.Zero(t, w.count(t, "SELECT count(*) FROM account_deletions"))
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
	require.Equal(t, ok, rec.Code)
	require.Equal(t, `attachment; filename="customerzero-ada-2026-11-20.json"`, rec.Header().Get("Content-Disposition"))
	require.Equal(t, "application/json; charset=utf-8", rec.Header().Get("Content-Type"))
	require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
	var file account.Export
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &file))
	require.Equal(t, "ada@example.com", *file.Account.Email)
	require.Equal(t, "ada", file.Membership.Username)
	require.Len(t, file.Posts, 1)
	require.Equal(t, []any{"mine", account.KeptItems()}, []any{file.Posts[0].Text, file.Stays})
	require.NotContains(t, rec.Body.String(), "eve@")
	require.Equal(t, http.StatusUnauthorized, w.browserWith("").get(t, "/api/account/export").Code)
}

const partnershipPath = "/api/account/onboarding/partnership"

// newMember is a browser of somebody who has just become a member.
func (w *world) newMember(t *testing.T, name string) *browser {
	id, _ := w.join(t, name)
	return w.browserWith(w.login(t, id, ""))
}

func (b *browser) onboarding(t *testing.T) accountapi.Onboarding {
	return read[accountapi.Onboarding](t, b.get(t, "/api/account/onboarding"), ok)
}

func TestOnboardingGoesOnWhereItWasLeft(t *testing.T) {
	w := newWorld(t)
	ada, eve := w.newMember(t, "ada"), w.newMember(t, "eve")
	begun := accountapi.OnboardingProgress{Answers: accountapi.Answers{}, Step: 1, Reward: 5}
	require.Equal(t, accountapi.Onboarding{Tour: begun, Partnership: begun}, ada.onboarding(t))

	all := `{"answers":{"vision":"Honest bots.","customer_zero_excitement":"b","impressive_automation":"c","exciting_apis":"d",
		"ai_future":"e","value_creation":"f","legendary_factor":"g","experience_level":{"edge_workers":1,"card_payments":5},
		"build_preference":"plan_first","first_feature":"open_treasury",
		"project_excitement":["fair_pricing","self_healing"],"collaboration_style":["reviews"]},"step":12}`
	var sent struct{ Answers accountapi.Answers }
	require.NoError(t, json.Unmarshal([]byte(all), &sent))
	require.Equal(t, ok, ada.send(t, http.MethodPut, partnershipPath, all).Code)
	require.Equal(t, accountapi.OnboardingProgress{Answers: sent.Answers, Step: 12, Reward: 5}, ada.onboarding(t).Partnership)
	require.Equal(t, begun, ada.onboarding(t).Tour)
	require.Equal(t, begun, eve.onboarding(t).Partnership, "answers are shown to nobody else")

	require.Equal(t, ok, ada.send(t, http.MethodPut, partnershipPath, `{"step":3}`).Code)
	require.Equal(t, accountapi.OnboardingProgress{Answers: accountapi.Answers{}, Step: 3, Reward: 5}, ada.onboarding(t).Partnership)
}

func TestOnboardingEndsOnceAndGivesItsCreditsOnce(t *testing.T) {
	w := newWorld(t)
	ada, eve := w.newMember(t, "ada"), w.newMember(t, "eve")
	complete := func(b *browser, kind string) accountapi.CompletedOnboarding {
		return read[accountapi.CompletedOnboarding](t, b.post(t, "/api/account/onboarding/"+kind+"/complete", ""), ok)
	}
	require.Equal(t, accountapi.CompletedOnboarding{Success: true, Credits: 95, Awarded: 5}, complete(ada, "tour"))
	require.Equal(t, accountapi.CompletedOnboarding{Success: true, Credits: 95}, complete(ada, "tour"))
	require.Equal(t, accountapi.CompletedOnboarding{Success: true, Credits: 100, Awarded: 5}, complete(ada, "partnership"))
	require.True(t, ada.onboarding(t).Tour.Completed)
	require.True(t, ada.onboarding(t).Partnership.Completed)
	require.False(t, eve.onboarding(t).Tour.Completed)

	page := read[accountapi.Credits](t, ada.get(t, "/api/account/credits?limit=2"), ok)
	require.Equal(t, []any{100, httpapi.Pagination{Total: 3, Limit: 2, HasMore: true}}, []any{page.Balance, page.Pagination})
	require.Equal(t, member.ReasonPartnership, page.Entries[0].Reason)
	require.Equal(t, []int{5, 100, 5, 95}, []int{page.Entries[0].Delta, page.Entries[0].Balance, page.Entries[1].Delta, page.Entries[1].Balance})
	page = read[accountapi.Credits](t, ada.get(t, "/api/account/credits?limit=2&offset=2"), ok)
	require.Equal(t, []any{[]accountapi.CreditEntry{{Number: 1, At: now, Delta: 90, Balance: 90, Reason: member.ReasonFoundingFee}}, 100}, []any{page.Entries, page.Balance})
	require.Equal(t, 90, read[accountapi.Credits](t, eve.get(t, "/api/account/credits"), ok).Balance)
}

func TestCreditsNameThePostThatTheyWereFor(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	written := read[posts.PostReply](t, ada.post(t, "/api/posts", `{"content":"hers","scheduledAt":"2026-12-01T09:00:00Z"}`), http.StatusCreated).Post
	page := read[accountapi.Credits](t, ada.get(t, "/api/account/credits"), ok)
	require.Equal(t, accountapi.CreditEntry{
		Number: 2, At: now, Delta: -1, Balance: 89, Reason: member.ReasonPost, PostID: written.ID,
		RunURL: "/runs/post:" + written.ID,
	}, page.Entries[0])
}

func TestBadAnswersAreRefusedAndNothingIsWritten(t *testing.T) {
	w := newWorld(t)
	const tour = "/api/account/onboarding/tour"
	ada := w.newMember(t, "ada")
	w.refusesAll(t, ada.send, map[string]bad{
		"a step that the tour has not": {"PUT", tour, `{"step":5}`, problem.Invalid},
		"answers to the tour":          {"PUT", tour, `{"step":1,"answers":{"vision":"a"}}`, problem.Invalid},
	})
	require.Equal(t, "body.step", problemOf(t, ada.send(t, "PUT", tour, `{"step":5}`)).Details[0].Field)
	require.Equal(t, "body.answers", problemOf(t, ada.send(t, "PUT", tour, `{"step":1,"answers":{"vision":"a"}}`)).Details[0].Field)
}

// What a member does at the pages counts from the next request: a frozen membership is
// nobody's, also a founder's. A minted token is for the bot's credentials, and for nothing of its owner's.
func TestAFrozenMembershipGetsNoCredits(t *testing.T) {
	w := newWorld(t)
	id, memberID := w.join(t, "ada")
	ada, founder := w.browserWith(w.login(t, id, "")), w.founder(t)
	refused(t, w.bearing(t, w.login(t, id, account.ScopeCredentials), http.MethodGet, "/api/account/credits"), problem.Forbidden)
	w.exec(t, `UPDATE accounts SET member_id = NULL WHERE id = ?`, id)
	w.exec(t, `UPDATE accounts SET member_id = ? WHERE id = ?`, memberID, w.accountOf(t, "grace"))
	require.Equal(t, 90, read[accountapi.Credits](t, founder.get(t, "/api/account/credits"), ok).Balance, "hers, since she joined")
	w.setStatus(t, memberID, member.StatusFrozen)
	for _, b := range []*browser{ada, founder} {
		refused(t, b.post(t, "/api/account/onboarding/tour/complete", ""), problem.Forbidden)
	}
	require.Nil(t, must(w.db.Members.Onboarding(t.Context(), memberID, onboarding.Tour))(t).CompletedAt)
}

func (b *browser) rename(t *testing.T, name string) *httptest.ResponseRecorder {
	return b.send(t, http.MethodPut, "/api/account/username", asJSON(t, map[string]string{"username": name}))
}

func TestAMemberChoosesAName(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "zero_7f3k2")
	for given, kept := range map[string]string{"ada": "ada", " @Ada_L ": "Ada_L", "ADA": "ADA"} {
		chosen := read[accountapi.ChosenUsername](t, ada.rename(t, given), ok)
		require.Equal(t, accountapi.ChosenUsername{Success: true, Username: kept}, chosen)
		require.Equal(t, kept, ada.who(t).User.Username, "from the next request on")
		listed := read[membersapi.Members](t, w.browser().get(t, "/api/members"), ok)
		require.Equal(t, kept, listed.Members[0].Username)
	}
	rec := w.send(t, http.MethodPost, "/api/members", `{"username":"zero_7f3k2","paymentAmount":9}`)
	require.Equal(t, http.StatusCreated, rec.Code, "the name is free again")
}

func TestNamesThatAMemberMayNotTake(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	w.newMember(t, "eve")
	w.exec(t, `UPDATE bot_connections SET username = 'TheBot'`)
	calls := map[string]bad{}
	for name, code := range map[string]problem.Code{
		"eve": problem.MemberExists, "@EVE": problem.MemberExists, "grace": problem.MemberExists, "@GRACE": problem.MemberExists,
		"Barbara": problem.MemberExists,                                 // a founder's who never came
		"Bot":     problem.MemberExists, "thebot": problem.MemberExists, // the bot's as configured, and as connected
		"@": problem.Invalid, "a da": problem.Invalid, "еve": problem.Invalid, strings.Repeat("a", 16): problem.Invalid, "ada\x01": problem.Invalid,
	} {
		calls[name] = bad{"PUT", "/api/account/username", asJSON(t, map[string]string{"username": name}), code}
	}
	w.refusesAll(t, ada.send, calls)
}

// Somebody whom X itself calls so may have the name.
func TestAFounderWhoIsAMemberMayBearTheirOwnHandle(t *testing.T) {
	w := newWorld(t)
	_, memberID := w.join(t, "zero_7f3k2")
	founder := w.founder(t)
	w.exec(t, `UPDATE accounts SET member_id = NULL`)
	w.exec(t, `UPDATE accounts SET member_id = ? WHERE id = ?`, memberID, w.accountOf(t, "grace"))
	refused(t, founder.rename(t, "barbara"), problem.MemberExists)
	require.Equal(t, ok, founder.rename(t, "Grace").Code)
}

// Proves: V8.2.3
func TestAddressesOfMembersAreShownToFoundersAndThemselves(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	w.join(t, "eve")
	ice, iceID := w.join(t, "ice")
	w.setStatus(t, iceID, member.StatusFrozen)
	grace := must(w.db.Accounts.XAccount(t.Context(), "1", "Grace", now))(t).ID
	former := must(w.db.Accounts.XAccount(t.Context(), "2", "Former", now))(t).ID
	session := func(id string) []header { return []header{{"Cookie", "session=" + w.login(t, id, "")}} }
	for name, tt := range map[string]struct {
		headers []header
		sees    []string
	}{
		"a visitor":           {nil, []string{"", "", ""}},
		"a member":            {session(ada), []string{"ada@example.com", "", ""}},
		"a frozen member":     {session(ice), []string{"", "", "ice@example.com"}},
		"a founder":           {session(grace), []string{"ada@example.com", "eve@example.com", "ice@example.com"}},
		"somebody on no list": {session(former), []string{"", "", ""}},
		"a founder's token":   {[]header{{"Authorization", "Bearer " + w.login(t, grace, account.ScopeCredentials)}}, []string{"", "", ""}},
		"the founders' key":   {[]header{{"X-Admin-Key", key}}, []string{"", "", ""}},
	} {
		list := read[membersapi.Members](t, w.say(t, call{method: http.MethodGet, path: "/api/members"}, tt.headers), ok).Members
		emails := []string{list[0].Email, list[1].Email, list[2].Email}
		require.Equal(t, tt.sees, emails, name)
	}
}

// Proves: S-membership
func TestMembersWithBadAddressesAreNotEntered(t *testing.T) {
	w := newWorld(t)
	w.join(t, "ada")
	w.canaries.add("kanari")
	calls := map[string]bad{}
	for address, code := range map[string]problem.Code{
		"Eve <kanari@example.com>": problem.Invalid, "kanari@example.com\r\nBcc: eve@example.com": problem.Invalid, " ADA@Example.COM": problem.MemberExists,
	} {
		calls[address] = bad{"POST", "/api/members", asJSON(t, map[string]any{"username": "eve", "paymentAmount": 9, "email": address}), code}
	}
	w.refusesAll(t, w.send, calls)
}

func TestAWelcomeLetterLetsItsReaderInOnce(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		token func(w *world, good string) string
		later time.Duration
		code  problem.Code // empty: in
	}{
		"the link":             {func(_ *world, good string) string { return good }, 0, ""},
		"on the seventh day":   {func(_ *world, good string) string { return good }, account.ActivationLinkLife - 1e9, ""},
		"after seven days":     {func(_ *world, good string) string { return good }, account.ActivationLinkLife, problem.CodeWrong},
		"any other":            {func(*world, string) string { return account.NewToken() }, 0, problem.CodeWrong},
		"as it is stored":      {func(_ *world, good string) string { return account.Hash(good) }, 0, problem.Invalid},
		"43 signs":             {func(*world, string) string { return strings.Repeat("'", 43) }, 0, problem.CodeWrong},
		"in other letters":     {func(_ *world, good string) string { return strings.ToUpper(good) }, 0, problem.CodeWrong},
		"an unsubscribe proof": {func(w *world, _ string) string { return w.db.Keys().Mark("x", "unsubscribe")[:43] }, 0, problem.CodeWrong},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.canaries.addAddress("cleo@example.com")
			require.Equal(t, 201, w.send(t, http.MethodPost, "/api/members", `{"username":"cleo","paymentAmount":9,"email":"cleo@example.com"}`).Code)
			good := w.claimToken(t, "cleo@example.com")
			require.NotContains(t, w.rows(t), good, "it is kept as a digest, and sealed in the letter")
			w.now = now.Add(tt.later)
			claim := asJSON(t, map[string]string{"token": tt.token(w, good)})
			b := w.browser()
			if rec := b.post(t, "/api/auth/claim", claim); tt.code != "" {
				refused(t, rec, tt.code)
				require.Empty(t, b.cookies)
				require.Zero(t, w.count(t, "SELECT count(*) FROM sessions"))
				return
			}
			require.Equal(t, "member", b.who(t).Role)
			refused(t, w.browser().post(t, "/api/auth/claim", claim), problem.CodeWrong, "it is used already")
		})
	}
}
