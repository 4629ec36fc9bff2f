package api

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"customerzero/api/httpapi"
)

// An accepted body is valid JSON without duplicate fields. A refused one is not echoed.
func FuzzStrictJSON(f *testing.F) {
	for _, body := range []string{
		`{}`, `null`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `{"a":1,"\u0061":2}`, `{"A":1,"a":2}`, `[{"a":1},{"a":2}]`, `{"a":"` + "\xff" + `"}`, `{"a":"\ud800"}`, `{"a":"\ud83d\udc4d"}`,
		`{"secret-value-of-mine":1`, `{"a":secret-value-of-mine}`, `{"number":1e999}`, `{"number":99999999999999999999}`, `{"number":"secret-value-of-mine"}`, `{"text":7}`, ` {} `, `{}{}`, `01`, `-0`, "\ufeff{}",
		strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 11_000),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var into struct {
			Number int    `json:"number"`
			Text   string `json:"text"`
		}
		if err := httpapi.StrictJSON.Unmarshal(body, &into); err != nil {
			require.NotContains(t, err.Error(), "secret-value-of-mine")
			require.LessOrEqual(t, len(err.Error()), 200)
			return
		}
		require.True(t, json.Valid(body))
		require.True(t, utf8.Valid(body))
		require.True(t, utf8.ValidString(into.Text))
		var once, twice any
		if err := json.Unmarshal(body, &once); err != nil { // an unknown field contains a huge number
			require.EqualError(t, httpapi.StrictJSON.Unmarshal(body, &twice), "a number has the wrong type or is out of range")
			return
		}
		text, err := json.Marshal(once)
		require.NoError(t, err)
		require.NoError(t, httpapi.StrictJSON.Unmarshal(text, &twice))
		require.Equal(t, once, twice)
	})
}

// Every user agent has a short, valid name.
func FuzzDevice(f *testing.F) {
	for _, agent := range []string{
		"", "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Version/17.0 Mobile/15E148 Safari/604.1",
		"(((((", ")))", ";;;;/1/2/3", "Mozilla/", "/", "a/b (c; d) e/f", strings.Repeat("Mozilla/5.0 (", 500), "\xff\xfe\x00", "Googlebot/2.1 (+http://www.google.com/bot.html)", "Android", "Windows NT ", "Linux; Android 9;",
	} {
		f.Add(agent)
	}
	f.Fuzz(func(t *testing.T, agent string) {
		device := deviceOf(agent)
		require.NotEmpty(t, device)
		require.True(t, utf8.ValidString(device))
		require.LessOrEqual(t, utf8.RuneCountInString(device), 60)
	})
}

// If-None-Match matches listed ETags only.
func FuzzIfNoneMatch(f *testing.F) {
	for _, header := range []string{"", "*", `"a"`, `W/"a"`, `"b", W/"a"`, `"b","c"`, `a`, `W/W/"a"`, ",,,", `"a`, ` * `} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if httpapi.Matches(header, `"a"`) {
			require.True(t, strings.Contains(header, `"a"`) || strings.Contains(header, "*"))
		}
		require.True(t, httpapi.Matches(header+`, "a"`, `"a"`))
	})
}
