package smtp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const faultsPath = "/sandbox/mail/faults"

func TestTheSwitchboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.JSONEq(t, `{"times":0,"code":0}`, w.get(faultsPath).body)

	put := w.request(http.MethodPut, faultsPath, `{"times":2,"code":451}`)
	require.Equal(t, http.StatusOK, put.status, put.body)
	require.Equal(t, 451, code(t, w.send(letter("one", "s", "t", "h"), "ada@example.com")))
	require.JSONEq(t, `{"times":1,"code":451,"on":"data"}`, w.get(faultsPath).body)
	require.Contains(t, w.get("/sandbox/mail").body, "451 for letters, 1 more time.")

	require.Equal(t, http.StatusNoContent, w.request(http.MethodDelete, faultsPath, "").status)
	require.JSONEq(t, `{"times":0,"code":0}`, w.get(faultsPath).body)
	require.NoError(t, w.send(letter("one", "s", "t", "h"), "ada@example.com"))
}

func TestFaultsThatCannotBeSet(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"an unknown command": `{"times":1,"code":451,"on":"helo"}`,
		"never":              `{"code":451}`,
		"a negative number":  `{"times":-1,"code":451}`,
		"far too often":      `{"times":1001,"code":451}`,
		"a welcome":          `{"times":1,"code":250}`,
		"no code":            `{"times":1}`,
		"a long code":        `{"times":1,"code":4510}`,
		"an unknown field":   `{"times":1,"code":451,"delay":1}`,
		"no JSON":            `faults`,
		"two values":         `{"times":1,"code":451}{}`,
		"too much":           `{"times":1,"code":451` + strings.Repeat(" ", maxBody) + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			require.NoError(t, w.sandbox.SetFaults(Faults{Times: 3, Code: 550}))
			answer := w.request(http.MethodPut, faultsPath, body)
			require.Equal(t, http.StatusBadRequest, answer.status, answer.body)
			require.Contains(t, answer.body, `"error":"`)
			require.Equal(t, Faults{Times: 3, Code: 550, On: OnData}, w.sandbox.faults.list(), "the old ones stay")
		})
	}
}

func TestOtherSitesCannotSwitchFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		for _, headers := range [][]string{
			{"Origin", "http://evil.example"},
			{"Origin", "null"},
			{"Origin", "http://127.0.0.1:1"},
			{"Sec-Fetch-Site", "cross-site"},
			{"Sec-Fetch-Site", "same-site"},
		} {
			answer := w.request(method, faultsPath, `{"times":1,"code":451}`, headers...)
			require.Equal(t, http.StatusForbidden, answer.status, "%s %v", method, headers)
			require.Empty(t, answer.header.Get("Access-Control-Allow-Origin"))
		}
	}
	require.Zero(t, w.sandbox.faults.list())
	require.Equal(t, http.StatusOK, w.request(http.MethodPut, faultsPath, `{"times":1,"code":451}`, "Origin", w.url).status)
}
