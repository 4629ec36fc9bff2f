package keyring_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/keyring"
)

func newKey(t *testing.T, id string) string {
	t.Helper()
	text, err := keyring.New(id)
	require.NoError(t, err)
	return text
}

func ring(t *testing.T, keys ...string) *keyring.Ring {
	t.Helper()
	r, err := keyring.Parse(strings.Join(keys, ","))
	require.NoError(t, err)
	return r
}

// Proves: V11.3.2
func TestSealedOpensOnlyInItsPlaceWithItsKey(t *testing.T) {
	t.Parallel()
	k1, k2, imposter := newKey(t, "k1"), newKey(t, "k2"), newKey(t, "k1")
	sealed := ring(t, k1).Encrypt("hunter2", "secret/1")
	require.NotContains(t, sealed, "hunter2")

	cases := map[string]struct {
		keys          []string
		sealed, place string
		want          string
		err           error
	}{
		"the same ring":               {[]string{k1}, sealed, "secret/1", "hunter2", nil},
		"a newer key is in front":     {[]string{k2, k1}, sealed, "secret/1", "hunter2", nil},
		"moved to another place":      {[]string{k1}, sealed, "secret/2", "", keyring.ErrUnsealed},
		"the key is gone":             {[]string{k2}, sealed, "secret/1", "", keyring.ErrUnknownKey},
		"another key has the same ID": {[]string{imposter}, sealed, "secret/1", "", keyring.ErrUnsealed},
		"a byte was changed":          {[]string{k1}, sealed[:len(sealed)-2] + "AA", "secret/1", "", keyring.ErrUnsealed},
		"the ID of another key":       {[]string{k2, k1}, strings.Replace(sealed, ".k1.", ".k2.", 1), "secret/1", "", keyring.ErrUnsealed},
		"not encrypted":               {[]string{k1}, "hunter2", "secret/1", "", keyring.ErrUnsealed},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := ring(t, tt.keys...).Decrypt(tt.sealed, tt.place)
			require.ErrorIs(t, err, tt.err)
			require.Equal(t, tt.want, got)
		})
	}
}

// Proves: V11.3.2
func TestSameValueIsSealedDifferentlyEachTime(t *testing.T) {
	t.Parallel()
	r := ring(t, newKey(t, "k1"))
	once, again := r.Encrypt("x", "p"), r.Encrypt("x", "p")
	require.NotEqual(t, once, again)
}

func TestBadRingsAreRefusedWithoutRepeatingThem(t *testing.T) {
	t.Parallel()
	good := newKey(t, "k1")
	for name, text := range map[string]string{
		"empty":              "",
		"no id":              strings.TrimPrefix(good, "k1"),
		"not base64":         "k1:hunter2hunter2!",
		"too short":          "k1:aHVudGVyMg==",
		"the same id twice":  good + "," + newKey(t, "k1"),
		"a strange id":       "K 1:" + strings.TrimPrefix(good, "k1:"),
		"a comma at the end": good + ",",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := keyring.Parse(text)
			require.ErrorContains(t, err, "SECRET_KEYS")
			require.NotContains(t, err.Error(), "hunter2")
			require.NotContains(t, err.Error(), strings.TrimPrefix(good, "k1:"))
		})
	}
}

func TestKeyAddedByAnotherProcessIsFound(t *testing.T) {
	t.Parallel()
	k1, k2 := newKey(t, "k1"), newKey(t, "k2")
	var file atomic.Value
	file.Store(k1)
	running, err := keyring.Open(func() (string, error) { return file.Load().(string), nil })
	require.NoError(t, err)

	file.Store(k2 + "," + k1)
	sealed := ring(t, k2).Encrypt("hunter2", "p")
	got, err := running.Decrypt(sealed, "p")
	require.NoError(t, err)
	require.Equal(t, "hunter2", got)
	require.Equal(t, "k2", running.Primary())
}

// Proves: V11.3.2
func TestMarks(t *testing.T) {
	t.Parallel()
	k1, k2 := newKey(t, "k1"), newKey(t, "k2")
	mark := ring(t, k1).Mark("123456", "code/1")
	require.NotContains(t, mark, "123456")
	require.True(t, ring(t, k2, k1).Marked(mark, "123456", "code/1"), "an older key still works")
	require.False(t, ring(t, k1).Marked(mark, "123457", "code/1"))
	require.False(t, ring(t, k1).Marked(mark, "123456", "code/2"))
	require.False(t, ring(t, k2).Marked(mark, "123456", "code/1"))
	require.False(t, ring(t, newKey(t, "k1")).Marked(mark, "123456", "code/1"))
}

// TestStoredValuesKeepTheirKeys: values of earlier builds can be decrypted and matched.
func TestStoredValuesKeepTheirKeys(t *testing.T) {
	t.Parallel()
	r := ring(t, fuzzKey)
	opened, err := r.Decrypt("v1.k1.fZuWJ6B4vkoX43EPbMM4TM3hG4sOXrZFLWnVmC2MhrGQ", "place")
	require.NoError(t, err)
	require.Equal(t, "value", opened)
	require.Equal(t, "k1.1xr5MtVhCMK3BDTrOIVeIA5T1ABpsGk-jD5swi85qmk", r.Mark("value", "place"))
}

const fuzzKey = "k1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

// FuzzParse: a valid ring encrypts, and errors repeat no key.
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
		opened, err := ring.Decrypt(ring.Encrypt("a secret", "a place"), "a place")
		require.NoError(t, err)
		require.Equal(t, "a secret", opened)
	})
}

// FuzzOpen: an encrypted value opens in its place only, any other value never.
func FuzzOpen(f *testing.F) {
	ring, err := keyring.Parse(fuzzKey)
	require.NoError(f, err)
	for _, sealed := range []string{"", "v1.k1.", "v1.k1", "v2.k1.AAAA", "v1.k9.AAAA", "v1..", "v1.k1.!!", ring.Encrypt("x", "p"), strings.Repeat(".", 50), "v1.k1." + strings.Repeat("A", 5000)} {
		f.Add(sealed, "p")
	}
	f.Fuzz(func(t *testing.T, value, place string) {
		opened, err := ring.Decrypt(ring.Encrypt(value, place), place)
		require.NoError(t, err)
		require.Equal(t, value, opened)
		_, err = ring.Decrypt(ring.Encrypt(value, place), place+"!")
		require.ErrorIs(t, err, keyring.ErrUnsealed)
		require.True(t, ring.Marked(ring.Mark(value, place), value, place))
		require.False(t, ring.Marked(value, value, place), "a mark needs the key")

		if _, err := ring.Decrypt(value, "another place"); !errors.Is(err, keyring.ErrUnsealed) {
			require.ErrorIs(t, err, keyring.ErrUnknownKey)
		}
		_ = keyring.IDOf(value)
	})
}
