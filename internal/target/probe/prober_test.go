package probe_test

import (
	"bytes"
	"context"
	"encoding/json"
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
	"customerzero/internal/target/probe"
)

func TestAWellChaosTargetFailsNoCheck(t *testing.T) {
	t.Parallel()
	sample := newWorld(t).fails(t)
	require.True(t, sample.Healthy())
	require.Equal(t, 42, sample.Process)
	require.Positive(t, sample.Took)
}

// Proves: V15.3.2
func TestAPageIsWellWhenItIsTheRightOne(t *testing.T) {
	t.Parallel()
	elsewhere := func(out http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			http.Redirect(out, r, "/?again", http.StatusFound)
			return
		}
		says(`<html data-target="home">`)(out, r)
	}
	endless := func(out http.ResponseWriter, _ *http.Request) {
		_, _ = out.Write([]byte(`<html data-target="home">`))
		for { // until the client disconnects
			if _, err := out.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
				return
			}
		}
	}
	for name, tt := range map[string]struct {
		path   string
		answer http.HandlerFunc
		fails  target.Check
	}{
		"home answers an error":             {"/", status(http.StatusInternalServerError), target.CheckHome},
		"home is another page":              {"/", says(`<html data-target="error">`), target.CheckHome},
		"home is empty":                     {"/", says(""), target.CheckHome},
		"home redirects":                    {"/", elsewhere, target.CheckHome},
		"home never ends":                   {"/", endless, target.CheckHome},
		"posts answer an error":             {"/posts", status(http.StatusInternalServerError), target.CheckPosts},
		"posts are not there, but 200":      {"/posts", says("ok"), target.CheckPosts},
		"the picture is gone":               {"/og-image.png", status(http.StatusNotFound), target.CheckOGImage},
		"the picture is another one":        {"/og-image.png", says(string(picture) + "x"), target.CheckOGImage},
		"the API answers an error":          {"/api/bot-status", status(http.StatusInternalServerError), target.CheckAPI},
		"the API answers no JSON":           {"/api/bot-status", says("ok"), target.CheckAPI},
		"the API answers something else":    {"/api/bot-status", says(`{}`), target.CheckAPI},
		"the worker has no heartbeat":       {"/heartbeat", status(http.StatusNotFound), target.CheckWorker},
		"the worker reports an error":       {"/heartbeat", answers(target.Heartbeat{At: time.Now().Add(time.Minute), Error: "unhealthy"}), target.CheckWorker},
		"the worker's heartbeat is too old": {"/heartbeat", answers(target.Heartbeat{At: time.Now().Add(-2 * target.HeartbeatFresh)}), target.CheckWorker},
		"the worker's heartbeat is empty":   {"/heartbeat", answers(target.Heartbeat{}), target.CheckWorker},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.page(tt.path, tt.answer)
			w.fails(t, tt.fails)
		})
	}
}

func TestAPageThatDoesNotAnswerInTimeFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.page("/", w.hangs)
	w.checksHanging = 1
	w.fails(t, target.CheckHome)
}

func TestWhatOnlyTheSupervisorKnows(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		inspection target.Inspection
		fails      []target.Check
	}{
		"files that are wrong": {
			target.Inspection{Process: target.Process{ID: 7}, Files: []string{target.FileHome, target.FileRules}},
			[]target.Check{target.FileCheck(target.FileHome), target.FileCheck(target.FileRules)},
		},
		"a database that is wrong": {target.Inspection{Process: target.Process{ID: 7}, Database: "malformed"}, []target.Check{target.CheckDatabase}},
		"an unknown file":          {target.Inspection{Process: target.Process{ID: 7}, Files: []string{"etc/passwd"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.supervisor(target.PathInspect, answers(tt.inspection))
			require.Equal(t, 7, w.fails(t, tt.fails...).Process)
		})
	}
}

func TestADeadProcessIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path := range w.pages {
		w.page(path, w.hangs) // as a listener without accept
	}
	w.supervisor(target.PathInspect, answers(target.Inspection{}))
	sample := w.fails(t, target.CheckProcess, target.CheckWorker, target.CheckHome, target.CheckPosts, target.CheckOGImage, target.CheckAPI)
	require.Zero(t, sample.Process, "no check waits for its timeout, which never ends here")
}

func TestALookHasItsTime(t *testing.T) {
	t.Parallel()
	within, cancel := newWorld(t).Within(t.Context())
	defer cancel()
	ends, ok := within.Deadline()
	require.True(t, ok)
	require.LessOrEqual(t, time.Until(ends), target.ProbeTimeout)
}

func TestASilentSupervisorHidesWhatOnlyItCouldSay(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"an error": status(http.StatusInternalServerError), "nothing": nil, "no JSON": says("ok"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if answer == nil {
				answer = w.hangs
				w.checksHanging = 2 // the image check requests the manifest
			}
			w.supervisor(target.PathInspect, answer)
			w.supervisor(target.PathManifest, answer)
			require.Zero(t, w.fails(t, target.CheckSupervisor).Process)
			w.page("/og-image.png", says("no picture"))
			w.fails(t, target.CheckSupervisor, target.CheckOGImage)
		})
	}
}

func TestAPictureThatIsWrongStaysWrongWhenTheSupervisorFallsSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fails(t)
	w.supervisor(target.PathManifest, status(http.StatusInternalServerError))
	w.fails(t)
	w.page("/og-image.png", says(string(picture)+"x"))
	w.fails(t, target.CheckOGImage)
}

func TestANewSupervisorMayHaveANewPicture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fails(t)
	newer := append(bytes.Clone(picture), "newer"...)
	w.page("/og-image.png", says(string(newer)))
	w.supervisor(target.PathManifest, answers(manifestOf(newer)))
	w.fails(t)
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	sample := probe.New("http://127.0.0.1:1", "http://127.0.0.1:1", key).Probe(t.Context())
	require.Equal(t, target.Failed(target.CheckSupervisor, target.CheckWorker, target.CheckHome, target.CheckPosts, target.CheckOGImage, target.CheckAPI), sample.Failing)
}

func TestAWrongKeyMakesTheSupervisorSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text, err := json.Marshal(target.Refusal{Error: "The key is wrong."})
	require.NoError(t, err)
	w.supervisor(target.PathInspect, func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(http.StatusUnauthorized)
		_, _ = out.Write(text)
	})
	w.fails(t, target.CheckSupervisor)
	_, err = w.Inspect(t.Context())
	require.ErrorContains(t, err, "correct CHAOS_TARGET_KEY")
}

func TestTheRealPagesAreWellUntilTheyAreBroken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "live"), golden.FS))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, leave := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- instance.Run(ctx, instance.Options{Dir: dir, Listener: listener}) }()
	t.Cleanup(func() {
		leave()
		require.NoError(t, <-ended)
	})
	real, err := fs.ReadFile(golden.FS, target.FileOGImage)
	require.NoError(t, err)
	w := newWorld(t)
	w.supervisor(target.PathManifest, answers(manifestOf(real)))
	prober := probe.New("http://"+listener.Addr().String(), w.supervisorURL, key)
	var failing target.Failing
	sees := func(damage error, more ...target.Check) {
		t.Helper()
		require.NoError(t, damage)
		failing |= target.Failed(more...)
		require.Eventually(t, func() bool { return prober.Probe(t.Context()).Failing == failing }, testwait.Limit, 10*time.Millisecond)
	}
	sees(nil)
	sees(os.RemoveAll(filepath.Join(dir, "live", "templates")), target.CheckHome, target.CheckPosts)
	sees(os.Remove(filepath.Join(dir, "live", target.FileOGImage)), target.CheckOGImage)
	sees(os.Remove(filepath.Join(dir, "live", target.FileRules)), target.CheckWorker)
	sees(os.Truncate(filepath.Join(dir, "target.db"), 0), target.CheckAPI)
}
