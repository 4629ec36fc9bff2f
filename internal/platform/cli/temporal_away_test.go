package cli_test

import (
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// A Temporal server that was stopped takes connections, and says nothing. Orders that only a run can
// carry out are refused in time, posts are taken, and all goes on by itself.
// Proves: F5
func TestWithoutTemporalPeopleAreAnsweredInTime(t *testing.T) {
	t.Parallel()
	up := startUp(t, filepath.Join(t.TempDir(), "data"))
	var known api.PostReply
	require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", later("first thought"), &known))
	temporal := temporalOf(t, up.cmd.Process.Pid)
	t.Cleanup(func() { _ = syscall.Kill(temporal, syscall.SIGCONT) })

	require.NoError(t, syscall.Kill(temporal, syscall.SIGSTOP))
	var refused httpapi.Problem
	var taken api.PostReply
	var asking sync.WaitGroup
	asking.Go(func() {
		if status := up.call(t, "PATCH", "/api/posts/"+known.Post.ID, `{"content":"second thought"}`, &refused); status != http.StatusServiceUnavailable {
			t.Errorf("an order that nobody carries out was answered %d", status)
		}
	})
	asking.Go(func() {
		if status := up.call(t, "POST", "/api/posts", `{"content":"written meanwhile"}`, &taken); status != http.StatusCreated {
			t.Errorf("a post was answered %d", status)
		}
	})
	asking.Wait()
	require.Equal(t, problem.Unavailable, refused.Code)
	require.NotEmpty(t, refused.Message)
	require.Equal(t, http.StatusOK, up.call(t, "GET", "/api/posts/"+known.Post.ID, "", &struct{}{}), "reads need no Temporal")

	require.NoError(t, syscall.Kill(temporal, syscall.SIGCONT))
	up.carriesOut(t, known.Post.ID, "third thought")
	up.sends(t, taken.Post.ID)

	require.NoError(t, syscall.Kill(temporal, syscall.SIGKILL))
	require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", `{"content":"written after its death"}`, &taken))
	up.carriesOut(t, known.Post.ID, "fourth thought")
	up.sends(t, taken.Post.ID)
	up.leave(t)
}

// leave ends it in good order: what it has started is gone, too.
func (u *upped) leave(t *testing.T) {
	t.Helper()
	require.NoError(t, u.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, u.cmd.Wait())
}

// carriesOut gives an order until it is carried out.
func (u *upped) carriesOut(t *testing.T, id, text string) {
	t.Helper()
	require.Eventually(t, func() bool {
		var reply api.PostReply
		return u.call(t, "PATCH", "/api/posts/"+id, `{"content":"`+text+`"}`, &reply) == http.StatusOK && reply.Post.Content == text
	}, patience, 50*time.Millisecond, "said: %s", u.said)
}

// sends waits until a post is out.
func (u *upped) sends(t *testing.T, id string) {
	t.Helper()
	var sent api.Post
	require.Eventually(t, func() bool {
		u.call(t, "GET", "/api/posts/"+id, "", &sent)
		return sent.Status == post.StatusPublished
	}, patience, 50*time.Millisecond, "said: %s", u.said)
}
