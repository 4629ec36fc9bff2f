package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/testwait"
)

// listening serves the world for real, with less time for an answer than a stream needs.
func (w *world) listening(t *testing.T) string {
	t.Helper()
	server := httptest.NewUnstartedServer(w.handler)
	server.Config = api.HTTPServer(w.handler, nil)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}

// heardOf is one event of a stream.
type heardOf struct{ id, name, data string }

type stream struct {
	response *http.Response
	lines    *bufio.Scanner
}

func openStream(t *testing.T, url string, header map[string]string) *stream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header.Set("Accept-Encoding", "gzip") // as browsers say
	for name, value := range header {
		req.Header.Set(name, value)
	}
	response, err := testwait.Client.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return &stream{response, bufio.NewScanner(response.Body)}
}

// next waits for an event; one without a name is the end of the stream.
func (s *stream) next(t *testing.T) (event heardOf) {
	t.Helper()
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ":")
		switch field {
		case "id":
			event.id = value
		case "event":
			event.name = value
		case "data":
			event.data = value
		case "":
			if event.name != "" {
				return event
			}
		}
	}
	require.NoError(t, s.lines.Err())
	return event
}

func told[T any](t *testing.T, event heardOf, name, id string) T {
	t.Helper()
	require.Equal(t, []string{name, id}, []string{event.name, event.id}, event.data)
	var out T
	require.NoError(t, json.Unmarshal([]byte(event.data), &out))
	return out
}

func TestARunIsFollowedToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	url := w.listening(t)
	r := w.requested(t)
	w.probed(t, r.ID, 0, 0, 0, 0, 0)
	s := openStream(t, url+"/api/chaos/runs/"+r.ID+"/events", nil)
	require.Equal(t, http.StatusOK, s.response.StatusCode)
	require.Contains(t, s.response.Header.Get("Content-Type"), "text/event-stream")
	require.Empty(t, s.response.Header.Get("Content-Encoding"), "nothing waits for a block to be full")
	require.Equal(t, "requested", told[api.ChaosEvent](t, s.next(t), "event", "").Stage)

	_, err := w.db.Chaos.BeginChaos(t.Context(), r.ID, "chaos:cell", "run")
	require.NoError(t, err)
	require.Equal(t, "checking", told[api.ChaosEvent](t, s.next(t), "event", "").Stage)
	require.NoError(t, w.db.Chaos.InjectedChaos(t.Context(), r.ID, now.Add(halfSecond), now.Add(time.Minute)))
	require.Equal(t, "watching", told[api.ChaosEvent](t, s.next(t), "event", "").Stage)
	for id, ms := range []int{-500, -250, 0} {
		require.Equal(t, ms, told[api.Probe](t, s.next(t), "probe", string(rune('0'+id))).MS, "counted from the injection")
	}
	w.probed(t, r.ID, 1, 3, crashed, 0)
	require.Equal(t, []int{14, 17}, told[api.Probe](t, s.next(t), "probe", "3").Failing)
	require.Equal(t, 500, told[api.Probe](t, s.next(t), "probe", "4").MS)
	w.endAll(t)
	require.Equal(t, "aborted", told[api.ChaosEvent](t, s.next(t), "event", "").Verdict)
	end := told[api.ChaosRun](t, s.next(t), "end", "")
	require.Equal(t, w.chaos(t, r.ID), end)
	require.Empty(t, s.next(t).name, "the stream is over")
}

func TestAStreamGoesOnWhereItBrokeOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.listening(t) + "/api/chaos/runs/" + w.healed(t) + "/events"
	s := openStream(t, path, map[string]string{"Last-Event-ID": "5"})
	told[api.ChaosEvent](t, s.next(t), "event", "")
	require.Equal(t, 1000, told[api.Probe](t, s.next(t), "probe", "6").MS)
	told[api.Probe](t, s.next(t), "probe", "7")
	require.Equal(t, "healed", told[api.ChaosRun](t, s.next(t), "end", "").Event.Verdict)

	all := openStream(t, path, map[string]string{"Last-Event-ID": "900"})
	told[api.ChaosEvent](t, all.next(t), "event", "")
	told[api.ChaosRun](t, all.next(t), "end", "")
	require.Equal(t, http.StatusUnprocessableEntity, openStream(t, path, map[string]string{"Last-Event-ID": "x"}).response.StatusCode)
}

// Proves: F30, V2.4.1-rest
func TestNobodyTakesAllPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := "http://" + w.patientFor(t, time.Minute) + "/api/chaos/runs/" + w.requested(t).ID + "/events"
	for range 20 {
		require.Equal(t, http.StatusOK, openStream(t, path, nil).response.StatusCode)
	}
	require.Equal(t, http.StatusServiceUnavailable, openStream(t, path, nil).response.StatusCode)
}

// Proves: F30, V2.4.1-rest
func TestOnlySoManyLookOnAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.TrustedProxies = []string{"127.0.0.1"}
	w.handler = w.server.Handler()
	path := "http://" + w.patientFor(t, time.Minute) + "/api/chaos/runs/" + w.requested(t).ID + "/events"
	from := func(address string) map[string]string { return map[string]string{"X-Forwarded-For": address} }
	var first *stream
	for n := range 100 {
		s := openStream(t, path, from(fmt.Sprint("10.0.0.", n/20)))
		require.Equal(t, http.StatusOK, s.response.StatusCode)
		if first == nil {
			first = s
		}
	}
	refused := openStream(t, path, from("10.0.0.9"))
	require.Equal(t, http.StatusServiceUnavailable, refused.response.StatusCode)
	var p httpapi.Problem
	require.NoError(t, json.NewDecoder(refused.response.Body).Decode(&p))
	require.Equal(t, problem.Unavailable, p.Code)
	require.NoError(t, first.response.Body.Close())
	require.Eventually(t, func() bool {
		return openStream(t, path, from("10.0.0.9")).response.StatusCode == http.StatusOK
	}, testwait.Limit, 50*time.Millisecond, "who has gone leaves a place")
	require.Equal(t, http.StatusNotFound, w.do(t, call{method: "GET", path: "/api/chaos/runs/nobody/events"}).Code)
}

// A table that breaks off must not look whole.
func TestATableThatBreaksOffIsNotWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Chaos = brokenOff{ChaosStore: w.db.Chaos}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.listening(t)+"/api/chaos/runs.csv", nil)
	require.NoError(t, err)
	for _, encoding := range []string{"identity", "gzip"} {
		req.Header.Set("Accept-Encoding", encoding)
		response, err := testwait.Client.Do(req)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode)
		_, err = io.Copy(io.Discard, response.Body)
		require.Error(t, err, encoding)
		require.NoError(t, response.Body.Close())
	}
}
