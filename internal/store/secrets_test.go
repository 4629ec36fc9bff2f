package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
)

func hide(t *testing.T, s *store.DB, values ...string) []string {
	t.Helper()
	ids, err := s.Hide(t.Context(), values...)
	require.NoError(t, err)
	return ids
}

// Proves: V11.3.2
func TestSecretOpensOnlyAsItWasKept(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		damage string // a statement about the rows first and second
		err    error
	}{
		"untouched": {`SELECT 1 WHERE ? <> ?`, nil},
		"another row's seal was moved here": {
			`UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE id = ?) WHERE id = ?`, keyring.ErrUnsealed,
		},
		"a byte was changed": {
			`UPDATE secrets SET sealed = substr(sealed, 1, length(sealed) - 4) || 'AAAA' WHERE id <> ? AND id = ?`, keyring.ErrUnsealed,
		},
		"it was emptied": {`UPDATE secrets SET sealed = '' WHERE id <> ? AND id = ?`, keyring.ErrUnsealed},
		"another key's name stands there": {
			`UPDATE secrets SET sealed = replace(sealed, '.k1.', '.k9.') WHERE id <> ? AND id = ?`, keyring.ErrUnknownKey,
		},
	}
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range cases {
			t.Run(name, func(t *testing.T) {
				ids := hide(t, s, "first secret", "second secret")
				require.NotContains(t, s.Dump(t, "secrets"), "secret ")
				require.NoError(t, s.Exec(tt.damage, ids[0], ids[1]))

				value, err := s.Reveal(t.Context(), ids[1])
				require.ErrorIs(t, err, tt.err)
				if tt.err == nil {
					require.Equal(t, "second secret", value)
					return
				}
				require.Empty(t, value)
				require.NotContains(t, err.Error(), "second secret")
				value, err = s.Reveal(t.Context(), ids[0])
				require.NoError(t, err, "its neighbour is whole")
				require.Equal(t, "first secret", value)
			})
		}
	})
}

func TestSecretThatIsGoneIsNotFound(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		_, err := s.Reveal(t.Context(), "nobody")
		require.Equal(t, problem.NotFound, problem.CodeOf(err))
	})
}

// Proves: V16.5.3
func TestStoreWithoutKeysKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		hide(t, s, "hunter2")
		s.UseKeys(nil)
		_, err := s.Hide(t.Context(), "hunter3")
		require.ErrorContains(t, err, "SECRET_KEYS")
		require.ErrorContains(t, s.CheckKeys(t.Context()), "SECRET_KEYS")
		_, err = s.RotateKeys(t.Context())
		require.ErrorContains(t, err, "SECRET_KEYS")
		require.Equal(t, 1, s.Count(t, "secrets"))
	})
}

// Proves: V11.1.1
func TestCheckKeys(t *testing.T) {
	t.Parallel()
	k1, k2, imposter := newKey(t, "k1"), newKey(t, "k2"), newKey(t, "k1")
	for name, tt := range map[string]struct {
		ring, secretsOf string
		says            string // empty: the ring is right
	}{
		"the right key":                          {ring: k1, secretsOf: k1},
		"a newer key in front":                   {ring: k2 + "," + k1, secretsOf: k1},
		"a ring that holds more than it needs":   {ring: k1 + "," + k2, secretsOf: k1},
		"the key is missing":                     {ring: k2, secretsOf: k1, says: `lacks the key "k1", which seals 3 stored secrets`},
		"another key goes by the same id":        {ring: imposter, secretsOf: k1, says: `the key "k1" of SECRET_KEYS is not the one that sealed 3 stored secrets`},
		"nothing is stored, so any ring will do": {ring: imposter},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.DB) {
				if tt.secretsOf != "" {
					s.UseKeys(ringOf(t, tt.secretsOf))
					hide(t, s, "a", "b", "c")
				}
				s.UseKeys(ringOf(t, tt.ring))
				err := s.CheckKeys(t.Context())
				if tt.says == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, tt.says)
			})
		})
	}
}

func TestEveryKeyInUseIsChecked(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		k1, k2 := newKey(t, "k1"), newKey(t, "k2")
		s.UseKeys(ringOf(t, k2))
		hide(t, s, "new", "newer")
		s.UseKeys(ringOf(t, k1))
		hide(t, s, "old")

		uses, err := s.KeyUses(t.Context())
		require.NoError(t, err)
		require.Equal(t, []store.KeyUse{{KeyID: "k1", N: 1}, {KeyID: "k2", N: 2}}, uses)
		require.ErrorContains(t, s.CheckKeys(t.Context()), `lacks the key "k2"`)
		s.UseKeys(ringOf(t, k1+","+k2))
		require.NoError(t, s.CheckKeys(t.Context()))
	})
}

func newKey(t *testing.T, id string) string {
	t.Helper()
	text, err := keyring.New(id)
	require.NoError(t, err)
	return text
}

func ringOf(t *testing.T, text string) *keyring.Ring {
	t.Helper()
	ring, err := keyring.Parse(text)
	require.NoError(t, err)
	return ring
}
