package store

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var fuzzTable = Table{"posts", []column{
	{"at", kindTime, -1}, {"bytes", kindBytes, -1}, {"done", kindBoolean, -1}, {"id", kindText, 0}, {"number", kindInteger, -1}, {"share", kindReal, -1},
}}

// A line of a backup that is taken for a row is written again as the same row.
func FuzzLine(f *testing.F) {
	const whole = `{"at":"2026-11-20T12:00:00.123456Z","bytes":"AAH/","done":true,"id":"a","number":-7,"share":0.5}`
	for _, line := range []string{
		whole, `{"at":null,"bytes":null,"done":null,"id":null,"number":null,"share":null}`, strings.Replace(whole, `"a"`, `{"base64":"/w=="}`, 1), strings.Replace(whole, `"a"`, `{}`, 1),
		strings.Replace(whole, "-7", "7.5", 1), strings.Replace(whole, "-7", "99999999999999999999", 1), strings.Replace(whole, "0.5", "1e999", 1), strings.Replace(whole, "0.5", "-0.0", 1),
		strings.Replace(whole, ".123456Z", ".123456789+14:00", 1), strings.Replace(whole, "AAH/", "A", 1), `{}`, `[]`, `null`, ``, whole + whole, strings.Replace(whole, `"id"`, `"ID"`, 1),
		strings.Replace(whole, `"a"`, `"\ud800\u0000\u2028<"`, 1), strings.Replace(whole, "2026", "0000", 1),
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		values, err := fuzzTable.values(line)
		if err != nil {
			return
		}
		written, err := fuzzTable.line(nil, cellsOf(t, values))
		require.NoError(t, err)
		again, err := fuzzTable.values(written)
		require.NoError(t, err)
		twice, err := fuzzTable.line(nil, cellsOf(t, again))
		require.NoError(t, err)
		require.Equal(t, string(written), string(twice))
		require.Equal(t, values[1:], again[1:])
		if at, ok := values[0].(time.Time); ok {
			require.WithinDuration(t, at, again[0].(time.Time), time.Microsecond)
		}
	})
}

// cellsOf puts values where a database would have put them.
func cellsOf(t *testing.T, values []any) []any {
	t.Helper()
	cells := fuzzTable.cells()
	for i, value := range values {
		if into, ok := cells[i].(sql.Scanner); ok {
			require.NoError(t, into.Scan(value))
		} else if bytes, ok := value.([]byte); ok {
			*cells[i].(*[]byte) = bytes
		} else {
			*cells[i].(*[]byte) = nil
		}
	}
	return cells
}
