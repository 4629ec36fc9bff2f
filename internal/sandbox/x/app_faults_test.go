package x

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
	"customerzero/internal/sandbox/faults"
)

// send sends a call signed by hand, at a time of the client's own.
func (h handSigned) send(t *testing.T, w *world, at time.Time) reply {
	t.Helper()
	h.oauth["oauth_timestamp"] = strconv.FormatInt(at.Unix(), 10)
	response, err := testwait.Client.Do(h.request(t, w))
	require.NoError(t, err)
	return read(t, response)
}

// requireDate checks what time X says that it is.
func requireDate(t *testing.T, want time.Time, r reply) {
	t.Helper()
	date, err := http.ParseTime(r.header.Get("Date"))
	require.NoError(t, err)
	require.WithinDuration(t, want, date, time.Second)
}

func TestAClockThatIsOff(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		delay, off time.Duration
		status     int // for a client whose clock is right
		code       float64
	}{
		"X is ahead":                      {6 * time.Minute, 6 * time.Minute, 401, 135},
		"X is behind":                     {-6 * time.Minute, -6 * time.Minute, 401, 135},
		"X is a day behind":               {-24 * time.Hour, -24 * time.Hour, 401, 135},
		"no delay is ten minutes":         {0, 10 * time.Minute, 401, 135},
		"X is off by less than it checks": {-2 * time.Minute, -2 * time.Minute, 200, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(Rule{On: OnAny, Fault: Clock, Delay: tt.delay})
			ours := w.clock.Now()
			for path, method := range map[string]string{"/oauth/request_token": http.MethodPost, "/2/users/me": http.MethodGet} {
				h := newHandSigned(w)
				h.method, h.path = method, path
				if method == http.MethodPost {
					delete(h.oauth, "oauth_token")
					h.tokenSecret, h.oauth["oauth_callback"] = "", callback
				}
				refused := h.send(t, w, ours)
				require.Equal(t, tt.status, refused.status, refused.body)
				requireDate(t, ours.Add(tt.off), refused)
				if tt.code != 0 && method == http.MethodPost {
					require.InDelta(t, tt.code, refused.at(t, "errors.0.code"), 0)
				}
				h.oauth["oauth_nonce"] += "again"
				fine := h.send(t, w, ours.Add(tt.off))
				require.Equal(t, http.StatusOK, fine.status, "a client that is off as much: %s", fine.body)
				requireDate(t, ours.Add(tt.off), fine)
			}
		})
	}
}

func TestTheClockComesBeforeOtherFaults(t *testing.T) {
	t.Parallel()
	down, off := Rule{On: OnRead, Fault: Unavailable}, Rule{On: OnAny, Fault: Clock, Delay: time.Hour}
	for name, rules := range map[string][]Rule{"it stands first": {off, down}, "it stands last": {down, off}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(rules...)
			h := newHandSigned(w)
			require.Equal(t, http.StatusUnauthorized, h.send(t, w, w.clock.Now()).status)
			require.Equal(t, http.StatusServiceUnavailable, h.send(t, w, w.clock.Now().Add(time.Hour)).status)
			_, counted := w.sandbox.faults.List()
			for _, rule := range counted {
				want := map[Fault]int{Unavailable: 1, Clock: 2}[rule.Fault]
				require.Equal(t, want, rule.Seen, "a call that is not let in counts for the clock alone")
			}
		})
	}
}

func TestABadAppIsRefusedWhateverItSends(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*handSigned){
		"nothing is wrong":         func(h *handSigned) { delete(h.oauth, "oauth_token"); h.tokenSecret = "" },
		"the token is unknown":     func(h *handSigned) { h.oauth["oauth_token"] = "x" },
		"the timestamp is too old": func(h *handSigned) { h.oauth["oauth_timestamp"] = "1318622958" },
		"the callback is unknown":  func(h *handSigned) { h.oauth["oauth_callback"] = "https://elsewhere.example" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(Rule{On: OnLogin, Fault: BadApp})
			h := newHandSigned(w)
			h.method, h.path, h.oauth["oauth_callback"] = http.MethodPost, "/oauth/request_token", callback
			spoil(&h)
			for _, request := range []*http.Request{h.request(t, w), w.request(h.method, h.path, "")} {
				response, err := testwait.Client.Do(request)
				require.NoError(t, err)
				refused := read(t, response)
				require.Equal(t, http.StatusUnauthorized, refused.status)
				require.InDelta(t, 32, refused.at(t, "errors.0.code"), 0)
			}
			require.Equal(t, http.StatusOK, w.call(http.MethodGet, "/2/users/me", "").status, "the rule is about logins")
		})
	}
}

// TestFaultsOfTheApp: what is wrong with the app as a whole, in the words of API v2.
func TestFaultsOfTheApp(t *testing.T) {
	t.Parallel()
	const plain401 = `{"title":"Unauthorized","type":"about:blank","status":401,"detail":"Unauthorized"}`
	const suspended = `{"title":"Client Forbidden","type":"https://api.twitter.com/2/problems/client-forbidden","status":403,` +
		`"detail":"Invalid / suspended application."}`
	const enrol = `{"client_id":"10000001","title":"Client Forbidden","reason":"client-not-enrolled",` +
		`"type":"https://api.twitter.com/2/problems/client-forbidden","required_enrollment":"Appropriate Level of API Access",` +
		`"registration_url":"https://developer.twitter.com/en/docs/projects/overview","detail":"When authenticating requests to the ` +
		`Twitter API v2 endpoints, you must use keys and tokens from a Twitter developer App that is attached to a Project. ` +
		`You can create a project via the developer portal."}`
	for fault, tt := range map[Fault]struct {
		status int
		body   string
	}{
		BadApp: {401, plain401}, Clock: {401, plain401}, SuspendedApp: {403, suspended}, NotEnrolled: {403, enrol},
	} {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			id := w.tweet("before")
			w.fault(Rule{On: OnAny, Fault: fault})
			for path, method := range map[string]string{
				"/2/tweets": http.MethodPost, "/2/users/me": http.MethodGet, "/2/tweets/" + id: http.MethodDelete,
			} {
				answer := w.call(method, path, helloBody)
				require.Equal(t, tt.status, answer.status, path)
				require.JSONEq(t, tt.body, answer.body, path)
			}
			require.Equal(t, []string{"before"}, w.texts())
		})
	}
}

func TestAReadOnlyApp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.tweet("before")
	w.fault(Rule{On: OnAny, Fault: ReadOnly})
	for path, method := range map[string]string{"/2/tweets": http.MethodPost, "/2/tweets/" + id: http.MethodDelete} {
		refused := w.call(method, path, helloBody)
		require.Equal(t, http.StatusForbidden, refused.status)
		require.Equal(t, typePermissions, refused.at(t, "type"))
		require.Equal(t, "read", refused.header.Get("x-access-level"))
	}
	for _, path := range []string{"/2/users/me", "/2/tweets/" + id} {
		shown := w.call(http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, shown.status)
		require.NotEmpty(t, shown.at(t, "data.id"))
		require.Equal(t, "read", shown.header.Get("x-access-level"))
	}
	require.NoError(t, w.loginCalls(w.signIn(callback))[OnRequestToken](), "people may log in")
	_, visible := w.sandbox.state.tweet(id)
	require.True(t, visible, "nothing was deleted")
}

func TestGarbageIsNothingThatWasAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fault(Rule{On: OnAny, Fault: Garbage})
	for path, method := range map[string]string{"/2/tweets": http.MethodPost, "/2/users/me": http.MethodGet} {
		answer := w.call(method, path, helloBody)
		require.Equal(t, http.StatusOK, answer.status)
		require.Contains(t, answer.header.Get("Content-Type"), "text/html")
		require.Regexp(t, "^<html>", answer.body)
	}
	require.Empty(t, w.texts())
}

// TestWhereFaultsFit: a fault that would hit nothing cannot be set.
func TestWhereFaultsFit(t *testing.T) {
	t.Parallel()
	everywhere := []Target{OnPost, OnRead, OnLogin, OnRequestToken, OnAccessToken, OnAny}
	fits := map[Fault][]Target{
		CallbackRefused: {OnLogin, OnRequestToken, OnAny},
		Unconfirmed:     {OnLogin, OnRequestToken, OnAny},
		NotEnrolled:     {OnPost, OnRead, OnAny},
		ReadOnly:        {OnPost, OnRead, OnAny},
	}
	for _, fault := range AllFaults {
		want, some := fits[fault]
		if !some {
			want = everywhere
		}
		for _, on := range everywhere {
			err := (&Server{faults: faults.NewBoard(checkRule)}).SetFaults(Faults{Rules: []Rule{{On: on, Fault: fault}}})
			if fit := err == nil; fit {
				require.Contains(t, want, on, fault)
			} else {
				require.NotContains(t, want, on, fault)
				require.ErrorContains(t, err, "use it on one of")
			}
		}
	}
}
