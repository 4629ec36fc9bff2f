package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
)

func hide(t *testing.T, s *store.DB, values ...string) []string {
	t.Helper()
	return must(s.Hide(t.Context(), values...))(t)
}

// Proves: V11.3.2
func TestDamagedSecretsDoNotOpen(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.DB) {
		for name, tt := range map[string]struct {
			damage string // a statement on the rows first and second
			err    error
		}{
			"untouched":                           {`SELECT 1 WHERE ? <> ?`, nil},
			"another row's secret was moved here": {`UPDATE secrets SET ciphertext = (SELECT ciphertext FROM secrets WHERE id = ?) WHERE id = ?`, keyring.ErrUnsealed},
			"a byte was changed":                  {`UPDATE secrets SET ciphertext = substr(ciphertext, 1, length(ciphertext) - 4) || 'AAAA' WHERE id <> ? AND id = ?`, keyring.ErrUnsealed},
			"it was emptied":                      {`UPDATE secrets SET ciphertext = '' WHERE id <> ? AND id = ?`, keyring.ErrUnsealed},
			"another key's ID was stored":         {`UPDATE secrets SET ciphertext = replace(ciphertext, '.k1.', '.k9.') WHERE id <> ? AND id = ?`, keyring.ErrUnknownKey},
		} {
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
				require.Equal(t, "first secret", must(s.Reveal(t.Context(), ids[0]))(t), "its neighbour is whole")
			})
		}
	})
}

// Proves: V16.5.3
func TestSecrets(t *testing.T) {
	t.Parallel()
	each(t, "a missing secret is not found", func(t *testing.T, s *store.DB) {
		require.Equal(t, problem.NotFound, codeOf(s.Reveal(t.Context(), "nobody")))
	})
	each(t, "without keys nothing is stored", func(t *testing.T, s *store.DB) {
		hide(t, s, "hunter2")
		s.UseKeys(nil)
		require.ErrorContains(t, errOf(s.Hide(t.Context(), "hunter3")), "SECRET_KEYS")
		require.ErrorContains(t, s.CheckKeys(t.Context()), "SECRET_KEYS")
		require.ErrorContains(t, errOf(s.RotateKeys(t.Context())), "SECRET_KEYS")
		require.Equal(t, 1, s.Count(t, "secrets"))
	})
	each(t, "every key in use is checked", func(t *testing.T, s *store.DB) {
		k1, k2 := newKey(t, "k1"), newKey(t, "k2")
		s.UseKeys(ringOf(t, k2))
		hide(t, s, "new", "newer")
		s.UseKeys(ringOf(t, k1))
		hide(t, s, "old")
		uses := must(s.KeyUses(t.Context()))(t)
		require.Equal(t, []any{"k1", 1, "k2", 2}, []any{uses[0].KeyID, uses[0].Secrets, uses[1].KeyID, uses[1].Secrets})
		require.ErrorContains(t, s.CheckKeys(t.Context()), `is missing key "k2"`)
		s.UseKeys(ringOf(t, k1+","+k2))
		require.NoError(t, s.CheckKeys(t.Context()))
	})
	// Secrets are created and deleted while an instance starts.
	each(t, "keys are checked while secrets are deleted", func(t *testing.T, s *store.DB) {
		var coming sync.WaitGroup
		done := make(chan struct{})
		coming.Go(func() {
			defer close(done)
			for range 100 {
				for _, id := range hide(t, s, "of a moment") {
					require.NoError(t, s.Exec("DELETE FROM secrets WHERE id = ?", id))
				}
			}
		})
		for going := true; going; {
			require.NoError(t, s.CheckKeys(t.Context()))
			select {
			case <-done:
				going = false
			default:
			}
		}
		coming.Wait()
	})
}

// Proves: V11.1.1
func TestCheckKeys(t *testing.T) {
	t.Parallel()
	k1, k2, imposter := newKey(t, "k1"), newKey(t, "k2"), newKey(t, "k1")
	for name, tt := range map[string]struct {
		ring, secretsOf string
		says            string // empty if the ring is complete
	}{
		"the right key":                        {ring: k1, secretsOf: k1},
		"a newer key in front":                 {ring: k2 + "," + k1, secretsOf: k1},
		"a ring that holds more than it needs": {ring: k1 + "," + k2, secretsOf: k1},
		"the key is missing":                   {ring: k2, secretsOf: k1, says: `is missing key "k1", which encrypts 3 stored secrets`},
		"another key has the same ID":          {ring: imposter, secretsOf: k1, says: `key "k1" in SECRET_KEYS is not the one that encrypted 3 stored secrets`},
		"nothing is stored":                    {ring: imposter},
	} {
		each(t, name, func(t *testing.T, s *store.DB) {
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
	}
}

func newKey(t *testing.T, id string) string {
	t.Helper()
	return must(keyring.New(id))(t)
}

func ringOf(t *testing.T, text string) *keyring.Ring {
	t.Helper()
	return must(keyring.Parse(text))(t)
}

// vault is a database with 1,000 secrets, encrypted with k1.
type vault struct {
	address  string
	k1, k2   string
	ids      []string
	contents map[string]string
}

func eachVault(t *testing.T, test func(t *testing.T, v vault)) {
	t.Helper()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			v := vault{address: testdb.Address(t, kind), k1: newKey(t, "k1"), k2: newKey(t, "k2"), contents: map[string]string{}}
			s := v.open(t, ringOf(t, v.k1))
			require.NoError(t, s.Migrate(t.Context()))
			var values []string
			for i := range 1000 {
				values = append(values, fmt.Sprintf("secret %d", i))
			}
			v.ids = hide(t, s, values...)
			for i, id := range v.ids {
				v.contents[id] = values[i]
			}
			test(t, v)
		})
	}
}

// open opens the database as a separate process would.
func (v vault) open(t *testing.T, ring *keyring.Ring) *store.DB {
	t.Helper()
	s := must(store.Open(v.address))(t)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.UseKeys(ring)
	return s
}

func (v vault) readAll(ctx context.Context, s *store.DB) error {
	for _, id := range v.ids {
		value, err := s.Reveal(ctx, id)
		if err != nil {
			return err
		}
		if value != v.contents[id] {
			return fmt.Errorf("secret %s says something else", id)
		}
	}
	return nil
}

func (v vault) uses(t *testing.T, s *store.DB) map[string]int {
	t.Helper()
	uses := map[string]int{}
	for _, use := range must(s.KeyUses(t.Context()))(t) {
		uses[use.KeyID] = use.Secrets
	}
	return uses
}

// TestReadersDuringRotation rotates while one process has both keys and another reloads the new key from
// its file. Afterwards the old key is not needed.
// Proves: V11.1.1
func TestReadersDuringRotation(t *testing.T) {
	t.Parallel()
	eachVault(t, func(t *testing.T, v vault) {
		both := v.k2 + "," + v.k1
		var file atomic.Value
		file.Store(v.k1)
		reloading := reloadingRing(t, func() string { return file.Load().(string) })
		readers := []*store.DB{v.open(t, ringOf(t, both)), v.open(t, reloading)}

		over := make(chan struct{})
		var before, all sync.WaitGroup
		for _, reader := range readers {
			before.Add(1)
			all.Go(func() { readUntil(t, v, reader, before.Done, over) })
		}
		before.Wait()
		file.Store(both)
		n, err := v.open(t, ringOf(t, both)).RotateKeys(t.Context())
		close(over)
		all.Wait()
		require.NoError(t, err)
		require.Equal(t, 1000, n)
		require.Equal(t, "k2", reloading.Primary(), "it met the new key and read the file again")

		after := v.open(t, ringOf(t, v.k2))
		require.Equal(t, map[string]int{"k2": 1000}, v.uses(t, after))
		require.NoError(t, after.CheckKeys(t.Context()))
		require.NoError(t, v.readAll(t.Context(), after))
		n = must(after.RotateKeys(t.Context()))(t)
		require.Zero(t, n, "there is nothing left to do")
	})
}

// readUntil reads everything repeatedly, the last time after the end.
func readUntil(t *testing.T, v vault, s *store.DB, onceRead func(), over <-chan struct{}) {
	err := v.readAll(t.Context(), s)
	onceRead()
	for last := false; err == nil && !last; {
		select {
		case <-over:
			last = true
		default:
		}
		err = v.readAll(t.Context(), s)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestInterruptedRotation stops at the unknown key k0 in the middle of a batch.
// Proves: V11.1.1
func TestInterruptedRotation(t *testing.T) {
	t.Parallel()
	eachVault(t, func(t *testing.T, v vault) {
		k0, nothings := newKey(t, "k0"), make([]string, 50)
		v.ids = append(v.ids, hide(t, v.open(t, ringOf(t, v.k1)), nothings...)...)
		v.ids = append(v.ids, hide(t, v.open(t, ringOf(t, k0)), nothings...)...)
		ctx, stop := context.WithCancel(t.Context())
		loads := 0
		s := v.open(t, reloadingRing(t, func() string {
			if loads++; loads == 1 {
				return v.k2 + "," + v.k1
			}
			stop()
			return v.k2 + "," + v.k1 + "," + k0
		}))
		n, err := s.RotateKeys(ctx)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, 1000, n)
		require.Equal(t, map[string]int{"k0": 50, "k1": 50, "k2": 1000}, v.uses(t, s))
		require.NoError(t, v.readAll(t.Context(), s), "everything is readable in between")
		require.Equal(t, 100, must(s.RotateKeys(t.Context()))(t))
		require.NoError(t, v.readAll(t.Context(), v.open(t, ringOf(t, v.k2))))
	})
}

// TestRotationStopsAtADamagedSecret checks that a damaged secret is not lost silently: the error names
// it.
// Proves: V11.1.1
func TestRotationStopsAtADamagedSecret(t *testing.T) {
	t.Parallel()
	eachVault(t, func(t *testing.T, v vault) {
		s, broken := v.open(t, ringOf(t, v.k2+","+v.k1)), v.ids[500]
		require.NoError(t, s.Exec(`UPDATE secrets SET ciphertext = (SELECT ciphertext FROM secrets WHERE id = ?) WHERE id = ?`, v.ids[0], broken))
		n, err := s.RotateKeys(t.Context())
		require.ErrorIs(t, err, keyring.ErrUnsealed)
		require.ErrorContains(t, err, broken)
		require.Equal(t, 500, n)
		require.Equal(t, map[string]int{"k1": 500, "k2": 500}, v.uses(t, s))
	})
}

func reloadingRing(t *testing.T, load func() string) *keyring.Ring {
	t.Helper()
	return must(keyring.Open(func() (string, error) { return load(), nil }))(t)
}

// Proves: F26, V11.1.1
func TestConcurrentRotations(t *testing.T) {
	t.Parallel()
	eachVault(t, func(t *testing.T, v vault) {
		stores := []*store.DB{v.open(t, ringOf(t, v.k2+","+v.k1)), v.open(t, ringOf(t, v.k2+","+v.k1))}
		var sealed atomic.Int64
		require.Equal(t, 2, atOnce(t, 2, func(i int) error {
			n, err := stores[i].RotateKeys(t.Context())
			sealed.Add(int64(n))
			return err
		}))
		require.EqualValues(t, 1000, sealed.Load(), "no value is encrypted twice")
		after := v.open(t, ringOf(t, v.k2))
		require.Equal(t, map[string]int{"k2": 1000}, v.uses(t, after))
		require.NoError(t, v.readAll(t.Context(), after))
	})
}
