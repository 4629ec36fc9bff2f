package x_test

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/platform/testwait"
)

const backURL = "http://127.0.0.1:8080/api/auth/x/callback"

// underWay is a login that the person has not approved yet.
var underWay = account.RequestToken{Token: "request-token", Secret: "request-secret"}

const verifier = "the-verifier"

func newApp(baseURL string, changes ...func(*x.AppConfig)) *x.App {
	config := x.AppConfig{
		BaseURL: baseURL, ConsumerKey: secrets[0], ConsumerSecret: secrets[1],
		Timeout: testwait.Limit, Now: func() time.Time { return noon },
	}
	for _, change := range changes {
		change(&config)
	}
	return x.NewApp(config)
}

// failed returns the error of a login, and checks that it contains no secret.
func failed(t *testing.T, err error) *account.XError {
	t.Helper()
	require.Error(t, err)
	failure, ok := errors.AsType[*account.XError](err)
	require.True(t, ok, "%T", err)
	require.NotEmpty(t, failure.Message)
	require.Equal(t, "X: "+failure.Message, err.Error())
	for _, secret := range append([]string{underWay.Token, underWay.Secret, verifier}, secrets...) {
		require.NotContains(t, err.Error(), secret)
	}
	return failure
}

// second returns the error of a call with a result.
func second[T any](_ T, err error) error { return err }

// logins makes the calls of a login.
func logins(a *x.App) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"request token": func(ctx context.Context) error { return second(a.RequestToken(ctx, backURL)) },
		"access token":  func(ctx context.Context) error { return second(a.Identify(ctx, underWay, verifier)) },
	}
}

func TestRequestToken(t *testing.T) {
	t.Parallel()
	x := &recorder{}
	url := x.serve(t, func(*http.Request) string {
		return "oauth_token=a%2Bb&oauth_token_secret=c&oauth_callback_confirmed=true\n"
	})
	token, err := newApp(url+"/").RequestToken(t.Context(), backURL)
	require.NoError(t, err)
	require.Equal(t, account.RequestToken{Token: "a+b", Secret: "c"}, token)
	require.Len(t, x.requests, 1)
	require.Equal(t, "POST /oauth/request_token", x.requests[0].Method+" "+x.requests[0].RequestURI)
	require.Contains(t, x.requests[0].Header.Get("Authorization"),
		`oauth_callback="http%3A%2F%2F127.0.0.1%3A8080%2Fapi%2Fauth%2Fx%2Fcallback", oauth_consumer_key="consumer-key"`)
	require.Equal(t, "customerzero", x.requests[0].Header.Get("User-Agent"))
	require.Empty(t, x.bodies[0])
}

func TestAccessToken(t *testing.T) {
	t.Parallel()
	recorded := &recorder{}
	png := "\x89PNG\x0D\x0A\x1A\x0A and so on"
	host, picture, body := "", "", ""
	host = recorded.serve(t, func(r *http.Request) string {
		switch r.URL.Path {
		case "/2/users/me":
			return `{"data":{"id":"7","username":"Ada_L","profile_image_url":"` + picture + `"}}`
		case "/a.png":
			return body
		}
		return "oauth_token=7-a&oauth_token_secret=b&user_id=7&screen_name=Ada_L"
	})
	for name, tt := range map[string]struct{ picture, body, avatar string }{
		"a picture":           {host + "/a.png", png, "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(png))},
		"none":                {"", png, ""},
		"on another host":     {"http://127.0.0.1:1/a.png", png, ""},
		"a page":              {host + "/a.png", "<script>", ""},
		"too large a picture": {host + "/a.png", png + strings.Repeat("x", 32<<10), ""},
	} {
		picture, body = tt.picture, tt.body
		who, err := newApp(host, func(c *x.AppConfig) { c.PictureHost = host }).Identify(t.Context(), underWay, verifier)
		require.NoError(t, err, name)
		require.Equal(t, account.XUser{ID: "7", Handle: "Ada_L", Avatar: tt.avatar}, who, name)
	}
	require.Equal(t, "POST /oauth/access_token", recorded.requests[0].Method+" "+recorded.requests[0].RequestURI)
	authorization := recorded.requests[0].Header.Get("Authorization")
	require.Contains(t, authorization, `oauth_token="request-token"`)
	require.Contains(t, authorization, `oauth_verifier="the-verifier"`)
}

func TestConsentURL(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ authorizeURL, want string }{
		"X's own page":        {"", "https://api.x.com/oauth/authorize?oauth_token=a%2Bb%26c"},
		"a page of one's own": {"http://127.0.0.1/sandbox/x/oauth/authorize", "http://127.0.0.1/sandbox/x/oauth/authorize?oauth_token=a%2Bb%26c"},
		"a page with a query": {"https://x.com/a?lang=en", "https://x.com/a?lang=en&oauth_token=a%2Bb%26c"},
	} {
		app := newApp("https://api.x.com/", func(c *x.AppConfig) { c.AuthorizeURL = tt.authorizeURL })
		consent := app.ConsentURL("a+b&c")
		require.Equal(t, tt.want, consent, name)
		parsed, err := url.Parse(consent)
		require.NoError(t, err, name)
		require.Equal(t, "a+b&c", parsed.Query().Get("oauth_token"), name)
	}
}

// TestLoginTrouble classifies X's responses to both calls of a login.
func TestLoginTrouble(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status  int
		body    string
		trouble account.XTrouble
		message string
	}{
		"over capacity, as a web page": {503, "<!DOCTYPE html><h1>Over capacity</h1>", "down", "it returned status 503"},
		"over capacity, in JSON":       {500, `{"errors":[{"code":130,"message":"Over capacity"}]}`, "down", "it returned status 500"},
		"the keys are wrong":           {401, `{"errors":[{"code":32,"message":"Could not authenticate you."}]}`, "refused", "Could not authenticate you."},
		"the callback is not listed":   {403, `{"errors":[{"code":415,"message":"Callback URL not approved for this client application."}]}`, "refused", "Callback URL not approved for this client application."},
		"the callback is not listed, in XML": {
			403, `<?xml version='1.0' encoding='UTF-8'?><errors><error code="415">Callback URL not
				approved for this client application.</error></errors>`,
			"refused", "Callback URL not approved for this client application.",
		},
		"no callback is listed, in older XML": {
			401, `<?xml version="1.0" encoding="UTF-8"?><hash><error>Desktop applications only support the oauth_callback value 'oob'</error><request>/oauth/request_token</request></hash>`,
			"refused", "Desktop applications only support the oauth_callback value 'oob'",
		},
		"a refusal in the words of API v2": {429, `{"title":"Too Many Requests","detail":"Slow down"}`, "refused", "Slow down"},
		"a refusal without words":          {403, "", "refused", "it returned status 403"},
		"a refusal as a web page":          {403, "<!DOCTYPE html><title>Sorry</title>", "refused", "it returned status 403"},
		"a refusal that repeats secrets":   {400, `{"errors":[{"message":"consumer-key, consumer-secret&% and oauth_token=abc\u0000 are no good"}]}`, "refused", "…, … and oauth_token=… are no good"},
		"a redirect":                       {302, "", "nonsense", "it returned status 302"},
		"a success that is no form":        {200, "<html>100% café</html>", "nonsense", "its response is not a form"},
		"a success without a secret":       {200, "oauth_token=a&oauth_callback_confirmed=true", "nonsense", "it returned no"},
		"a success without a token":        {200, "oauth_token_secret=a&oauth_callback_confirmed=true", "nonsense", "it returned no"},
		"a success without anything":       {200, "", "nonsense", "it returned no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, calls := answering(t, tt.status, nil, tt.body)
			for call, login := range logins(newApp(url)) {
				failure := failed(t, login(t.Context()))
				require.Equal(t, tt.trouble, failure.Trouble, call)
				require.Equal(t, tt.status, failure.Status, call)
				require.Contains(t, failure.Message, tt.message, call)
			}
			require.EqualValues(t, 2, calls.Load(), "never a second time")
		})
	}
}

// Proves: V10.2.1
func TestARequestTokenHasToBeConfirmed(t *testing.T) {
	t.Parallel()
	for _, confirmed := range []string{"", "&oauth_callback_confirmed=", "&oauth_callback_confirmed=false", "&oauth_callback_confirmed=TRUE"} {
		url, _ := answering(t, 200, nil, "oauth_token=a&oauth_token_secret=b"+confirmed)
		token, err := newApp(url).RequestToken(t.Context(), backURL)
		require.Equal(t, account.TroubleNonsense, failed(t, err).Trouble, confirmed)
		require.Empty(t, token)
	}
}

func TestAnAccessTokenIsSomebodys(t *testing.T) {
	t.Parallel()
	for name, who := range map[string]string{
		"without an account":       "",
		"without an ID":            "&screen_name=ada",
		"without a handle":         "&user_id=7",
		"with an ID of letters":    "&user_id=ada&screen_name=ada",
		"with an ID that is huge":  "&user_id=12345678901234567890&screen_name=ada",
		"with an @ in the handle":  "&user_id=7&screen_name=@ada",
		"with a handle too long":   "&user_id=7&screen_name=abcdefghijklmnop",
		"with blanks in handle":    "&user_id=7&screen_name=ada+",
		"with a handle of a trick": "&user_id=7&screen_name=ad%D0%B0",
	} {
		url, _ := answering(t, 200, nil, "oauth_token=a&oauth_token_secret=b"+who)
		who, err := newApp(url).Identify(t.Context(), underWay, verifier)
		require.Equal(t, account.TroubleNonsense, failed(t, err).Trouble, name)
		require.Empty(t, who, name)
	}
}

func TestALoginThatIsGivenUp(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server := newWire(t, true, hanging)
	for call, login := range logins(newApp("http://" + server.address)) {
		failure := failed(t, login(ctx))
		require.Equal(t, account.TroubleDown, failure.Trouble, call)
		require.Zero(t, failure.Status, call)
	}
	require.Zero(t, server.calls.Load())
}

// probes makes the calls of a diagnosis.
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
	require.NotEqual(t, first.BaseHash, second.BaseHash)
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

// TestProbesKeepWhatXSays checks that an answer keeps everything that distinguishes causes.
func TestProbesKeepWhatXSays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		header map[string]string
		body   string
		want   diagnostic.Answer
	}{
		"a number and a message": {401, nil, `{"errors":[{"code":32,"message":"Could not authenticate you."},{"code":1}]}`, diagnostic.Answer{Status: 401, Code: 32, Detail: "Could not authenticate you."}},
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
		"a web page":               {503, nil, "<!DOCTYPE html>\n<h1>Over capacity</h1>", diagnostic.Answer{Status: 503, HTML: true}},
		"no words at all":          {500, nil, "", diagnostic.Answer{Status: 500}},
		"a form that X calls HTML": {403, map[string]string{"Content-Type": "text/html;charset=utf-8"}, "error=no", diagnostic.Answer{Status: 403}},
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
