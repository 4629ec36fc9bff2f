package x

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

const helloBody = `{"text":"hello"}`

// try sends a call that may get no answer.
func (w *world) try(ctx context.Context, method, path, body string) error {
	w.t.Helper()
	response, err := w.client.Do(w.request(method, path, body).WithContext(ctx))
	if err == nil {
		read(w.t, response)
	}
	return err
}

func (w *world) fault(rules ...Rule) {
	w.t.Helper()
	require.NoError(w.t, w.sandbox.SetFaults(Faults{Seed: 1, Rules: rules}))
}

func TestFaultsThatAnswer(t *testing.T) {
	t.Parallel()
	for fault, tt := range map[Fault]struct {
		status, accepted int
		title            string
	}{
		RateLimit:        {429, 0, "Too Many Requests"},
		Unauthorized:     {401, 0, "Unauthorized"},
		NoCredits:        {402, 0, "CreditsDepleted"},
		Forbidden:        {403, 0, "Forbidden"},
		Unavailable:      {503, 0, ""},
		UnavailableAfter: {503, 1, ""},
		Slow:             {201, 1, ""},
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(Rule{On: OnPost, Fault: fault, Times: 1, Delay: 20 * time.Millisecond})
			answer := w.call(http.MethodPost, "/2/tweets", helloBody)
			require.Equal(t, tt.status, answer.status)
			require.NotEmpty(t, answer.header.Get("x-rate-limit-limit"))
			require.Len(t, w.sandbox.Tweets(), tt.accepted)
			switch {
			case tt.title != "":
				require.Equal(t, tt.title, answer.at(t, "title"))
				require.InDelta(t, tt.status, answer.at(t, "status"), 0)
			case tt.status == http.StatusServiceUnavailable:
				require.Contains(t, answer.header.Get("Content-Type"), "text/html")
				require.Contains(t, answer.body, "Over capacity")
			}
			again := w.call(http.MethodPost, "/2/tweets", `{"text":"healed"}`)
			require.Equal(t, http.StatusCreated, again.status, "once is enough")
		})
	}
}

// Proves: F7
func TestARateLimitNamesItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnAny, Fault: RateLimit, Delay: 90 * time.Second})
	answer := w.call(http.MethodGet, "/2/users/me", "")
	require.Equal(t, http.StatusTooManyRequests, answer.status)
	require.Equal(t, "0", answer.header.Get("x-rate-limit-remaining"))
	require.Equal(t, strconv.FormatInt(unixCeil(w.clock.Now().Add(90*time.Second)), 10), answer.header.Get("x-rate-limit-reset"))
}

func TestAForbiddenAppMayOnlyRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnPost, Fault: Forbidden})
	answer := w.call(http.MethodPost, "/2/tweets", helloBody)
	require.Equal(t, typePermissions, answer.at(t, "type"))
	require.Equal(t, "read", answer.header.Get("x-access-level"))
	require.Equal(t, http.StatusOK, w.call(http.MethodGet, "/2/users/me", "").status)
}

func TestFaultsThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	for fault, accepted := range map[Fault]int{DropBefore: 0, DropAfter: 1, HangBefore: 0, HangAfter: 1, Late: 1} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			file := t.TempDir() + "/x.jsonl"
			w := newWorld(t, onFile(file))
			w.fault(Rule{On: OnPost, Fault: fault, Delay: time.Minute})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() {
				err := w.try(ctx, http.MethodPost, "/2/tweets", helloBody)
				ended <- err
			}()
			require.Eventually(t, func() bool {
				_, rules := w.sandbox.faults.List()
				return rules[0].Fired == 1 && len(w.sandbox.Tweets()) == accepted
			}, testwait.Limit, time.Millisecond)
			if fault == DropBefore || fault == DropAfter {
				require.ErrorContains(t, <-ended, "EOF")
			} else {
				cancel() // had there been an answer, there would be no error
				require.ErrorIs(t, <-ended, context.Canceled)
			}
			cancel()

			again, _, err := newState(file, grant{}, time.Now)
			require.NoError(t, err)
			require.Len(t, again.all(), accepted, "what is accepted is in the file")
		})
	}
}

func TestATruncatedAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnPost, Fault: Truncate})
	answer := w.call(http.MethodPost, "/2/tweets", helloBody)
	require.Equal(t, http.StatusCreated, answer.status)
	require.NoError(t, answer.err)
	require.True(t, strings.HasPrefix(answer.body, `{"data":{`), answer.body)
	require.NotContains(t, answer.body, "}")
	require.Equal(t, []string{"hello"}, w.texts())
}

// Proves: F10
func TestALateTweetIsSeenLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnPost, Fault: Late, Delay: time.Minute, Times: 1})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		err := w.try(ctx, http.MethodPost, "/2/tweets", helloBody)
		ended <- err
	}()
	require.Eventually(t, func() bool { return len(w.sandbox.Tweets()) == 1 }, testwait.Limit, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	id := w.sandbox.Tweets()[0].ID
	w.clock.advance(time.Minute - time.Nanosecond)
	ids, _ := w.timeline(nil)
	require.Empty(t, ids)
	require.Contains(t, w.call(http.MethodGet, "/2/tweets/"+id, "").body, "Could not find tweet")
	require.Equal(t, http.StatusForbidden, w.call(http.MethodPost, "/2/tweets", helloBody).status, "X has the text already")
	w.clock.advance(time.Nanosecond)
	ids, _ = w.timeline(nil)
	require.Equal(t, []string{id}, ids)
	require.Contains(t, w.call(http.MethodGet, "/2/tweets/"+id, "").body, "hello")
}

func TestFaultsOnReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnRead, Fault: Unavailable})
	id := w.tweet("hello")
	for _, path := range []string{"/2/users/me", "/2/tweets/" + id, "/2/tweets?ids=" + id, "/2/users/4242/tweets"} {
		require.Equal(t, http.StatusServiceUnavailable, w.call(http.MethodGet, path, "").status, path)
	}
	require.Equal(t, http.StatusOK, w.call(http.MethodDelete, "/2/tweets/"+id, "").status)
	w.fault(Rule{On: OnAny, Fault: Unavailable})
	require.Equal(t, http.StatusServiceUnavailable, w.call(http.MethodDelete, "/2/tweets/"+id, "").status)
	_, _, err := w.signIn(callback).RequestToken()
	require.Error(t, err)
	require.Equal(t, http.StatusOK, w.get("/sandbox/x").status, "our own pages are never hit")
}

func TestAHangEndsWhenTheSandboxCloses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnAny, Fault: HangBefore})
	ended := make(chan error, 1)
	go func() {
		err := w.try(t.Context(), http.MethodPost, "/2/tweets", helloBody)
		ended <- err
	}()
	require.Eventually(t, func() bool {
		_, rules := w.sandbox.faults.List()
		return rules[0].Fired == 1
	}, testwait.Limit, time.Millisecond)
	require.NoError(t, w.sandbox.Close())
	require.Error(t, <-ended)
}

const faultsPath = "/sandbox/x/faults"

// switchboard sends an unsigned request with pairs of headers.
func (w *world) switchboard(method, body string, headers ...string) reply {
	w.t.Helper()
	r := w.request(method, faultsPath, body)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := testwait.Client.Do(r)
	require.NoError(w.t, err)
	return read(w.t, response)
}

func TestTheSwitchboardTakesEveryFault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, fault := range AllFaults {
		put := w.switchboard(http.MethodPut, `{"rules":[{"on":"any","fault":"`+string(fault)+`"}]}`)
		require.Equal(t, http.StatusOK, put.status, put.body)
		require.Equal(t, string(fault), put.at(t, "rules.0.fault"))
	}
	put := w.switchboard(http.MethodPut, `{"rules":[{"on":"login","fault":"clock","delay":"-10m"}]}`)
	require.Equal(t, "-10m0s", put.at(t, "rules.0.delay"), put.body)
}

func TestFaultsThatCannotBeSet(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"an unknown fault":   `{"rules":[{"on":"post","fault":"explode"}]}`,
		"an unknown target":  `{"rules":[{"on":"write","fault":"slow"}]}`,
		"no target":          `{"rules":[{"fault":"slow"}]}`,
		"a negative delay":   `{"rules":[{"on":"post","fault":"slow","delay":"-5s"}]}`,
		"no fault of reads":  `{"rules":[{"on":"read","fault":"callback_refused"}]}`,
		"no fault of logins": `{"rules":[{"on":"login","fault":"not_enrolled"}]}`,
		"copies":             `{"rules":[{"on":"post","fault":"slow","copies":1}]}`,
		"no target of rules": `{"rules":[{"on":"delete","fault":"slow"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(Rule{On: OnPost, Fault: NoCredits})
			answer := w.switchboard(http.MethodPut, body)
			require.Equal(t, http.StatusBadRequest, answer.status, answer.body)
			require.NotEmpty(t, answer.at(t, "error"))
			_, rules := w.sandbox.faults.List()
			require.Len(t, rules, 1, "the old ones stay")
		})
	}
}

// Proves: V3.4.2, V3.5.1
func TestOtherSitesCannotReachTheSwitchboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		for _, headers := range [][]string{
			{"Origin", "http://evil.example"},
			{"Origin", "null"},
			{"Origin", "http://127.0.0.1:1"},
			{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site"},
		} {
			answer := w.switchboard(method, `{"rules":[]}`, headers...)
			require.Equal(t, http.StatusForbidden, answer.status, "%s %v", method, headers)
			require.Empty(t, answer.header.Get("Access-Control-Allow-Origin"))
		}
	}
	require.Equal(t, http.StatusNotFound, w.switchboard(http.MethodOptions, "", "Origin", "http://evil.example").status)
	require.Equal(t, http.StatusOK, w.switchboard(http.MethodGet, "", "Origin", w.url).status)
}
