package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// most is what a body may have, and a little less than that.
const most = 60 << 10

// rude are bodies that nobody means well with, each as large as the limits let it be, or larger.
var rude = map[string]string{
	"arrays in arrays":          strings.Repeat("[", most),
	"arrays in arrays, closed":  strings.Repeat("[", most/2) + strings.Repeat("]", most/2),
	"objects in objects":        strings.Repeat(`{"a":`, most/6) + "1" + strings.Repeat("}", most/6),
	"thousands of keys":         keys(5000),
	"a million keys":            keys(1_000_000),
	"a key of many letters":     `{"` + strings.Repeat("x", most) + `":1}`,
	"the same key thousands":    "{" + strings.Repeat(`"content":1,`, most/12) + `"content":1}`,
	"the same key, escaped":     `{"content":"a","\u0063ontent":"b"}`,
	"broken UTF-8 as a key":     "{\"\xff\xfe\":1}",
	"broken UTF-8 as a value":   "{\"content\":\"" + strings.Repeat("\xff", 1000) + "\"}",
	"half a surrogate":          `{"content":"\udc00"}`,
	"a number of many digits":   `{"content":` + strings.Repeat("9", most) + `}`,
	"a number beyond measure":   `{"version":1e999999999,"vote":1e999999999,"threshold":1e999999999}`,
	"no number":                 `{"version":NaN,"vote":Infinity}`,
	"a long escape":             `{"content":"` + strings.Repeat(`\u0041`, most/6) + `"}`,
	"blanks":                    strings.Repeat(" ", most),
	"a byte order mark":         "\xef\xbb\xbf{}",
	"a NUL":                     "{\x00}",
	"nothing but null":          "null",
	"a word":                    `"content"`,
	"keys that are no fields":   `{"__proto__":{"admin":true},"constructor":{"prototype":{}},"$where":"1"}`,
	"a field in other letters":  `{"CONTENT":"hi","Version":1,"EMAIL":"a@example.com","Username":"a","Reason":"b"}`,
	"an object for each field":  `{"content":{},"email":{},"username":{},"version":{},"vote":{},"type":{},"service":{},"token":{},"title":{}}`,
	"an array for each field":   `{"content":[],"email":[],"username":[],"version":[],"vote":[],"type":[],"service":[],"token":[],"title":[]}`,
	"arrays in each list":       `{"models":[["a"],["a"]],"prompt":"hello","context":[[{}],[{}]],"ids":[[1]],"answers":{"project_excitement":[["a"]]}}`,
	"a comment":                 `{/* hello */}`,
	"what follows the end":      `{}{}`,
	"a quotation without end":   `{"content":"` + strings.Repeat("x", most),
	"zip, says nobody":          "\x1f\x8b\x08\x00" + strings.Repeat("\x00", 1000),
	"a picture, says nobody":    "\x89PNG\r\n\x1a\n",
	"a quoted quotation of ten": strings.Repeat(`"\"`, 10),
}

func keys(n int) string {
	var body bytes.Buffer
	body.WriteByte('{')
	for i := range n {
		_, _ = fmt.Fprintf(&body, `"k%d":1,`, i)
	}
	body.WriteString(`"k":1}`)
	return body.String()
}

// takers are the routes that read JSON, each with somebody whom they listen to.
func (c *cast) takers(t *testing.T) (routes []string, as func(route string) sender) {
	t.Helper()
	elsewhere := []string{"POST /webhooks/stripe", "POST /api/posts/import", "POST /unsubscribe"} // which read something else
	for route, want := range answers {
		if strings.HasPrefix(want.body, "{") && !slices.Contains(elsewhere, route) {
			routes = append(routes, route)
		}
	}
	slices.Sort(routes)
	require.Greater(t, len(routes), 25)
	return routes, func(route string) sender {
		want := answers[route]
		for _, who := range []sender{{token: c.people.founder, status: want.founder}, {token: c.people.member, status: want.member}} {
			if who.status != no && who.status != never {
				return who
			}
		}
		return sender{}
	}
}

// Whatever a body holds, it is refused for what it is, on every route, and nothing is written.
// Proves: F29
func TestEveryRouteRefusesRudeBodies(t *testing.T) {
	t.Parallel()
	c := &cast{}
	w := c.on(t)
	routes, as := c.takers(t)
	for _, route := range routes {
		who := as(route)
		before, orders := w.rows(t), len(w.runs.told())
		for name, body := range rude {
			rec := w.answer(t, w.request(t, w.callTo(route, body, c.ids, who.token, "", "none")))
			require.Contains(t, []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity}, rec.Code,
				"%s, %s: %s", route, name, rec.Body)
			require.NotEmpty(t, problemOf(t, rec).Message)
			require.Less(t, rec.Body.Len(), 4<<10, "%s, %s: what is wrong is told, and not repeated", route, name)
		}
		require.Equal(t, before, w.rows(t), route)
		require.Len(t, w.runs.told(), orders, route)
	}
}

// Not parallel: it measures memory. A rude body costs no more than a polite one of its size.
// Proves: F29
func TestRudeBodiesCostLittle(t *testing.T) {
	w := newWorld(t)
	send := func(body string) (used uint64) {
		req := w.request(t, call{method: http.MethodPost, path: "/api/posts", body: body})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w.handler.ServeHTTP(httptest.NewRecorder(), req)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	send(`{}`) // what is made once
	for name, body := range rude {
		require.Less(t, send(body), uint64(24<<20), name)
	}
	held := func() uint64 {
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return now.HeapAlloc
	}
	before, sent := held(), 0
	for range 20 {
		for _, body := range rude {
			send(body)
			sent += len(body)
		}
	}
	require.Less(t, held(), before+uint64(sent)/10, "of the bodies nothing is kept: what stays is what was logged and answered")
}
