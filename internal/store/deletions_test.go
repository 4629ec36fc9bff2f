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

func requestDeletion(t *testing.T, s *store.DB, accountID string) account.Deletion {
	t.Helper()
	return must(s.Deletions.RequestDeletion(t.Context(), accountID, xid.New().String(), november))(t)
}

func erased(t *testing.T, s *store.DB, d account.Deletion) account.Deletion {
	t.Helper()
	must(s.Deletions.BeginDeletion(t.Context(), d.ID, "account-deletion:"+d.ID, "run"))(t)
	ended := erase(t, s, d, false, november.Add(generation.Patience))
	require.True(t, ended.Ended())
	return ended
}

func loginWith(t *testing.T, s *store.DB, accountID string) (token string, err error) {
	t.Helper()
	token = account.NewToken()
	return token, errOf(s.Accounts.OpenSession(t.Context(), account.NewSession{AccountID: accountID, Token: token, Provider: account.ByEmail}, november))
}

func erase(t *testing.T, s *store.DB, d account.Deletion, force bool, at time.Time) account.Deletion {
	t.Helper()
	return must(s.Deletions.EraseMember(t.Context(), d.ID, force, at))(t)
}

// Proves: V7.4.2, F36
func TestAccountDeletions(t *testing.T) {
	t.Parallel()
	each(t, "the account is logged out and stays so", func(t *testing.T, s *store.DB) {
		ada, token := welcomed(t, s, "ada", "ada@example.com")
		eve, _ := welcomed(t, s, "eve", "eve@example.com")
		hers, others := must(loginWith(t, s, ada.ID))(t), must(loginWith(t, s, eve.ID))(t)
		issue(t, s, "ada", &ada, right, november)
		d := requestDeletion(t, s, ada.ID)
		require.Equal(t, []any{account.DeletionRequested, ada.MemberID}, []any{d.Stage, d.MemberID})
		require.Nil(t, login(t, s, hers, november))
		old := guess(t, s, "ada", right, november) // with an earlier code
		issue(t, s, "ada", &ada, right, november)
		requireCode(t, problem.Forbidden, old, guess(t, s, "ada", right, november), // with a code requested since
			errOf(loginWith(t, s, ada.ID)),      // by any other way
			errOf(claim(t, s, token, november))) // with the activation link
		require.True(t, login(t, s, others, november).MemberActive)
		require.Equal(t, member.StatusRemoved, must(s.Members.Account(t.Context(), *ada.MemberID, "2026-11"))(t).Status)
	})
	// The request waits for a concurrent login and ends its session.
	each(t, "a concurrent login is ended", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		atOnce(t, 40, func(i int) error {
			if i == 20 {
				return errOf(s.Deletions.RequestDeletion(t.Context(), ada.ID, "d", november))
			}
			return errOf(loginWith(t, s, ada.ID))
		}, problem.Forbidden)
		require.Zero(t, s.Count(t, "sessions"))
	})
	each(t, "a repeated request is the same deletion", func(t *testing.T, s *store.DB) {
		ada := emailAccount(t, s, "ada", "ada@example.com")
		first := requestDeletion(t, s, ada.ID)
		require.Equal(t, first.ID, must(s.Deletions.RequestDeletion(t.Context(), ada.ID, "another", november.Add(time.Minute)))(t).ID)
		require.Len(t, must(s.Deletions.OpenDeletions(t.Context()))(t), 1)
		begun := must(s.Deletions.BeginDeletion(t.Context(), first.ID, "account-deletion:x", "run"))(t)
		require.Equal(t, []any{account.DeletionRunning, "run"}, []any{begun.Stage, begun.RunID})
		erased(t, s, first)
		ended := must(s.Deletions.BeginDeletion(t.Context(), first.ID, "account-deletion:x", "another run"))(t)
		require.Equal(t, "run", ended.RunID, "what has ended stays as it is")
		require.Empty(t, must(s.Deletions.OpenDeletions(t.Context()))(t))
		require.Equal(t, problem.NotFound, codeOf(s.Deletions.RequestDeletion(t.Context(), ada.ID, "third", november)))
		require.Equal(t, problem.NotFound, codeOf(s.Deletions.Deletion(t.Context(), "nothing")))
	})
	each(t, "posts with a run are listed and delay the erasure", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		waits, flies := create(t, s, ada.MemberID, november.Add(time.Hour)), arm(t, s, ada.MemberID)
		create(t, s, newMember(t, s, "eve"), november)
		kept := draft(ada.MemberID, november)
		kept.Status = post.StatusDraft
		must(s.Posts.CreatePost(t.Context(), kept, november))(t)
		d := requestDeletion(t, s, ada.ID)
		require.Equal(t, []string{flies.ID, waits.ID}, postIDs(t, s, d), "a draft has no run, and eve stays")
		require.False(t, erase(t, s, d, false, november).Ended())
		require.Contains(t, s.Dump(t, "accounts"), "ada@example.com", "nothing is erased yet")
		cancelPost(t, s, waits)
		require.Equal(t, []string{flies.ID}, postIDs(t, s, d))
		conclude(t, s, flies, post.Verdict{Outcome: post.OutcomePublished, TweetID: "1", At: november})
		require.Empty(t, postIDs(t, s, d))
		require.Equal(t, 1, erased(t, s, d).CancelledPosts)
	})
	// A forced deletion keeps posts that may be public.
	each(t, "a forced erasure waits for nothing", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		waits, lost := create(t, s, ada.MemberID, november.Add(time.Hour)), arm(t, s, ada.MemberID)
		must(s.Posts.DoubtPost(t.Context(), lost.ID, 1, "x_unreadable", "Nobody knows."))(t)
		require.True(t, erase(t, s, requestDeletion(t, s, ada.ID), true, november).Ended())
		given, unknown := must(s.Posts.Post(t.Context(), waits.ID))(t), must(s.Posts.Post(t.Context(), lost.ID))(t)
		require.Equal(t, []any{post.StatusCancelled, account.DeletedText}, []any{given.Status, given.Text})
		require.Equal(t, 1, usage(t, s, "2026-11").Reserved, "its slot is free again")
		require.Equal(t, []any{post.StatusUnknown, lost.Text}, []any{unknown.Status, unknown.Text}, "it could not be found on X without its text")
		must(s.Posts.FindPost(t.Context(), lost.ID, post.Verdict{Outcome: post.OutcomePublished, TweetID: "1", At: november}, november))(t, "and a founder can still decide")
	})
	// A model call stores its prompt only with its answer, so the deletion waits for it.
	each(t, "a running model call delays the erasure", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		asked(t, s, "g1", &ada.ID, "model-a")
		d := requestDeletion(t, s, ada.ID)
		require.False(t, erase(t, s, d, false, november.Add(generation.Patience-time.Second)).Ended())
		erased(t, s, d)
	})
	each(t, "recurring posts are listed also when they were just ended", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", "ada@example.com")
		hers, others := newRecurringPost(t, s, daily(ada.MemberID)), newRecurringPost(t, s, daily(newMember(t, s, "eve")))
		first := next(t, s, hers)
		d := must(s.Deletions.RequestDeletion(t.Context(), ada.ID, "d", time.Now().Add(-time.Second)))(t) // rows get the current time as their change
		for range 2 {                                                                                     // a repeat, as after a crash
			require.Equal(t, []string{hers.ID}, idsOf(must(s.Deletions.RecurringPostsToEnd(t.Context(), d.ID))(t)))
			must2(s.RecurringPosts.EndRecurringPost(t.Context(), hers.ID, dayBefore))(t)
			require.Equal(t, []string{first.ID}, idsOf(must(s.Deletions.CancelledPostsOf(t.Context(), hers.ID, d.RequestedAt))(t)))
		}
		ended := erased(t, s, d)
		require.Equal(t, []any{1, 1}, []any{ended.EndedRecurringPosts, ended.CancelledPosts})
		require.Equal(t, others.Texts, must(s.RecurringPosts.RecurringPost(t.Context(), others.ID))(t).Texts)
	})
}

func postIDs(t *testing.T, s *store.DB, d account.Deletion) []string {
	t.Helper()
	return idsOf(must(s.Deletions.PostsToCancel(t.Context(), d.ID, 10))(t))
}

func TestAccountExports(t *testing.T) {
	t.Parallel()
	each(t, "an export holds what is stored and no secret", func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		create(t, s, l.eve, november)
		file := must(s.Deletions.ExportAccount(t.Context(), l.ada.ID, november))(t)
		require.Equal(t, []any{adaAddress, adaName, adaName}, []any{*file.Account.Email, file.Account.LoggedInAs, file.Membership.Username})
		require.Len(t, file.Posts, 6, "five and the one of the recurring post; not eve's")
		require.Equal(t, []int{1, 1, 1, 2, 2, 2, 1, 1, 1}, []int{
			len(file.Sessions), len(file.RecurringPosts), len(file.PostingTimes), len(file.Generations), len(file.Experiments), len(file.Votes),
			len(file.Onboarding), len(file.Receipts), len(file.Audit),
		})
		require.Equal(t, []int{765, 2, 90}, []int{file.Receipts[0].FinalCents, file.Receipts[0].Visits, file.Credits[0].Delta})
		require.NotEmpty(t, file.Emails)
		require.Equal(t, november, file.Posts[0].ScheduledAt.UTC())
		text := string(must(json.Marshal(file))(t))
		require.Contains(t, text, `"texts":["`+adaSaid)
		for _, secret := range []string{"hash", "Hash", "secret_id", "secretId", "mark", "Mark", l.visitor} {
			require.NotContains(t, text, secret)
		}
	})
	each(t, "an account without a membership", func(t *testing.T, s *store.DB) {
		create(t, s, nil, november)
		file := must(s.Deletions.ExportAccount(t.Context(), stranger(t, s).ID, november))(t)
		require.Nil(t, file.Membership)
		require.Empty(t, file.Posts, "founders' posts belong to no account")
	})
}

const (
	adaName    = "Canary_Ada"
	adaAddress = "canary.ada@example.com"
	adaSaid    = "canary words of somebody who left"
)

// life is everything that a member left behind.
type life struct {
	ada       account.Account
	eve       *string
	published string // a post
	open      string // an open experiment with votes
	closed    string // an experiment with final votes
	public    string // an experiment that the member submitted
	waiting   string // an experiment that waits for review
	visitor   string
}

// lived returns a member who has used every feature.
func lived(t *testing.T, s *store.DB) life {
	t.Helper()
	l := life{eve: newMember(t, s, "eve"), visitor: account.Hash("canary visitor")}
	r := offered(t, s, wish(visitor(t, s, "canary visitor")), 15, november)
	memberID := *pay(t, s, r.ID, r.Decision.FinalCents, adaAddress, november).MemberID
	l.ada = *must(s.Accounts.AccountByEmail(t.Context(), adaAddress))(t)
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
	write := func(text string, status post.Status, asks post.Review) post.Post {
		p := draft(l.ada.MemberID, november)
		p.Text, p.Status, p.Review = adaSaid+text, status, asks
		return must(s.Posts.CreatePost(t.Context(), p, november))(t)
	}
	send := func(p post.Post, v post.Verdict) {
		conclude(t, s, must(s.Posts.ArmPost(t.Context(), p.ID, 1, storetest.Connection(t, s), november))(t), v)
	}
	went := write(" that went out", post.StatusScheduled, "")
	require.NoError(t, s.Exec("UPDATE posts SET text = 'what stands on X' WHERE id = ?", went.ID))
	send(went, post.Verdict{Outcome: post.OutcomePublished, TweetID: went.ID, At: november})
	refused := write(", which X refuses", post.StatusScheduled, "")
	send(refused, post.Verdict{Outcome: post.OutcomeRefused, Code: "x_refused", Reason: "X refuses this post."})
	must(s.Posts.ClosePost(t.Context(), refused.ID))(t) // closed without a decision
	l.published = went.ID
	write(", a draft", post.StatusDraft, "")
	asked := write(", for a founder to read", post.StatusDraft, post.ReviewRequested)
	review(t, s, asked, post.Decision{Review: post.ReviewSuggested, Reviewer: "grace", Suggestion: adaSaid + ", better", Reason: adaSaid})
	cancelPost(t, s, write(", given up", post.StatusScheduled, ""))
}

func (l *life) writes(t *testing.T, s *store.DB) {
	t.Helper()
	r := daily(l.ada.MemberID)
	r.Texts, r.Timezone = []string{adaSaid + " {number}"}, "Europe/Berlin"
	must2(s.RecurringPosts.EndRecurringPost(t.Context(), newRecurringPost(t, s, r).ID, dayBefore))(t)
	progress := onboarding.Begin(*l.ada.MemberID, onboarding.Partnership)
	progress.Answers = map[string]any{"goal": adaSaid}
	require.NoError(t, s.Members.SaveOnboarding(t.Context(), progress, november))
	require.NoError(t, s.Exec(`UPDATE posting_times SET timezone = 'Europe/Berlin' WHERE holder = ?`, *l.ada.MemberID))

	g := asked(t, s, "g1", &l.ada.ID, "model-a", "model-b")
	require.NoError(t, s.Exec("UPDATE generations SET topic = ? WHERE id = 'g1'", adaSaid))
	end := done(adaSaid)
	for _, c := range g.Candidates {
		end.CallID = new(xid.New().String())
		call := model.Call{ID: *end.CallID, Task: "tweet", Question: adaSaid, Answer: adaSaid, CreatedAt: november}
		require.NoError(t, s.ModelCalls.SaveCall(t.Context(), call))
		must(s.Generations.BeginCandidate(t.Context(), c.ID, "v1"))(t)
		require.NoError(t, s.Generations.WriteCandidate(t.Context(), c.ID, adaSaid))
	}
	must(s.Generations.EndCandidate(t.Context(), g.Candidates[1].ID, end, november))(t) // the other model is still writing
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
	submitted := func(title string) experiment.Experiment {
		idea := newIdea(t, title, experiment.FromMember, l.ada.MemberID, november)
		return must(s.Experiments.SubmitExperiment(t.Context(), idea, account.Asker{Founder: true}))(t)
	}
	l.open, l.closed = activeExperiment(t, s, "An open one").ID, activeExperiment(t, s, "A closed one").ID
	for _, id := range []string{l.open, l.closed} {
		for _, voter := range []string{*l.ada.MemberID, *l.eve} {
			must(s.Experiments.CastVote(t.Context(), id, experiment.Voter{MemberID: voter}, 1, november))(t)
		}
	}
	moveTo(t, s, labRow(t, s, l.closed), experiment.Completed)
	must(s.Experiments.CloseVotes(t.Context(), l.closed, "experiment:x", "run", november))(t)
	l.public = moveTo(t, s, submitted("A public one"), experiment.Planning).ID
	l.waiting = submitted("Canary words of somebody who left").ID
}

// traceableRows lists the tables in which the member can be found.
func traceableRows(t *testing.T, s *store.DB, l life) (found []string) {
	t.Helper()
	for _, table := range s.Tables(t) {
		if table == "account_deletions" {
			continue
		}
		text := strings.ReplaceAll(strings.ToLower(s.Dump(t, table)), "@canary_adalbert", "")
		for _, trace := range []string{adaName + " ", adaName + "]", "@" + adaName, adaAddress, adaSaid, l.ada.ID, l.visitor, "europe/berlin"} {
			if strings.Contains(text, strings.ToLower(trace)) {
				found = append(found, table+": "+trace)
			}
		}
	}
	return found
}

func TestErasure(t *testing.T) {
	t.Parallel()
	each(t, "nothing identifies the account afterwards", func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		require.GreaterOrEqual(t, len(traceableRows(t, s, l)), 25, "the search covers all tables")
		d := requestDeletion(t, s, l.ada.ID)
		require.Equal(t, 1, erased(t, s, d).DeletedVotes)
		require.Empty(t, traceableRows(t, s, l))
		require.NotContains(t, s.Dump(t, "account_deletions"), l.ada.ID)
		for _, table := range []string{"accounts", "sessions", "activation_links", "login_codes", "onboardings", "posting_times", "visitors"} {
			require.Zero(t, s.Count(t, table), table)
		}
	})
	each(t, "kept rows are intact", func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		kept := s.Dump(t, "credit_entries") + s.Dump(t, "quota_slots")
		d := requestDeletion(t, s, l.ada.ID)
		erased(t, s, d)
		require.Equal(t, kept, s.Dump(t, "credit_entries")+s.Dump(t, "quota_slots"), "ledgers are not rewritten")
		out := must(s.Posts.ListedPost(t.Context(), l.published))(t)
		require.Equal(t, []any{"what stands on X", true, ""}, []any{out.Text, out.Sponsored(), out.Username}, "its sponsor is not named")
		require.Empty(t, must(s.Experiments.Experiment(t.Context(), labRow(t, s, l.public).Slug))(t).Submitter)
		require.Zero(t, s.Number(t, "SELECT count(*) FROM experiments WHERE id = ?", l.waiting), "it was never public")
		require.Equal(t, experiment.VoteCounts{Up: 1}, rowsOf(t, s, l.open), "eve's alone")
		require.Equal(t, experiment.VoteCounts{Up: 2}, rowsOf(t, s, l.closed), "its count was frozen")
		require.Equal(t, 2, *labRow(t, s, l.closed).FinalUp)
		require.Contains(t, s.Dump(t, "audit_entries"), "@canary_adalbert is a member.", "somebody else's name that begins alike")
		require.Contains(t, s.Dump(t, "audit_entries"), account.DeletedName+" is a member.")
		members := must(s.Members.Members(t.Context(), "2026-11"))(t)
		require.Len(t, members, 1, "who has left is no member")
		require.Equal(t, "eve", members[0].Username)
		left := must(s.Members.Account(t.Context(), *l.ada.MemberID, "2026-11"))(t)
		require.Equal(t, []any{account.DeletedUsername(d.ID), 765}, []any{left.Username, left.PaymentCents})
	})
	each(t, "a repeated erasure changes nothing", func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		d := requestDeletion(t, s, l.ada.ID)
		first := erased(t, s, d)
		rows := s.Dump(t, "emails") + s.Dump(t, "posts") + s.Dump(t, "members")
		again := must(s.Deletions.EraseMember(t.Context(), d.ID, true, november.Add(time.Hour)))(t)
		require.Equal(t, []any{first.DeletedVotes, first.EndedAt.UTC()}, []any{again.DeletedVotes, again.EndedAt.UTC()})
		require.Equal(t, rows, s.Dump(t, "emails")+s.Dump(t, "posts")+s.Dump(t, "members"))
	})
	each(t, "the name and the address are free again", func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", adaAddress)
		erased(t, s, requestDeletion(t, s, ada.ID))
		require.Nil(t, must(s.Accounts.AccountByEmail(t.Context(), adaAddress))(t))
		back, _ := welcomed(t, s, "Ada", adaAddress)
		require.NotEqual(t, ada.ID, back.ID)
		must(loginWith(t, s, back.ID))(t)
	})
	each(t, "an account without a membership is erased", func(t *testing.T, s *store.DB) {
		ada := stranger(t, s)
		require.NoError(t, s.Exec(`INSERT INTO posting_times VALUES ('', '[]', 'UTC', 0, 0, 0, 0, ?)`, november))
		commons := create(t, s, nil, november)
		erased(t, s, requestDeletion(t, s, ada.ID))
		require.Zero(t, s.Number(t, "SELECT count(*) FROM accounts WHERE id = ?", ada.ID))
		require.Zero(t, s.Count(t, "x_handles"), "who X said she was")
		require.Equal(t, 1, s.Count(t, "posting_times"), "the founders' stays")
		require.Equal(t, commons.Text, must(s.Posts.Post(t.Context(), commons.ID))(t).Text)
	})
}

func TestFarewellEmail(t *testing.T) {
	t.Parallel()
	for _, state := range []email.State{email.Sent, email.Failed} {
		each(t, string(state), func(t *testing.T, s *store.DB) {
			ada, _ := welcomed(t, s, "ada", adaAddress)
			waits, failed := waiting(t, s, true), write(t, s, email.PostTrouble, "post:1", november)
			require.NoError(t, s.Exec("UPDATE emails SET account_id = ? WHERE id = ?", ada.ID, failed))
			endEmail(t, s, failed, email.Failed, "mail_refused")
			d := requestDeletion(t, s, ada.ID)
			erased(t, s, d)
			require.EqualError(t, errOf(s.Emails.RetryEmail(t.Context(), failed, november)), "This email is skipped. Only failed emails can be retried.")
			for _, id := range waits { // a run that is sending one
				require.Equal(t, email.Skipped, endEmail(t, s, id, email.Sent, "").State)
			}
			last := must(s.Emails.WaitingEmails(t.Context(), true))(t)
			require.Len(t, last, 1)
			require.Equal(t, []any{(*string)(nil), email.Farewell}, []any{last[0].AccountID, last[0].Kind})
			_, content := must2(s.Emails.Email(t.Context(), last[0].ID))(t)
			require.Equal(t, email.Content{To: adaAddress, Facts: map[string]string{"Name": "@ada", "Run": "account-deletion:" + d.ID}}, content)
			require.Equal(t, 1, s.Count(t, "secrets"))
			endEmail(t, s, last[0].ID, state, "")
			require.Zero(t, s.Count(t, "secrets"), "the address is nowhere any more")
			refused := "This email is sent. Only failed emails can be retried."
			if state == email.Failed {
				refused = "This email was for a deleted account. Its address was deleted too, so the email can't be retried."
			}
			require.EqualError(t, errOf(s.Emails.RetryEmail(t.Context(), last[0].ID, november)), refused)
		})
	}
}

// stranger returns an account without a membership.
func stranger(t *testing.T, s *store.DB) account.Account {
	t.Helper()
	a := xAccount(t, s, "99", "passer_by")
	proveAddress(t, s, a, adaAddress)
	require.NoError(t, redeemAddress(t, s, a, right))
	return a
}
