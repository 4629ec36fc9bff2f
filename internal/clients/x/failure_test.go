package x_test

import (
	"cmp"
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/testwait"
)

// TestPublishThatNeverLeft: without a connection nothing can have happened.
// Proves: F8
func TestPublishThatNeverLeft(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		url   func(*testing.T) string
		limit time.Duration
		hint  string
	}{
		"nobody listens": {
			url: func(t *testing.T) string { return "http://" + closedPort }, hint: "refused",
		},
		"the name is not found": {
			url: func(*testing.T) string { return "http://no..such..name" }, hint: "name is not found",
		},
		"the certificate is not trusted": {url: distrusted, hint: "not secure"},
		"the server does not speak TLS": {
			url:  func(t *testing.T) string { return "https://" + newWire(t, false, writing("220 hello\r\n")).address },
			hint: "not secure",
		},
		"the server hangs up during the TLS handshake": {
			url:  func(t *testing.T) string { return "https://" + newWire(t, false, resetting).address },
			hint: "no connection",
		},
		"the server falls silent during the TLS handshake": {
			url:   func(t *testing.T) string { return "https://" + newWire(t, false, hanging).address },
			limit: 50 * time.Millisecond, hint: "in time",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newClient(tt.url(t), timeout(cmp.Or(tt.limit, testwait.Limit))).Publish(t.Context(), post.Draft{Text: "hello"})
			failed := said(t, err)
			require.Equal(t, post.NotSent, failed.Class)
			require.Equal(t, "x_unreachable", failed.Code)
			require.Contains(t, failed.Message, tt.hint)
		})
	}
}

// Proves: F8
func TestPublishThatCameTooLate(t *testing.T) {
	t.Parallel()
	server := newWire(t, true, hanging)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := newClient("http://"+server.address).Publish(ctx, post.Draft{Text: "hello"})
	require.Equal(t, post.NotSent, said(t, err).Class)
	require.Zero(t, server.calls.Load())
}

// Proves: F8
func TestPublishWhileWeShutDown(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := newWire(t, true, func(net.Conn) { cancel() })
	_, err := newClient("http://"+server.address).Publish(ctx, post.Draft{Text: "hello"})
	require.Equal(t, post.Unclear, said(t, err).Class, "X has the request")

	_, err = newClient("http://"+server.address).Publish(ctx, post.Draft{Text: "hello"})
	require.Equal(t, post.NotSent, said(t, err).Class)
	require.EqualValues(t, 1, server.calls.Load())
}

// TestPublishWithoutAWholeAnswer: once there was a connection, it may have happened.
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
		"the connection ends after the request":             {false, writing(""), "x_unclear"},
		"no answer comes in time":                           {false, hanging, "x_timeout"},
		"the request is never read":                         {true, hanging, "x_timeout"},
		"the answer is not HTTP":                            {false, writing("hello\r\n\r\n"), "x_unclear"},
		"the head of the answer is cut":                     {false, writing(created + "Content-Le"), "x_unclear"},
		"the body of the answer is cut": {
			false, writing(created + "Content-Length: 100\r\n\r\n" + `{"data":{"id":"1"`), "x_unclear",
		},
		"the body of the answer is half of JSON": {
			false, writing(created + "Content-Length: 17\r\n\r\n" + `{"data":{"id":"1"`), "x_unclear",
		},
		"the body of the answer never ends": {
			false, func(conn net.Conn) { _, _ = conn.Write([]byte(created + "Content-Length: 100\r\n\r\n{")) }, "x_timeout",
		},
		"a refusal is cut, and may have said duplicate": {
			false, writing("HTTP/1.1 403 Forbidden\r\nContent-Length: 100\r\n\r\n" + `{"detail":"You are not`), "x_unclear",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newWire(t, !tt.unread, tt.serve)
			client := newClient("http://"+server.address, timeout(map[string]time.Duration{
				"x_timeout": 2 * time.Second, "x_unclear": testwait.Limit,
			}[tt.code]))
			_, err := client.Publish(t.Context(), post.Draft{Text: "hello"})
			failed := said(t, err)
			require.Equal(t, post.Unclear, failed.Class)
			require.Equal(t, tt.code, failed.Code)
			require.EqualValues(t, 1, server.connections.Load(), "never a second time")
		})
	}
}

// TestPublishToAServerThatResetsAtOnce: the reset may come before or after there was a
// connection; nothing is sent twice for it.
// Proves: F8
func TestPublishToAServerThatResetsAtOnce(t *testing.T) {
	t.Parallel()
	server := newWire(t, false, resetting)
	_, err := newClient("http://"+server.address).Publish(t.Context(), post.Draft{Text: "hello"})
	require.Contains(t, []post.Class{post.NotSent, post.Unclear}, said(t, err).Class)
	require.EqualValues(t, 1, server.connections.Load())
}

// TestPublishOnAWornConnection: net/http would quietly send again what failed on a
// connection that served before.
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
	require.Equal(t, post.Unclear, said(t, err).Class)
	require.EqualValues(t, 2, server.calls.Load())
}

// Proves: F8
func TestReadsAreToldApartAlike(t *testing.T) {
	t.Parallel()
	silent := newWire(t, true, hanging)
	for name, tt := range map[string]struct {
		url   string
		class post.Class
	}{
		"nobody listens":          {"http://" + closedPort, post.NotSent},
		"no answer comes in time": {"http://" + silent.address, post.Unclear},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for what, call := range reads(newClient(tt.url, timeout(500*time.Millisecond))) {
				require.Equal(t, tt.class, said(t, call(t.Context())).Class, what)
			}
		})
	}
}

func reads(c *x.Client) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"me": func(ctx context.Context) error {
			_, err := c.Me(ctx)
			return err
		},
		"timeline": func(ctx context.Context) error {
			_, err := c.Timeline(ctx, noon)
			return err
		},
		"metrics": func(ctx context.Context) error {
			_, err := c.Metrics(ctx, []string{"1"})
			return err
		},
		"delete": func(ctx context.Context) error { return c.Delete(ctx, "1") },
	}
}
