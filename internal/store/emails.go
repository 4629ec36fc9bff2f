package store

import (
	"context"
	"time"

	"github.com/rs/xid"
	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/problem"
)

// Emails stores the outbox.
type Emails struct{ db *DB }

// write puts an email into the outbox, in the transaction of the event that it reports.
func (s *Emails) write(
	tx *gorm.DB, kind email.Kind, factKey string, accountID *string, content email.Content, at time.Time,
) (id string, err error) {
	row := email.Message{
		ID: xid.New().String(), IdempotencyKey: factKey, Kind: kind, AccountID: accountID,
		State: email.Pending, CreatedAt: stamp(at), ExpiresAt: stamp(at.Add(kind.Patience())),
	}
	return row.ID, s.db.createWithSecret(tx, &row, &row.SecretID, content)
}

// Email returns an email and its content. The content of an ended one is deleted.
func (s *Emails) Email(ctx context.Context, id string) (email.Message, email.Content, error) {
	var content email.Content
	row, err := byID[email.Message](s.db.on(ctx), "email", id)
	if err == nil {
		err = s.db.readSecret(s.db.on(ctx), row.SecretID, &content)
	}
	return row, content, err
}

// BeginEmail stores the run that sends the email.
func (s *Emails) BeginEmail(ctx context.Context, id, runID string) (email.Message, error) {
	return changeRow(ctx, s.db, "email", id, func(_ *gorm.DB, l *email.Message) error {
		l.RunID = runID
		return nil
	})
}

// EndEmail stores the outcome of a pending email. A failed one keeps its content so that it can be
// retried, unless that would be too late; the content of the others is deleted.
func (s *Emails) EndEmail(ctx context.Context, id string, state email.State, code, reason string, at time.Time) (email.Message, error) {
	return changeRow(ctx, s.db, "email", id, func(tx *gorm.DB, l *email.Message) error {
		if l.State != email.Pending {
			return nil
		}
		ended := stamp(at)
		l.State, l.Code, l.Reason, l.EndedAt = state, code, reason, &ended
		l.Tries++
		if state == email.Failed && l.Kind.KeepsWell() && !l.Kind.Parting() {
			return nil
		}
		secretID := l.SecretID
		l.SecretID = nil
		return saveWithoutSecret(tx, l, secretID)
	})
}

// RetryEmail makes a failed email pending again.
func (s *Emails) RetryEmail(ctx context.Context, id string, at time.Time) (email.Message, error) {
	return changeRow(ctx, s.db, "email", id, func(_ *gorm.DB, l *email.Message) error {
		if l.State == email.Pending {
			return nil
		}
		if l.State != email.Failed {
			return problem.New(problem.Conflict, "This email is %s. Only failed emails can be retried.", l.State)
		}
		if l.Kind.Parting() {
			return problem.New(problem.Conflict, "This email was for a deleted account. Its address was deleted too, so the email can't be retried.")
		}
		if l.SecretID == nil {
			return problem.New(problem.Conflict, "The code in this email has expired, so it can't be retried. Its recipient can request a new code.")
		}
		l.State, l.Code, l.Reason, l.EndedAt, l.RunID = email.Pending, "", "", nil, ""
		l.ExpiresAt = stamp(at.Add(l.Kind.Patience()))
		return nil
	})
}

// batch is how many rows without a run the dispatcher reads at once: those that it has started no longer count.
const batch = 200

// WaitingEmails lists the pending emails, the oldest first; unless all is set, only those without a run.
func (s *Emails) WaitingEmails(ctx context.Context, all bool) ([]email.Message, error) {
	query := s.db.on(ctx).Where("state = ?", email.Pending)
	if !all {
		query = query.Where("run_id = ''").Limit(batch)
	}
	return readAll[email.Message](query.Order("created_at, id"))
}

// FailedEmails lists the failed emails, the newest first.
func (s *Emails) FailedEmails(ctx context.Context, limit int) ([]email.Message, error) {
	return readAll[email.Message](s.db.on(ctx).Where("state = ?", email.Failed).Order("created_at DESC, id DESC").Limit(limit))
}

const wantsNotices = "email IS NOT NULL AND notices"

// founders returns the founders who receive notifications. Without keys there are none, because nothing
// could be encrypted.
func (s *Emails) founders(tx *gorm.DB) ([]account.Account, error) {
	if s.db.keys == nil {
		return nil, nil
	}
	return readAll[account.Account](tx.Where(wantsNotices + " AND x_user_id IS NOT NULL"))
}

// ofMember returns the member's account if it receives notifications, and none without keys.
func (s *Emails) ofMember(tx *gorm.DB, memberID string) ([]account.Account, error) {
	if s.db.keys == nil {
		return nil, nil
	}
	return readAll[account.Account](tx.Where(wantsNotices+" AND member_id = ?", memberID))
}

// notify writes the same email to each account, once per fact.
func (s *Emails) notify(
	tx *gorm.DB, to []account.Account, kind email.Kind, factKey string, facts map[string]string, at time.Time,
) error {
	for _, a := range to {
		content := email.Content{To: *a.Email, Facts: facts}
		if err := s.writeOnce(tx, kind, factKey+":"+a.ID, &a.ID, content, at); err != nil {
			return err
		}
	}
	return nil
}

// writeOnce writes an email unless one exists for the fact: a retry that fails before it arms the post
// again belongs to the same attempt.
func (s *Emails) writeOnce(
	tx *gorm.DB, kind email.Kind, factKey string, accountID *string, content email.Content, at time.Time,
) error {
	known, err := countOf[email.Message](tx.Where("idempotency_key = ?", factKey))
	if err != nil || known > 0 {
		return err
	}
	_, err = s.write(tx, kind, factKey, accountID, content, at)
	return err
}

func excerpt(text string) string {
	const longest = 80
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
