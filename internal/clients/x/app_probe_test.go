package x_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/platform/testwait"
)

// probes are the calls that only look.
func probes(a *x.App) map[string]func(context.Context) diagnostic.Answer {
	return map[string]func(context.Context) diagnostic.Answer{
		"request token": func(ctx context.Context) diagnostic.Answer { return a.ProbeRequestToken(ctx, backURL) },
		"account":       func(ctx context.Context) diagnostic.Answer { return a.ProbeAccount(ctx, secrets[2], secrets[3]) },
	}
}

// Proves: V10.2.1
func TestProbeSignature(t *testing.T) {
	t.Parallel()
	url, calls := answering(t, 200, nil, "")
	app := newApp(url)
	first, second := app.ProbeSignature(backURL), app.ProbeSignature(backURL)
	require.Equal(t, "ok", diagnostic.CheckSignature(first).Code)
	require.Equal(t, 28, first.Length)
	require.Regexp(t, "^[0-9a-f]{64}$", first.BaseHash)
	require.Equal(t, first.BaseLength, second.BaseLength, "the nonce always has the same length")
	require.NotEqual(t, first.BaseHash, second.BaseHash, "and another value")
	require.Greater(t, app.ProbeSignature(backURL+"/longer").BaseLength, first.BaseLength, "the callback is signed")
	require.Zero(t, calls.Load(), "nothing is sent")

	require.Equal(t, "signature_failed", diagnostic.CheckSignature(newApp("http://bad host").ProbeSignature(backURL)).Code)
}

func TestProbeRequestToken(t *testing.T) {
	t.Parallel()
	url, calls := answering(t, 200, map[string]string{"Date": noon.Add(-6 * time.Minute).Format(http.TimeFormat)},
		"oauth_token=given-token&oauth_token_secret=given-secret&oauth_callback_confirmed=true")
	answer := newApp(url).ProbeRequestToken(t.Context(), backURL)
	require.Equal(t, diagnostic.Answer{
		Status: 200, Skew: -6 * time.Minute, HasToken: true, Confirmed: true,
		Body: "oauth_token=…&oauth_token_secret=…&oauth_callback_confirmed=true",
	}, answer)
	require.EqualValues(t, 1, calls.Load())
	require.Contains(t, diagnostic.CheckRequestToken(answer).Facts,
		diagnostic.Fact{Name: "this machine's clock", Value: "6 minutes ahead of X's"})
}

func TestProbeAccount(t *testing.T) {
	t.Parallel()
	const body = `{"data":{"id":"7","username":"ada","name":"Ada"}}`
	url, _ := answering(t, 200, map[string]string{"x-access-level": "read-write", "Date": "soon"}, body)
	require.Equal(t, diagnostic.Answer{
		Status: 200, AccessLevel: "read-write", UserID: "7", Username: "ada", Body: body,
	}, newApp(url).ProbeAccount(t.Context(), secrets[2], secrets[3]))

	x := &recorder{}
	url = x.serve(t, func(*http.Request) string { return `{"data":{"id":"../7","username":"ada"}}` })
	require.Empty(t, newApp(url).ProbeAccount(t.Context(), secrets[2], secrets[3]).Username, "an account has a number")
	require.Equal(t, "GET /2/users/me", x.requests[0].Method+" "+x.requests[0].RequestURI)
	require.Contains(t, x.requests[0].Header.Get("Authorization"), `oauth_token="4242-token"`)
}

// TestProbesKeepWhatXSays: all of it that tells causes apart.
func TestProbesKeepWhatXSays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   diagnostic.Answer
	}{
		"a number and a message": {
			401, nil, `{"errors":[{"code":32,"message":"Could not authenticate you."},{"code":1}]}`,
			diagnostic.Answer{Status: 401, Code: 32, Detail: "Could not authenticate you."},
		},
		"a number and a message, in XML": {
			403, nil, `<?xml version="1.0" encoding="UTF-8"?><errors><error code="415">Callback URL not approved</error></errors>`,
			diagnostic.Answer{Status: 403, Code: 415, Detail: "Callback URL not approved"},
		},
		"a problem": {
			403,
			map[string]string{"x-access-level": "read"},
			`{"title":"Forbidden","type":"https://api.x.com/2/problems/oauth1-permissions","detail":"Your client app is not configured."}`,
			diagnostic.Answer{
				Status: 403, Kind: "oauth1-permissions", Title: "Forbidden", Detail: "Your client app is not configured.", AccessLevel: "read",
			},
		},
		"a problem with a reason": {
			403, nil, `{"title":"Client Forbidden","reason":"client-not-enrolled","type":"https://api.twitter.com/2/problems/client-forbidden"}`,
			diagnostic.Answer{Status: 403, Kind: "client-forbidden", Title: "Client Forbidden", Reason: "client-not-enrolled", Detail: "Client Forbidden"},
		},
		"a success that is a problem": {
			200, nil, `{"errors":[{"detail":"User has been suspended: [7].","type":"https://api.twitter.com/2/problems/resource-not-found"}]}`,
			diagnostic.Answer{Status: 200, Kind: "resource-not-found", Detail: "User has been suspended: [7]."},
		},
		"a web page":      {503, nil, "<!DOCTYPE html>\n<h1>Over capacity</h1>", diagnostic.Answer{Status: 503, HTML: true}},
		"no words at all": {500, nil, "", diagnostic.Answer{Status: 500}},
		"a form that X calls HTML": {
			403, map[string]string{"Content-Type": "text/html;charset=utf-8"}, "error=no", diagnostic.Answer{Status: 403},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := answering(t, tt.status, tt.header, tt.body)
			for call, probe := range probes(newApp(url)) {
				answer := probe(t.Context())
				require.Equal(t, tt.body, answer.Body, call)
				answer.Body, answer.Skew = "", 0
				require.Equal(t, tt.want, answer, call)
			}
		})
	}
}

func TestAProbeShowsTheBeginningOfABody(t *testing.T) {
	t.Parallel()
	url, _ := answering(t, 503, nil, "é\x00\xff\n"+strings.Repeat("é", 3000))
	for call, probe := range probes(newApp(url)) {
		body := probe(t.Context()).Body
		require.Len(t, []rune(body), 2000, call)
		require.True(t, strings.HasPrefix(body, "é \uFFFD\né"), call)
	}
}

// TestUnreached: why there was no whole answer, for logins and probes alike.
func TestUnreached(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		url     func(*testing.T) string
		message string
		code    string
	}{
		"nobody listens": {
			func(t *testing.T) string { return "http://" + closedPort }, "the connection was refused", "unreachable_refused",
		},
		"the name is not found": {
			func(*testing.T) string { return "http://no..such..name" }, "its name is not found", "unreachable_dns",
		},
		"the certificate is not trusted": {distrusted, "the connection is not secure", "unreachable_tls"},
		"the server does not speak TLS": {
			func(t *testing.T) string { return "https://" + newWire(t, false, writing("220 hello\r\n")).address },
			"the connection is not secure", "unreachable_tls",
		},
		"the server speaks HTTP without TLS": {
			func(t *testing.T) string {
				return "https://" + newWire(t, false, writing("HTTP/1.1 400 Bad Request\r\n\r\n")).address
			},
			"the connection is not secure", "unreachable_tls",
		},
		"no answer comes in time": {
			func(t *testing.T) string { return "http://" + newWire(t, true, hanging).address }, "it did not answer in time", "unreachable_timeout",
		},
		"the connection ends before the answer": {
			func(t *testing.T) string { return "http://" + newWire(t, true, writing("")).address }, "or it broke off", "unreachable",
		},
		"the answer breaks off": {
			func(t *testing.T) string {
				return "http://" + newWire(t, true, writing("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\noauth_token=a&oauth_token_secret=b")).address
			}, "or it broke off", "unreachable",
		},
		"the answer does not end": {
			func(t *testing.T) string {
				return "http://" + newWire(t, true, func(conn net.Conn) {
					_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"))
				}).address
			}, "it did not answer in time", "unreachable_timeout",
		},
		"the address is malformed": {func(*testing.T) string { return "http://bad host" }, "no connection", "unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			patience := testwait.Limit
			if tt.code == "unreachable_timeout" {
				patience = 200 * time.Millisecond
			}
			app := newApp(tt.url(t), func(c *x.AppConfig) { c.Timeout = patience })
			for call, login := range logins(app) {
				said := failed(t, login(t.Context()))
				require.Equal(t, account.TroubleDown, said.Trouble, call)
				require.Contains(t, said.Message, tt.message, call)
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
