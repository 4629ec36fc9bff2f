package x_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/testwait"
)

// at returns the URL of a wire.
func at(scheme string, readFirst bool, serve func(net.Conn)) func(*testing.T) string {
	return func(t *testing.T) string { return scheme + newWire(t, readFirst, serve).address }
}

// TestUnreached checks posts, reads, logins and probes without a complete response. Without a connection,
// nothing can have been sent.
// Proves: F8
func TestUnreached(t *testing.T) {
	t.Parallel()
	const half = "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\noauth_token=a&oauth_token_secret=b"
	messages := map[string]string{ // of a login
		"unreachable_refused": "the connection was refused", "unreachable_dns": "its name is not found", "unreachable_tls": "the connection is not secure",
		"unreachable_timeout": "it did not answer in time", "unreachable": "there was no connection, or it was lost",
	}
	for name, tt := range map[string]struct {
		url   func(*testing.T) string
		class post.Class
		hint  string // of a post
		code  string // of a diagnosis
	}{
		"a closed port":                         {func(*testing.T) string { return "http://127.0.0.1:1" }, post.NotSent, "refused", "unreachable_refused"},
		"the name is not found":                 {func(*testing.T) string { return "http://no..such..name" }, post.NotSent, "name is not found", "unreachable_dns"},
		"the certificate is not trusted":        {distrusted, post.NotSent, "not secure", "unreachable_tls"},
		"the server does not speak TLS":         {at("https://", false, writing("220 hello\r\n")), post.NotSent, "not secure", "unreachable_tls"},
		"the server uses HTTP without TLS":      {at("https://", false, writing("HTTP/1.1 400 Bad Request\r\n\r\n")), post.NotSent, "not secure", "unreachable_tls"},
		"it hangs up during the TLS handshake":  {at("https://", false, resetting), post.NotSent, "no connection", "unreachable"},
		"it falls silent during the handshake":  {at("https://", false, hanging), post.NotSent, "in time", "unreachable_timeout"},
		"no answer comes in time":               {at("http://", true, hanging), post.Unclear, "in time", "unreachable_timeout"},
		"the connection ends before the answer": {at("http://", true, writing("")), post.Unclear, "lost", "unreachable"},
		"the answer breaks off":                 {at("http://", true, writing(half)), post.Unclear, "lost", "unreachable"},
		"the answer does not end":               {at("http://", true, func(conn net.Conn) { _, _ = io.WriteString(conn, half) }), post.Unclear, "in time", "unreachable_timeout"},
		"the address is malformed":              {func(*testing.T) string { return "http://bad host" }, post.Refused, "malformed", "unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := testwait.Limit
			if tt.code == "unreachable_timeout" {
				patience = 200 * time.Millisecond
			}
			url := tt.url(t)
			client := newClient(url, timeout(10*patience))
			_, err := client.Publish(t.Context(), post.Draft{Text: "hello"})
			for what, read := range reads(client) {
				require.Equal(t, tt.class, failure(t, read(t.Context())).Class, what)
			}
			require.Equal(t, tt.class, failure(t, err).Class)
			require.Equal(t, tt.class == post.NotSent, failure(t, err).Code == "x_unreachable")
			require.Contains(t, failure(t, err).Message, tt.hint)

			app := newApp(url, func(c *x.AppConfig) { c.Timeout = patience })
			for call, login := range logins(app) {
				failure := failed(t, login(t.Context()))
				require.Equal(t, account.TroubleDown, failure.Trouble, call)
				require.Contains(t, failure.Message, messages[tt.code], call)
			}
			for call, probe := range probes(app) {
				answer := probe(t.Context())
				require.Equal(t, tt.code, diagnostic.CheckRequestToken(answer).Code, call)
				require.Equal(t, tt.code, diagnostic.CheckAccount(answer).Code, call)
				require.Empty(t, answer.Body, call)
			}
		})
	}
}

// Proves: F8
func TestPublishWhileWeShutDown(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := newWire(t, true, func(net.Conn) { cancel() })
	client := newClient("http://" + server.address)
	_, err := client.Publish(ctx, post.Draft{Text: "hello"})
	require.Equal(t, post.Unclear, failure(t, err).Class, "X received the request")

	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, over := range []context.Context{ctx, late} {
		_, err = client.Publish(over, post.Draft{Text: "hello"})
		require.Equal(t, post.NotSent, failure(t, err).Class)
	}
	require.EqualValues(t, 1, server.calls.Load())
}

// TestPublishWithoutAWholeAnswer: once there was a connection, the post may have been published.
// Proves: F8
func TestPublishWithoutAWholeAnswer(t *testing.T) {
	t.Parallel()
	const created = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\n"
	for name, tt := range map[string]struct {
		unread bool
		serve  func(net.Conn)
		code   string
	}{
		"the connection is reset while the request is read": {true, resettingAfterOneByte, "x_unclear"},
		"the connection ends before the request is read":    {true, writing(""), "x_unclear"},
		"the connection is reset after the request":         {false, resetting, "x_unclear"},
		"the request is never read":                         {true, hanging, "x_timeout"},
		"the answer is not HTTP":                            {false, writing("hello\r\n\r\n"), "x_unclear"},
		"the head of the answer is cut":                     {false, writing(created + "Content-Le"), "x_unclear"},
		"the body of the answer is half of JSON":            {false, writing(created + "Content-Length: 17\r\n\r\n" + `{"data":{"id":"1"`), "x_unclear"},
		"a refusal is cut, and may have said duplicate":     {false, writing("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\n" + `{"detail":"You are not`), "x_unclear"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newWire(t, !tt.unread, tt.serve)
			client := newClient("http://"+server.address, timeout(map[string]time.Duration{
				"x_timeout": 2 * time.Second, "x_unclear": testwait.Limit,
			}[tt.code]))
			_, err := client.Publish(t.Context(), post.Draft{Text: "hello"})
			failed := failure(t, err)
			require.Equal(t, post.Unclear, failed.Class)
			require.Equal(t, tt.code, failed.Code)
			require.EqualValues(t, 1, server.connections.Load(), "never a second time")
		})
	}
}

// TestPublishToAServerThatResetsAtOnce: the reset may come before or after the connection; in both cases
// nothing is resent.
// Proves: F8
func TestPublishToAServerThatResetsAtOnce(t *testing.T) {
	t.Parallel()
	server := newWire(t, false, resetting)
	_, err := newClient("http://"+server.address).Publish(t.Context(), post.Draft{Text: "hello"})
	require.Contains(t, []post.Class{post.NotSent, post.Unclear}, failure(t, err).Class)
	require.EqualValues(t, 1, server.connections.Load())
}

// TestPublishOnAWornConnection: net/http would resend a request that failed on a reused connection.
// Proves: F8
func TestPublishOnAWornConnection(t *testing.T) {
	t.Parallel()
	var server *wire
	server = newWire(t, true, func(conn net.Conn) {
		if server.calls.Load() == 1 {
			_, _ = conn.Write([]byte("HTTP/1.1 201 Created\r\nContent-Length: 19\r\n\r\n" + `{"data":{"id":"7"}}`))
			return // and stays open
		}
		resetting(conn)
	})
	client := newClient("http://" + server.address)
	_, err := client.Publish(t.Context(), post.Draft{Text: "one"})
	require.NoError(t, err)
	_, err = client.Publish(t.Context(), post.Draft{Text: "two"})
	require.Equal(t, post.Unclear, failure(t, err).Class)
	require.EqualValues(t, 2, server.calls.Load())
}

func reads(c *x.Client) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"me":       func(ctx context.Context) error { return second(c.Me(ctx)) },
		"timeline": func(ctx context.Context) error { return second(c.Timeline(ctx, noon)) },
		"metrics":  func(ctx context.Context) error { return second(c.Metrics(ctx, []string{"1"})) },
		"delete":   func(ctx context.Context) error { return c.Delete(ctx, "1") },
	}
}

// Proves: F7, F11, F12
func TestPublishRefused(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status  int
		body    string
		class   post.Class
		code    string
		message string // a part of it
	}{
		"the keys are wrong":                     {401, `{"title":"Unauthorized","type":"about:blank","status":401,"detail":"Unauthorized"}`, post.AccountRefused, "x_bad_token", "keys"},
		"the keys are wrong, in the older words": {401, `{"errors":[{"code":89,"message":"Invalid or expired token."}]}`, post.AccountRefused, "x_bad_token", "keys"},
		"the credits are used up": {
			402, `{"title":"CreditsDepleted","detail":"Your enrolled account [1] does not have any credits to fulfill this request.","type":"https://api.twitter.com/2/problems/credits"}`,
			post.AccountRefused, "x_no_credits", "buy",
		},
		"the text is there already": {
			403, `{"detail":"You are not allowed to create a Tweet with duplicate content.","type":"about:blank","title":"Forbidden","status":403}`,
			post.Duplicate, "x_duplicate", "Change the text",
		},
		"the text is there already, in the older words": {403, `{"errors":[{"code":187,"message":"Status is a duplicate."}]}`, post.Duplicate, "x_duplicate", "Change the text"},
		"the keys may only read": {
			403, `{"detail":"Your client app is not configured with the appropriate oauth1 app permissions for this endpoint.","status":403,"title":"Forbidden","type":"https://api.x.com/2/problems/oauth1-permissions"}`,
			post.AccountRefused, "x_read_only", "new access token",
		},
		"the keys may only read, from the older host": {403, `{"title":"Forbidden","type":"https://api.twitter.com/2/problems/oauth1-permissions"}`, post.AccountRefused, "x_read_only", "new access token"},
		"the app is not enrolled": {
			403, `{"client_id":"12","detail":"When authenticating requests …","title":"Client Forbidden","required_enrollment":"Appropriate Level of API Access","reason":"client-not-enrolled","type":"https://api.twitter.com/2/problems/client-forbidden"}`,
			post.AccountRefused, "x_not_enrolled", "project",
		},
		"the account is suspended": {
			403, `{"title":"Forbidden","type":"about:blank","status":403,"detail":"Your account is suspended and is not permitted to access this feature."}`,
			post.AccountRefused, "x_suspended", "appeal",
		},
		"the account is locked": {
			403, `{"errors":[{"code":326,"message":"To protect our users from spam and other malicious activity, this account is temporarily locked."}]}`,
			post.AccountRefused, "x_suspended", "appeal",
		},
		"our spending limit is reached": {403, `{"title":"SpendCapReached","detail":"…","type":"https://api.x.com/2/problems/credits"}`, post.AccountRefused, "x_cap_reached", "raise"},
		"the month's allowance is used up": {
			429, `{"title":"UsageCapExceeded","detail":"Usage cap exceeded: Monthly product cap","type":"https://api.twitter.com/2/problems/usage-capped"}`,
			post.AccountRefused, "x_cap_reached", "raise",
		},
		"the limit of calls is reached": {429, `{"title":"Too Many Requests","type":"about:blank","status":429,"detail":"Too Many Requests"}`, post.RateLimited, "x_rate_limited", "12:01:00 on 20 November (UTC)"},
		"the text is not for X": {
			400, `{"errors":[{"parameters":{},"message":"Your Tweet text is too long."}],"title":"Invalid Request","detail":"One or more parameters to your request was invalid.","type":"https://api.twitter.com/2/problems/invalid-request"}`,
			post.Refused, "x_invalid", "X refused the request: Your Tweet text is too long.",
		},
		"another prohibition": {
			403, `{"detail":"You are not permitted to perform this action.","type":"about:blank","title":"Forbidden","status":403}`,
			post.Refused, "x_refused", "X refused the request: You are not permitted to perform this action.",
		},
		"a prohibition without words":     {403, `<html>no</html>`, post.Refused, "x_refused", "without giving a reason"},
		"no such endpoint":                {404, ``, post.Refused, "x_invalid", "without giving a reason"},
		"an answer that repeats our keys": {400, `{"detail":"bad token 4242-token\u0000 of\n consumer-key"}`, post.Refused, "x_invalid", "X refused the request: bad token … of …"},
		"a refusal without an end":        {400, `{"detail":"` + strings.Repeat("é ", 1000) + `"}`, post.Refused, "x_invalid", "X refused the request: " + strings.Repeat("é ", 100) + "…"},
		"over capacity, as a web page":    {503, `<!DOCTYPE html><h1>Over capacity</h1>`, post.Unclear, "x_unavailable", "internal problem"},
		"an error of X":                   {500, `{}`, post.Unclear, "x_unavailable", "internal problem"},
		"a proxy that gave up":            {408, ``, post.Unclear, "x_unclear", "lost"},
		"a success without an ID":         {201, `{"data":{}}`, post.Unclear, "x_unclear", "lost"},
		"a success with a strange ID":     {201, `{"data":{"id":"../7"}}`, post.Unclear, "x_unclear", "lost"},
		"a success that is a web page":    {200, `<html>Welcome to the café's network</html>`, post.Unclear, "x_unclear", "lost"},
		"a success without any content":   {204, ``, post.Unclear, "x_unclear", "lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, calls := answering(t, tt.status, nil, tt.body)
			_, err := newClient(url).Publish(t.Context(), post.Draft{Text: "hello"})
			failed := failure(t, err)
			require.Equal(t, tt.class, failed.Class)
			require.Equal(t, tt.code, failed.Code)
			require.Contains(t, failed.Message, tt.message)
			require.Equal(t, tt.class == post.RateLimited, !failed.RetryAt.IsZero())
			require.EqualValues(t, 1, calls.Load())
		})
	}
}

// Proves: F8, V15.3.2
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere, calls := answering(t, 201, nil, `{"data":{"id":"7"}}`)
	for _, status := range []int{301, 302, 303, 307, 308} {
		url, _ := answering(t, status, map[string]string{"Location": elsewhere}, "")
		_, err := newClient(url).Publish(t.Context(), post.Draft{Text: "hello"})
		require.Equal(t, post.Unclear, failure(t, err).Class)
		for what, read := range reads(newClient(url)) {
			require.Equal(t, post.Unclear, failure(t, read(t.Context())).Class, what)
		}
		for call, login := range logins(newApp(url)) {
			require.Equal(t, account.TroubleNonsense, failed(t, login(t.Context())).Trouble, call)
		}
		for call, probe := range probes(newApp(url)) {
			require.Equal(t, status, probe(t.Context()).Status, call)
		}
	}
	require.Zero(t, calls.Load())
}

// Proves: F7
func TestRateLimitedUntil(t *testing.T) {
	t.Parallel()
	const (
		at1210 = "1795176600"
		at1300 = "1795179600"
		at1400 = "1795183200"
		at1159 = "1795175940"
	)
	for name, tt := range map[string]struct {
		header map[string]string
		at     time.Time
	}{
		"X does not say":             {nil, noon.Add(time.Minute)},
		"the usual limit is used up": {map[string]string{"x-rate-limit-remaining": "0", "x-rate-limit-reset": at1210}, noon.Add(10 * time.Minute)},
		"the day's limit is used up, the usual one is not": {
			map[string]string{
				"x-rate-limit-remaining": "5", "x-rate-limit-reset": at1210,
				"x-user-limit-24hour-remaining": "0", "x-user-limit-24hour-reset": at1300,
			}, noon.Add(time.Hour),
		},
		"the latest of those used up decides": {
			map[string]string{
				"x-rate-limit-remaining": "0", "x-rate-limit-reset": at1210,
				"x-user-limit-24hour-remaining": "0", "x-user-limit-24hour-reset": at1300,
				"x-app-limit-24hour-remaining": "0", "x-app-limit-24hour-reset": at1400,
			}, noon.Add(2 * time.Hour),
		},
		"the latest of those that are not used up does not": {
			map[string]string{
				"x-rate-limit-remaining": "0", "x-rate-limit-reset": at1210,
				"x-app-limit-24hour-remaining": "9", "x-app-limit-24hour-reset": at1400,
			}, noon.Add(10 * time.Minute),
		},
		"none is used up: the usual one decides": {
			map[string]string{
				"x-rate-limit-remaining": "3", "x-rate-limit-reset": at1210,
				"x-app-limit-24hour-remaining": "9", "x-app-limit-24hour-reset": at1400,
			}, noon.Add(10 * time.Minute),
		},
		"the time is past":      {map[string]string{"x-rate-limit-remaining": "0", "x-rate-limit-reset": at1159}, noon.Add(time.Second)},
		"the time is no number": {map[string]string{"x-rate-limit-remaining": "0", "x-rate-limit-reset": "soon"}, noon.Add(time.Minute)},
	} {
		url, _ := answering(t, 429, tt.header, `{"title":"Too Many Requests"}`)
		_, err := newClient(url).Publish(t.Context(), post.Draft{Text: "hello"})
		require.Equal(t, tt.at, failure(t, err).RetryAt.UTC(), name)
	}
}
