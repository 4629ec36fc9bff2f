package faults

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const path = "/faults"

// newBoard takes rules on "read" and "write".
func newBoard(t *testing.T, rules ...Rule) *Board {
	t.Helper()
	b := NewBoard(func(r Rule) (Rule, error) {
		if r.On != "read" && r.On != "write" {
			return r, errors.New("unknown target")
		}
		return r, nil
	})
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
		require.NoError(t, b.Set(Plan{Seed: seed, Rules: []Rule{{On: "write", Fault: "drop", Rate: 0.2}, {On: "write", Fault: "slow", Rate: 0.3}}}))
		var line strings.Builder
		for range 200 {
			rule, hit := b.First(onWrite)
			fmt.Fprint(&line, rule.Fault, hit, " ")
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
	b := newBoard(t, Rule{On: "read", Fault: "slow"}, Rule{On: "write", Fault: "drop", Times: 2}, Rule{On: "write", Fault: "break", Times: 1})
	var got []Fault
	for range 4 {
		rule, _ := b.First(onWrite)
		got = append(got, rule.Fault)
	}
	require.Equal(t, []Fault{"drop", "drop", "break", ""}, got)
}

func TestRulesOverHTTP(t *testing.T) {
	t.Parallel()
	b := newBoard(t, Rule{On: "read", Fault: "slow"})
	put := b.request(http.MethodPut, `{"seed":7,"rules":[{"on":"write","fault":"drop_after","times":1},`+
		`{"on":"read","fault":"slow","rate":0.5,"delay":"-1ms","copies":3}]}`)
	require.Equal(t, http.StatusOK, put.Code, put.Body)
	_, hit := b.First(onWrite)
	require.True(t, hit)
	listed := b.request(http.MethodGet, "")
	require.JSONEq(t, `{"seed":7,"rules":[{"on":"write","fault":"drop_after","rate":1,"times":1,"delay":"2s","seen":1,"fired":1},`+
		`{"on":"read","fault":"slow","rate":0.5,"times":0,"delay":"-1ms","copies":3,"seen":0,"fired":0}]}`, listed.Body.String())
	require.Equal(t, "no-store", listed.Header().Get("Cache-Control"))
	require.Equal(t, []string{"drop after on write", "slow on read (50 %)"}, b.Describe())

	require.Equal(t, http.StatusNoContent, b.request(http.MethodDelete, "").Code)
	require.JSONEq(t, `{"seed":0,"rules":[]}`, b.request(http.MethodGet, "").Body.String())
}

func TestRulesThatCannotBeSet(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a rule that the sandbox refuses": `{"rules":[{"on":"delete","fault":"slow"}]}`,
		"a rate of nothing":               `{"rules":[{"on":"read","fault":"slow","rate":0}]}`,
		"a rate above one":                `{"rules":[{"on":"read","fault":"slow","rate":1.5}]}`,
		"a rate below zero":               `{"rules":[{"on":"read","fault":"slow","rate":-1}]}`,
		"negative times":                  `{"rules":[{"on":"read","fault":"slow","times":-1}]}`,
		"a delay of no unit":              `{"rules":[{"on":"read","fault":"slow","delay":"5"}]}`,
		"a delay of a week":               `{"rules":[{"on":"read","fault":"slow","delay":"168h"}]}`,
		"a week ago":                      `{"rules":[{"on":"read","fault":"slow","delay":"-168h"}]}`,
		"too many copies":                 `{"rules":[{"on":"read","fault":"slow","copies":101}]}`,
		"fewer than no copies":            `{"rules":[{"on":"read","fault":"slow","copies":-1}]}`,
		"an unknown field":                `{"rules":[],"sead":1}`,
		"an unknown field of a rule":      `{"rules":[{"on":"read","fault":"slow","wait":"5s"}]}`,
		"no JSON":                         `faults`,
		"two values":                      `{"rules":[]}{}`,
		"more rules than fit":             `{"rules":[` + strings.Repeat(`{"on":"read","fault":"slow"},`, MaxRules) + `{"on":"read","fault":"slow"}]}`,
	} {
		b := newBoard(t, Rule{On: "write", Fault: "drop"})
		answer := b.request(http.MethodPut, body)
		require.Equal(t, http.StatusBadRequest, answer.Code, "%s: %s", name, answer.Body)
		require.Contains(t, answer.Body.String(), `"error":"`, name)
		require.Equal(t, []string{"drop on write"}, b.Describe(), "the old ones stay")
	}
}
