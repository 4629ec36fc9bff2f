package api

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite openapi.yaml")

// The contract changes only on purpose: make gen rewrites it, and the diff is reviewed.
// Proves: V15.3.1
func TestContract(t *testing.T) {
	_, contract := (&Server{}).routes()
	now, err := contract.OpenAPI().YAML()
	require.NoError(t, err)

	if *update {
		require.NoError(t, os.WriteFile("openapi.yaml", now, 0o600))
	}
	kept, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	require.Equal(t, string(kept), string(now), "run make gen and review the diff")
	require.NotContains(t, string(now), "uniqueItems", "the library that checks them falls over arrays in arrays")
}
