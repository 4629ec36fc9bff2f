package workflows_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/pricing"
)

// What models cost in a day has a bound, however many buyers there are: a price comes all the same.
// Proves: LLM06
func TestCheckoutIsPricedByOurRulesWhenModelsPricedEnoughForADay(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for range account.PricesByModels.Most {
		require.NoError(t, s.db.Limits.Consume(t.Context(), account.PricesByModels, "all", opening))
	}
	s.run(t)
	require.Empty(t, s.oracle.asked)
	require.Equal(t, pricing.ByRules, s.row.Decision.Source)
	require.Equal(t, "quota", s.row.Decision.Fallback)
}
