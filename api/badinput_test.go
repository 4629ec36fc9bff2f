package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/store/testdb"
)

// An internal error reveals nothing to the caller, and a request ID sent by a client is ignored.
// Proves: F4, F37, V16.5.1
func TestInternalFailuresSayNothing(t *testing.T) {
	w := newWorld(t)
	rec := w.do(t, call{method: "GET", path: "/healthz", header: map[string]string{"X-Request-Id": "mine\nforged"}})
	require.NotContains(t, rec.Header().Get("X-Request-Id"), "mine")
	require.NoError(t, w.db.Close())
	for _, path := range []string{"/api/bot-posts", "/api/chaos/runs.csv"} {
		rec = w.send(t, "GET", path, "")
		require.NotContains(t, rec.Body.String(), "sql")
		refused(t, rec, problem.Internal)
		require.Empty(t, rec.Header().Get("Content-Disposition"))
	}
}

// most is a little less than the limit of a body.
const most = 60 << 10

func keys(n int) string {
	var body bytes.Buffer
	body.WriteByte('{')
	for i := range n {
		_, _ = fmt.Fprintf(&body, `"k%d":1,`, i)
	}
	body.WriteString(`"k":1}`)
	return body.String()
}

// jsonRoutes are the routes with a JSON body.
func jsonRoutes(t *testing.T) (routes []string) {
	for route, want := range answers {
		if strings.HasPrefix(want.body, "{") && route != "POST /webhooks/stripe" {
			routes = append(routes, route)
		}
	}
	slices.Sort(routes)
	require.Greater(t, len(routes), 25)
	return routes
}

// A malicious body costs little memory. Not parallel, because it measures memory.
// Proves: F29
func TestRudeBodiesCostLittle(t *testing.T) {
	w := newWorldOn(t, "sqlite")
	send := func(body string) (used uint64) {
		req := w.request(t, call{method: http.MethodPost, path: "/api/posts", body: body})
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w.handler.ServeHTTP(httptest.NewRecorder(), req)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	send(`{}`) // excludes one-time initialization
	for name, tt := range rude {
		require.Less(t, send(tt.body), uint64(24<<20), name)
	}
	held := func() uint64 {
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		return now.HeapAlloc
	}
	before, sent := held(), 0
	for range 20 {
		for _, tt := range rude {
			send(tt.body)
			sent += len(tt.body)
		}
	}
	require.Less(t, held(), before+uint64(sent)/10, "bodies are not kept")
}

// A URL with zero bytes or invalid UTF-8, which PostgreSQL rejects, is a 404 or 422.
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
				rec := w.visits(t, path)
				require.Equal(t, status, rec.Code, "%s: %s", path, rec.Body)
				require.Contains(t, []problem.Code{problem.NotFound, problem.Invalid}, problemOf(t, rec).Code)
			}
			rec := w.visits(t, "/api/experiments?q=%C3%A9")
			require.Equal(t, ok, rec.Code, rec.Body)
		})
	}
}

// otherBodies are the paths with a body that is not JSON, and the reason.
var otherBodies = map[string]string{
	"/unsubscribe":           "mail clients send a form; the proof in the link authorizes it",
	"/webhooks/stripe":       "the bytes are signed",
	"/api/posts/import":      "CSV, which a form cannot send either",
	"/sandbox/x/{path}":      "forwarded to a sandbox, which checks it",
	"/sandbox/stripe/{path}": "forwarded to a sandbox, which checks it",
}

// A form of another site cannot send application/json without a preflight request.
// Proves: V3.5.2
func TestV3_5_2_EveryBodyNamesItsKind(t *testing.T) {
	w := newWorld(t)
	w.withSandboxStub(t)
	p, ids := w.loginAll(t)
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
			if rec.Code == never { // no test caller has access
				continue
			}
			refused(t, rec, problem.UnsupportedMedia, "%s as %s: %s", route, kind, rec.Body)
		}
	}
	require.Greater(t, walked, 25)
	require.Empty(t, changed(before, w.rows(t)))
}

type sending func(t *testing.T, method, path, body string) *httptest.ResponseRecorder

// bad is a request that must be refused with a code.
type bad struct {
	method, path, body string
	code               problem.Code
}

// refusesAll requires that requests are refused, change nothing, and are not echoed.
func (w *world) refusesAll(t *testing.T, send sending, calls map[string]bad) {
	before, commands := w.rows(t), w.runs.sent()
	for name, c := range calls {
		rec := send(t, c.method, c.path, c.body)
		require.NotEmpty(t, refused(t, rec, c.code, "%s: %s", name, rec.Body).Message, name)
		require.Less(t, rec.Body.Len(), 1000, "%s: values are not repeated", name)
		require.Equal(t, before, w.rows(t), name)
		require.Equal(t, commands, w.runs.sent(), name)
	}
}

// A misspelled name is answered with the allowed ones and the nearest; any other value is not repeated.
func TestMisspelledNamesAreExplained(t *testing.T) {
	w := newWorld(t)
	for name, tt := range map[string]struct{ method, path, body, reason string }{
		"a status in a list":   {"GET", "/api/posts?status=schedulled", "", `must be one of: draft, scheduled, armed, published, failed, unknown, cancelled; you sent "schedulled", did you mean "scheduled"?`},
		"a value in a query":   {"GET", "/api/experiments?sort=progess", "", `must be one of: newest, votes, progress, updated; you sent "progess", did you mean "progress"?`},
		"a value in the body":  {"POST", "/api/members", `{"username":"eve","paymentAmount":8}`, "must be one of: 9"},
		"a fault":              {"POST", "/api/chaos", `{"type":"Crash-API","source":"dashboard"}`, `must be one of: delete-og-image, crash-api; you sent "Crash-API", did you mean "crash-api"?`},
		"a parameter":          {"GET", "/api/experiments?stauts=active", "", `unknown query parameter; known: q, status, sort, limit, offset; you sent "stauts", did you mean "status"?`},
		"a field":              {"POST", "/tweet", `{"content":"hi","contnet":"hi"}`, `unknown field; known: content; you sent "contnet", did you mean "content"?`},
		"a field in an array":  {"POST", "/api/recurring-posts", `{"texts":["{number}"],"times":[{"weekday":1,"time":"09:00","Time":"09:00"}],"timezone":"UTC"}`, `unknown field; known: time, weekday; you sent "Time", did you mean "time"?`},
		"nothing that is near": {"GET", "/api/experiments?sort=hunter2", "", "must be one of: newest, votes, progress, updated"},
	} {
		p := problemOf(t, w.send(t, tt.method, tt.path, tt.body))
		require.Equal(t, tt.reason, p.Details[0].Reason, name)
	}
}

// Proves: F29, V3.5.2, V16.5.3, S-admin-key, S-membership
func TestWrongRequestsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.refusesAll(t, w.send, map[string]bad{
		"an unknown review":      {"GET", "/api/posts?review=lost", "", problem.Invalid},
		"an unknown status":      {"GET", "/api/posts?status=lost", "", problem.Invalid},
		"a review of nothing":    {"POST", "/api/posts/x/review", `{"decision":"approve"}`, problem.NotFound},
		"approved for the past":  {"POST", "/api/posts/x/review", `{"decision":"approve","scheduledAt":"2020-01-01T00:00:00Z"}`, problem.DatePast},
		"nothing to restore":     {"POST", "/api/posts/x/restore", "", problem.NotFound},
		"an unknown post":        {"GET", "/api/posts/nobody", "", problem.NotFound},
		"a change to nothing":    {"PATCH", "/api/posts/nobody", `{"content":"hi"}`, problem.NotFound},
		"a calendar backwards":   {"GET", "/api/schedule?from=2026-12-01T00:00:00Z&to=2026-11-01T00:00:00Z", "", problem.Invalid},
		"a calendar of 63 days":  {"GET", "/api/schedule?from=2026-11-01T00:00:00Z&to=2027-01-03T00:00:00Z", "", problem.Invalid},
		"an unknown path":        {"GET", "/api/nothing", "", problem.NotFound},
		"an unknown method":      {"PUT", "/api/posts", "", problem.NotFound},
		"a name X would refuse":  {"POST", "/api/members", `{"username":"e ve","paymentAmount":9}`, problem.Invalid},
		"a login by no name":     {"POST", "/api/auth/manual-login", `{"username":"аda"}`, problem.Invalid},
		"an empty text":          {"POST", "/api/posts", `{"content":""}`, problem.TextEmpty},
		"a time in the past":     {"POST", "/api/posts", `{"content":"hi","scheduledAt":"2020-01-01T00:00:00Z"}`, problem.DatePast},
		"queued for a time":      {"POST", "/api/posts", `{"content":"hi","scheduledAt":"2026-12-01T09:00:00Z","queue":true}`, problem.Invalid},
		"queued as a draft":      {"POST", "/api/posts", `{"content":"hi","draft":true,"queue":true}`, problem.Invalid},
		"an unknown candidate":   {"POST", "/api/posts", `{"content":"hi","candidateId":"nobody"}`, problem.NotFound},
		"an unknown member":      {"POST", "/api/posts", `{"content":"hi","member":"nobody"}`, problem.MemberUnknown},
		"a member's bad address": {"POST", "/api/members", `{"username":"eve","paymentAmount":9,"email":"Eve <kanari@example.com>"}`, problem.Invalid},
	})
	as := func(c call) sending {
		return func(t *testing.T, method, path, body string) *httptest.ResponseRecorder {
			c.method, c.path, c.body = method, path, body
			return w.do(t, c)
		}
	}
	good := bad{"POST", "/api/posts", `{"content":"hi"}`, problem.Unauthorized}
	w.refusesAll(t, as(call{key: "none", header: map[string]string{"X-Admin-Key": "guess"}}), map[string]bad{"a wrong key": good})
	w.server.AdminKey = ""
	for _, given := range []string{"", key} {
		w.refusesAll(t, as(call{key: "none", header: map[string]string{"X-Admin-Key": given}}), map[string]bad{"where there is no key": good})
	}
}

type schema struct {
	Ref                                      string `json:"$ref"`
	Type, AdditionalProperties               any
	Enum                                     []any
	Required                                 []string
	Properties                               map[string]*schema
	Items                                    *schema
	Pattern, Format                          string
	MaxLength, MinLength, MaxItems, MinItems *int
	Maximum, Minimum                         *float64
}

type operation struct {
	Parameters []struct {
		Name, In string
		Required bool
		Schema   *schema
	}
	RequestBody struct {
		Content map[string]struct{ Schema *schema }
	}
}

type schemas map[string]*schema

// described returns the operations of the served contract by route.
func (w *world) described(t *testing.T) (map[string]operation, schemas) {
	var contract struct {
		Paths      map[string]map[string]operation
		Components struct{ Schemas schemas }
	}
	require.NoError(t, json.Unmarshal(w.visits(t, "/openapi.json").Body.Bytes(), &contract))
	all := map[string]operation{}
	for path, methods := range contract.Paths {
		for method, op := range methods {
			all[strings.ToUpper(method)+" "+path] = op
		}
	}
	return all, contract.Components.Schemas
}

func (known schemas) target(s *schema) *schema {
	for s.Ref != "" {
		s = known[path.Base(s.Ref)]
	}
	return s
}

// misfit is a value that breaks one rule of the schema, and the field of the expected error.
type misfit struct {
	field string
	value any
}

// hunter2 is a value that is valid for no field and must not be echoed.
const hunter2 = "Hunter 2!"

// misfits returns values that break one rule each; good is a valid value.
func (known schemas) misfits(s *schema, field string, good any) (all []misfit) {
	s = known.target(s)
	add := func(value any) { all = append(all, misfit{field, value}) }
	if s.Type == "string" {
		add(7)
	} else {
		add(hunter2)
	}
	if s.Enum != nil || s.Pattern != "" || s.Format == "date-time" {
		add(map[bool]any{true: hunter2, false: 1234567}[s.Type == "string"])
	}
	if s.MaxLength != nil {
		add(strings.Repeat("x", *s.MaxLength+1))
	}
	if s.MinLength != nil && *s.MinLength > 0 {
		add(strings.Repeat("x", *s.MinLength-1))
	}
	if s.Type == "integer" {
		add(0.5)
	}
	if s.Minimum != nil {
		add(*s.Minimum - 1)
	}
	if s.Maximum != nil {
		add(*s.Maximum + 1)
	}
	if s.Type == "array" {
		var item any = "x"
		if list, _ := good.([]any); len(list) > 0 {
			item = list[0]
		}
		if s.MaxItems != nil {
			add(slices.Repeat([]any{item}, *s.MaxItems+1))
		}
		if s.MinItems != nil {
			add([]any{})
		}
		for _, m := range known.misfits(s.Items, field+"[0]", item) {
			all = append(all, misfit{m.field, []any{m.value}})
		}
	}
	if s.Type == "object" {
		object, _ := good.(map[string]any)
		with := func(name string, value any) map[string]any {
			other := maps.Clone(object)
			if other == nil {
				other = map[string]any{}
			}
			other[name] = value
			return other
		}
		all = append(all, misfit{field + ".unknown", with("unknown", hunter2)})
		for _, name := range s.Required {
			less := with(name, nil)
			delete(less, name)
			add(less)
		}
		for name, property := range s.Properties {
			for _, m := range known.misfits(property, field+"."+name, object[name]) {
				all = append(all, misfit{m.field, with(name, m.value)})
			}
		}
	}
	return all
}

// Every rule of the contract is enforced on every route with an error that names the field, and nothing is written.
// Proves: F29, V1.2.4, V15.3.3, S-price
func TestEveryRuleOfTheContractHolds(t *testing.T) {
	t.Parallel()
	c := &cast{}
	w := c.on(t)
	operations, known := w.described(t)
	tried, commands := 0, w.runs.sent()
	for route, op := range operations {
		before := w.rows(t)
		breaks := func(field string, change func(c *call)) {
			asked := w.callTo(route, answers[route].body, c.ids, c.handled(route).token, "", "none")
			change(&asked)
			tried++
			rec := w.do(t, asked)
			require.Equal(t, http.StatusUnprocessableEntity, rec.Code, "%s, %s: %s, for %s %s", route, field, rec.Body, asked.path, asked.body)
			p := refused(t, rec, problem.Invalid, "%s, %s: %s", route, field, rec.Body)
			require.True(t, slices.ContainsFunc(p.Details, func(d problem.Detail) bool { return d.Field == field }), "%s, %s: %s", route, field, rec.Body)
			require.NotContains(t, rec.Body.String(), hunter2, route)
			require.Less(t, rec.Body.Len(), 1500, "%s, %s: values are not repeated", route, field)
		}
		for _, p := range op.Parameters {
			for _, m := range known.misfits(p.Schema, p.In+"."+p.Name, nil) {
				value := fmt.Sprint(m.value)
				if value == "7" { // also valid text
					continue
				}
				breaks(m.field, func(c *call) { c.path = w.parameter(route, c.path, p.In, p.Name, value, c.header) })
			}
		}
		breaks("query.unknown", func(c *call) { c.path = w.parameter(route, c.path, "query", "unknown", "1", nil) })
		if body := op.RequestBody.Content["application/json"].Schema; body != nil && known.target(body).Type == "object" {
			var good any
			require.NoError(t, json.Unmarshal([]byte(answers[route].body), &good), route)
			for _, m := range known.misfits(body, "body", good) {
				breaks(m.field, func(c *call) { c.body = asJSON(t, m.value) })
			}
		}
		require.Equal(t, before, w.rows(t), route)
	}
	require.Greater(t, tried, 600)
	require.Equal(t, commands, w.runs.sent())
}

// parameter returns the path with another value of a parameter, or sets the header.
func (w *world) parameter(route, target, in, name, value string, header map[string]string) string {
	at, err := url.Parse(target)
	if err != nil {
		return target
	}
	switch in {
	case "header":
		header[name] = value
	case "path":
		parts := strings.Split(at.Path, "/")
		parts[slices.Index(strings.Split(route[strings.Index(route, "/"):], "/"), "{"+name+"}")] = value
		at.Path = strings.Join(parts, "/")
	default:
		query := at.Query()
		query.Set(name, value)
		at.RawQuery = query.Encode()
	}
	return at.String()
}

// A zero byte, which PostgreSQL cannot store, never causes a 500.
// Proves: F29
func TestAZeroByteInAnyFieldIsNoFailureOfOurs(t *testing.T) {
	t.Parallel()
	c := &cast{kind: "postgres"}
	w := c.on(t)
	operations, known := w.described(t)
	tried := 0
	for _, route := range jsonRoutes(t) {
		for name, field := range known.target(operations[route].RequestBody.Content["application/json"].Schema).Properties {
			if field = known.target(field); field.Type != "string" || field.Enum != nil {
				continue
			}
			body := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(answers[route].body), &body), route)
			body[name] = "a\x00b"
			rec := w.do(t, w.callTo(route, asJSON(t, body), c.ids, c.handled(route).token, "", "none"))
			require.Less(t, rec.Code, http.StatusInternalServerError, "%s, %s: %s", route, name, rec.Body)
			tried++
		}
	}
	require.Greater(t, tried, 60)
}

// rude are malicious bodies near the size limit, with the expected status; 0 means 400 or 422.
var rude = map[string]struct {
	body   string
	status int
}{
	"arrays in arrays":         {strings.Repeat("[", most), 400},
	"objects in objects":       {strings.Repeat(`{"a":`, most/6) + "1" + strings.Repeat("}", most/6), 400},
	"thousands of keys":        {keys(5000), 0},
	"a million keys":           {keys(1_000_000), 413},
	"a long key":               {`{"` + strings.Repeat("x", most) + `":1}`, 0},
	"the same key thousands":   {"{" + strings.Repeat(`"content":1,`, most/12) + `"content":1}`, 400},
	"broken UTF-8 as a value":  {"{\"content\":\"" + strings.Repeat("\xff", 1000) + "\"}", 400},
	"a number of many digits":  {`{"content":` + strings.Repeat("9", most) + `}`, 0},
	"a number beyond measure":  {`{"version":1e999999999,"vote":1e999999999,"threshold":1e999999999}`, 0},
	"a long escape":            {`{"content":"` + strings.Repeat(`\u0041`, most/6) + `"}`, 0},
	"blanks":                   {strings.Repeat(" ", most), 400},
	"nothing":                  {"", 400},
	"a byte order mark":        {"\xef\xbb\xbf{}", 400},
	"nothing but null":         {"null", 0},
	"a string":                 {`"content"`, 422},
	"keys that are no fields":  {`{"__proto__":{"admin":true},"constructor":{"prototype":{}},"$where":"1"}`, 422},
	"a field in other letters": {`{"CONTENT":"hi","Version":1,"EMAIL":"a@example.com","Username":"a","Reason":"b","URL":"/"}`, 422},
	"an object for each field": {`{"content":{},"email":{},"username":{},"version":{},"vote":{},"type":{},"service":{},"token":{},"title":{}}`, 422},
	"arrays in each list":      {`{"models":[["a"],["a"]],"prompt":"hello","context":[[{}],[{}]],"ids":[[1]],"answers":{"project_excitement":[["a"]]}}`, 422},
	"what follows the end":     {`{}{}`, 400},
	"a quotation without end":  {`{"content":"` + strings.Repeat("x", most), 400},
	"a PNG":                    {"\x89PNG\r\n\x1a\n", 400},
}

// Malicious bodies are refused on every route, and nothing is written.
// Proves: F29
func TestEveryRouteRefusesRudeBodies(t *testing.T) {
	t.Parallel()
	c := &cast{}
	w := c.on(t)
	for _, route := range jsonRoutes(t) {
		before, commands := w.rows(t), len(w.runs.sent())
		for name, tt := range rude {
			rec := w.do(t, w.callTo(route, tt.body, c.ids, c.handled(route).token, "", "none"))
			if tt.status == 0 {
				require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, rec.Code, "%s, %s: %s", route, name, rec.Body)
			} else {
				require.Equal(t, tt.status, rec.Code, "%s, %s: %s", route, name, rec.Body)
			}
			code := map[bool]problem.Code{true: problem.TooLarge, false: problem.Invalid}[rec.Code == http.StatusRequestEntityTooLarge]
			require.NotEmpty(t, refused(t, rec, code, "%s, %s", route, name).Message)
			require.Less(t, rec.Body.Len(), 4<<10, "%s, %s: the body is not echoed", route, name)
		}
		require.Equal(t, before, w.rows(t), route)
		require.Len(t, w.runs.sent(), commands, route)
	}
}

// handled returns a caller with access to a route.
func (c *cast) handled(route string) sender {
	want := answers[route]
	for _, who := range []sender{{token: c.people.founder, status: want.founder}, {token: c.people.member, status: want.member}} {
		if who.status != no && who.status != never {
			return who
		}
	}
	return sender{}
}
