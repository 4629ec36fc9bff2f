package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/post"
	"customerzero/internal/platform/backup"
	"customerzero/internal/platform/ports/portstest"
)

// program runs a command of the program to its end, on a data directory.
func program(dir string, settings []string, args ...string) (said string, err error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "DATA_DIR="+dir, "ADMIN_KEY=", "SECRET_KEYS=", "DATABASE_URL=", "TEMPORAL_ADDRESS=")
	cmd.Env = append(cmd.Env, settings...)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// backUp backs a data directory up, and reads what is in the file.
func backUp(t *testing.T, dir string, settings ...string) (file string, found backup.Manifest) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "backup.tar.gz")
	said, err := program(dir, settings, "backup", file)
	require.NoError(t, err, said)
	require.Contains(t, said, "The keys are not in it")
	return file, read(t, file)
}

func read(t *testing.T, file string) backup.Manifest {
	t.Helper()
	in, err := os.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, in.Close()) }()
	found, err := backup.Verify(in, nil)
	require.NoError(t, err)
	return found.Manifest
}

// restore restores into a new data directory that has the keys of another.
func restore(t *testing.T, file, keysOf string, settings []string, flags ...string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.Mkdir(dir, 0o700))
	for _, key := range []string{"secret-keys", "admin-key"} {
		text, err := os.ReadFile(filepath.Join(keysOf, key))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, key), text, 0o600))
	}
	said, err := program(dir, settings, append([]string{"restore", file}, flags...)...)
	require.NoError(t, err, said)
	require.Contains(t, said, "every table as its sum in the backup says")
	return dir
}

// keepKeys copies what is never in a backup, before a data directory is destroyed.
func keepKeys(t *testing.T, dir string) string {
	t.Helper()
	safe := t.TempDir()
	for _, key := range []string{"secret-keys", "admin-key"} {
		text, err := os.ReadFile(filepath.Join(dir, key))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(safe, key), text, 0o600))
	}
	return safe
}

func (u *upped) end(t *testing.T) {
	t.Helper()
	require.NoError(t, u.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, u.cmd.Wait(), "said: %s", u.said)
}

func (u *upped) post(t *testing.T, text string, after time.Duration) string {
	t.Helper()
	body := map[string]string{"content": text}
	if after > 0 {
		body["scheduledAt"] = time.Now().Add(after).UTC().Format(time.RFC3339)
	}
	sent, err := json.Marshal(body)
	require.NoError(t, err)
	var reply api.PostReply
	require.Less(t, u.call(t, "POST", "/api/posts", string(sent), &reply), 300)
	return reply.Post.ID
}

func (u *upped) ends(t *testing.T, id string, status post.Status) (p api.Post) {
	t.Helper()
	require.Eventually(t, func() bool {
		u.call(t, "GET", "/api/posts/"+id, "", &p)
		return p.Status == status
	}, patience, 50*time.Millisecond, "%s, said: %s", status, u.said)
	return p
}

// sendsNow moves a post to this moment.
func (u *upped) sendsNow(t *testing.T, id string) {
	t.Helper()
	at := time.Now().Add(time.Second).UTC().Format(time.RFC3339Nano)
	var reply any
	require.Equal(t, 200, u.call(t, "PATCH", "/api/posts/"+id, `{"scheduledAt":"`+at+`"}`, &reply), reply)
}

// sandboxed is where the sandbox of X is that up runs.
func (u *upped) sandboxed(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(u.dir, "up.json"))
	require.NoError(t, err)
	var found struct{ X string }
	require.NoError(t, json.Unmarshal(text, &found))
	return found.X
}

// refuses makes X refuse posts, or take them again.
func refuses(t *testing.T, x string, posts bool) {
	t.Helper()
	method, body := http.MethodDelete, ""
	if posts {
		method, body = http.MethodPut, `{"seed":1,"rules":[{"on":"post","fault":"no_credits"}]}`
	}
	req, err := http.NewRequestWithContext(t.Context(), method, x+"/sandbox/x/faults", strings.NewReader(body))
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Less(t, resp.StatusCode, 300)
}

// isPublic says how often a text stands on the timeline.
func isPublic(t *testing.T, dir, text string) int {
	t.Helper()
	journal, err := os.ReadFile(filepath.Join(dir, "sandbox-x.jsonl"))
	require.NoError(t, err)
	return strings.Count(string(journal), text)
}

// wishes asks for a page to pay on.
func (u *upped) wishes(t *testing.T) (started api.PaymentStarted) {
	t.Helper()
	resp, err := http.Post(u.url+"/api/dynamic-payment", "application/json", strings.NewReader(`{"service":"founding_membership"}`))
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, 200, resp.StatusCode, string(text))
	require.NoError(t, json.Unmarshal(text, &started))
	return started
}

// pays pays a page, which is under the address that up has now.
func (u *upped) pays(t *testing.T, started api.PaymentStarted) {
	t.Helper()
	page, err := url.Parse(started.PaymentURL)
	require.NoError(t, err)
	form := url.Values{"email": {"buyer@example.com"}, "card": {"4242"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, u.url+page.Path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", u.url)
	browser := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Equal(t, http.StatusSeeOther, resp.StatusCode)
	require.Eventually(t, func() bool {
		var r api.Receipt
		u.call(t, "GET", "/api/receipts/"+started.CheckoutID, "", &r)
		return r.State == "paid"
	}, patience, 100*time.Millisecond, "said: %s", u.said)
}

// outside starts the sandboxes as a world of their own, which no restore takes back.
func outside(t *testing.T) (dir string, settings []string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "world")
	address := portstest.Address(t)
	cmd := exec.Command(os.Args[0], "sandbox")
	said := &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = said, said
	cmd.Env = append(os.Environ(), "DATA_DIR="+dir, "X_SANDBOX_ADDR="+address, "SMTP_SANDBOX_ADDR=127.0.0.1:0", "LOG_LEVEL=info")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool { return strings.Contains(said.String(), "the sandboxes are serving") }, patience, 20*time.Millisecond, "said: %s", said)
	return dir, []string{
		"X_BASE_URL=http://" + address, "X_CONSUMER_KEY=sandbox0consumer0key00000", "X_CONSUMER_SECRET=sandbox0consumer0secret000000000000000000000000000",
		"X_ACCESS_TOKEN=4242-sandbox-access-token", "X_ACCESS_SECRET=sandbox-access-secret", "FOUNDERS=founder_one",
	}
}
