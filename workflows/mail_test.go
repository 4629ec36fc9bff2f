package workflows_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/member"
	"customerzero/workflows"
)

// mailServer is a small mail server: it takes a script of answers.
type mailServer struct {
	answers []error // one for each call; after the last, all is well
	always  error   // then
	got     []string
}

func (m *mailServer) Send(_ context.Context, l email.Message, c email.Content) error {
	m.got = append(m.got, l.ID+" to "+c.To)
	if n := len(m.got); n <= len(m.answers) {
		return m.answers[n-1]
	}
	return m.always
}

var (
	mailBusy    = &email.Failure{Code: "mail_busy", Message: "The mail server does not take the email now."}
	mailRefused = &email.Failure{Permanent: true, Code: "mail_refused", Message: "The mail server refuses the email."}
)

// mailStage is an e-mail, and who is to carry it.
type mailStage struct {
	*stage
	server *mailServer
	letter email.Message
}

const ada = "ada@example.com"

// newMail has an e-mail that welcomes ada.
func newMail(t *testing.T, answers ...error) *mailStage {
	t.Helper()
	s := &mailStage{stage: newStage(t), server: &mailServer{answers: answers}}
	require.NoError(t, s.db.Members.AddMember(t.Context(), member.Member{
		ID: "ada", Username: "ada", UsernameKey: "ada", Status: member.StatusActive, PaymentCents: member.FoundingFeeCents, JoinedAt: begin,
	}, &account.Welcome{Email: ada, Token: account.NewToken(), Facts: map[string]string{"Name": "ada"}}))
	waiting := must(s.db.Emails.WaitingEmails(t.Context(), true))
	require.Len(t, waiting, 1)
	s.letter = waiting[0]
	return s
}

// deliver runs the e-mail to its end, and reads its row.
func (s *mailStage) deliver(t *testing.T) workflows.EmailResult {
	t.Helper()
	s.env.RegisterActivity(&activities.Email{Emails: s.db.Emails, Sender: s.server, Now: s.env.Now})
	result := run[workflows.EmailResult](t, s.env, workflows.Email, workflows.EmailInput{EmailID: s.letter.ID})
	s.letter = s.row(t)
	require.Equal(t, workflows.EmailResult{State: s.letter.State, Code: s.letter.Code}, result, "the row and the run tell the same")
	return result
}

func (s *mailStage) row(t *testing.T) email.Message {
	t.Helper()
	l, _, err := s.db.Emails.Email(t.Context(), s.letter.ID)
	require.NoError(t, err)
	return l
}

func TestMailEndings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers []error
		always  error
		before  func(t *testing.T, s *mailStage)
		state   email.State
		code    string
		sends   int
	}{
		"taken at once: sent":                              {state: email.Sent, sends: 1},
		"busy twice, then taken: sent":                     {answers: []error{mailBusy, mailBusy}, state: email.Sent, sends: 3},
		"refused for good: dead, and not tried again":      {always: mailRefused, state: email.Failed, code: "mail_refused", sends: 1},
		"busy, then refused for good: dead":                {answers: []error{mailBusy, mailRefused}, state: email.Failed, code: "mail_refused", sends: 2},
		"busy for as long as it matters: dead":             {always: mailBusy, state: email.Failed, code: "mail_busy", sends: 10}, // all the tries that the test's Temporal makes
		"a trouble of our own: dead, and it has a code":    {always: errors.New("disk full"), state: email.Failed, code: "mail_unsent", sends: 10},
		"nobody to write to: void, nothing is sent":        {before: toNobody, state: email.Skipped},
		"too old before anybody began: dead, nothing sent": {before: tooOld, state: email.Failed, code: "mail_unsent"},
		"ended before anybody began: nothing is sent":      {before: endedAs(email.Sent), state: email.Sent},
		"given up before anybody began: nothing is sent":   {before: endedAs(email.Failed), state: email.Failed, code: "by hand"},
		"ended between two tries: not sent again":          {answers: []error{mailBusy}, before: meanwhileEndedAs(email.Skipped), state: email.Skipped, sends: 1},
		"the answer is lost: sent again, the same letter":  {before: losing("SendEmail", 1), state: email.Sent, sends: 2},
		"the database is away for a moment: sent":          {before: losing("BeginEmail", 3), state: email.Sent, sends: 1},
		"its end is written twice: it ends once":           {before: losing("EndEmail", 2), state: email.Sent, sends: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newMail(t, tt.answers...)
			s.server.always = tt.always
			if tt.before != nil {
				tt.before(t, s)
			}
			require.Equal(t, workflows.EmailResult{State: tt.state, Code: tt.code}, s.deliver(t))
			require.Equal(t, slices.Repeat([]string{s.letter.ID + " to " + ada}, tt.sends), append([]string{}, s.server.got...))
			require.Equal(t, 1, s.letter.Tries, "a run is one try")
			_, content, err := s.db.Emails.Email(t.Context(), s.letter.ID)
			require.NoError(t, err)
			require.Equal(t, tt.state == email.Failed, content.Facts != nil, "what it says is kept only where it may be tried again")
		})
	}
}

func tooOld(_ *testing.T, s *mailStage) {
	s.stage = stageFor(s.db, begin.Add(email.Welcome.Patience()+time.Second))
}

// toNobody has a code for somebody whom we do not know: the row is like any other.
func toNobody(t *testing.T, s *mailStage) {
	id := must(s.db.Accounts.IssueCode(t.Context(), account.NewCode{
		Purpose: account.ForLogin, Subject: "a digest", Visitor: "a digest", Code: "123456",
	}, begin))
	s.letter.ID = id
}

func endedAs(state email.State) func(*testing.T, *mailStage) {
	return func(t *testing.T, s *mailStage) {
		code := ""
		if state == email.Failed {
			code = "by hand"
		}
		must(s.db.Emails.EndEmail(t.Context(), s.letter.ID, state, code, "", begin))
	}
}

func meanwhileEndedAs(state email.State) func(*testing.T, *mailStage) {
	return func(t *testing.T, s *mailStage) { s.after(500*time.Millisecond, func() { endedAs(state)(t, s) }) }
}

func losing(activity string, times int) func(*testing.T, *mailStage) {
	return func(_ *testing.T, s *mailStage) { s.network.loses, s.network.times = activity, times }
}

func TestCancelledEmailFails(t *testing.T) {
	t.Parallel()
	s := newMail(t, mailBusy)
	s.after(500*time.Millisecond, func() { // between its two tries
		row := s.row(t)
		require.Equal(t, email.Pending, row.State)
		require.NotEmpty(t, row.RunID, "who looks into an e-mail finds the run that carries it")
		s.env.CancelWorkflow()
	})
	require.Equal(t, workflows.EmailResult{State: email.Failed, Code: "mail_unsent"}, s.deliver(t), "a founder may still revive it")
	require.Len(t, s.server.got, 1)
}

func TestRetriedEmailIsSent(t *testing.T) {
	t.Parallel()
	s := newMail(t, mailRefused)
	require.Equal(t, email.Failed, s.deliver(t).State)
	first := s.letter.RunID

	later := begin.Add(2 * 24 * time.Hour)
	must(s.db.Emails.RetryEmail(t.Context(), s.letter.ID, later))
	s.stage = stageFor(s.db, later)
	require.Equal(t, workflows.EmailResult{State: email.Sent}, s.deliver(t))
	require.Equal(t, 2, s.letter.Tries)
	require.NotEmpty(t, first)
	require.Empty(t, s.letter.Reason)
	require.Equal(t, []string{s.letter.ID + " to " + ada, s.letter.ID + " to " + ada}, s.server.got)
}
