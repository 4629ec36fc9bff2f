package api_test

import (
	"bytes"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store/testdb"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Proves: F29, V15.3.3
func TestBadPostsAreRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct {
		body   string
		status int
		code   problem.Code
	}{
		"empty text":              {`{"content":""}`, 422, problem.TextEmpty},
		"blank text":              {`{"content":" \n\t "}`, 422, problem.TextEmpty},
		"invisible text":          {`{"content":"\u200b\u2060"}`, 422, problem.TextEmpty},
		"281 letters":             {`{"content":"` + strings.Repeat("x", 281) + `"}`, 422, problem.TextTooLong},
		"141 wide letters":        {`{"content":"` + strings.Repeat("字", 141) + `"}`, 422, problem.TextTooLong},
		"a control character":     {`{"content":"a\u0007b"}`, 422, problem.TextInvalid},
		"a zero byte":             {`{"content":"a\u0000b"}`, 400, problem.Invalid},
		"broken UTF-8":            {"{\"content\":\"a\xffb\"}", 400, problem.Invalid},
		"a lone surrogate":        {`{"content":"\ud800"}`, 400, problem.Invalid},
		"a time in the past":      {`{"content":"hi","scheduledAt":"2020-01-01T00:00:00Z"}`, 422, problem.DatePast},
		"an absurd time":          {`{"content":"hi","scheduledAt":"9999-01-01T00:00:00Z"}`, 422, problem.DateTooFar},
		"not a time":              {`{"content":"hi","scheduledAt":"tomorrow"}`, 422, problem.DateInvalid},
		"the 31st of February":    {`{"content":"hi","scheduledAt":"2027-02-31T09:00:00Z"}`, 422, problem.DateInvalid},
		"a time the clocks skip":  {`{"content":"hi","scheduledAt":"2027-03-28T02:30","timezone":"Europe/Berlin"}`, 422, problem.DateInvalid},
		"an unknown time zone":    {`{"content":"hi","scheduledAt":"2026-12-01T09:00","timezone":"Mars/Olympus"}`, 422, problem.TimezoneUnknown},
		"the zone of the server":  {`{"content":"hi","timezone":"Local"}`, 422, problem.TimezoneUnknown},
		"a path as time zone":     {`{"content":"hi","timezone":"../../etc/passwd"}`, 422, problem.TimezoneUnknown},
		"a time that comes twice": {`{"content":"hi","scheduledAt":"2027-10-31T02:30","timezone":"Europe/Berlin"}`, 422, problem.DateAmbiguous},
		"queued for a time":       {`{"content":"hi","scheduledAt":"2026-12-01T09:00:00Z","queue":true}`, 422, problem.Invalid},
		"queued as a draft":       {`{"content":"hi","draft":true,"queue":true}`, 422, problem.Invalid},
		"an unknown candidate":    {`{"content":"hi","candidateId":"nobody"}`, 404, problem.NotFound},
		"an unknown member":       {`{"content":"hi","member":"nobody"}`, 422, problem.MemberUnknown},
		"a member with spaces":    {`{"content":"hi","member":"no body"}`, 422, problem.Invalid},
		"an unknown field":        {`{"content":"hi","admin":true}`, 422, problem.Invalid},
		"a field twice":           {`{"content":"hi","content":"ho"}`, 400, problem.Invalid},
		"no content":              {`{}`, 422, problem.Invalid},
		"a number as text":        {`{"content":7}`, 422, problem.Invalid},
		"an array":                {`[]`, 422, problem.Invalid},
		"half a body":             {`{"content":"hi"`, 400, problem.Invalid},
		"two bodies":              {`{"content":"hi"}{"content":"ho"}`, 400, problem.Invalid},
		"deeply nested":           {strings.Repeat("[", 20000), 400, problem.Invalid},
		"10 MB":                   {`{"content":"` + strings.Repeat("x", 10<<20) + `"}`, 413, problem.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			rec := w.do(t, call{method: http.MethodPost, path: "/api/posts", body: tt.body})
			require.Equal(t, tt.status, rec.Code, rec.Body.String())
			p := problemOf(t, rec)
			require.Equal(t, tt.code, p.Code, p.Message)
			require.NotEmpty(t, p.Message)
			require.Less(t, rec.Body.Len(), 2000, "values are not echoed")
			w.untouched(t)
		})
	}
}

// Proves: F29, V3.5.2, S-admin-key, S-membership
func TestWrongRequestsAreRefused(t *testing.T) {
	t.Parallel()

	const good = `{"content":"hi"}`
	for name, tt := range map[string]struct {
		call   call
		status int
		code   problem.Code
	}{
		"text instead of JSON":    {call{method: "POST", path: "/api/posts", body: good, contentType: "text/plain"}, 415, problem.UnsupportedMedia},
		"a form":                  {call{method: "POST", path: "/api/posts", body: "content=hi", contentType: "application/x-www-form-urlencoded"}, 415, problem.UnsupportedMedia},
		"JSON instead of CSV":     {call{method: "POST", path: "/api/posts/import", body: good}, 415, problem.UnsupportedMedia},
		"no key":                  {call{method: "POST", path: "/api/posts", body: good, key: "none"}, 401, problem.Unauthorized},
		"a wrong key":             {call{method: "POST", path: "/tweet", body: good, key: "none", header: map[string]string{"X-Admin-Key": "guess"}}, 401, problem.Unauthorized},
		"no key to register":      {call{method: "POST", path: "/api/members", body: `{"username":"eve","paymentAmount":9}`, key: "none"}, 401, problem.Unauthorized},
		"another site's page":     {call{method: "POST", path: "/api/posts", body: good, header: map[string]string{"Sec-Fetch-Site": "cross-site"}}, 403, problem.Forbidden},
		"another origin":          {call{method: "POST", path: "/api/posts", body: good, header: map[string]string{"Origin": "https://evil.example"}}, 403, problem.Forbidden},
		"an unknown review":       {call{method: "GET", path: "/api/posts?review=lost"}, 422, problem.Invalid},
		"no decision":             {call{method: "POST", path: "/api/posts/x/review", body: `{}`}, 422, problem.Invalid},
		"an unknown decision":     {call{method: "POST", path: "/api/posts/x/review", body: `{"decision":"maybe"}`}, 422, problem.Invalid},
		"a review of nothing":     {call{method: "POST", path: "/api/posts/x/review", body: `{"decision":"approve"}`}, 404, problem.NotFound},
		"approved for the past":   {call{method: "POST", path: "/api/posts/x/review", body: `{"decision":"approve","scheduledAt":"2020-01-01T00:00:00Z"}`}, 422, problem.DatePast},
		"nothing to restore":      {call{method: "POST", path: "/api/posts/x/restore"}, 404, problem.NotFound},
		"a calendar without ends": {call{method: "GET", path: "/api/schedule"}, 422, problem.Invalid},
		"a calendar backwards":    {call{method: "GET", path: "/api/schedule?from=2026-12-01T00:00:00Z&to=2026-11-01T00:00:00Z"}, 422, problem.Invalid},
		"a calendar of 63 days":   {call{method: "GET", path: "/api/schedule?from=2026-11-01T00:00:00Z&to=2027-01-03T00:00:00Z"}, 422, problem.Invalid},
		"a calendar of words":     {call{method: "GET", path: "/api/schedule?from=today&to=tomorrow"}, 422, problem.Invalid},
		"a 13th month":            {call{method: "GET", path: "/api/schedule/budget?month=2026-13"}, 422, problem.Invalid},
		"a long reason to pause":  {call{method: "PUT", path: "/api/brakes", body: `{"paused":true,"reason":"` + strings.Repeat("x", 201) + `"}`}, 422, problem.Invalid},
		"half a pause":            {call{method: "PUT", path: "/api/brakes", body: `{"paused":"perhaps"}`}, 422, problem.Invalid},
		"an unknown status":       {call{method: "GET", path: "/api/posts?status=lost"}, 422, problem.Invalid},
		"a limit of 101":          {call{method: "GET", path: "/api/posts?limit=101"}, 422, problem.Invalid},
		"a negative offset":       {call{method: "GET", path: "/api/bot-posts?offset=-1"}, 422, problem.Invalid},
		"an unknown parameter":    {call{method: "GET", path: "/api/bot-posts?order=1"}, 422, problem.Invalid},
		"an unknown post":         {call{method: "GET", path: "/api/posts/nobody"}, 404, problem.NotFound},
		"a change to nothing":     {call{method: "PATCH", path: "/api/posts/nobody", body: good}, 404, problem.NotFound},
		"an unknown path":         {call{method: "GET", path: "/api/nothing"}, 404, problem.NotFound},
		"a method nobody answers": {call{method: "PUT", path: "/api/posts"}, 404, problem.NotFound},
		"another fee":             {call{method: "POST", path: "/api/members", body: `{"username":"eve","paymentAmount":0}`}, 422, problem.Invalid},
		"a name X would refuse":   {call{method: "POST", path: "/api/members", body: `{"username":"e ve","paymentAmount":9}`}, 422, problem.Invalid},
		"letters that look alike": {call{method: "POST", path: "/api/members", body: `{"username":"еve","paymentAmount":9}`}, 422, problem.Invalid},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			rec := w.do(t, tt.call)
			require.Equal(t, tt.status, rec.Code, rec.Body.String())
			require.Equal(t, tt.code, problemOf(t, rec).Code)
			w.untouched(t)
		})
	}
}

// Proves: F29
func TestBadFilesAreRefusedWhole(t *testing.T) {
	t.Parallel()

	for name, tt := range map[string]struct{ file, says string }{
		"empty":             {" ", "Line 1"},
		"no text column":    {"scheduled_at\nnow\n", "no column named text"},
		"an unknown column": {"text,colour\nhi,red\n", "Line 1, column 2"},
		"a column twice":    {"text,text\nhi,ho\n", "Line 1, column 2"},
		"an open quote":     {"text\ngood\n\"never closed\n", "Line 3, column"},
		"a stray quote":     {"text\ngood\nsay \"hi\"\n", "Line 3, column 5"},
		"too many fields":   {"text\ngood\nhi,ho\n", "Line 3, column"},
		"not UTF-8":         {"text\ngood\nb\xe4d\n", "Line 3, column 2"},
		"501 posts":         {"text\n" + strings.Repeat("hi\n", 501), "more than 500"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			rec := w.do(t, call{method: "POST", path: "/api/posts/import", body: tt.file, contentType: "text/csv"})
			require.Equal(t, 422, rec.Code, rec.Body.String())
			p := problemOf(t, rec)
			require.Equal(t, problem.CSVInvalid, p.Code)
			require.Contains(t, p.Message, tt.says)
			w.untouched(t)
		})
	}
}

// A secret in a failure below must not reach the caller.
// Proves: F4, F37, V16.5.1
func TestInternalFailuresSayNothing(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.db.Close())
	rec := w.do(t, call{method: "GET", path: "/api/bot-posts"})
	require.Equal(t, 500, rec.Code)
	require.NotContains(t, rec.Body.String(), "sql")
	require.Equal(t, problem.Internal, problemOf(t, rec).Code)
}

// Proves: V16.5.1
func TestRequestIDsAreOurs(t *testing.T) {
	w := newWorld(t)
	rec := w.do(t, call{method: "GET", path: "/healthz", header: map[string]string{"X-Request-Id": "mine\nforged"}})
	require.NotContains(t, rec.Header().Get("X-Request-Id"), "mine")
}

// Proves: V16.5.3, S-admin-key
func TestWithoutAKeyNobodyIsAFounder(t *testing.T) {
	w := newWorld(t)
	w.server.AdminKey = ""
	for _, given := range []string{"", key} {
		rec := w.do(t, call{method: "POST", path: "/api/posts", body: `{"content":"hi"}`, key: "none", header: map[string]string{"X-Admin-Key": given}})
		require.Equal(t, 401, rec.Code)
	}
	w.untouched(t)
}

// Proves: F29, S-price
func TestANumberThatDoesNotFitIsRefusedAndNotRepeated(t *testing.T) {
	w := newWorld(t)
	for _, number := range []string{"1e999", "99999999999999999999", "900.5"} {
		rec := w.do(t, call{method: http.MethodPost, path: "/api/dynamic-payment", key: "none", body: `{"service":"founding_membership","amount_override":` + number + `}`})
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, rec.Code, number)
		require.Regexp(t, "amount_override|too large", rec.Body.String(), number)
		require.NotContains(t, rec.Body.String(), number)
	}
}

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

// PostgreSQL keeps no zero byte, and JSON can name one: whatever field it stands in, it is refused,
// or left out, and not found to be our own failure.
// Proves: F29
func TestAZeroByteInAnyFieldIsNoFailureOfOurs(t *testing.T) {
	t.Parallel()
	c := &cast{kind: "postgres"}
	w := c.on(t)
	routes, as := c.takers(t)
	texts := textFields(t)
	tried := 0
	for _, route := range routes {
		for _, field := range texts[route] {
			body := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(answers[route].body), &body), route)
			body[field] = "a\x00b"
			text := must(json.Marshal(body))(t)
			rec := w.answer(t, w.request(t, w.callTo(route, string(text), c.ids, as(route).token, "", "none")))
			require.Less(t, rec.Code, http.StatusInternalServerError, "%s, %s: %s", route, field, rec.Body)
			tried++
		}
	}
	require.Greater(t, tried, 60)
}

// textFields are what a body of each route may hold as text.
func textFields(t *testing.T) map[string][]string {
	type schema struct {
		Ref        string `yaml:"$ref"`
		Type       any
		Enum       []any
		Properties map[string]schema
	}
	var contract struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			} `yaml:"requestBody"`
		}
		Components struct{ Schemas map[string]schema }
	}
	text := must(os.ReadFile("openapi.yaml"))(t)
	require.NoError(t, yaml.Unmarshal(text, &contract))
	fields := map[string][]string{}
	for path, methods := range contract.Paths {
		for method, operation := range methods {
			body := operation.RequestBody.Content["application/json"].Schema
			if name, named := strings.CutPrefix(body.Ref, "#/components/schemas/"); named {
				body = contract.Components.Schemas[name]
			}
			route := strings.ToUpper(method) + " " + path
			for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
				if p := body.Properties[name]; p.Type == "string" && len(p.Enum) == 0 {
					fields[route] = append(fields[route], name)
				}
			}
		}
	}
	return fields
}

// PostgreSQL refuses what is no text, and who writes such an address is answered all the same.
// Proves: F29
func TestAnAddressThatIsNoTextLeadsNowhere(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorldOn(t, kind)
			for path, status := range map[string]int{
				"/api/posts/a%00b": 404, "/api/posts/%ff": 404, "/api/chaos/runs/%00": 404, "/api/receipts/%c3%28": 404, "/api/experiments/%00": 404,
				"/api/experiments?q=a%00b": 422, "/api/experiments?q=%ff": 422, "/api/posts?%00=1": 422, "/api/posts?status=%ed%a0%80": 422,
			} {
				rec := w.do(t, call{method: http.MethodGet, path: path, key: "none"})
				require.Equal(t, status, rec.Code, "%s: %s", path, rec.Body)
				require.Contains(t, []problem.Code{problem.NotFound, problem.Invalid}, problemOf(t, rec).Code)
			}
			rec := w.do(t, call{method: http.MethodGet, path: "/api/experiments?q=%C3%A9", key: "none"})
			require.Equal(t, ok, rec.Code, rec.Body)
		})
	}
}

func TestABrowserThatCallsItselfWhatIsNoTextLogsIn(t *testing.T) {
	t.Parallel()
	w := newWorldOn(t, "postgres")
	w.join(t, "ada")
	b := w.browser()
	require.Equal(t, ok, b.post(t, "/api/auth/email", `{"email":"ada@example.com"}`).Code)
	req := b.request(t, http.MethodPost, "/api/auth/email/verify", `{"email":"ada@example.com","code":"`+w.mailedCode(t, "ada@example.com")+`"}`)
	req.Header.Set("User-Agent", "\xff\xfe/1.0 (X11; Linux \xfd)")
	rec := w.answer(t, req)
	require.Equal(t, ok, rec.Code, rec.Body)
}

// otherBodies are taken in a form of their own, and why.
var otherBodies = map[string]string{
	"/unsubscribe":           "mail programs send a form; the link's proof says who may",
	"/webhooks/stripe":       "its bytes are signed",
	"/api/posts/import":      "a file of CSV, which a form cannot send either",
	"/sandbox/x/{path}":      "passed on as it is, to a stand-in that looks itself",
	"/sandbox/stripe/{path}": "passed on as it is, to a stand-in that looks itself",
}

// What a form of another site can send without asking first is no JSON.
// Proves: V3.5.2
func TestV3_5_2_EveryBodyNamesItsKind(t *testing.T) {
	w := newWorld(t)
	w.standIns(t)
	p, ids := w.everybody(t)
	before, walked := w.rows(t), 0
	for route, want := range answers {
		_, path, _ := strings.Cut(route, " ")
		if want.body == "" || otherBodies[path] != "" {
			continue
		}
		walked++
		token := p.member
		if want.member == never || want.member == nothing {
			token = p.founder
		}
		for _, kind := range []string{
			"text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
			"text/html", "text/json", "application/octet-stream", "application/jsonp", "nonsense",
		} {
			c := w.callTo(route, want.body, ids, token, "", "none")
			c.contentType = kind
			rec := w.do(t, c)
			if rec.Code == never { // nobody here may do it
				continue
			}
			require.Equal(t, http.StatusUnsupportedMediaType, rec.Code, "%s as %s: %s", route, kind, rec.Body)
			require.Equal(t, problem.UnsupportedMedia, problemOf(t, rec).Code)
		}
	}
	require.Greater(t, walked, 25)
	require.Empty(t, changed(before, w.rows(t)))
}
