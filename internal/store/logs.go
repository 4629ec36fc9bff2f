package store

import (
	"context"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/model"
	"customerzero/internal/domain/problem"
)

// AuditLog stores actions of founders.
type AuditLog struct{ db *DB }

// Audit stores an action of a founder. An entry with an ID is stored once.
func (s *AuditLog) Audit(ctx context.Context, e audit.Entry) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error { return addEntry(tx, e) })
}

// Audited changes rows and adds the audit entries of the change in one transaction. The function may run
// more than once, and must use the context that it gets.
func (s *AuditLog) Audited(ctx context.Context, do func(ctx context.Context) ([]audit.Entry, error)) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		entries, err := do(txContext(ctx, tx))
		for i := 0; i < len(entries) && err == nil; i++ {
			err = addEntry(tx, entries[i])
		}
		return err
	})
}

func addEntry(tx *gorm.DB, e audit.Entry) error {
	if e.ID == "" {
		e.ID = xid.New().String()
	}
	e.At = stamp(e.At)
	return tx.Clauses(onceOnly).Create(&e).Error
}

// AuditEntries lists audit entries, newest first, with their total.
func (s *AuditLog) AuditEntries(ctx context.Context, limit, offset int) ([]audit.Entry, int, error) {
	return readPage[audit.Entry](s.db.on(ctx), "at DESC, id DESC", limit, offset)
}

// ClientErrors stores errors reported by browsers.
type ClientErrors struct{ db *DB }

// SaveClientError stores a report under the reference that the page shows, within the caller's limits.
func (s *ClientErrors) SaveClientError(ctx context.Context, report problem.ClientError, asker account.Asker) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := consumeShared(tx, account.Reports, everything, asker, report.CreatedAt); err != nil {
			return err
		}
		return tx.Create(&report).Error
	})
}

// ClientErrors lists reports, newest first: only the one with this reference, unless it is empty.
func (s *ClientErrors) ClientErrors(ctx context.Context, reference string, limit int) ([]problem.ClientError, error) {
	query := s.db.on(ctx).Order("created_at DESC, id DESC").Limit(limit)
	if reference != "" {
		query = query.Where("id = ?", reference)
	}
	return readAll[problem.ClientError](query)
}

// ModelCalls stores calls to AI models.
type ModelCalls struct{ db *DB }

// SaveCall stores a model call with its prompt and answer.
func (s *ModelCalls) SaveCall(ctx context.Context, c model.Call) error {
	c.CreatedAt = stamp(c.CreatedAt)
	return s.db.insert(ctx, &c, onceOnly)
}

// Call returns a model call.
func (s *ModelCalls) Call(ctx context.Context, id string) (model.Call, error) {
	return byID[model.Call](s.db.on(ctx), "call", id)
}
