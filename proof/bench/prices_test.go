package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPricesAreReportedByWhatBuyersWaited(t *testing.T) {
	t.Parallel()
	for slow, met := range map[int]bool{0: true, 5: true, 6: false} {
		var waited []time.Duration
		for i := range 100 {
			wait := 50 * time.Millisecond
			if i < slow {
				wait = time.Second
			}
			waited = append(waited, wait)
		}
		require.Equal(t, met, len(missed(priceFigures(20, waited))) == 0, "%d of 100 are slow", slow)
	}
}
