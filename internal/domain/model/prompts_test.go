package model

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

// stored pins every version that a call may have been kept with.
var stored = map[string]string{
	"prompts/price.v1.md":                 "aeaf013d7119758478e50ed6bdc7a9e74eb5395252f63013ee1e15921969d0ea",
	"prompts/price.v1.schema.json":        "3e2955158bd17e0a4b20d7a4e158c283b5059f85615f245392fd922f8b423b1e",
	"prompts/tweet.v1.md":                 "2e6ebb9dbe43de4a427073f41a8a62befb9adc51beca24808f0d32fec463be4e",
	"prompts/verification.v1.md":          "f1f684fd4e0f876b72bf71e2535f76a2379ba161e6c135b2cfc421bbc2af4b82",
	"prompts/verification.v1.schema.json": "5944e3a20d5dcd7d9cce49bf6df4af0513c86dc829ad807614df4709ecb331d3",
}

func TestStoredPromptsStayAsTheyAre(t *testing.T) {
	t.Parallel()
	found := map[string]string{}
	names, err := fs.Glob(prompts, "prompts/*")
	require.NoError(t, err)
	for _, name := range names {
		content, err := fs.ReadFile(prompts, name)
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		found[name] = hex.EncodeToString(sum[:])
	}
	require.Equal(t, stored, found, "calls are kept with the version of their prompt: add price.v2, do not edit v1; then pin it here")
}
