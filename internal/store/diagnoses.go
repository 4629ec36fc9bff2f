package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/diagnostic"
)

// Diagnoses stores runs of the login diagnostic.
type Diagnoses struct{ db *DB }

// finding is the result of one step of a diagnosis.
type finding struct {
	DiagnosisID string
	diagnostic.Found
	CreatedAt time.Time
}

func (finding) TableName() string { return "diagnosis_findings" }

// BeginDiagnosis stores a diagnosis, within the caller's limits. A diagnosis of new keys names them and is not
// limited.
func (s *Diagnoses) BeginDiagnosis(ctx context.Context, d diagnostic.Run, asker account.Asker) error {
	d.CreatedAt = stamp(d.CreatedAt)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if d.ProviderKeyID == nil { // only a visitor's diagnosis is limited
			if err := consume(tx, account.DiagnosisPerVisitor, d.Visitor, d.CreatedAt); err != nil {
				return err
			}
			if err := consumeShared(tx, account.Diagnoses, everything, asker, d.CreatedAt); err != nil {
				return err
			}
		}
		return tx.Create(&d).Error
	})
}

// Diagnosis returns a run with its findings.
func (s *Diagnoses) Diagnosis(ctx context.Context, id string) (diagnostic.Run, error) {
	return s.oneDiagnosis(ctx, "id = ?", id)
}

// LatestDiagnosis returns a visitor's last run since a time.
func (s *Diagnoses) LatestDiagnosis(ctx context.Context, visitor string, since time.Time) (diagnostic.Run, error) {
	return s.oneDiagnosis(ctx, "visitor = ? AND provider_key_id IS NULL AND created_at >= ?", visitor, stamp(since))
}

func (s *Diagnoses) oneDiagnosis(ctx context.Context, where string, args ...any) (diagnostic.Run, error) {
	run, err := readOne[diagnostic.Run](s.db.on(ctx).Where(where, args...).Order("created_at DESC, id DESC"))
	if err != nil {
		return run, asProblem(err, "diagnosis")
	}
	rows, err := readAll[finding](s.db.on(ctx).Where("diagnosis_id = ?", run.ID).Order("created_at, step"))
	if err != nil {
		return run, err
	}
	for _, row := range rows {
		run.Findings = append(run.Findings, row.Found)
	}
	return run, nil
}

// SaveFinding stores the result of a step. A repeated step replaces it.
func (s *Diagnoses) SaveFinding(ctx context.Context, diagnosisID string, f diagnostic.Found, at time.Time) error {
	f.Facts = append([]diagnostic.Fact{}, f.Facts...) // GORM would write nil as NULL
	row := finding{diagnosisID, f, stamp(at)}
	return s.db.insert(ctx, &row, upsert("diagnosis_id, step"))
}

// OpenDiagnoses lists the diagnoses from before a time that have not ended, without those of keys that are being
// tested: their own run carries them.
func (s *Diagnoses) OpenDiagnoses(ctx context.Context, before time.Time) ([]diagnostic.Run, error) {
	tested := s.db.on(ctx).Model(&bot.ProviderKeys{}).Select("id").Where("state = ?", bot.KeysCandidate)
	return readAll[diagnostic.Run](s.db.on(ctx).
		Where("ended_at IS NULL AND created_at <= ? AND (provider_key_id IS NULL OR provider_key_id NOT IN (?))", stamp(before), tested).
		Order("created_at, id"))
}

// MoveDiagnosis stores the workflow run of a diagnosis, and its end if ended is not nil.
func (s *Diagnoses) MoveDiagnosis(ctx context.Context, id, runID string, ended *time.Time) error {
	change := map[string]any{"run_id": runID}
	if ended != nil {
		change["ended_at"] = stamp(*ended)
	}
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&diagnostic.Run{}).Where("id = ?", id).Updates(change))
	})
}
