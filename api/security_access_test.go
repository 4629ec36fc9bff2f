package api_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/account"
)

// Who is refused has changed nothing, and told no run anything.
// Proves: V8.2.1
func TestV8_2_1_ARefusedCallChangesNothing(t *testing.T) {
	t.Parallel()
	for name := range callers(people{}, expected{}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.standIns(t)
			p, ids := w.everybody(t)
			before, orders, refused := w.rows(t), w.runs.told(), 0
			for route, want := range answers {
				who := callers(p, want)[name]
				if strings.HasPrefix(route, http.MethodGet) || !slices.Contains([]int{no, never, nothing}, who.status) {
					continue
				}
				refused++
				rec := w.do(t, w.callTo(route, want.body, ids, who.token, who.bearer, who.key))
				require.Equal(t, who.status, rec.Code, "%s: %s", route, rec.Body)
			}
			require.NotZero(t, refused)
			for _, line := range changed(before, w.rows(t)) { // who comes back after a while is seen
				require.True(t, name == "stale founder" && strings.HasPrefix(line, "sessions "), line)
			}
			require.Equal(t, orders, w.runs.told())
		})
	}
}

// dumb is a book of accounts that cannot be read, while all the others can.
type dumb struct{ api.AccountStore }

func (dumb) Login(context.Context, string, time.Time) (*account.Login, error) {
	return nil, errors.New("dial tcp 10.0.0.3: connection refused")
}

// With nobody to ask who is who, nobody is anybody: what is closed stays closed.
// Proves: V16.5.3
func TestV16_5_3_WithoutTheBooksNobodyIsAnybody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.standIns(t)
	p, ids := w.everybody(t)
	before, orders := w.rows(t), w.runs.told()
	w.server.Accounts = dumb{w.db.Accounts}
	asked := 0
	for route, want := range answers {
		if want.visitor < http.StatusBadRequest {
			continue // it is open
		}
		for name, who := range callers(p, want) {
			if who.token == "" && who.bearer == "" {
				continue // a visitor is nobody, and programs are known by their key
			}
			asked++
			rec := w.do(t, w.callTo(route, want.body, ids, who.token, who.bearer, who.key))
			require.Equal(t, http.StatusInternalServerError, rec.Code, "%s, for %s: %s", route, name, rec.Body)
			require.Empty(t, rec.Header()["Set-Cookie"], "nobody is logged out by it")
			require.NotContains(t, rec.Body.String(), "10.0.0.3", route)
		}
	}
	require.Greater(t, asked, 300)
	require.Equal(t, before, w.rows(t))
	require.Equal(t, orders, w.runs.told())
}
