package api_test

import (
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
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testwait"
)

// Proves: S-address
func TestANewAddressIsVerifiedByItsCode(t *testing.T) {
	w := newWorld(t)
	w.canaries.addAddress("new@example.com")
	b, eve := w.newMember(t, "ada"), w.newMember(t, "eve")
	elsewhere := w.browserWith(w.login(t, w.accountOf(t, "ada"), ""))
	require.Equal(t, ok, b.post(t, "/api/account/email", `{"email":" New@Example.com "}`).Code)
	code := w.mailed(t, "new@example.com", "Code")
	guess := `{"code":" ` + code[:3] + "-" + code[3:] + `"}`
	refused(t, eve.post(t, "/api/account/email/verify", guess), problem.CodeWrong, "the code is for another account")
	refused(t, w.browser().post(t, "/api/auth/email/verify", `{"email":"new@example.com","code":"`+code+`"}`), problem.CodeWrong, "the code is not for a login")
	require.Equal(t, "ada@example.com", read[accountapi.Account](t, b.get(t, "/api/account"), ok).Email)
	w.now = now.Add(account.FreshFor)
	require.False(t, b.who(t).Fresh)
	require.Eventually(t, func() bool { return len(w.runs.sent()) == 1 }, testwait.Limit, time.Millisecond, "the code's email starts in the background")
	w.refusesAll(t, b.send, map[string]bad{
		"a code with an old login":    {"POST", "/api/account/email", `{"email":"other@example.com"}`, problem.LoginStale},
		"a change with an old login":  {"POST", "/api/account/email/verify", guess, problem.LoginStale},
		"a link that nobody was sent": {"POST", "/api/account/email/undo", `{"token":"` + account.NewToken() + `"}`, problem.CodeWrong},
	})
	w.now = now
	require.Equal(t, ok, b.post(t, "/api/account/email/verify", guess).Code)
	require.Equal(t, "new@example.com", read[accountapi.Account](t, b.get(t, "/api/account"), ok).Email)
	require.False(t, elsewhere.who(t).IsAuthenticated, "other sessions have ended")
	require.True(t, eve.who(t).IsAuthenticated)

	page, token, _ := strings.Cut(w.mailed(t, "ada@example.com", "UndoURL"), "#")
	require.Equal(t, "http://example.com/auth/undo-email", page)
	w.now = now.Add(account.UndoLife - time.Second)
	undo := func() *httptest.ResponseRecorder {
		return w.browser().post(t, "/api/account/email/undo", `{"token":"`+token+`"}`)
	}
	require.Equal(t, ok, undo().Code)
	require.Equal(t, "ada@example.com", *must(w.db.Accounts.AccountByID(t.Context(), w.accountOf(t, "ada")))(t).Email)
	require.False(t, b.who(t).IsAuthenticated, "and so has the one that changed the address")
	refused(t, undo(), problem.CodeWrong)
}

func TestUnsubscribeNeedsTheLinksProof(t *testing.T) {
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	eve, _ := w.join(t, "eve")
	proof, before := w.db.Keys().Mark(ada, account.UnsubscribePurpose), w.rows(t)
	unsubscribe := func(id, proof string) int {
		path := "/unsubscribe?account=" + url.QueryEscape(id) + "&proof=" + url.QueryEscape(proof)
		return w.do(t, call{method: http.MethodPost, path: path, body: "List-Unsubscribe=One-Click", contentType: "application/x-www-form-urlencoded", key: "none"}).Code
	}
	require.Equal(t, nothing, unsubscribe(eve, proof), "the proof is ada's")
	require.Equal(t, nothing, unsubscribe(ada, w.db.Keys().Mark(ada, "visitor")), "the proof is for another purpose")
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
	token, elsewhere, bearer := w.login(t, ada, ""), w.login(t, ada, ""), w.login(t, ada, account.ScopeCredentials)
	b, eve := w.browserWith(token), w.newMember(t, "eve")
	w.now = now.Add(account.FreshFor)
	refused(t, b.post(t, "/api/account/deletion", `{"confirm":"ada"}`), problem.LoginStale)
	w.now = now
	left := read[accountapi.Deleted](t, b.post(t, "/api/account/deletion", `{"confirm":" @ADA "}`), http.StatusAccepted)
	open := must(w.db.Deletions.OpenDeletions(t.Context()))(t)
	require.Len(t, open, 1)
	require.Equal(t, []string{"delete " + open[0].ID}, w.runs.commands)
	require.Equal(t, []any{httpapi.RunOf("account-deletion:"+open[0].ID, "run-"+open[0].ID), now}, []any{left.RunRef, left.At})
	require.Empty(t, b.cookies["session"], "the cookie is closed")
	for _, one := range []string{token, elsewhere, bearer} {
		require.False(t, w.browserWith(one).who(t).IsAuthenticated)
		require.Equal(t, no, w.browserWith(one).get(t, "/api/account").Code)
	}
	require.Equal(t, no, w.bearing(t, bearer, http.MethodGet, "/api/auth/credentials/status").Code)
	require.True(t, eve.who(t).IsAuthenticated)
}

// Proves: V8.2.2
func TestExportIsAFileOfMyOwn(t *testing.T) {
	w := newWorld(t)
	w.newMember(t, "eve")
	rec := w.newMember(t, "ada").get(t, "/api/account/export")
	require.Equal(t, ok, rec.Code)
	for name, value := range map[string]string{
		"Content-Disposition": `attachment; filename="customerzero-ada-2026-11-20.json"`, "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
	} {
		require.Equal(t, value, rec.Header().Get(name))
	}
	require.NotContains(t, rec.Body.String(), "eve@")
	file := read[account.Export](t, rec, ok)
	require.Equal(t, []string{"ada@example.com", "ada"}, []string{*file.Account.Email, file.Membership.Username})
}

// newMember returns the browser of a new member.
func (w *world) newMember(t *testing.T, name string) *browser {
	id, _ := w.join(t, name)
	return w.browserWith(w.login(t, id, ""))
}

func (b *browser) onboarding(t *testing.T) accountapi.Onboarding {
	return read[accountapi.Onboarding](t, b.get(t, "/api/account/onboarding"), ok)
}

func TestOnboardingResumesAndGivesCreditsOnce(t *testing.T) {
	w := newWorld(t)
	ada, eve := w.newMember(t, "ada"), w.newMember(t, "eve")
	const tour, partnership = "/api/account/onboarding/tour", "/api/account/onboarding/partnership"
	begun := accountapi.OnboardingProgress{Answers: accountapi.Answers{}, Step: 1, Reward: 5}
	require.Equal(t, accountapi.Onboarding{Tour: begun, Partnership: begun}, ada.onboarding(t))
	w.refusesAll(t, ada.send, map[string]bad{
		"a step that the tour has not": {"PUT", tour, `{"step":5}`, problem.Invalid},
		"answers to the tour":          {"PUT", tour, `{"step":1,"answers":{"vision":"a"}}`, problem.Invalid},
	})
	require.Equal(t, ok, ada.send(t, http.MethodPut, partnership, `{"answers":{"vision":"Honest bots.","experience_level":{"card_payments":5}},"step":12}`).Code)
	require.Equal(t, accountapi.Onboarding{Tour: begun, Partnership: accountapi.OnboardingProgress{
		Answers: accountapi.Answers{"vision": "Honest bots.", "experience_level": map[string]any{"card_payments": 5.0}}, Step: 12, Reward: 5,
	}}, ada.onboarding(t))
	require.Equal(t, begun, eve.onboarding(t).Partnership, "answers are private")

	complete := func(path string) accountapi.CompletedOnboarding {
		return read[accountapi.CompletedOnboarding](t, ada.post(t, path+"/complete", ""), ok)
	}
	require.Equal(t, accountapi.CompletedOnboarding{Success: true, Credits: 95, Awarded: 5}, complete(tour))
	require.Equal(t, accountapi.CompletedOnboarding{Success: true, Credits: 95}, complete(tour))
	require.Equal(t, accountapi.CompletedOnboarding{Success: true, Credits: 100, Awarded: 5}, complete(partnership))
	require.True(t, ada.onboarding(t).Tour.Completed)
	require.False(t, eve.onboarding(t).Tour.Completed)

	written := read[posts.PostReply](t, ada.post(t, "/api/posts", `{"content":"hers","scheduledAt":"2026-12-01T09:00:00Z"}`), http.StatusCreated).Post
	page := read[accountapi.Credits](t, ada.get(t, "/api/account/credits?limit=2"), ok)
	require.Equal(t, []any{99, httpapi.Pagination{Total: 4, Limit: 2, HasMore: true}}, []any{page.Balance, page.Pagination})
	require.Equal(t, []accountapi.CreditEntry{
		{Number: 4, At: now, Delta: -1, Balance: 99, Reason: member.ReasonPost, PostID: written.ID, RunURL: "/runs/post:" + written.ID},
		{Number: 3, At: now, Delta: 5, Balance: 100, Reason: member.ReasonPartnership},
	}, page.Entries)
	require.Equal(t, 90, read[accountapi.Credits](t, eve.get(t, "/api/account/credits"), ok).Balance)
}

// A frozen membership gives no access, not even to a founder.
func TestAFrozenMembershipGetsNoCredits(t *testing.T) {
	w := newWorld(t)
	founder, memberID := w.foundingMember(t)
	require.Equal(t, 90, read[accountapi.Credits](t, founder.get(t, "/api/account/credits"), ok).Balance, "credits of the membership")
	w.setStatus(t, memberID, member.StatusFrozen)
	refused(t, founder.post(t, "/api/account/onboarding/tour/complete", ""), problem.Forbidden)
}

// foundingMember returns Grace, a founder with a membership under another name.
func (w *world) foundingMember(t *testing.T) (founder *browser, memberID string) {
	id, memberID := w.join(t, "zero_7f3k2")
	founder = w.founder(t)
	w.exec(t, `UPDATE accounts SET member_id = NULL WHERE id = ?`, id)
	w.exec(t, `UPDATE accounts SET member_id = ? WHERE id = ?`, memberID, w.accountOf(t, "grace"))
	return founder, memberID
}

// Names of founders and of the bot are taken, unless the name is the caller's X handle.
func TestAMemberChoosesAnUnusedName(t *testing.T) {
	w := newWorld(t)
	ada := w.newMember(t, "ada")
	w.newMember(t, "eve")
	w.exec(t, `UPDATE bot_connections SET username = 'TheBot'`)
	rename := func(b *browser, name string) *httptest.ResponseRecorder {
		return b.send(t, http.MethodPut, "/api/account/username", asJSON(t, map[string]string{"username": name}))
	}
	for name, code := range map[string]problem.Code{
		"@EVE": problem.MemberExists, "@GRACE": problem.MemberExists, "Barbara": problem.MemberExists, // a founder who never logged in
		"Bot": problem.MemberExists, "thebot": problem.MemberExists, "a da": problem.Invalid, // the bot's configured and connected names
	} {
		refused(t, rename(ada, name), code, name)
	}
	require.Equal(t, accountapi.ChosenUsername{Success: true, Username: "Ada_L"}, read[accountapi.ChosenUsername](t, rename(ada, " @Ada_L "), ok))
	require.Equal(t, "Ada_L", ada.who(t).User.Username, "from the next request on")
	grace, _ := w.foundingMember(t)
	refused(t, rename(grace, "barbara"), problem.MemberExists)
	require.Equal(t, ok, rename(grace, "Grace").Code)
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
		"a visitor":         {nil, []string{"", "", ""}},
		"a member":          {session(ada), []string{"ada@example.com", "", ""}},
		"a frozen member":   {session(ice), []string{"", "", "ice@example.com"}},
		"a founder":         {session(grace), []string{"ada@example.com", "eve@example.com", "ice@example.com"}},
		"a former founder":  {session(former), []string{"", "", ""}},
		"a founder's token": {[]header{{"Authorization", "Bearer " + w.login(t, grace, account.ScopeCredentials)}}, []string{"", "", ""}},
		"the admin key":     {[]header{{"X-Admin-Key", key}}, []string{"", "", ""}},
	} {
		list := read[membersapi.Members](t, w.sendHeaders(t, call{method: http.MethodGet, path: "/api/members"}, tt.headers), ok).Members
		emails := []string{list[0].Email, list[1].Email, list[2].Email}
		require.Equal(t, tt.sees, emails, name)
	}
}
