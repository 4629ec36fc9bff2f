package store_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/store/storetest"
)

// The PostgreSQL of the tests waits for no disk.
func TestADatabaseThatForgetsIsNamed(t *testing.T) {
	t.Parallel()
	require.NoError(t, storetest.New(t, "sqlite").CheckDurable(t.Context()))
	address, err := url.Parse(storetest.Address(t, "postgres"))
	require.NoError(t, err)
	careless := address.Query()
	careless.Set("synchronous_commit", "off")
	for _, tt := range []struct{ query, off string }{{address.RawQuery, "fsync"}, {careless.Encode(), "fsync, synchronous_commit"}} {
		address.RawQuery = tt.query
		require.EqualError(t, storetest.Open(t, address.String()).CheckDurable(t.Context()),
			"PostgreSQL forgets changes it has told of when its machine stops: turn on "+tt.off)
	}
}
