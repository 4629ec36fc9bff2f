package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

// Proves: V2.4.1-rest
func TestReportsOfBrokenPagesCannotFillTheDatabase(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		most := account.ReportsOverall.Most
		stored := atOnce(t, most+20, func(i int) error {
			return s.ClientErrors.SaveClientError(t.Context(), problem.ClientError{ID: fmt.Sprint("r", i), Message: "boom", Path: "/", CreatedAt: november})
		}, problem.TooMany)
		require.Equal(t, most, stored)
		later := problem.ClientError{ID: "later", Message: "boom", Path: "/", CreatedAt: november.Add(time.Minute)}
		require.NoError(t, s.ClientErrors.SaveClientError(t.Context(), later))
		require.Equal(t, most+1, s.Number(t, "SELECT count(*) FROM client_errors"))
	})
}
