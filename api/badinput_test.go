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

// A secret in a failure below must not reach the caller, and the name of a request is ours.
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

// most is what a body may have, and a little less than that.
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

// takers are the routes that read JSON.
func takers(t *testing.T) (routes []string) {
	elsewhere := []string{"POST /webhooks/stripe", "POST /api/posts/import", "POST /unsubscribe"} // which read something else
	for route, want := range answers {
		if strings.HasPrefix(want.body, "{") && !slices.Contains(elsewhere, route) {
			routes = append(routes, route)
		}
	}
	slices.Sort(routes)
	require.Greater(t, len(routes), 25)
	return routes
}

// Not parallel: it measures memory. A rude body costs no more than a polite one of its size.
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
	send(`{}`) // what is made once
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
	require.Less(t, held(), before+uint64(sent)/10, "of the bodies nothing is kept: what stays is what was logged and answered")
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
				rec := w.visits(t, path)
				require.Equal(t, status, rec.Code, "%s: %s", path, rec.Body)
				require.Contains(t, []problem.Code{problem.NotFound, problem.Invalid}, problemOf(t, rec).Code)
			}
			rec := w.visits(t, "/api/experiments?q=%C3%A9")
			require.Equal(t, ok, rec.Code, rec.Body)
		})
	}
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
			refused(t, rec, problem.UnsupportedMedia, "%s as %s: %s", route, kind, rec.Body)
		}
	}
	require.Greater(t, walked, 25)
	require.Empty(t, changed(before, w.rows(t)))
}

// sending is how somebody sends a call.
type sending func(t *testing.T, method, path, body string) *httptest.ResponseRecorder

// bad is a call that is refused, and as which problem.
type bad struct {
	method, path, body string
	code               problem.Code
}

// refusesAll sends calls of which none changes anything, and none is repeated to its sender.
func (w *world) refusesAll(t *testing.T, send sending, calls map[string]bad) {
	before, orders := w.rows(t), w.runs.told()
	for name, c := range calls {
		rec := send(t, c.method, c.path, c.body)
		require.NotEmpty(t, refused(t, rec, c.code, "%s: %s", name, rec.Body).Message, name)
		require.Less(t, rec.Body.Len(), 1000, "%s: values are not repeated", name)
		require.Equal(t, before, w.rows(t), name)
		require.Equal(t, orders, w.runs.told(), name)
	}
}

// Proves: F29, V3.5.2, V16.5.3, S-admin-key, S-membership
func TestWrongRequestsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.refusesAll(t, w.send, map[string]bad{
		"an unknown review":       {"GET", "/api/posts?review=lost", "", problem.Invalid},
		"an unknown status":       {"GET", "/api/posts?status=lost", "", problem.Invalid},
		"a review of nothing":     {"POST", "/api/posts/x/review", `{"decision":"approve"}`, problem.NotFound},
		"approved for the past":   {"POST", "/api/posts/x/review", `{"decision":"approve","scheduledAt":"2020-01-01T00:00:00Z"}`, problem.DatePast},
		"nothing to restore":      {"POST", "/api/posts/x/restore", "", problem.NotFound},
		"an unknown post":         {"GET", "/api/posts/nobody", "", problem.NotFound},
		"a change to nothing":     {"PATCH", "/api/posts/nobody", `{"content":"hi"}`, problem.NotFound},
		"a calendar backwards":    {"GET", "/api/schedule?from=2026-12-01T00:00:00Z&to=2026-11-01T00:00:00Z", "", problem.Invalid},
		"a calendar of 63 days":   {"GET", "/api/schedule?from=2026-11-01T00:00:00Z&to=2027-01-03T00:00:00Z", "", problem.Invalid},
		"an unknown path":         {"GET", "/api/nothing", "", problem.NotFound},
		"a method nobody answers": {"PUT", "/api/posts", "", problem.NotFound},
		"a name X would refuse":   {"POST", "/api/members", `{"username":"e ve","paymentAmount":9}`, problem.Invalid},
		"a login by no name":      {"POST", "/api/auth/manual-login", `{"username":"аda"}`, problem.Invalid},
		"an empty text":           {"POST", "/api/posts", `{"content":""}`, problem.TextEmpty},
		"a time in the past":      {"POST", "/api/posts", `{"content":"hi","scheduledAt":"2020-01-01T00:00:00Z"}`, problem.DatePast},
		"queued for a time":       {"POST", "/api/posts", `{"content":"hi","scheduledAt":"2026-12-01T09:00:00Z","queue":true}`, problem.Invalid},
		"queued as a draft":       {"POST", "/api/posts", `{"content":"hi","draft":true,"queue":true}`, problem.Invalid},
		"an unknown candidate":    {"POST", "/api/posts", `{"content":"hi","candidateId":"nobody"}`, problem.NotFound},
		"an unknown member":       {"POST", "/api/posts", `{"content":"hi","member":"nobody"}`, problem.MemberUnknown},
		"a member's bad address":  {"POST", "/api/members", `{"username":"eve","paymentAmount":9,"email":"Eve <kanari@example.com>"}`, problem.Invalid},
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

// schema says what a value may be.
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

// operation is what the contract says of a route.
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

// schemas are those of the contract by name.
type schemas map[string]*schema

// described are the operations of the contract that is served, by route.
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

// misfit is a value that breaks one rule, and the field that is at fault.
type misfit struct {
	field string
	value any
}

// hunter2 is a value that fits nothing. It is repeated to nobody.
const hunter2 = "Hunter 2!"

// misfits are values that break one rule of a schema each; good is one that breaks none.
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

// What the contract rules out is refused for that reason, on every route, with the name of the field, and
// nothing is written.
// Proves: F29, V1.2.4, V15.3.3, S-price
func TestEveryRuleOfTheContractHolds(t *testing.T) {
	t.Parallel()
	c := &cast{}
	w := c.on(t)
	operations, known := w.described(t)
	tried, orders := 0, w.runs.told()
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
				if value == "7" { // it is text as well
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
	require.Equal(t, orders, w.runs.told())
}

// parameter gives the path of a call with another value of a parameter; those of headers are set.
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

// PostgreSQL keeps no zero byte, and JSON can name one: whatever field it stands in, it is refused,
// or left out, and not found to be our own failure.
// Proves: F29
func TestAZeroByteInAnyFieldIsNoFailureOfOurs(t *testing.T) {
	t.Parallel()
	c := &cast{kind: "postgres"}
	w := c.on(t)
	operations, known := w.described(t)
	tried := 0
	for _, route := range takers(t) {
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

// rude are bodies that nobody means well with, each as large as the limits let it be, or larger, and the status that each
// meets; 0: one of the two for what is no JSON, and what does not fit.
var rude = map[string]struct {
	body   string
	status int
}{
	"arrays in arrays":         {strings.Repeat("[", most), 400},
	"objects in objects":       {strings.Repeat(`{"a":`, most/6) + "1" + strings.Repeat("}", most/6), 400},
	"thousands of keys":        {keys(5000), 0},
	"a million keys":           {keys(1_000_000), 413},
	"a key of many emails":     {`{"` + strings.Repeat("x", most) + `":1}`, 0},
	"the same key thousands":   {"{" + strings.Repeat(`"content":1,`, most/12) + `"content":1}`, 400},
	"broken UTF-8 as a value":  {"{\"content\":\"" + strings.Repeat("\xff", 1000) + "\"}", 400},
	"a number of many digits":  {`{"content":` + strings.Repeat("9", most) + `}`, 0},
	"a number beyond measure":  {`{"version":1e999999999,"vote":1e999999999,"threshold":1e999999999}`, 0},
	"a long escape":            {`{"content":"` + strings.Repeat(`\u0041`, most/6) + `"}`, 0},
	"blanks":                   {strings.Repeat(" ", most), 400},
	"nothing":                  {"", 400},
	"a byte order mark":        {"\xef\xbb\xbf{}", 400},
	"nothing but null":         {"null", 0},
	"a word":                   {`"content"`, 422},
	"keys that are no fields":  {`{"__proto__":{"admin":true},"constructor":{"prototype":{}},"$where":"1"}`, 422},
	"a field in other letters": {`{"CONTENT":"hi","Version":1,"EMAIL":"a@example.com","Username":"a","Reason":"b","URL":"/"}`, 422},
	"an object for each field": {`{"content":{},"email":{},"username":{},"version":{},"vote":{},"type":{},"service":{},"token":{},"title":{}}`, 422},
	"arrays in each list":      {`{"models":[["a"],["a"]],"prompt":"hello","context":[[{}],[{}]],"ids":[[1]],"answers":{"project_excitement":[["a"]]}}`, 422},
	"what follows the end":     {`{}{}`, 400},
	"a quotation without end":  {`{"content":"` + strings.Repeat("x", most), 400},
	"a picture, says nobody":   {"\x89PNG\r\n\x1a\n", 400},
}

// Whatever a body holds, it is refused for what it is, on every route, and nothing is written.
// Proves: F29
func TestEveryRouteRefusesRudeBodies(t *testing.T) {
	t.Parallel()
	c := &cast{}
	w := c.on(t)
	for _, route := range takers(t) {
		before, orders := w.rows(t), len(w.runs.told())
		for name, tt := range rude {
			rec := w.do(t, w.callTo(route, tt.body, c.ids, c.handled(route).token, "", "none"))
			if tt.status == 0 {
				require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, rec.Code, "%s, %s: %s", route, name, rec.Body)
			} else {
				require.Equal(t, tt.status, rec.Code, "%s, %s: %s", route, name, rec.Body)
			}
			code := map[bool]problem.Code{true: problem.TooLarge, false: problem.Invalid}[rec.Code == http.StatusRequestEntityTooLarge]
			require.NotEmpty(t, refused(t, rec, code, "%s, %s", route, name).Message)
			require.Less(t, rec.Body.Len(), 4<<10, "%s, %s: what is wrong is told, and not repeated", route, name)
		}
		require.Equal(t, before, w.rows(t), route)
		require.Len(t, w.runs.told(), orders, route)
	}
}

// handled is somebody to whom a route listens.
func (c *cast) handled(route string) sender {
	want := answers[route]
	for _, who := range []sender{{token: c.people.founder, status: want.founder}, {token: c.people.member, status: want.member}} {
		if who.status != no && who.status != never {
			return who
		}
	}
	return sender{}
}
