package activities

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/model"
)

func TestProposePriceNamesTimeThatRanOut(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	open := c.opens(t)
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	_, err := c.ProposePrice(ctx, DecideInput{CheckoutID: open.ID})
	var failed *temporal.ApplicationError
	require.ErrorAs(t, err, &failed)
	require.Equal(t, string(model.TimedOut), failed.Type())
}
