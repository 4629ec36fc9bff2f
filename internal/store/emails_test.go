package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
)

var toAda = email.Content{To: "ada@example.com", Facts: map[string]string{"Name": "Ada Lovelace"}}

func write(t *testing.T, s *store.DB, kind email.Kind, fact string, at time.Time) string {
	t.Helper()
	return must(s.WriteEmail(t.Context(), kind, fact, toAda, at))(t)
}

func endEmail(t *testing.T, s *store.DB, id string, state email.State, code string) email.Message {
	t.Helper()
	return must(s.Emails.EndEmail(t.Context(), id, state, code, "a reason", november.Add(time.Minute)))(t)
}

func TestEmails(t *testing.T) {
	t.Parallel()
	each(t, "one fact makes one email", func(t *testing.T, s *store.DB) {
		write(t, s, email.Welcome, "welcome:1", november)
		require.ErrorIs(t, errOf(s.WriteEmail(t.Context(), email.Welcome, "welcome:1", toAda, november)), gorm.ErrDuplicatedKey)
		require.Equal(t, 1, s.Count(t, "emails"))
		require.Equal(t, 1, s.Count(t, "secrets"), "the second left nothing behind")
	})
	each(t, "the recipient is stored unreadable", func(t *testing.T, s *store.DB) {
		id := write(t, s, email.Welcome, "welcome:1", november)
		for _, state := range []email.State{email.Pending, email.Failed} {
			if state != email.Pending {
				endEmail(t, s, id, state, "mail_refused")
			}
			for _, table := range []string{"emails", "secrets"} {
				stored := s.Dump(t, table)
				require.NotContains(t, stored, "ada@")
				require.NotContains(t, stored, "Lovelace")
			}
			_, content := must2(s.Emails.Email(t.Context(), id))(t)
			require.Equal(t, toAda, content)
		}
	})
	each(t, "a failed email is retried", func(t *testing.T, s *store.DB) {
		id, later := write(t, s, email.Welcome, "welcome:1", november), november.AddDate(0, 0, 5)
		must(s.Emails.BeginEmail(t.Context(), id, "run-1"))(t)
		endEmail(t, s, id, email.Failed, "mail_refused")
		for range 2 { // a repeat changes nothing
			l := must(s.Emails.RetryEmail(t.Context(), id, later))(t)
			require.Equal(t, []any{email.Pending, "", (*time.Time)(nil)}, []any{l.State, l.Code + l.Reason + l.RunID, l.EndedAt})
			require.True(t, l.ExpiresAt.Equal(later.Add(email.Welcome.Patience())))
		}
		require.Equal(t, []string{id}, waiting(t, s, false))
		require.Equal(t, 2, endEmail(t, s, id, email.Sent, "").Tries)
		require.Zero(t, s.Count(t, "secrets"))
		requireCode(t, problem.Conflict, errOf(s.Emails.RetryEmail(t.Context(), id, later)))
		requireCode(t, problem.NotFound, errOf(s.Emails.RetryEmail(t.Context(), "nobody's", later)))
	})
	each(t, "emails without a run are listed", func(t *testing.T, s *store.DB) {
		second := write(t, s, email.PostTrouble, "post:2", november.Add(time.Second))
		first := write(t, s, email.PostTrouble, "post:1", november)
		carried := write(t, s, email.PostTrouble, "post:3", november.Add(time.Minute))
		sent := write(t, s, email.PostTrouble, "post:4", november)
		must(s.Emails.BeginEmail(t.Context(), carried, "run-1"))(t)
		endEmail(t, s, sent, email.Sent, "")
		require.Equal(t, []string{first, second}, waiting(t, s, false), "the oldest first")
		require.Equal(t, []string{first, second, carried}, waiting(t, s, true))
	})
	each(t, "failed emails are listed", func(t *testing.T, s *store.DB) {
		var written []string
		for i, fact := range []string{"post:1", "post:2", "post:3", "post:4"} {
			written = append(written, write(t, s, email.PostTrouble, fact, november.Add(time.Duration(i)*time.Second)))
		}
		for _, id := range written[:3] {
			endEmail(t, s, id, email.Failed, "mail_refused")
		}
		dead := must(s.Emails.FailedEmails(t.Context(), 2))(t)
		require.Equal(t, []string{written[2], written[1]}, idsOf(dead), "newest first, up to the limit")
	})
}

func TestEmailsEnd(t *testing.T) {
	t.Parallel()
	for state, keeps := range map[email.State]bool{email.Sent: false, email.Skipped: false, email.Failed: true} { // kept for a retry
		each(t, string(state), func(t *testing.T, s *store.DB) {
			id, other := write(t, s, email.Welcome, "welcome:1", november), write(t, s, email.Welcome, "welcome:2", november)
			ended := endEmail(t, s, id, state, "a_code")
			require.Equal(t, []any{state, "a_code", november.Add(time.Minute)}, []any{ended.State, ended.Code, ended.EndedAt.UTC()})
			again := endEmail(t, s, id, email.Failed, "too_late")
			require.Equal(t, []any{state, "a_code", 1}, []any{again.State, again.Code, again.Tries}, "it ends once")
			_, content := must2(s.Emails.Email(t.Context(), id))(t)
			require.Equal(t, keeps, content.To != "")
			_, content = must2(s.Emails.Email(t.Context(), other))(t)
			require.Equal(t, toAda, content, "another's stays")
		})
	}
}

func waiting(t *testing.T, s *store.DB, all bool) []string {
	t.Helper()
	return idsOf(must(s.Emails.WaitingEmails(t.Context(), all))(t))
}
