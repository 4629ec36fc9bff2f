package keyring_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/keyring"
)

const fuzzKey = "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// A ring that is read can seal, and one that is not read is not repeated.
func FuzzParse(f *testing.F) {
	for _, text := range []string{fuzzKey, fuzzKey + ",k2" + fuzzKey[2:], fuzzKey + "," + fuzzKey, "", ",", "k1:", "K1" + fuzzKey[2:], fuzzKey[3:], " " + fuzzKey + "\n", "k1:" + strings.Repeat("A", 44), fuzzKey + "="} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ring, err := keyring.Parse(text)
		if err != nil {
			for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ':' }) {
				require.True(t, len(part) < 16 || !strings.Contains(err.Error(), part), "a key is repeated")
			}
			return
		}
		require.Equal(t, ring.Primary(), ring.IDs()[0])
		opened, err := ring.Open(ring.Seal("a secret", "a place"), "a place")
		require.NoError(t, err)
		require.Equal(t, "a secret", opened)
	})
}

// What was sealed opens in its place alone. What was not sealed does not open.
func FuzzOpen(f *testing.F) {
	ring, err := keyring.Parse(fuzzKey)
	require.NoError(f, err)
	for _, sealed := range []string{"", "v1.k1.", "v1.k1", "v2.k1.AAAA", "v1.k9.AAAA", "v1..", "v1.k1.!!", ring.Seal("x", "p"), strings.Repeat(".", 50), "v1.k1." + strings.Repeat("A", 5000)} {
		f.Add(sealed, "p")
	}
	f.Fuzz(func(t *testing.T, value, place string) {
		opened, err := ring.Open(ring.Seal(value, place), place)
		require.NoError(t, err)
		require.Equal(t, value, opened)
		_, err = ring.Open(ring.Seal(value, place), place+"!")
		require.ErrorIs(t, err, keyring.ErrUnsealed)
		require.True(t, ring.Marked(ring.Mark(value, place), value, place))
		require.False(t, ring.Marked(value, value, place), "nobody makes a mark without the key")

		if _, err := ring.Open(value, "another place"); !errors.Is(err, keyring.ErrUnsealed) {
			require.ErrorIs(t, err, keyring.ErrUnknownKey)
		}
		_ = keyring.IDOf(value)
	})
}
