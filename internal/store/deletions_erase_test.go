package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/deletion"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/onboarding"
	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

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
	found, err := s.Accounts.AccountByEmail(t.Context(), adaAddress)
	require.NoError(t, err)
	l.ada = *found
	require.NoError(t, s.Members.RenameMember(t.Context(), memberID, adaName))
	_, err = loginWith(t, s, l.ada.ID)
	require.NoError(t, err)
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
		p, err := s.Posts.CreatePost(t.Context(), p, november)
		require.NoError(t, err)
		return p
	}
	went := write(" that went out", post.StatusScheduled, "")
	require.NoError(t, s.Exec("UPDATE posts SET text = 'what stands on X' WHERE id = ?", went.ID))
	for _, p := range []post.Post{went, write(", which X refuses", post.StatusScheduled, "")} {
		_, err := s.Posts.ArmPost(t.Context(), p.ID, 1, connectionID, november)
		require.NoError(t, err)
		v := post.Verdict{Attempt: 1, Outcome: post.OutcomePublished, TweetID: p.ID, At: november}
		if p.ID != went.ID {
			v = post.Verdict{Attempt: 1, Outcome: post.OutcomeRefused, Code: "x_refused", Reason: "X refuses this post."}
		}
		_, err = s.Posts.ConcludePost(t.Context(), p.ID, v, november)
		require.NoError(t, err)
		if p.ID != went.ID { // nobody decided in time
			_, err = s.Posts.ClosePost(t.Context(), p.ID)
			require.NoError(t, err)
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
			_, err := s.Experiments.CastVote(t.Context(), id, voter, 1, november)
			require.NoError(t, err)
		}
	}
	moveTo(t, s, labRow(t, s, l.closed), experiment.Completed)
	_, err := s.Experiments.CloseVotes(t.Context(), l.closed, "experiment:x", "run", november)
	require.NoError(t, err)
	public, err := s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "A public one", experiment.FromMember, l.ada.MemberID, november), "")
	require.NoError(t, err)
	l.public = moveTo(t, s, public, experiment.Planning).ID
	waiting, err := s.Experiments.SubmitExperiment(t.Context(), newIdea(t, "Canary words of somebody who left", experiment.FromMember, l.ada.MemberID, november), "")
	require.NoError(t, err)
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

func TestAfterItNothingLeadsToThem(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
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
}

func TestWhatStaysIsStillWhole(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		credits, slots := s.Dump(t, "credit_entries"), s.Dump(t, "quota_slots")
		d := departs(t, s, l.ada.ID)
		erased(t, s, d)
		require.Equal(t, credits, s.Dump(t, "credit_entries"), "books are not rewritten")
		require.Equal(t, slots, s.Dump(t, "quota_slots"))

		out, err := s.Posts.ListedPost(t.Context(), l.published)
		require.NoError(t, err)
		require.Equal(t, "what stands on X", out.Text)
		require.True(t, out.Sponsored())
		require.Empty(t, out.Username, "nobody is named as its sponsor")
		row, err := s.Experiments.Experiment(t.Context(), labRow(t, s, l.public).Slug)
		require.NoError(t, err)
		require.Empty(t, row.Submitter)
		require.Zero(t, s.Number(t, "SELECT count(*) FROM experiments WHERE id = ?", l.waiting), "it was never public")
		require.Equal(t, experiment.Tally{Up: 1}, rowsOf(t, s, l.open), "eve's alone")
		require.Equal(t, experiment.Tally{Up: 2}, rowsOf(t, s, l.closed), "its count was frozen")
		require.Equal(t, 2, *labRow(t, s, l.closed).FinalUp)
		require.Contains(t, s.Dump(t, "audit_entries"), "@canary_adalbert is a member.", "somebody else's name that begins alike")
		require.Contains(t, s.Dump(t, "audit_entries"), deletion.Somebody+" is a member.")

		members, err := s.Members.Members(t.Context(), "2026-11")
		require.NoError(t, err)
		require.Len(t, members, 1, "who has left is no shareholder")
		require.Equal(t, "eve", members[0].Username)
		left, err := s.Members.Account(t.Context(), *l.ada.MemberID, "2026-11")
		require.NoError(t, err)
		require.Equal(t, deletion.Nobody(d.ID), left.Username)
		require.Equal(t, 765, left.PaymentCents)
	})
}

func TestErasedTwiceIsErasedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		l := lived(t, s)
		d := departs(t, s, l.ada.ID)
		first := erased(t, s, d)
		rows := s.Dump(t, "letters") + s.Dump(t, "posts") + s.Dump(t, "members")
		again, err := s.Deletions.EraseMember(t.Context(), d.ID, true, november.Add(time.Hour))
		require.NoError(t, err)
		require.Equal(t, first.Votes, again.Votes)
		require.Equal(t, first.EndedAt.UTC(), again.EndedAt.UTC())
		require.Equal(t, rows, s.Dump(t, "letters")+s.Dump(t, "posts")+s.Dump(t, "members"))
	})
}

func TestTheirNameAndAddressAreFreeAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada, _ := welcomed(t, s, "ada", adaAddress)
		erased(t, s, departs(t, s, ada.ID))
		gone, err := s.Accounts.AccountByEmail(t.Context(), adaAddress)
		require.NoError(t, err)
		require.Nil(t, gone)
		m := newcomer("Ada")
		m.ID = xid.New().String()
		require.NoError(t, s.Members.AddMember(t.Context(), m, &account.Welcome{Email: adaAddress, Token: account.NewToken()}))
		back, err := s.Accounts.AccountByEmail(t.Context(), adaAddress)
		require.NoError(t, err)
		require.NotEqual(t, ada.ID, back.ID)
		_, err = loginWith(t, s, back.ID)
		require.NoError(t, err)
	})
}

func TestTheLastLetterForgetsItsAddress(t *testing.T) {
	t.Parallel()
	for name, state := range map[string]email.State{"sent": email.Sent, "given up": email.Dead} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				ada, _ := welcomed(t, s, "ada", adaAddress)
				waits, err := s.Emails.WaitingLetters(t.Context(), true)
				require.NoError(t, err)
				d := departs(t, s, ada.ID)
				erased(t, s, d)
				for _, l := range waits { // a run that was just sending one
					ended, err := s.Emails.EndLetter(t.Context(), l.ID, email.Sent, "", "", november)
					require.NoError(t, err)
					require.Equal(t, email.Void, ended.State)
				}
				last, err := s.Emails.WaitingLetters(t.Context(), true)
				require.NoError(t, err)
				require.Len(t, last, 1)
				require.Nil(t, last[0].AccountID)
				require.Equal(t, email.Farewell, last[0].Kind)
				_, content, err := s.Emails.Letter(t.Context(), last[0].ID)
				require.NoError(t, err)
				require.Equal(t, email.Content{To: adaAddress, Facts: map[string]string{"Name": "@ada", "Run": "departure:" + d.ID}}, content)
				require.Equal(t, 1, s.Count(t, "secrets"))

				_, err = s.Emails.EndLetter(t.Context(), last[0].ID, state, "", "", november)
				require.NoError(t, err)
				require.Zero(t, s.Count(t, "secrets"), "the address is nowhere any more")
				_, err = s.Emails.ReviveLetter(t.Context(), last[0].ID, november)
				require.Error(t, err)
			})
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

func TestAnAccountWithoutAMembershipCanLeave(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		ada := stranger(t, s)
		require.NoError(t, s.Exec(`INSERT INTO timetables VALUES ('', '[]', 'UTC', 0, 0, 0, 0, ?)`, november))
		commons := create(t, s, nil, november)
		erased(t, s, departs(t, s, ada.ID))
		require.Zero(t, s.Number(t, "SELECT count(*) FROM accounts WHERE id = ?", ada.ID))
		require.Zero(t, s.Count(t, "x_handles"), "who X said she was")
		require.Equal(t, 1, s.Count(t, "timetables"), "the founders' stays")
		p, err := s.Posts.Post(t.Context(), commons.ID)
		require.NoError(t, err)
		require.Equal(t, commons.Text, p.Text)
	})
}
