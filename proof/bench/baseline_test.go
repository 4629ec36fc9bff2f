package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
	"customerzero/proof/bench/baseline"
)

// onBaselines runs a test on a seeded baseline of each kind of database.
func onBaselines(t *testing.T, test func(t *testing.T, site string)) {
	t.Parallel()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			address := testdb.Address(t, kind)
			storetest.Open(t, address)
			require.NoError(t, populate(t.Context(), address), "the seed fits the product's schema")
			page := filepath.Join(t.TempDir(), "page.html")
			require.NoError(t, os.WriteFile(page, []byte("<h1>Hello</h1>"), 0o600))
			handler, leave, err := baseline.Open(t.Context(), address, "", page)
			require.NoError(t, err)
			server := httptest.NewServer(handler)
			t.Cleanup(func() {
				server.Close()
				require.NoError(t, leave())
			})
			test(t, server.URL)
		})
	}
}

func TestBaselinePosts(t *testing.T) {
	onBaselines(t, func(t *testing.T, site string) {
		type page struct {
			Posts []struct {
				ID, Content string
				Member      struct{ Username string }
				Slot        struct {
					Month  string
					Number int
				}
			}
			Counts map[string]int
		}
		var first page
		status, text := send(t, http.MethodGet, site+"/gorm/posts", "")
		require.Equal(t, http.StatusOK, status)
		require.NoError(t, json.Unmarshal(text, &first))
		require.Len(t, first.Posts, 50)
		require.Equal(t, seededPosts*8/10, first.Counts["published"])
		require.Zero(t, first.Counts["draft"])
		slots, members := 0, 0
		for _, p := range first.Posts {
			require.NotEmpty(t, p.Content)
			slots, members = slots+min(p.Slot.Number, 1), members+min(len(p.Member.Username), 1)
		}
		require.Greater(t, members, 35, "every fifth is by the founders")
		require.Greater(t, slots, 35)
		for _, path := range []string{"/memory/posts", "/memory/posts"} {
			status, other := send(t, http.MethodGet, site+path, "")
			require.Equal(t, http.StatusOK, status)
			require.JSONEq(t, string(text), string(other), path)
		}
		_, text = send(t, http.MethodGet, site+"/page", "")
		require.Equal(t, "<h1>Hello</h1>", string(text))
	})
}

func TestBaselineVotes(t *testing.T) {
	onBaselines(t, func(t *testing.T, site string) {
		vote := func(member string, value int) string {
			status, text := send(t, http.MethodPost, site+"/votes", fmt.Sprintf(`{"experimentId":"bench-0","memberId":%q,"vote":%d}`, member, value))
			require.Equal(t, http.StatusOK, status, string(text))
			return string(text)
		}
		vote("voter-1", 1)
		vote("voter-2", 1)
		require.JSONEq(t, `{"success":true,"upvotes":1,"downvotes":1,"my_vote":-1}`, vote("voter-2", -1))
		status, _ := send(t, http.MethodPost, site+"/votes", `{"experimentId":"bench-0","memberId":"voter-1","vote":7}`)
		require.Equal(t, http.StatusInternalServerError, status)
	})
}

func TestBaselineSlots(t *testing.T) {
	onBaselines(t, func(t *testing.T, site string) {
		var granted, refused atomic.Int64
		var crowd sync.WaitGroup
		for i := range 8 {
			crowd.Go(func() {
				for n := range 70 {
					switch status, _ := send(t, http.MethodPost, site+"/slots", fmt.Sprintf(`{"id":"%d-%d","month":"baseline-3"}`, i, n)); status {
					case http.StatusCreated:
						granted.Add(1)
					case http.StatusTooManyRequests:
						refused.Add(1)
					}
				}
			})
		}
		crowd.Wait()
		require.EqualValues(t, 500, granted.Load())
		require.EqualValues(t, 60, refused.Load())
	})
}

func TestBallots(t *testing.T) {
	t.Parallel()
	type cast struct {
		voter   int
		subject string
	}
	seen := map[cast]map[int]bool{}
	for n := range int64(2 * seededMembers * seededExperiments) {
		who, subject, value := ballotOf(n, seededExperiments)
		key := cast{who, subject}
		if seen[key] == nil {
			seen[key] = map[int]bool{}
		}
		seen[key][value] = true
	}
	require.Len(t, seen, seededMembers*seededExperiments)
	for key, values := range seen {
		require.Equal(t, map[int]bool{1: true, -1: true}, values, key)
	}
}

func send(t *testing.T, method, url, body string) (status int, text []byte) {
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewBufferString(body))
	if err != nil {
		return 0, nil
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ = io.ReadAll(resp.Body)
	return resp.StatusCode, text
}
