package x

import (
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/dghubble/oauth1"

	"customerzero/internal/platform/telemetry"
)

const maxAnswer = 4 << 20 // bytes; a full page of a timeline is a tenth of it

// signingClient signs every request as the bot's account, on a connection of its own.
func signingClient(config Config) *http.Client {
	base := &http.Client{Transport: telemetry.Transport(onceTransport())}
	signing := oauth1.NewConfig(config.ConsumerKey, config.ConsumerSecret)
	signing.Noncer = oauth1.HexNoncer{}
	client := oauth1.NewClient(context.WithValue(context.Background(), oauth1.HTTPClient, base),
		signing, oauth1.NewToken(config.AccessToken, config.AccessSecret))
	client.CheckRedirect = stay
	return client
}

// stay follows no redirect: a signature is for one address.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// onceTransport never sends a request twice. net/http sends again what failed on a reused
// connection, and HTTP/2 what a server turned away; a fresh HTTP/1.1 connection for each
// request leaves it no reason to. It also makes "got a connection" the line between what
// cannot have left and what may have.
func onceTransport() *http.Transport {
	protocols := &http.Protocols{}
	protocols.SetHTTP1(true)
	return &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, Protocols: protocols}
}

// reply is what came of an HTTP request.
type reply struct {
	status    int // 0: no answer
	header    http.Header
	body      []byte
	connected bool  // without a connection, nothing can have left
	err       error // why there is no answer, or not all of it
}

// exchange makes one HTTP request, and one only.
func exchange(client *http.Client, req *http.Request) reply {
	var connected atomic.Bool
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	resp, err := client.Do(req.WithContext(ctx))
	if err != nil {
		return reply{connected: connected.Load(), err: err}
	}
	defer resp.Body.Close() //nolint:errcheck // read, or given up
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return reply{status: resp.StatusCode, header: resp.Header, body: body, connected: true, err: err}
}
