package cli_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

// mayWrite limits how long the files of processes may get: to nothing, which stands in for a full
// disk, or not at all.
func mayWrite(t *testing.T, anything bool, processes ...int) {
	t.Helper()
	for _, process := range processes {
		var room unix.Rlimit
		require.NoError(t, unix.Prlimit(process, unix.RLIMIT_FSIZE, nil, &room))
		if room.Cur = 0; anything {
			room.Cur = room.Max
		}
		require.NoError(t, unix.Prlimit(process, unix.RLIMIT_FSIZE, &room, nil))
	}
}

// temporalOf is the Temporal server that a process has started.
func temporalOf(t *testing.T, process int) int {
	t.Helper()
	out, err := exec.Command("ps", "-o", "pid=,args=", "--ppid", strconv.Itoa(process)).Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.Contains(rest, "temporald") {
			found, err := strconv.Atoi(id)
			require.NoError(t, err)
			return found
		}
	}
	require.Fail(t, "it has no Temporal server", string(out))
	return 0
}

// The disk is full for the product alone, and for its Temporal server, too.
// Proves: F24
func TestAFullDiskStopsWritesAndNothingElse(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} {
		t.Run(fmt.Sprintf("Temporal's disk, too: %t", whole), func(t *testing.T) {
			t.Parallel()
			up := startUp(t, filepath.Join(t.TempDir(), "data"))
			processes := []int{up.cmd.Process.Pid}
			if whole {
				processes = append(processes, temporalOf(t, processes[0]))
			}
			kept := up.promise(t, "before")
			mayWrite(t, false, processes...)
			for n := range 3 {
				var refused httpapi.Problem
				require.Equal(t, http.StatusServiceUnavailable, up.call(t, "POST", "/api/posts", later(fmt.Sprintf("refused %d", n)), &refused))
				require.Equal(t, problem.Unavailable, refused.Code)
				require.Contains(t, refused.Message, "Nothing can be stored at the moment")
			}
			require.Equal(t, []string{kept}, up.texts(t), "reads go on")
			for _, path := range []string{"/healthz", "/api/experiments", "/api/stats"} {
				require.Equal(t, http.StatusOK, up.call(t, "GET", path, "", &struct{}{}), path)
			}

			mayWrite(t, true, processes...)
			again := up.promise(t, "after")
			require.ElementsMatch(t, []string{kept, again}, up.texts(t), "what was refused is not there")
			var now api.PostReply
			require.Equal(t, http.StatusCreated, up.call(t, "POST", "/api/posts", `{"content":"it goes on by itself"}`, &now))
			up.sends(t, now.Post.ID)
			up.leave(t)
		})
	}
}

func later(text string) string {
	return `{"content":"` + text + `","scheduledAt":"` + time.Now().Add(48*time.Hour).UTC().Format(time.RFC3339) + `"}`
}

// promise writes a post for another day, which must be taken.
func (u *upped) promise(t *testing.T, text string) string {
	t.Helper()
	var reply api.PostReply
	require.Equal(t, http.StatusCreated, u.call(t, "POST", "/api/posts", later(text), &reply))
	return text
}

func (u *upped) texts(t *testing.T) (texts []string) {
	t.Helper()
	var list struct{ Posts []api.Post }
	require.Equal(t, http.StatusOK, u.call(t, "GET", "/api/posts?status=scheduled", "", &list))
	for _, p := range list.Posts {
		texts = append(texts, p.Content)
	}
	return texts
}
