package faults

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

const path = "/faults"

// newBoard accepts different faults on "read" and "write".
func newBoard(t *testing.T, rules ...Rule) *Board {
	t.Helper()
	b := NewBoard(map[Target][]Fault{
		"read": {"slow"}, "write": {"slow", "drop_after", HangBefore},
	}, map[Fault]time.Duration{"drop_after": time.Minute})
	require.NoError(t, b.Set(Plan{Seed: 1, Rules: rules}))
	return b
}

func (b *Board) request(method, body string) *httptest.ResponseRecorder {
	mux := http.NewServeMux()
	b.Route(mux, path)
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest(method, path, strings.NewReader(body)))
	return answer
}

func onWrite(r Rule) bool { return r.On == "write" }

func TestTheSameSeedHitsTheSameCalls(t *testing.T) {
	t.Parallel()
	hits := func(seed uint64) string {
		b := newBoard(t)
		require.NoError(t, b.Set(Plan{Seed: seed, Rules: []Rule{{On: "write", Fault: "drop_after", Rate: 0.2}, {On: "write", Fault: "slow", Rate: 0.3}}}))
		var line strings.Builder
		for range 200 {
			fmt.Fprint(&line, b.First(onWrite).Fault, " ")
		}
		return line.String()
	}
	again := hits(1)
	require.Equal(t, hits(1), again)
	require.NotEqual(t, hits(1), hits(2))
	require.InDelta(t, 40, strings.Count(hits(1), "drop"), 20)
	require.InDelta(t, 48, strings.Count(hits(1), "slow"), 24)
}

func TestRulesAreAskedInOrderAndUsedUp(t *testing.T) {
	t.Parallel()
	b := newBoard(t, Rule{On: "read", Fault: "slow"}, Rule{On: "write", Fault: "drop_after", Times: 2}, Rule{On: "write", Fault: "slow", Times: 1})
	var got []Fault
	for range 4 {
		got = append(got, b.First(onWrite).Fault)
	}
	require.Equal(t, []Fault{"drop_after", "drop_after", "slow", ""}, got)
}

func TestAHangEndsWhenTheSandboxCloses(t *testing.T) {
	t.Parallel()
	b, begun := newBoard(t), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		b.Before(r.Context(), Rule{Fault: HangBefore})
	}))
	t.Cleanup(server.Close)
	go func() {
		<-begun
		b.Close()
	}()
	_, err := testwait.Client.Get(server.URL)
	require.ErrorContains(t, err, "EOF")
}

func TestRulesOverHTTP(t *testing.T) {
	t.Parallel()
	b := newBoard(t, Rule{On: "read", Fault: "slow"})
	put := b.request(http.MethodPut, `{"seed":7,"rules":[{"on":"write","fault":"drop_after","times":1},`+
		`{"on":"write","fault":"slow"},{"on":"read","fault":"slow","rate":0.5,"delay":"-1ms","copies":3}]}`)
	require.Equal(t, http.StatusOK, put.Code, put.Body)
	require.Equal(t, time.Minute, b.First(onWrite).Delay)
	listed := b.request(http.MethodGet, "")
	require.JSONEq(t, `{"seed":7,"rules":[{"on":"write","fault":"drop_after","rate":1,"times":1,"delay":"1m0s","fired":1},`+
		`{"on":"write","fault":"slow","rate":1,"times":0,"delay":"2s","fired":0},`+
		`{"on":"read","fault":"slow","rate":0.5,"times":0,"delay":"-1ms","copies":3,"fired":0}]}`, listed.Body.String())
	require.Equal(t, "no-store", listed.Header().Get("Cache-Control"))
	require.Equal(t, []string{"drop after on write", "slow on write", "slow on read (50 %)"}, b.Describe())

	require.Equal(t, http.StatusNoContent, b.request(http.MethodDelete, "").Code)
	require.JSONEq(t, `{"seed":0,"rules":[]}`, b.request(http.MethodGet, "").Body.String())
}

func TestRulesThatCannotBeSet(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]string{
		"an unknown target":    `"on":"delete","fault":"slow"`,
		"another one's fault":  `"on":"read","fault":"drop_after"`,
		"a rate above one":     `"on":"read","fault":"slow","rate":1.5`,
		"a rate below zero":    `"on":"read","fault":"slow","rate":-1`,
		"negative times":       `"on":"read","fault":"slow","times":-1`,
		"a delay of no unit":   `"on":"read","fault":"slow","delay":"5"`,
		"too many copies":      `"on":"read","fault":"slow","copies":101`,
		"fewer than no copies": `"on":"read","fault":"slow","copies":-1`,
		"an unknown field":     `"on":"read","fault":"slow","wait":"5s"`,
		"no JSON":              `faults`,
	} {
		b := newBoard(t, Rule{On: "write", Fault: "drop_after"})
		answer := b.request(http.MethodPut, `{"rules":[{`+rule+`}]}`)
		require.Equal(t, http.StatusBadRequest, answer.Code, "%s: %s", name, answer.Body)
		require.Contains(t, answer.Body.String(), `"error":"`, name)
		require.Equal(t, []string{"drop after on write"}, b.Describe(), "the old ones stay")
	}
}
