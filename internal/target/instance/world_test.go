package instance_test

import (
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/testwait"
	"customerzero/internal/target/golden"
	"customerzero/internal/target/instance"
)

const often = 10 * time.Millisecond

// running is a replica in its own directory.
type running struct{ dir, url string }

func start(t *testing.T) running {
	t.Helper()
	r := running{dir: t.TempDir()}
	for _, name := range target.Files() {
		r.restore(t, name)
	}
	r.url = serve(t, r.dir)
	return r
}

// serve runs a replica on a directory until the test ends and returns its URL.
func serve(t *testing.T, dir string) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, leave := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- instance.Run(ctx, instance.Options{Dir: dir, Listener: listener, ProductURL: "http://product.test/"})
	}()
	t.Cleanup(func() {
		leave()
		require.NoError(t, <-ended)
	})
	return "http://" + listener.Addr().String()
}

func (r running) live(name string) string { return filepath.Join(r.dir, "live", name) }

func (r running) restore(t *testing.T, name string) {
	t.Helper()
	text, err := fs.ReadFile(golden.FS, name)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(r.live(name)), 0o700))
	require.NoError(t, os.WriteFile(r.live(name), text, 0o600))
}

func (r running) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	return r.send(t, http.MethodGet, path, nil)
}

// is requires a status from a path and returns the body.
func (r running) is(t *testing.T, want int, path string) (body string) {
	t.Helper()
	status, body := r.get(t, path)
	require.Equal(t, want, status, "%s: %s", path, body)
	return body
}

func (r running) send(t *testing.T, method, path string, header http.Header) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, r.url+path, http.NoBody)
	require.NoError(t, err)
	for name, values := range header {
		request.Header[name] = values
	}
	answer, err := testwait.Client.Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

func (r running) beat(t *testing.T) (beat target.Heartbeat) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(r.is(t, http.StatusOK, "/heartbeat")), &beat))
	return beat
}

// answers waits until a path returns a status.
func (r running) answers(t *testing.T, status int, path string) {
	t.Helper()
	require.Eventually(t, func() bool {
		got, _ := r.get(t, path)
		return got == status
	}, testwait.Limit, often, "%s does not answer %d", path, status)
}

func TestMain(m *testing.M) { testwait.Main(m, "8") }
