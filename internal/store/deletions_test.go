package store_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// departs asks for an account to be deleted.
func departs(t *testing.T, s *store.DB, accountID string) account.Deletion {
	t.Helper()
	return must(s.Deletions.RequestDeparture(t.Context(), accountID, xid.New().String(), november))(t)
}

// erased ends a departure.
func erased(t *testing.T, s *store.DB, d account.Deletion) account.Deletion {
	t.Helper()
	must(s.Deletions.BeginDeparture(t.Context(), d.ID, "account-deletion:"+d.ID, "run"))(t)
	ended := must(s.Deletions.EraseMember(t.Context(), d.ID, false, november.Add(generation.Patience)))(t)
	require.True(t, ended.Ended())
	return ended
}

func loginWith(t *testing.T, s *store.DB, accountID string) (token string, err error) {
	t.Helper()
	token = account.NewToken()
	_, err = s.Accounts.OpenSession(t.Context(), account.NewSession{AccountID: accountID, Token: token, Provider: account.ByEmail}, november)
	return token, err
}

// Proves: V7.4.2, F36
func TestAccountDeletions(t *testing.T) {
	t.Parallel()
	each(t, "the account is logged out and stays so", func(t *testing.T, s *store.DB) {
		ada, token := welcomed(t, s, "ada", "ada@example.com")
		eve, _ := welcomed(t, s, "eve", "eve@example.com")
		hers := must(loginWith(t, s, ada.ID))(t)
		others := must(loginWith(t, s, eve.ID))(t)
		issue(t, s, "ada", &ada, right, november)

		d := departs(t, s, ada.ID)
		require.Equal(t, []any{account.DeletionRequested, ada.MemberID}, []any{d.Stage, d.MemberID})
		require.Nil(t, must(s.Accounts.Login(t.Context(), hers, november))(t))
		require.Equal(t, problem.Forbidden, codeOf(loginWith(t, s, ada.ID)), "with X, or by any way that is yet to come")
		require.Equal(t, problem.Forbidden, problem.CodeOf(guess(t, s, "ada", right, november)), "with a code that came before")
		issue(t, s, "ada", &ada, right, november)
		require.Equal(t, problem.Forbidden, problem.CodeOf(guess(t, s, "ada", right, november)), "with a code that was asked for meanwhile")
		require.Equal(t, problem.Forbidden, codeOf(claim(t, s, token, november)), "with the welcome's link")

		require.True(t, must(s.Accounts.Login(t.Context(), others, november))(t).MemberActive)
		require.Equal(t, member.StatusRemoved, must(s.Members.Account(t.Context(), *ada.MemberID, "2026-11"))(t).Status)
	})
	// A login that is under way when somebody asks to leave is waited for, and ended.
	each(t, "no login slips through", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		atOnce(t, 40, func(i int) error {
			if i == 20 {
				return errOf(s.Deletions.RequestDeparture(t.Context(), ada.ID, "d", november))
			}
			return errOf(loginWith(t, s, ada.ID))
		}, problem.Forbidden)
		require.Zero(t, s.Count(t, "sessions"))
	})
	each(t, "a repeated request is the same deletion", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		first := departs(t, s, ada.ID)
		require.Equal(t, first.ID, must(s.Deletions.RequestDeparture(t.Context(), ada.ID, "another", november.Add(time.Minute)))(t).ID)
		require.Len(t, must(s.Deletions.OpenDepartures(t.Context()))(t), 1)
		begun := must(s.Deletions.BeginDeparture(t.Context(), first.ID, "account-deletion:x", "run"))(t)
		require.Equal(t, []any{account.DeletionRunning, "run"}, []any{begun.Stage, begun.RunID})
		erased(t, s, first)
		ended := must(s.Deletions.BeginDeparture(t.Context(), first.ID, "account-deletion:x", "another run"))(t)
		require.Equal(t, "run", ended.RunID, "what has ended stays as it is")
		require.Empty(t, must(s.Deletions.OpenDepartures(t.Context()))(t))
		require.Equal(t, problem.NotFound, codeOf(s.Deletions.RequestDeparture(t.Context(), ada.ID, "third", november)))
		require.Equal(t, problem.NotFound, codeOf(s.Deletions.Departure(t.Context(), "nothing")))
	})
	each(t, "posts with a run are listed and hold the erasure", func(t *testing.T, s *store.DB) {
		connectionID := storetest.Connection(t, s)
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		eve := newMember(t, s, "eve")
		waits := create(t, s, ada.MemberID, november.Add(time.Hour))
		flies := create(t, s, ada.MemberID, november)
		must(s.Posts.ArmPost(t.Context(), flies.ID, 1, connectionID, november))(t)
		create(t, s, eve, november)
		kept := draft(ada.MemberID, november)
		kept.Status = post.StatusDraft
		must(s.Posts.CreatePost(t.Context(), kept, november))(t)

		d := departs(t, s, ada.ID)
		require.Equal(t, []string{flies.ID, waits.ID}, postIDs(t, s, d), "a draft has no run, and eve stays")
		require.False(t, must(s.Deletions.EraseMember(t.Context(), d.ID, false, november))(t).Ended())
		require.Contains(t, s.Dump(t, "accounts"), "ada@example.com", "nothing is erased yet")

		must(s.Posts.CancelPost(t.Context(), waits.ID, november))(t)
		require.Equal(t, []string{flies.ID}, postIDs(t, s, d))
		must(s.Posts.ConcludePost(t.Context(), flies.ID, post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: "1", At: november}, november))(t)
		require.Empty(t, postIDs(t, s, d))
		require.Equal(t, 1, erased(t, s, d).Posts)
	})
	// What cannot be given up for hours does not hold anybody: what may be on X stays as it is.
	each(t, "a forced erasure waits for nothing", func(t *testing.T, s *store.DB) {
		connectionID := storetest.Connection(t, s)
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		waits, lost := create(t, s, ada.MemberID, november.Add(time.Hour)), create(t, s, ada.MemberID, november)
		must(s.Posts.ArmPost(t.Context(), lost.ID, 1, connectionID, november))(t)
		must(s.Posts.DoubtPost(t.Context(), lost.ID, 1, "x_unreadable", "Nobody knows."))(t)
		d := departs(t, s, ada.ID)
		require.True(t, must(s.Deletions.EraseMember(t.Context(), d.ID, true, november))(t).Ended())
		given := must(s.Posts.Post(t.Context(), waits.ID))(t)
		require.Equal(t, []any{post.StatusCancelled, account.DeletedText}, []any{given.Status, given.Text})
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved, "its slot is free again")
		unknown := must(s.Posts.Post(t.Context(), lost.ID))(t)
		require.Equal(t, post.StatusUnknown, unknown.Status)
		require.Equal(t, lost.Text, unknown.Text, "without it nobody could find it on X")
		must(s.Posts.FindPost(t.Context(), lost.ID, post.Verdict{Outcome: post.OutcomePublished, TweetID: "1", At: november}, november))(t, "and a founder can still decide")
	})
	// What a model was asked is written down with its answer, which would be after all the rest.
	each(t, "a model that still writes holds the erasure", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		asked(t, s, "g1", &ada.ID, "model-a")
		d := departs(t, s, ada.ID)
		require.False(t, must(s.Deletions.EraseMember(t.Context(), d.ID, false, november.Add(generation.Patience-time.Second)))(t).Ended())
		erased(t, s, d)
	})
	each(t, "recurring posts are listed also when they were just ended", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		hers, others := newSeries(t, s, daily(ada.MemberID)), newSeries(t, s, daily(newMember(t, s, "eve")))
		first := next(t, s, hers)
		d, err := s.Deletions.RequestDeparture(t.Context(), ada.ID, "d", time.Now().Add(-time.Second)) // rows say themselves when they change
		require.NoError(t, err)
		for range 2 { // the second time as after a crash
			theirs := must(s.Deletions.DepartingSeries(t.Context(), d.ID))(t)
			require.Len(t, theirs, 1)
			require.Equal(t, hers.ID, theirs[0].ID)
			must2(s.RecurringPosts.EndSeries(t.Context(), hers.ID, dayBefore))(t)
			given := must(s.Deletions.GivenUpOf(t.Context(), hers.ID, d.RequestedAt))(t)
			require.Len(t, given, 1)
			require.Equal(t, first.ID, given[0].ID)
		}
		ended := erased(t, s, d)
		require.Equal(t, []any{1, 1}, []any{ended.Series, ended.Posts})
		require.Equal(t, others.Texts, must(s.RecurringPosts.Series(t.Context(), others.ID))(t).Texts)
	})
}

func postIDs(t *testing.T, s *store.DB, d account.Deletion) (ids []string) {
	t.Helper()
	for _, p := range must(s.Deletions.DepartingPosts(t.Context(), d.ID, 10))(t) {
		ids = append(ids, p.ID)
	}
	return ids
}

func TestAccountExports(t *testing.T) {
	t.Parallel()
	each(t, "an export holds what is stored and no secret", func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		create(t, s, l.eve, november)
		file := must(s.Deletions.ExportAccount(t.Context(), l.ada.ID, november))(t)
		require.Equal(t, []any{adaAddress, adaName, adaName}, []any{*file.Account.Email, file.Account.LoggedInAs, file.Membership.Username})
		require.Len(t, file.Sessions, 1)
		require.Len(t, file.Posts, 6, "five and the one of the series; not eve's")
		require.Len(t, file.Series, 1)
		require.Len(t, file.Timetable, 1)
		require.Len(t, file.Generations, 2)
		require.Len(t, file.Experiments, 2)
		require.Len(t, file.Votes, 2)
		require.Len(t, file.Onboarding, 1)
		require.Len(t, file.Receipts, 1)
		require.Equal(t, 765, file.Receipts[0].FinalCents)
		require.Equal(t, 2, file.Receipts[0].Visits)
		require.Equal(t, 90, file.Credits[0].Delta)
		require.NotEmpty(t, file.Letters)
		require.Len(t, file.Audit, 1)
		require.Equal(t, november, file.Posts[0].ScheduledAt.UTC())

		text := must(json.Marshal(file))(t)
		require.Contains(t, string(text), `"texts":["`+adaSaid)
		for _, secret := range []string{"hash", "Hash", "secret_id", "secretId", "mark", "Mark", l.visitor} {
			require.NotContains(t, string(text), secret)
		}
	})
	each(t, "an account without a membership", func(t *testing.T, s *store.DB) {
		create(t, s, nil, november)
		ada := stranger(t, s)
		file := must(s.Deletions.ExportAccount(t.Context(), ada.ID, november))(t)
		require.Nil(t, file.Membership)
		require.Empty(t, file.Posts, "the founders' are nobody's own")
	})
}

const (
	adaName    = "Canary_Ada"
	adaAddress = "canary.ada@example.com"
	adaSaid    = "canary words of somebody who left"
)

// life is all that somebody left behind.
type life struct {
	ada       account.Account
	eve       *string
	published string // a post
	open      string // an experiment that both voted on
	closed    string // one whose votes were counted
	public    string // one that she submitted
	waiting   string // one that no founder has seen
	visitor   string
}

// lived is a member who has done everything that one can.
func lived(t *testing.T, s *store.DB) life {
	t.Helper()
	l := life{eve: newMember(t, s, "eve"), visitor: account.Hash("canary visitor")}
	r := offered(t, s, wish(visitor(t, s, "canary visitor")), 15, november)
	memberID := *pay(t, s, r.ID, r.Decision.FinalCents, adaAddress, november).MemberID
	found := must(s.Accounts.AccountByEmail(t.Context(), adaAddress))(t)
	l.ada = *found
	require.NoError(t, s.Members.RenameMember(t.Context(), memberID, adaName))
	must(loginWith(t, s, l.ada.ID))(t)
	issue(t, s, "subject", &l.ada, right, november)
	l.posts(t, s)
	l.writes(t, s)
	l.votes(t, s)
	return l
}

func (l *life) posts(t *testing.T, s *store.DB) {
	t.Helper()
	connectionID := storetest.Connection(t, s)
	write := func(text string, status post.Status, asks post.Review) post.Post {
		p := draft(l.ada.MemberID, november)
		p.Text, p.Status, p.Review = adaSaid+text, status, asks
		p = must(s.Posts.CreatePost(t.Context(), p, november))(t)
		return p
	}
	went := write(" that went out", post.StatusScheduled, "")
	require.NoError(t, s.Exec("UPDATE posts SET text = 'what stands on X' WHERE id = ?", went.ID))
	for _, p := range []post.Post{went, write(", which X refuses", post.StatusScheduled, "")} {
		must(s.Posts.ArmPost(t.Context(), p.ID, 1, connectionID, november))(t)
		v := post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: p.ID, At: november}
		if p.ID != went.ID {
			v = post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_refused", Reason: "X refuses this post."}
		}
		must(s.Posts.ConcludePost(t.Context(), p.ID, v, november))(t)
		if p.ID != went.ID { // nobody decided in time
			must(s.Posts.ClosePost(t.Context(), p.ID))(t)
		}
	}
	l.published = went.ID
	write(", a draft", post.StatusDraft, "")
	asked := write(", for a founder to read", post.StatusDraft, post.ReviewAsked)
	review(t, s, asked, post.Decision{Review: post.ReviewSuggested, Reviewer: "grace", Suggestion: adaSaid + ", better", Reason: adaSaid})
	gone := write(", given up", post.StatusScheduled, "")
	giveUp(t, s, gone)
}

func (l *life) writes(t *testing.T, s *store.DB) {
	t.Helper()
	r := daily(l.ada.MemberID)
	r.Texts, r.Timezone = []string{adaSaid + " {number}"}, "Europe/Berlin"
	r = newSeries(t, s, r)
	_, _, err := s.RecurringPosts.EndSeries(t.Context(), r.ID, dayBefore)
	require.NoError(t, err)
	progress := onboarding.Begin(*l.ada.MemberID, onboarding.Partnership)
	progress.Answers = map[string]any{"goal": adaSaid}
	require.NoError(t, s.Members.SaveOnboarding(t.Context(), progress, november))
	require.NoError(t, s.Exec(`UPDATE timetables SET timezone = 'Europe/Berlin' WHERE holder = ?`, *l.ada.MemberID))

	g := asked(t, s, "g1", &l.ada.ID, "model-a", "model-b")
	require.NoError(t, s.Exec("UPDATE generations SET topic = ? WHERE id = 'g1'", adaSaid))
	for i, c := range g.Candidates {
		call := model.Call{ID: xid.New().String(), Task: "tweet", Question: adaSaid, Answer: adaSaid, CreatedAt: november}
		require.NoError(t, s.ModelCalls.SaveCall(t.Context(), call))
		_, err := s.Generations.BeginCandidate(t.Context(), c.ID, "v1")
		require.NoError(t, err)
		if i == 0 {
			end := done(adaSaid)
			end.CallID = &call.ID
			_, err = s.Generations.EndCandidate(t.Context(), c.ID, end, november)
		} else { // the model still writes
			err = s.Generations.WriteCandidate(t.Context(), c.ID, adaSaid)
		}
		require.NoError(t, err)
	}
	for _, e := range []audit.Entry{
		{AccountID: &l.ada.ID, Actor: "@" + adaName, Action: audit.ReadSecrets, Outcome: audit.Done, Detail: "Looked."},
		{Actor: "@grace", Action: audit.AddMember, Outcome: audit.Done, Detail: "@" + strings.ToUpper(adaName) + " is a member."},
		{Actor: "@grace", Action: audit.AddMember, Outcome: audit.Done, Detail: "@canary_adalbert is a member."},
	} {
		e.At = november
		require.NoError(t, s.AuditLog.Audit(t.Context(), e))
	}
	require.NoError(t, s.Exec("UPDATE bot SET paused_by = ?", "@"+adaName))
}

func (l *life) votes(t *testing.T, s *store.DB) {
	t.Helper()
	l.open, l.closed = begun(t, s, "An open one").ID, begun(t, s, "A closed one").ID
	for _, id := range []string{l.open, l.closed} {
		for _, voter := range []string{*l.ada.MemberID, *l.eve} {
			must(s.Experiments.CastVote(t.Context(), id, voter, 1, november))(t)
		}
	}
	moveTo(t, s, labRow(t, s, l.closed), experiment.Completed)
	must(s.Experiments.CloseVotes(t.Context(), l.closed, "experiment:x", "run", november))(t)
	public := must(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "A public one", experiment.FromMember, l.ada.MemberID, november), ""))(t)
	l.public = moveTo(t, s, public, experiment.Planning).ID
	waiting := must(s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "Canary words of somebody who left", experiment.FromMember, l.ada.MemberID, november), ""))(t)
	l.waiting = waiting.ID
}

// whatLeadsToHer finds her in any table.
func whatLeadsToHer(t *testing.T, s *store.DB, l life) (found []string) {
	t.Helper()
	for _, table := range s.Tables(t) {
		text := strings.ToLower(s.Dump(t, table))
		for _, trace := range []string{adaName + " ", adaName + "]", "@" + adaName, adaAddress, adaSaid, l.ada.ID, l.visitor, "europe/berlin"} {
			trace = strings.ToLower(trace)
			if table == "departures" || (strings.HasPrefix(trace, "@") && !strings.Contains(strings.ReplaceAll(text, "@canary_adalbert", ""), trace)) {
				continue
			}
			if strings.Contains(text, trace) {
				found = append(found, table+": "+trace)
			}
		}
	}
	return found
}

func TestErasure(t *testing.T) {
	t.Parallel()
	each(t, "afterwards nothing leads to the account", func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		require.GreaterOrEqual(t, len(whatLeadsToHer(t, s, l)), 25, "she is looked for where she was")
		d := departs(t, s, l.ada.ID)
		ended := erased(t, s, d)
		require.Empty(t, whatLeadsToHer(t, s, l))
		require.NotContains(t, s.Dump(t, "departures"), l.ada.ID)
		require.Equal(t, 1, ended.Votes)
		for _, table := range []string{"accounts", "sessions", "claims", "login_codes", "onboardings", "timetables", "visitors"} {
			require.Zero(t, s.Count(t, table), table)
		}
	})
	each(t, "what stays is intact", func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		credits, slots := s.Dump(t, "credit_entries"), s.Dump(t, "quota_slots")
		d := departs(t, s, l.ada.ID)
		erased(t, s, d)
		require.Equal(t, credits, s.Dump(t, "credit_entries"), "books are not rewritten")
		require.Equal(t, slots, s.Dump(t, "quota_slots"))

		out := must(s.Posts.ListedPost(t.Context(), l.published))(t)
		require.Equal(t, "what stands on X", out.Text)
		require.True(t, out.Sponsored())
		require.Empty(t, out.Username, "nobody is named as its sponsor")
		require.Empty(t, must(s.Experiments.Experiment(t.Context(), labRow(t, s, l.public).Slug))(t).Submitter)
		require.Zero(t, s.Number(t, "SELECT count(*) FROM experiments WHERE id = ?", l.waiting), "it was never public")
		require.Equal(t, experiment.VoteCounts{Up: 1}, rowsOf(t, s, l.open), "eve's alone")
		require.Equal(t, experiment.VoteCounts{Up: 2}, rowsOf(t, s, l.closed), "its count was frozen")
		require.Equal(t, 2, *labRow(t, s, l.closed).FinalUp)
		require.Contains(t, s.Dump(t, "audit_entries"), "@canary_adalbert is a member.", "somebody else's name that begins alike")
		require.Contains(t, s.Dump(t, "audit_entries"), account.DeletedName+" is a member.")

		members := must(s.Members.Members(t.Context(), "2026-11"))(t)
		require.Len(t, members, 1, "who has left is no shareholder")
		require.Equal(t, "eve", members[0].Username)
		left := must(s.Members.Account(t.Context(), *l.ada.MemberID, "2026-11"))(t)
		require.Equal(t, []any{account.DeletedUsername(d.ID), 765}, []any{left.Username, left.PaymentCents})
	})
	each(t, "a repeated erasure changes nothing", func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		d := departs(t, s, l.ada.ID)
		first := erased(t, s, d)
		rows := s.Dump(t, "letters") + s.Dump(t, "posts") + s.Dump(t, "members")
		again := must(s.Deletions.EraseMember(t.Context(), d.ID, true, november.Add(time.Hour)))(t)
		require.Equal(t, []any{first.Votes, first.EndedAt.UTC()}, []any{again.Votes, again.EndedAt.UTC()})
		require.Equal(t, rows, s.Dump(t, "letters")+s.Dump(t, "posts")+s.Dump(t, "members"))
	})
	each(t, "the name and the address are free again", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", adaAddress)
		erased(t, s, departs(t, s, ada.ID))
		require.Nil(t, must(s.Accounts.AccountByEmail(t.Context(), adaAddress))(t))
		m := newcomer("Ada")
		m.ID = xid.New().String()
		require.NoError(t, s.Members.AddMember(t.Context(), m, &account.Welcome{Email: adaAddress, Token: account.NewToken()}))
		back := must(s.Accounts.AccountByEmail(t.Context(), adaAddress))(t)
		require.NotEqual(t, ada.ID, back.ID)
		must(loginWith(t, s, back.ID))(t)
	})
	each(t, "an account without a membership is erased", func(t *testing.T, s *store.DB) {
		ada := stranger(t, s)
		require.NoError(t, s.Exec(`INSERT INTO timetables VALUES ('', '[]', 'UTC', 0, 0, 0, 0, ?)`, november))
		commons := create(t, s, nil, november)
		erased(t, s, departs(t, s, ada.ID))
		require.Zero(t, s.Number(t, "SELECT count(*) FROM accounts WHERE id = ?", ada.ID))
		require.Zero(t, s.Count(t, "x_handles"), "who X said she was")
		require.Equal(t, 1, s.Count(t, "timetables"), "the founders' stays")
		require.Equal(t, commons.Text, must(s.Posts.Post(t.Context(), commons.ID))(t).Text)
	})
}

func TestTheLastLetterForgetsItsAddress(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]email.State{"sent": email.Sent, "given up": email.Dead} {
		each(t, name, func(t *testing.T, s *store.DB) {
			ada, _ := welcomed(t, s, "ada", adaAddress)
			waits := must(s.Emails.WaitingLetters(t.Context(), true))(t)
			d := departs(t, s, ada.ID)
			erased(t, s, d)
			for _, l := range waits { // a run that was just sending one
				require.Equal(t, email.Void, must(s.Emails.EndLetter(t.Context(), l.ID, email.Sent, "", "", november))(t).State)
			}
			last := must(s.Emails.WaitingLetters(t.Context(), true))(t)
			require.Len(t, last, 1)
			require.Nil(t, last[0].AccountID)
			require.Equal(t, email.Farewell, last[0].Kind)
			_, content := must2(s.Emails.Letter(t.Context(), last[0].ID))(t)
			require.Equal(t, email.Content{To: adaAddress, Facts: map[string]string{"Name": "@ada", "Run": "account-deletion:" + d.ID}}, content)
			require.Equal(t, 1, s.Count(t, "secrets"))

			must(s.Emails.EndLetter(t.Context(), last[0].ID, state, "", "", november))(t)
			require.Zero(t, s.Count(t, "secrets"), "the address is nowhere any more")
			require.Error(t, errOf(s.Emails.ReviveLetter(t.Context(), last[0].ID, november)))
		})
	}
}

// stranger is somebody with an account and no membership.
func stranger(t *testing.T, s *store.DB) account.Account {
	t.Helper()
	a := xAccount(t, s, "99", "passer_by")
	proveAddress(t, s, a, adaAddress)
	require.NoError(t, redeemAddress(t, s, a, right))
	return a
}
