package prober_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/cell"
	"customerzero/internal/prober"
)

func TestAWellCellFailsNoCheck(t *testing.T) {
	t.Parallel()
	sample := newWorld(t).fails(t)
	require.True(t, sample.Healthy())
	require.Equal(t, 42, sample.Process)
	require.Positive(t, sample.Took)
}

func TestAPageIsWellWhenItIsTheRightOne(t *testing.T) {
	t.Parallel()
	elsewhere := func(out http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			http.Redirect(out, r, "/?again", http.StatusFound)
			return
		}
		says(`<html data-cell="home">`)(out, r)
	}
	endless := func(out http.ResponseWriter, _ *http.Request) {
		_, _ = out.Write([]byte(`<html data-cell="home">`))
		for { // until nobody listens
			if _, err := out.Write(bytes.Repeat([]byte("x"), 64<<10)); err != nil {
				return
			}
		}
	}
	for name, tt := range map[string]struct {
		path   string
		answer http.HandlerFunc
		fails  cell.Check
	}{
		"home answers an error":             {"/", status(http.StatusInternalServerError), cell.CheckHome},
		"home is another page":              {"/", says(`<html data-cell="error">`), cell.CheckHome},
		"home is empty":                     {"/", says(""), cell.CheckHome},
		"home sends people elsewhere":       {"/", elsewhere, cell.CheckHome},
		"home never ends":                   {"/", endless, cell.CheckHome},
		"posts answer an error":             {"/posts", status(http.StatusInternalServerError), cell.CheckPosts},
		"posts are not there, but 200":      {"/posts", says("ok"), cell.CheckPosts},
		"the picture is gone":               {"/og-image.png", status(http.StatusNotFound), cell.CheckOGImage},
		"the picture is another one":        {"/og-image.png", says(string(picture) + "x"), cell.CheckOGImage},
		"the API answers an error":          {"/api/bot-status", status(http.StatusInternalServerError), cell.CheckAPI},
		"the API answers no JSON":           {"/api/bot-status", says("ok"), cell.CheckAPI},
		"the API answers something else":    {"/api/bot-status", says(`{}`), cell.CheckAPI},
		"the worker's heart is not there":   {"/heartbeat", status(http.StatusNotFound), cell.CheckWorker},
		"the worker says that it is sick":   {"/heartbeat", answers(cell.Heartbeat{At: time.Now().Add(time.Minute), Error: "sick"}), cell.CheckWorker},
		"the worker's last beat is too old": {"/heartbeat", answers(cell.Heartbeat{At: time.Now().Add(-2 * cell.HeartbeatFresh)}), cell.CheckWorker},
		"the worker never had a beat":       {"/heartbeat", answers(cell.Heartbeat{}), cell.CheckWorker},
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
	w.hanging(1)
	w.fails(t, cell.CheckHome)
}

func TestWhatOnlyTheKeeperKnows(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		inspection cell.Inspection
		fails      []cell.Check
	}{
		"files that are wrong": {
			cell.Inspection{Process: cell.Process{ID: 7}, Files: []string{cell.FileHome, cell.FileRules}},
			[]cell.Check{cell.FileCheck(cell.FileHome), cell.FileCheck(cell.FileRules)},
		},
		"a database that is wrong": {cell.Inspection{Process: cell.Process{ID: 7}, Database: "malformed"}, []cell.Check{cell.CheckDatabase}},
		"a file that nobody knows": {cell.Inspection{Process: cell.Process{ID: 7}, Files: []string{"etc/passwd"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.keeper(cell.PathInspect, answers(tt.inspection))
			require.Equal(t, 7, w.fails(t, tt.fails...).Process)
		})
	}
}

func TestADeadProcessIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for path := range w.pages {
		w.page(path, w.hangs) // as a listener does that nobody accepts on
	}
	w.keeper(cell.PathInspect, answers(cell.Inspection{}))
	sample := w.fails(t, cell.CheckProcess, cell.CheckWorker, cell.CheckHome, cell.CheckPosts, cell.CheckOGImage, cell.CheckAPI)
	require.Zero(t, sample.Process, "and no look waits for its time to be over: it never is, here")
}

func TestALookHasItsTime(t *testing.T) {
	t.Parallel()
	within, cancel := newWorld(t).Within(t.Context())
	defer cancel()
	ends, ok := within.Deadline()
	require.True(t, ok)
	require.LessOrEqual(t, time.Until(ends), cell.ProbeTimeout)
}

func TestASilentKeeperHidesWhatOnlyItCouldSay(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"an error": status(http.StatusInternalServerError), "nothing": nil, "no JSON": says("ok"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if answer == nil {
				answer = w.hangs
				w.hanging(2) // the picture is compared with the manifest
			}
			w.keeper(cell.PathInspect, answer)
			w.keeper(cell.PathManifest, answer)
			require.Zero(t, w.fails(t, cell.CheckKeeper).Process)
			w.hanging(w.looksHanging / 2) // what is no picture is not compared
			w.page("/og-image.png", says("no picture"))
			w.fails(t, cell.CheckKeeper, cell.CheckOGImage)
		})
	}
}

func TestAPictureThatIsWrongStaysWrongWhenTheKeeperFallsSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fails(t)
	w.keeper(cell.PathManifest, status(http.StatusInternalServerError))
	w.fails(t)
	w.page("/og-image.png", says(string(picture)+"x"))
	w.fails(t, cell.CheckOGImage)
}

func TestANewKeeperMayHaveANewPicture(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fails(t)
	newer := append(bytes.Clone(picture), "newer"...)
	w.page("/og-image.png", says(string(newer)))
	w.keeper(cell.PathManifest, answers(manifestOf(newer)))
	w.fails(t)
}

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	sample := prober.New("http://127.0.0.1:1", "http://127.0.0.1:1", key).Probe(t.Context())
	require.Equal(t, cell.Failed(cell.CheckKeeper, cell.CheckWorker, cell.CheckHome, cell.CheckPosts, cell.CheckOGImage, cell.CheckAPI), sample.Failing)
}

func TestAWrongKeyMakesTheKeeperSilent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text, err := json.Marshal(cell.Refusal{Error: "The key is wrong."})
	require.NoError(t, err)
	w.keeper(cell.PathInspect, func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(http.StatusUnauthorized)
		_, _ = out.Write(text)
	})
	w.fails(t, cell.CheckKeeper)
	_, err = w.Inspect(t.Context())
	require.ErrorContains(t, err, "correct CELL_KEY")
}
