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

// mailServer is a fake mail server with a script of answers.
type mailServer struct {
	answers []error // one per call; then success
	always  error   // after the last answer
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

// emailWorld is an email and its surroundings.
type emailWorld struct {
	*stage
	server  *mailServer
	message email.Message
}

const ada = "ada@example.com"

func newEmailWorld(t *testing.T, answers ...error) *emailWorld {
	t.Helper()
	s := &emailWorld{stage: newStage(t), server: &mailServer{answers: answers}}
	require.NoError(t, s.db.Members.AddMember(t.Context(), member.Member{
		ID: "ada", Username: "ada", UsernameKey: "ada", Status: member.StatusActive, PaymentCents: member.FoundingFeeCents, JoinedAt: begin,
	}, &account.Welcome{Email: ada, Token: account.NewToken(), Facts: map[string]string{"Name": "ada"}}))
	waiting := must(s.db.Emails.WaitingEmails(t.Context(), true))
	require.Len(t, waiting, 1)
	s.message = waiting[0]
	return s
}

// deliver runs the workflow and reads the row.
func (s *emailWorld) deliver(t *testing.T) workflows.EmailResult {
	t.Helper()
	s.env.RegisterActivity(&activities.Email{Emails: s.db.Emails, Sender: s.server, Now: s.env.Now})
	result := run[workflows.EmailResult](t, s.env, workflows.Email, workflows.EmailInput{EmailID: s.message.ID})
	s.message = s.row(t)
	require.Equal(t, workflows.EmailResult{State: s.message.State, Code: s.message.Code}, result, "the row and the run agree")
	return result
}

func (s *emailWorld) row(t *testing.T) email.Message {
	t.Helper()
	l, _, err := s.db.Emails.Email(t.Context(), s.message.ID)
	require.NoError(t, err)
	return l
}

func TestMailEndings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers []error
		always  error
		before  func(t *testing.T, s *emailWorld)
		state   email.State
		code    string
		sends   int
	}{
		"accepted at once: sent":                           {state: email.Sent, sends: 1},
		"busy twice, then accepted: sent":                  {answers: []error{mailBusy, mailBusy}, state: email.Sent, sends: 3},
		"rejected permanently: failed, not retried":        {always: mailRefused, state: email.Failed, code: "mail_refused", sends: 1},
		"busy, then rejected permanently: failed":          {answers: []error{mailBusy, mailRefused}, state: email.Failed, code: "mail_refused", sends: 2},
		"busy until it expires: failed":                    {always: mailBusy, state: email.Failed, code: "mail_busy", sends: 10}, // all attempts that the test environment makes
		"an internal error: failed, with a code":           {always: errors.New("disk full"), state: email.Failed, code: "mail_unsent", sends: 10},
		"no recipient: skipped, nothing is sent":           {before: toNobody, state: email.Skipped},
		"expired before the start: failed, nothing sent":   {before: tooOld, state: email.Failed, code: "mail_unsent"},
		"ended before the start: nothing is sent":          {before: endedAs(email.Sent), state: email.Sent},
		"skipped before the start: nothing is sent":        {before: endedAs(email.Failed), state: email.Failed, code: "by hand"},
		"ended between two attempts: not sent again":       {answers: []error{mailBusy}, before: meanwhileEndedAs(email.Skipped), state: email.Skipped, sends: 1},
		"the answer is lost: the same email is sent again": {before: losing("SendEmail", 1), state: email.Sent, sends: 2},
		"the database is briefly unavailable: sent":        {before: losing("BeginEmail", 3), state: email.Sent, sends: 1},
		"its end is stored twice: it ends once":            {before: losing("EndEmail", 2), state: email.Sent, sends: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newEmailWorld(t, tt.answers...)
			s.server.always = tt.always
			if tt.before != nil {
				tt.before(t, s)
			}
			require.Equal(t, workflows.EmailResult{State: tt.state, Code: tt.code}, s.deliver(t))
			require.Equal(t, slices.Repeat([]string{s.message.ID + " to " + ada}, tt.sends), append([]string{}, s.server.got...))
			require.Equal(t, 1, s.message.Tries, "a run is one try")
			_, content, err := s.db.Emails.Email(t.Context(), s.message.ID)
			require.NoError(t, err)
			require.Equal(t, tt.state == email.Failed, content.Facts != nil, "what it says is kept only where it may be tried again")
		})
	}
}

func tooOld(_ *testing.T, s *emailWorld) {
	s.stage = stageFor(s.db, begin.Add(email.Welcome.Patience()+time.Second))
}

// toNobody stores a code for an unknown address, whose row looks like any other.
func toNobody(t *testing.T, s *emailWorld) {
	id := must(s.db.Accounts.IssueCode(t.Context(), account.NewCode{
		Purpose: account.ForLogin, Subject: "a digest", Code: "123456",
	}, begin))
	s.message.ID = id
}

func endedAs(state email.State) func(*testing.T, *emailWorld) {
	return func(t *testing.T, s *emailWorld) {
		code := ""
		if state == email.Failed {
			code = "by hand"
		}
		must(s.db.Emails.EndEmail(t.Context(), s.message.ID, state, code, "", begin))
	}
}

func meanwhileEndedAs(state email.State) func(*testing.T, *emailWorld) {
	return func(t *testing.T, s *emailWorld) { s.after(500*time.Millisecond, func() { endedAs(state)(t, s) }) }
}

func losing(activity string, times int) func(*testing.T, *emailWorld) {
	return func(_ *testing.T, s *emailWorld) { s.network.loses, s.network.times = activity, times }
}

func TestCancelledEmailFails(t *testing.T) {
	t.Parallel()
	s := newEmailWorld(t, mailBusy)
	s.after(500*time.Millisecond, func() { // between its two attempts
		row := s.row(t)
		require.Equal(t, email.Pending, row.State)
		require.NotEmpty(t, row.RunID, "the row names its run")
		s.env.CancelWorkflow()
	})
	require.Equal(t, workflows.EmailResult{State: email.Failed, Code: "mail_unsent"}, s.deliver(t), "a founder may still revive it")
	require.Len(t, s.server.got, 1)
}

func TestRetriedEmailIsSent(t *testing.T) {
	t.Parallel()
	s := newEmailWorld(t, mailRefused)
	require.Equal(t, email.Failed, s.deliver(t).State)
	first := s.message.RunID

	later := begin.Add(2 * 24 * time.Hour)
	must(s.db.Emails.RetryEmail(t.Context(), s.message.ID, later))
	s.stage = stageFor(s.db, later)
	require.Equal(t, workflows.EmailResult{State: email.Sent}, s.deliver(t))
	require.Equal(t, 2, s.message.Tries)
	require.NotEmpty(t, first)
	require.Empty(t, s.message.Reason)
	require.Equal(t, []string{s.message.ID + " to " + ada, s.message.ID + " to " + ada}, s.server.got)
}
