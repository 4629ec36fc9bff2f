package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

var toAda = email.Content{To: "ada@example.com", Facts: map[string]string{"Name": "Ada Lovelace"}}

func write(t *testing.T, s *store.DB, kind email.Kind, fact string, at time.Time) string {
	t.Helper()
	id, err := s.WriteLetter(t.Context(), kind, fact, toAda, at)
	require.NoError(t, err)
	return id
}

func endLetter(t *testing.T, s *store.DB, id string, state email.State, code string) email.Letter {
	t.Helper()
	l, err := s.Emails.EndLetter(t.Context(), id, state, code, "a reason", november.Add(time.Minute))
	require.NoError(t, err)
	return l
}

func TestOneFactMakesOneLetter(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		write(t, s, email.Welcome, "welcome:1", november)
		_, err := s.WriteLetter(t.Context(), email.Welcome, "welcome:1", toAda, november)
		require.ErrorIs(t, err, gorm.ErrDuplicatedKey)
		require.Equal(t, 1, s.Count(t, "letters"))
		require.Equal(t, 1, s.Count(t, "secrets"), "the second left nothing behind")
	})
}

func TestRecipientIsReadableNowhere(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		id := write(t, s, email.Welcome, "welcome:1", november)
		for _, state := range []email.State{email.Pending, email.Dead} {
			if state != email.Pending {
				endLetter(t, s, id, state, "mail_refused")
			}
			for _, table := range []string{"letters", "secrets"} {
				stored := s.Dump(t, table)
				require.NotContains(t, stored, "ada@")
				require.NotContains(t, stored, "Lovelace")
			}
			_, content, err := s.Emails.Letter(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, toAda, content)
		}
	})
}

func TestLettersEnd(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		state email.State
		keeps bool
	}{
		"sent, and says nothing any more":        {email.Sent, false},
		"void, and says nothing any more":        {email.Void, false},
		"dead, and keeps what it says for a try": {email.Dead, true},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				id, other := write(t, s, email.Welcome, name+"1", november), write(t, s, email.Welcome, name+"2", november)
				ended := endLetter(t, s, id, tt.state, "a_code")
				require.Equal(t, tt.state, ended.State)
				require.Equal(t, "a_code", ended.Code)
				require.True(t, ended.EndedAt.Equal(november.Add(time.Minute)))

				again := endLetter(t, s, id, email.Dead, "too_late")
				require.Equal(t, ended.State, again.State, "it ends once")
				require.Equal(t, "a_code", again.Code)
				require.Equal(t, 1, again.Tries)
				_, content, err := s.Emails.Letter(t.Context(), id)
				require.NoError(t, err)
				require.Equal(t, tt.keeps, content.To != "")
				_, content, err = s.Emails.Letter(t.Context(), other)
				require.NoError(t, err)
				require.Equal(t, toAda, content, "another's stays")
			})
		}
	})
}

func TestDeadLetterIsRevived(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		id := write(t, s, email.Welcome, "welcome:1", november)
		_, err := s.Emails.BeginLetter(t.Context(), id, "run-1")
		require.NoError(t, err)
		endLetter(t, s, id, email.Dead, "mail_refused")

		later := november.AddDate(0, 0, 5)
		for range 2 { // twice is once
			l, err := s.Emails.ReviveLetter(t.Context(), id, later)
			require.NoError(t, err)
			require.Equal(t, email.Pending, l.State)
			require.Empty(t, l.Code+l.Reason+l.RunID)
			require.Nil(t, l.EndedAt)
			require.True(t, l.ExpiresAt.Equal(later.Add(email.Welcome.Patience())))
		}
		require.Equal(t, []string{id}, waiting(t, s, false))
		l := endLetter(t, s, id, email.Sent, "")
		require.Equal(t, 2, l.Tries)
		require.Zero(t, s.Count(t, "secrets"))
		_, err = s.Emails.ReviveLetter(t.Context(), id, later)
		require.Equal(t, problem.Conflict, problem.CodeOf(err))
		_, err = s.Emails.ReviveLetter(t.Context(), "nobody's", later)
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}

func waiting(t *testing.T, s *store.DB, all bool) []string {
	t.Helper()
	letters, err := s.Emails.WaitingLetters(t.Context(), all)
	require.NoError(t, err)
	return letterIDs(letters)
}

func letterIDs(letters []email.Letter) (ids []string) {
	for _, l := range letters {
		ids = append(ids, l.ID)
	}
	return ids
}

func TestLettersWaitForARun(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		second := write(t, s, email.PostTrouble, "post:2", november.Add(time.Second))
		first := write(t, s, email.PostTrouble, "post:1", november)
		carried := write(t, s, email.PostTrouble, "post:3", november.Add(time.Minute))
		sent := write(t, s, email.PostTrouble, "post:4", november)
		_, err := s.Emails.BeginLetter(t.Context(), carried, "run-1")
		require.NoError(t, err)
		endLetter(t, s, sent, email.Sent, "")
		require.Equal(t, []string{first, second}, waiting(t, s, false), "the oldest first")
		require.Equal(t, []string{first, second, carried}, waiting(t, s, true))
	})
}

func TestDeadLettersAreListed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		var written []string
		for i, fact := range []string{"post:1", "post:2", "post:3", "post:4"} {
			written = append(written, write(t, s, email.PostTrouble, fact, november.Add(time.Duration(i)*time.Second)))
		}
		for _, id := range written[:3] {
			endLetter(t, s, id, email.Dead, "mail_refused")
		}
		dead, err := s.Emails.DeadLetters(t.Context(), 2)
		require.NoError(t, err)
		require.Equal(t, []string{written[2], written[1]}, letterIDs(dead), "the newest first, so many as were asked for")
	})
}
