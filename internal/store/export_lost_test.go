package store

import (
	"context"
	"database/sql/driver"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
)

// lull is how many statements are safe after one whose connection was lost: a change is begun
// anew only so often.
const lull = 40

// weather loses connections.
type weather struct {
	mu     sync.Mutex
	chance *rand.Rand
	safe   int
	lost   int
}

// strike loses the connection before a statement of a transaction, now and then.
func (w *weather) strike(db *gorm.DB) {
	if _, inside := db.Statement.ConnPool.(gorm.TxCommitter); !inside {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.safe--; w.safe < 0 && w.chance.IntN(6) == 0 {
		w.safe, w.lost = lull, w.lost+1
		_ = db.AddError(driver.ErrBadConn)
	}
}

// LoseConnections has the store lose its connection in the middle of changes, at any statement.
// It gives how often that was.
func (s *DB) LoseConnections(t testing.TB, chance *rand.Rand) (lost func() int) {
	t.Helper()
	w := &weather{chance: chance}
	all := s.gorm.Callback()
	for _, err := range []error{
		all.Create().Before("gorm:create").Register("lost", w.strike),
		all.Update().Before("gorm:update").Register("lost", w.strike),
		all.Delete().Before("gorm:delete").Register("lost", w.strike),
		all.Query().Before("gorm:query").Register("lost", w.strike),
		all.Row().Before("gorm:row").Register("lost", w.strike),
		all.Raw().Before("gorm:raw").Register("lost", w.strike),
	} {
		require.NoError(t, err)
	}
	return func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.lost
	}
}

// Busy is how many connections somebody has.
func (s *DB) Busy(t testing.TB) int {
	t.Helper()
	pool, err := s.gorm.DB()
	require.NoError(t, err)
	return pool.Stats().InUse
}

// HideAnd seals a value, and does something else before that is committed.
func (s *DB) HideAnd(ctx context.Context, value string, meanwhile func()) (id *string, err error) {
	err = s.inTx(ctx, func(tx *gorm.DB) error {
		id, err = s.saveSecret(tx, value)
		meanwhile()
		return err
	})
	return id, err
}
