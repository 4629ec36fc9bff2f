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

// AuditLog stores what founders did.
type AuditLog struct{ db *DB }

// Audit notes what a founder did. An entry with an ID is noted once.
func (s *AuditLog) Audit(ctx context.Context, e audit.Entry) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error { return addEntry(tx, e) })
}

// Audited changes rows and adds the audit entries of the change in one transaction. The function may run
// more than once, and must use the context it is given.
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

// AuditEntries lists what founders did, the latest first, with the total.
func (s *AuditLog) AuditEntries(ctx context.Context, limit, offset int) ([]audit.Entry, int, error) {
	return readPage[audit.Entry](s.db.on(ctx), "at DESC, id DESC", limit, offset)
}

// ClientErrors stores errors that browsers report.
type ClientErrors struct{ db *DB }

// SaveClientError keeps a report, so that the reference shown to the person finds it. Strangers
// cannot fill the database with them.
func (s *ClientErrors) SaveClientError(ctx context.Context, report problem.ClientError) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if err := consume(tx, account.ReportsOverall, "all", report.CreatedAt); err != nil {
			return err
		}
		return tx.Create(&report).Error
	})
}

// ClientErrors lists reports, the newest first: the one of a reference, or all if it is empty.
func (s *ClientErrors) ClientErrors(ctx context.Context, reference string, limit int) ([]problem.ClientError, error) {
	query := s.db.on(ctx).Order("created_at DESC, id DESC").Limit(limit)
	if reference != "" {
		query = query.Where("id = ?", reference)
	}
	return readAll[problem.ClientError](query)
}

// ModelCalls stores calls of models.
type ModelCalls struct{ db *DB }

// SaveCall keeps what a model was asked and answered.
func (s *ModelCalls) SaveCall(ctx context.Context, c model.Call) error {
	c.CreatedAt = stamp(c.CreatedAt)
	return s.db.insert(ctx, &c, onceOnly)
}

// Call finds a call of a model.
func (s *ModelCalls) Call(ctx context.Context, id string) (model.Call, error) {
	return byID[model.Call](s.db.on(ctx), "call", id)
}
