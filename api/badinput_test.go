package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
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
			t.Parallel()
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
			t.Parallel()
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
			t.Parallel()
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
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.db.Close())
	rec := w.do(t, call{method: "GET", path: "/api/bot-posts"})
	require.Equal(t, 500, rec.Code)
	require.NotContains(t, rec.Body.String(), "sql")
	require.Equal(t, problem.Internal, problemOf(t, rec).Code)
}

// Proves: V16.5.1
func TestRequestIDsAreOurs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rec := w.do(t, call{method: "GET", path: "/healthz", header: map[string]string{"X-Request-Id": "mine\nforged"}})
	require.NotContains(t, rec.Header().Get("X-Request-Id"), "mine")
}

// Proves: V16.5.3, S-admin-key
func TestWithoutAKeyNobodyIsAFounder(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	w := newWorld(t)
	for _, number := range []string{"1e999", "99999999999999999999", "900.5"} {
		rec := w.do(t, call{method: http.MethodPost, path: "/api/dynamic-payment", key: "none", body: `{"service":"founding_membership","amount_override":` + number + `}`})
		require.Contains(t, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}, rec.Code, number)
		require.Regexp(t, "amount_override|too large", rec.Body.String(), number)
		require.NotContains(t, rec.Body.String(), number)
	}
}
