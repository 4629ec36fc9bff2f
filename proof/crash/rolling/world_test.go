package rolling

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/platform/testwait"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/rig"
)

const patience = testwait.Limit

// world is a cluster with a founder.
type world struct {
	*cluster.Cluster
	founder *rig.Caller
}

func startCluster(t *testing.T) world {
	t.Helper()
	root, err := rig.ModuleRoot()
	require.NoError(t, err)
	dir, err := os.MkdirTemp("", "customerzero-rolling.") // not below a directory of root's alone: Postgres passes
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	o := cluster.Options{
		Dir: dir, Temporald: os.Getenv("TEMPORAL_BIN"), Caddy: filepath.Join(root, "bin", "caddy"),
		Caddyfile: filepath.Join(root, "deploy", "Caddyfile"), APIs: 2, Workers: 2, Out: t.Output(),
		Settings: []string{"GAME_DAY=off", "VERIFY_EVERY=off", "POST_SEND_TIMEOUT=10s"},
	}
	if o.Temporald == "" {
		o.Temporald = filepath.Join(root, "bin", "temporald")
	}
	require.FileExists(t, o.Temporald, "run make build")
	require.FileExists(t, o.Caddy, "run make bin/caddy")
	if o.Product = os.Getenv("CRASH_PRODUCT"); o.Product == "" {
		o.Product, err = rig.Build(t.Context(), root, t.TempDir())
		require.NoError(t, err)
	}
	c, err := cluster.Start(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	founder := rig.NewCaller(c.URL, http.Header{"X-Admin-Key": {c.AdminKey}})
	founder.HTTP.Timeout = patience
	return world{c, founder}
}

// post makes a call that must succeed.
func (w world) post(t *testing.T, path string, body, reply any) {
	t.Helper()
	require.Equal(t, rig.Success, w.founder.Call(t.Context(), http.MethodPost, path, body, reply).Outcome, path)
}

// write schedules a post.
func (w world) write(t *testing.T, member, text string, ahead time.Duration) {
	t.Helper()
	post := api.NewPost{Content: text, Member: member, ScheduledAt: time.Now().Add(ahead).Format(time.RFC3339Nano)}
	w.post(t, "/api/posts", post, &api.PostReply{})
}

// timeline is every text that X took.
func (w world) timeline(t *testing.T) (texts []string) {
	t.Helper()
	resp, err := http.Get(w.SandboxURL + "/sandbox/x/timeline.json")
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	var said struct{ Tweets []struct{ Text string } }
	require.NoError(t, json.NewDecoder(resp.Body).Decode(&said))
	for _, tweet := range said.Tweets {
		texts = append(texts, tweet.Text)
	}
	return texts
}

// pay fills in a payment page, which is shown through the proxy.
func (w world) pay(t *testing.T, page string) {
	t.Helper()
	form := url.Values{"email": {"buyer@example.com"}, "card": {"4242"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, page, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	stays := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := stays.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusSeeOther, resp.StatusCode)
}
