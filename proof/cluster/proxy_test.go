//go:build proof

package cluster

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProxyIsRestartedWithoutLosingARequest has callers who open a connection for each request,
// and others who keep theirs.
func TestProxyIsRestartedWithoutLosingARequest(t *testing.T) {
	t.Parallel()
	c := newProxied(t)
	ctx, stop := context.WithCancel(t.Context())
	var calling sync.WaitGroup
	var asked, lost atomic.Int64
	for i := range 6 {
		caller := http.Client{Transport: &http.Transport{DisableKeepAlives: i%2 == 0}}
		calling.Go(func() {
			for ctx.Err() == nil {
				asked.Add(1)
				if err := ask(&caller, c.URL); err != nil {
					t.Log(i, err)
					lost.Add(1)
				}
			}
		})
	}
	for range 4 {
		require.NoError(t, c.Restart(t.Context(), c.Proxy))
	}
	stop()
	calling.Wait()
	require.Zero(t, lost.Load(), "of %d", asked.Load())
}

func ask(caller *http.Client, url string) error {
	reply, err := caller.Get(url + "/")
	if err != nil {
		return err
	}
	defer func() { _ = reply.Body.Close() }()
	_, err = io.Copy(io.Discard, reply.Body)
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d", reply.StatusCode)
	}
	return err
}

// newProxied is a cluster of a proxy and of servers that do nothing but answer.
func newProxied(t *testing.T) *Cluster {
	t.Helper()
	c := &Cluster{ready: map[*Process]func(context.Context) error{}, options: Options{
		Dir: t.TempDir(), Caddy: filepath.Join("..", "..", "bin", "caddy"), Caddyfile: filepath.Join("..", "..", "deploy", "Caddyfile"),
	}}
	var err error
	for _, path := range []*string{&c.options.Caddy, &c.options.Caddyfile} {
		*path, err = filepath.Abs(*path)
		require.NoError(t, err)
	}
	for range 2 {
		api := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		t.Cleanup(api.Close)
		address := strings.TrimPrefix(api.URL, "http://")
		c.APIs = append(c.APIs, &Process{program: Program{Env: []string{"ADDR=" + address}}})
		c.Cell = &Process{program: Program{Env: []string{"CHAOS_TARGET_ADDR=" + address}}}
	}
	t.Cleanup(c.Stop)
	require.NoError(t, c.listen(t.Context()))
	require.NoError(t, c.startProxy(t.Context()))
	return c
}
