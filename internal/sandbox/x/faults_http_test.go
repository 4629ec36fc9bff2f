package x

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
	"customerzero/internal/sandbox/faults"
)

const faultsPath = "/sandbox/x/faults"

// switchboard sends an unsigned request with pairs of headers.
func (w *world) switchboard(method, body string, headers ...string) reply {
	w.t.Helper()
	r := w.request(method, faultsPath, body)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := testwait.Client.Do(r)
	require.NoError(w.t, err)
	return read(w.t, response)
}

func TestTheSwitchboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.JSONEq(t, `{"seed":0,"rules":[]}`, w.switchboard(http.MethodGet, "").body)

	put := w.switchboard(http.MethodPut, `{"seed":7,"rules":[{"on":"post","fault":"no_credits","rate":1,"times":1},`+
		`{"on":"read","fault":"slow","rate":0.5,"delay":"1ms"}]}`)
	require.Equal(t, http.StatusOK, put.status, put.body)
	require.Equal(t, http.StatusPaymentRequired, w.call(http.MethodPost, "/2/tweets", helloBody).status)
	require.JSONEq(t, `{"seed":7,"rules":[{"on":"post","fault":"no_credits","rate":1,"times":1,"delay":"2s","seen":1,"fired":1},`+
		`{"on":"read","fault":"slow","rate":0.5,"times":0,"delay":"1ms","seen":0,"fired":0}]}`, w.switchboard(http.MethodGet, "").body)

	require.Equal(t, http.StatusNoContent, w.switchboard(http.MethodDelete, "").status)
	require.JSONEq(t, `{"seed":0,"rules":[]}`, w.switchboard(http.MethodGet, "").body)
}

func TestTheSwitchboardTakesEveryFault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, fault := range AllFaults {
		put := w.switchboard(http.MethodPut, `{"rules":[{"on":"any","fault":"`+string(fault)+`"}]}`)
		require.Equal(t, http.StatusOK, put.status, put.body)
		require.Equal(t, string(fault), put.at(t, "rules.0.fault"))
	}
	put := w.switchboard(http.MethodPut, `{"rules":[{"on":"login","fault":"clock","delay":"-10m"}]}`)
	require.Equal(t, "-10m0s", put.at(t, "rules.0.delay"), put.body)
}

func TestFaultsThatCannotBeSet(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"an unknown fault":    `{"rules":[{"on":"post","fault":"explode"}]}`,
		"an unknown target":   `{"rules":[{"on":"write","fault":"slow"}]}`,
		"no target":           `{"rules":[{"fault":"slow"}]}`,
		"a rate of nothing":   `{"rules":[{"on":"post","fault":"slow","rate":0}]}`,
		"a rate above one":    `{"rules":[{"on":"post","fault":"slow","rate":1.5}]}`,
		"a rate below zero":   `{"rules":[{"on":"post","fault":"slow","rate":-1}]}`,
		"negative times":      `{"rules":[{"on":"post","fault":"slow","times":-1}]}`,
		"a delay of no unit":  `{"rules":[{"on":"post","fault":"slow","delay":"5"}]}`,
		"a negative delay":    `{"rules":[{"on":"post","fault":"slow","delay":"-5s"}]}`,
		"a delay of a week":   `{"rules":[{"on":"post","fault":"slow","delay":"168h"}]}`,
		"a clock a week slow": `{"rules":[{"on":"login","fault":"clock","delay":"-168h"}]}`,
		"a clock a week fast": `{"rules":[{"on":"login","fault":"clock","delay":"168h"}]}`,
		"no fault of reads":   `{"rules":[{"on":"read","fault":"callback_refused"}]}`,
		"no fault of logins":  `{"rules":[{"on":"login","fault":"not_enrolled"}]}`,
		"no target of rules":  `{"rules":[{"on":"delete","fault":"slow"}]}`,
		"an unknown field":    `{"rules":[],"sead":1}`,
		"no JSON":             `faults`,
		"two values":          `{"rules":[]}{}`,
		"more rules than fit": `{"rules":[` + strings.Repeat(`{"on":"post","fault":"slow"},`, faults.MaxRules) + `{"on":"post","fault":"slow"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.fault(Rule{On: OnPost, Fault: NoCredits})
			answer := w.switchboard(http.MethodPut, body)
			require.Equal(t, http.StatusBadRequest, answer.status, answer.body)
			require.NotEmpty(t, answer.at(t, "detail"))
			_, rules := w.sandbox.faults.List()
			require.Len(t, rules, 1, "the old ones stay")
		})
	}
}

// Proves: V3.4.2, V3.5.1
func TestOtherSitesCannotReachTheSwitchboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
		for _, headers := range [][]string{
			{"Origin", "http://evil.example"},
			{"Origin", "null"},
			{"Origin", "http://127.0.0.1:1"},
			{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site"},
		} {
			answer := w.switchboard(method, `{"rules":[]}`, headers...)
			require.Equal(t, http.StatusForbidden, answer.status, "%s %v", method, headers)
			require.Empty(t, answer.header.Get("Access-Control-Allow-Origin"))
		}
	}
	require.Equal(t, http.StatusNotFound, w.switchboard(http.MethodOptions, "", "Origin", "http://evil.example").status)
	require.Equal(t, http.StatusOK, w.switchboard(http.MethodGet, "", "Origin", w.url).status)
}
