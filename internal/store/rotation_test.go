package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/keyring"
	"customerzero/internal/store"
	"customerzero/internal/store/testdb"
)

// vault is a database with a thousand secrets, sealed with k1.
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

// open is a process of its own: it shares nothing with others but the database.
func (v vault) open(t *testing.T, ring *keyring.Ring) *store.DB {
	t.Helper()
	s, err := store.Open(v.address)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.UseKeys(ring)
	return s
}

// readAll reads every secret once.
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
	listed, err := s.KeyUses(t.Context())
	require.NoError(t, err)
	uses := map[string]int{}
	for _, use := range listed {
		uses[use.KeyID] = use.N
	}
	return uses
}

// While keys are changed, a process that holds both and one that finds the new key in its
// file read on; afterwards nobody needs the old key.
// Proves: V11.1.1
func TestReadersDoNotNoticeARotation(t *testing.T) {
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
		n, err = after.RotateKeys(t.Context())
		require.NoError(t, err)
		require.Zero(t, n, "there is nothing left to do")
	})
}

// readUntil reads everything again and again, the last time after the end.
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

// The ring meets the key k0 in the middle of a hundred values, and there the work is stopped.
// Proves: V11.1.1
func TestRotationThatIsBrokenOffIsRunAgain(t *testing.T) {
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

		m, err := s.RotateKeys(t.Context())
		require.NoError(t, err)
		require.Equal(t, 100, m)
		require.NoError(t, v.readAll(t.Context(), v.open(t, ringOf(t, v.k2))))
	})
}

func reloadingRing(t *testing.T, load func() string) *keyring.Ring {
	t.Helper()
	ring, err := keyring.Open(func() (string, error) { return load(), nil })
	require.NoError(t, err)
	return ring
}

// Proves: F26, V11.1.1
func TestTwoRotationsAtOnceShareTheWork(t *testing.T) {
	t.Parallel()
	eachVault(t, func(t *testing.T, v vault) {
		var done [2]int
		var errs [2]error
		var all sync.WaitGroup
		for i := range done {
			s := v.open(t, ringOf(t, v.k2+","+v.k1))
			all.Go(func() { done[i], errs[i] = s.RotateKeys(t.Context()) })
		}
		all.Wait()
		require.NoError(t, errs[0])
		require.NoError(t, errs[1])
		require.Equal(t, 1000, done[0]+done[1], "no value is sealed twice")
		after := v.open(t, ringOf(t, v.k2))
		require.Equal(t, map[string]int{"k2": 1000}, v.uses(t, after))
		require.NoError(t, v.readAll(t.Context(), after))
	})
}

// A secret that does not open must not be lost silently: it stops the rotation, by name.
// Proves: V11.1.1
func TestRotationStopsAtASecretThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	eachVault(t, func(t *testing.T, v vault) {
		s := v.open(t, ringOf(t, v.k2+","+v.k1))
		broken := v.ids[500]
		require.NoError(t, s.Exec(`UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE id = ?) WHERE id = ?`, v.ids[0], broken))
		n, err := s.RotateKeys(t.Context())
		require.ErrorIs(t, err, keyring.ErrUnsealed)
		require.ErrorContains(t, err, broken)
		require.Equal(t, 500, n)
		require.Equal(t, map[string]int{"k1": 500, "k2": 500}, v.uses(t, s))
	})
}
