package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
)

// Diagnoses stores runs of the login diagnostic.
type Diagnoses struct{ db *DB }

// finding is what a step of a diagnosis found.
type finding struct {
	DiagnosisID string
	diagnostic.Found
	CreatedAt time.Time
}

func (finding) TableName() string { return "diagnosis_findings" }

// BeginDiagnosis writes down that a visitor wants to know why logging in fails, within the
// limits. The keys being tried are named when they are not those in use.
func (s *Diagnoses) BeginDiagnosis(ctx context.Context, d diagnostic.Run) error {
	d.CreatedAt = stamp(d.CreatedAt)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if d.ProviderKeyID == nil { // people pressing a button; new keys are tried whoever waits
			if err := consume(tx, account.DiagnosisPerPerson, d.Visitor, d.CreatedAt); err != nil {
				return err
			}
			if err := consume(tx, account.DiagnosesOverall, "all", d.CreatedAt); err != nil {
				return err
			}
		}
		return tx.Create(&d).Error
	})
}

// Diagnosis finds a run and what it found so far.
func (s *Diagnoses) Diagnosis(ctx context.Context, id string) (diagnostic.Run, error) {
	return s.oneDiagnosis(ctx, "id = ?", id)
}

// LatestDiagnosis finds a visitor's last run since then.
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

// SaveFinding stores what a step found. A repeated step replaces its finding.
func (s *Diagnoses) SaveFinding(ctx context.Context, diagnosisID string, f diagnostic.Found, at time.Time) error {
	f.Facts = append([]diagnostic.Fact{}, f.Facts...) // GORM writes NULL for no list
	row := finding{diagnosisID, f, stamp(at)}
	return s.db.insert(ctx, &row, upsert("diagnosis_id, step"))
}

// MoveDiagnosis notes the run that carries a diagnosis, and its end.
func (s *Diagnoses) MoveDiagnosis(ctx context.Context, id, runID string, ended *time.Time) error {
	change := map[string]any{"run_id": runID}
	if ended != nil {
		change["ended_at"] = stamp(*ended)
	}
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&diagnostic.Run{}).Where("id = ?", id).Updates(change))
	})
}
