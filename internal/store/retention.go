package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/pricing"
)

const day = 24 * time.Hour

// Retention is how long rows are kept that strangers can add. docs/operations.md lists all such tables.
type Retention struct {
	Table string
	Kept  time.Duration // after the time that old compares

	key string // a batch is selected by it
	old string // condition on the rows to delete, with one time
}

// Retentions lists the deletions in an order in which no row refers to a deleted one.
func Retentions() []Retention {
	return []Retention{
		{"rate_windows", day, "bucket", "ends_at <= ?"},
		{"login_codes", day, "id", "expires_at <= ?"},
		{"sessions", 0, "id", "expires_at <= ?"},
		{"activation_links", 30 * day, "id", "expires_at <= ?"},
		{"devices", account.DeviceLife, "id", "seen_at <= ?"},
		{"address_changes", 0, "id", "expires_at <= ?"},
		{"x_logins", 7 * day, "id", "secret_id IS NULL AND expires_at <= ?"},
		{"emails", 30 * day, "id", "kind IN ('login_code', 'address_code', 'new_device') AND secret_id IS NULL AND state <> 'pending' AND created_at <= ?"},
		{"client_errors", 14 * day, "id", "created_at <= ?"},
		{"diagnosis_findings", 30 * day, "diagnosis_id", "diagnosis_id IN (SELECT id FROM diagnoses WHERE provider_key_id IS NULL AND created_at <= ?)"},
		{"diagnoses", 30 * day, "id", "provider_key_id IS NULL AND created_at <= ? AND id NOT IN (SELECT diagnosis_id FROM diagnosis_findings)"},
		{"visitors", pricing.VisitorRetention, "id", "last_seen_at <= ?"},
		{"chaos_probes", 90 * day, "run_id", "run_id IN (SELECT id FROM chaos_runs WHERE ended_at <= ?)"},
		{"experiments", 90 * day, "id", `number IS NULL AND origin = 'visitor' AND updated_at <= ?
			AND id NOT IN (SELECT experiment_id FROM experiment_votes) AND id NOT IN (SELECT experiment_id FROM experiment_notes)`},
		{"payment_events", 90 * day, "id", "handled_at IS NOT NULL AND received_at <= ?"},
		// Running experiments measure the share of checkouts that were paid.
		{"checkouts", 90 * day, "id", `state IN ('expired', 'cancelled', 'failed') AND ended_at <= ?
			AND NOT EXISTS (SELECT 1 FROM payment_events e WHERE e.checkout_id = checkouts.id)
			AND NOT EXISTS (SELECT 1 FROM experiments e WHERE e.metric = 'conversion' AND e.ended_at IS NULL AND e.started_at <= checkouts.created_at)`},
		{"price_decisions", 90 * day, "id", `state IN ('used', 'expired') AND open_key IS NULL AND held_cents = 0 AND valid_until <= ?
			AND NOT EXISTS (SELECT 1 FROM checkouts c WHERE c.decision_id = price_decisions.id)`},
	}
}

// Tidy deletes old rows and replaced keys, anonymizes old prices, empties the texts of old model calls that no row
// shows, and ends the generations whose worker was lost. Safe to call at any time.
func (s *DB) Tidy(ctx context.Context, at time.Time) error {
	at = stamp(at)
	if err := s.Bot.DropKeys(ctx, at); err != nil {
		return err
	}
	for _, r := range Retentions() {
		if err := s.deleteOld(ctx, r, at); err != nil {
			return err
		}
	}
	if err := s.Generations.endLostGenerations(ctx, at); err != nil {
		return err
	}
	defer s.settleSoon(ctx)
	return s.inTx(ctx, func(tx *gorm.DB) error {
		old := tx.Model(&pricing.Decision{}).Select("id").Clauses(skipLocked).
			Where("visitor IS NOT NULL AND created_at <= ?", at.Add(-pricing.VisitorRetention))
		if err := tx.Model(&pricing.Decision{}).Where("id IN (?)", old).Updates(anonymous).Error; err != nil {
			return err
		}
		return tx.Exec(emptyCalls, at.Add(-callTexts)).Error
	})
}

// callTexts is how long the texts of a model call are kept that no price, verification or generated text refers to. The
// row stays, because the treasury adds up its cost.
const (
	callTexts  = 90 * day
	emptyCalls = `UPDATE model_calls SET question = '', answer = '' WHERE created_at <= ? AND (question <> '' OR answer <> '')
	AND NOT EXISTS (SELECT 1 FROM price_decisions d WHERE d.call_id = model_calls.id)
	AND NOT EXISTS (SELECT 1 FROM verifications v WHERE v.call_id = model_calls.id)
	AND NOT EXISTS (SELECT 1 FROM generation_candidates c WHERE c.call_id = model_calls.id)`
)

// deleteOld deletes old rows in batches, so that it never locks a table for long. Locked rows are left to the next call.
func (s *DB) deleteOld(ctx context.Context, r Retention, at time.Time) error {
	const batch = 1000
	locking := ""
	if s.gorm.Name() == "postgres" {
		locking = " FOR UPDATE SKIP LOCKED"
	}
	statement := "DELETE FROM " + r.Table + " WHERE " + r.key + " IN (SELECT " + r.key + " FROM " + r.Table + " WHERE " + r.old + " LIMIT ?" + locking + ")"
	for {
		var deleted int64
		err := s.inTx(ctx, func(tx *gorm.DB) error {
			done := tx.Exec(statement, at.Add(-r.Kept), batch)
			deleted = done.RowsAffected
			return done.Error
		})
		if err != nil || deleted < batch {
			return err
		}
	}
}
