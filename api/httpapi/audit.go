package httpapi

import (
	"context"
	"time"

	"customerzero/internal/domain/audit"
)

// AuditStore keeps what founders did. *store.AuditLog implements it.
type AuditStore interface {
	Audit(ctx context.Context, e audit.Entry) error
	// Audited does something in the database and notes it, as one.
	Audited(ctx context.Context, do func(ctx context.Context) ([]audit.Entry, error)) error
	AuditEntries(ctx context.Context, limit, offset int) ([]audit.Entry, int, error)
}

// Audited does something in the database and notes it, as one. What is done has only the context that it is handed.
func Audited(ctx context.Context, store AuditStore, at time.Time, action audit.Action, do func(ctx context.Context) (detail string, err error)) error {
	return store.Audited(ctx, func(ctx context.Context) ([]audit.Entry, error) {
		detail, err := do(ctx)
		return []audit.Entry{Entry(ctx, at, action, audit.Done, detail)}, err
	})
}

// Entry begins a line of the audit.
func Entry(ctx context.Context, at time.Time, action audit.Action, outcome audit.Outcome, detail string) audit.Entry {
	who := CallerOf(ctx)
	return audit.Entry{At: at, AccountID: who.AccountID(), Actor: who.actor(), Action: action, Outcome: outcome, Detail: detail}
}
