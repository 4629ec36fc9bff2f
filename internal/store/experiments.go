package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// Experiments stores experiments, their votes and their lab notes.
type Experiments struct{ db *DB }

// experimentNumber is the last assigned number. Its row is the lock for assigning numbers and titles.
type experimentNumber struct {
	ID   string
	Last int
}

const theNumbers = "experiment"

// SubmitExperiment stores an experiment, within the caller's limits. A refusal uses nothing up.
func (s *Experiments) SubmitExperiment(ctx context.Context, e experiment.Experiment, asker account.Asker) (experiment.Experiment, error) {
	e.SubmittedAt, e.UpdatedAt = stamp(e.SubmittedAt), stamp(e.SubmittedAt)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		numbers, err := lockNumbers(tx)
		if err != nil {
			return err
		}
		if err := checkTitle(tx, e); err != nil {
			return err
		}
		if e.Origin == experiment.FromVisitor || e.Origin == experiment.FromMember {
			if err := consumeShared(tx, experiment.Submissions, everything, asker, e.SubmittedAt); err != nil {
				return err
			}
		}
		if e.Status != experiment.Waiting {
			if err := number(tx, numbers, &e); err != nil {
				return err
			}
		}
		return tx.Create(&e).Error
	})
	return e, err
}

func lockNumbers(tx *gorm.DB) (experimentNumber, error) {
	return readOne[experimentNumber](tx.Clauses(forUpdate).Where("id = ?", theNumbers))
}

// number assigns the next number and the slug that contains it.
func number(tx *gorm.DB, numbers experimentNumber, e *experiment.Experiment) error {
	numbers.Last++
	e.Number, e.Slug = &numbers.Last, experiment.Slug(numbers.Last, e.Title)
	return mustChange(tx.Select("last").Updates(&numbers))
}

// checkTitle refuses a title that an open experiment has. The message does not reveal experiments that
// wait for review.
func checkTitle(tx *gorm.DB, e experiment.Experiment) error {
	open, err := readAll[experiment.Experiment](tx.Select("id", "number", "title", "status").
		Where("status IN ? AND id <> ?", openStatuses, e.ID))
	if err != nil {
		return err
	}
	for _, other := range open {
		if experiment.Canonical(other.Title) != experiment.Canonical(e.Title) {
			continue
		}
		if other.Public() {
			return problem.New(problem.ExperimentDupe, "Experiment %[2]s already has the title “%[1]s”. Choose another title.", other.Title, experiment.ShownID(other))
		}
		return problem.New(problem.ExperimentDupe, "An experiment with this title has already been submitted. Choose another title.")
	}
	return nil
}

var openStatuses = []experiment.Status{experiment.Waiting, experiment.Planning, experiment.Active, experiment.Testing}

// EditExperiment changes an experiment's texts.
func (s *Experiments) EditExperiment(ctx context.Context, id string, version int, edit experiment.Edit, at time.Time) (experiment.Experiment, error) {
	return s.changeExperiment(ctx, id, version, func(tx *gorm.DB, e *experiment.Experiment) (err error) {
		before := e.Title
		if *e, err = e.Edited(edit, stamp(at)); err != nil || e.Title == before || e.Status.Ended() {
			return err
		}
		if _, err := lockNumbers(tx); err != nil {
			return err
		}
		return checkTitle(tx, *e)
	})
}

// MoveExperiment moves an experiment to another status. Approval assigns its number.
func (s *Experiments) MoveExperiment(ctx context.Context, id string, version int, to experiment.Status, reason string, at time.Time) (experiment.Experiment, error) {
	return s.changeExperiment(ctx, id, version, func(tx *gorm.DB, e *experiment.Experiment) (err error) {
		reviewed := e.Status == experiment.Waiting
		if *e, err = e.Moved(to, reason, stamp(at)); err != nil {
			return err
		}
		if e.Number == nil && to != experiment.Declined {
			numbers, err := lockNumbers(tx)
			if err != nil {
				return err
			}
			if err := number(tx, numbers, e); err != nil {
				return err
			}
		}
		if !reviewed || e.MemberID == nil {
			return nil
		}
		return s.reportReview(tx, *e, at)
	})
}

// reportReview emails a member that a founder has approved or declined their idea.
func (s *Experiments) reportReview(tx *gorm.DB, e experiment.Experiment, at time.Time) error {
	to, err := s.db.Emails.ofMember(tx, *e.MemberID)
	if err != nil {
		return err
	}
	facts := map[string]string{"Title": e.Title, "Decision": "approved", "Reason": e.Reason, "Slug": e.Slug}
	if e.Status == experiment.Declined {
		facts["Decision"] = "declined"
	}
	return s.db.Emails.notify(tx, to, email.IdeaReviewed, "idea:"+e.ID, facts, at)
}

// RegisterMetric stores the metric that an experiment promises to change; nil removes it.
func (s *Experiments) RegisterMetric(ctx context.Context, id string, version int, r *experiment.Registration, at time.Time) (experiment.Experiment, error) {
	if r != nil {
		stamped := *r
		stamped.DueAt = stamp(r.DueAt)
		r = &stamped
	}
	return s.changeExperiment(ctx, id, version, func(_ *gorm.DB, e *experiment.Experiment) (err error) {
		*e, err = e.Registered(r, stamp(at))
		return err
	})
}

// changeExperiment changes an experiment if its version is still the one that the caller has read.
func (s *Experiments) changeExperiment(ctx context.Context, id string, version int, alter func(*gorm.DB, *experiment.Experiment) error) (experiment.Experiment, error) {
	return changeRow(ctx, s.db, "experiment", id, func(tx *gorm.DB, e *experiment.Experiment) error {
		if err := experiment.CheckVersion(version, e.Version); err != nil {
			return err
		}
		return alter(tx, e)
	})
}

func lockExperiment(tx *gorm.DB, id string) (experiment.Experiment, error) {
	return lockByID[experiment.Experiment](tx, "experiment", id)
}

// BeginExperiment stores the run that carries an experiment, unless the experiment is not running. Safe to
// repeat.
func (s *Experiments) BeginExperiment(ctx context.Context, id, workflowID, runID string) (experiment.Experiment, error) {
	return s.whileRunning(ctx, id, func(e *experiment.Experiment) {
		e.WorkflowID, e.RunID = workflowID, runID
	})
}

// SettleExperiment completes an experiment with the verdict of the reading at its due date. The first
// end is kept. Safe to repeat.
func (s *Experiments) SettleExperiment(ctx context.Context, id string, r experiment.Reading, at time.Time) (experiment.Experiment, error) {
	return s.whileRunning(ctx, id, func(e *experiment.Experiment) {
		*e = e.Settled(r, stamp(at))
	})
}

// whileRunning changes an experiment if it is running.
func (s *Experiments) whileRunning(ctx context.Context, id string, alter func(*experiment.Experiment)) (experiment.Experiment, error) {
	return changeRow(ctx, s.db, "experiment", id, func(_ *gorm.DB, e *experiment.Experiment) error {
		if e.Status.Runs() {
			alter(e)
		}
		return nil
	})
}

// OpenExperiments lists the experiments that need a run: running, or ended with votes not yet counted. An
// experiment that was declined before it started needs none.
func (s *Experiments) OpenExperiments(ctx context.Context) ([]experiment.Experiment, error) {
	return readAll[experiment.Experiment](s.db.on(ctx).
		Where("started_at IS NOT NULL AND votes_closed_at IS NULL").Order("started_at, id"))
}

// seededAt is the time of the example experiment until DateExample.
var seededAt = time.Date(2026, 11, 20, 23, 37, 45, 0, time.UTC)

// DateExample dates the experiment that comes with the product from the installation, unless it was changed.
func (s *Experiments) DateExample(ctx context.Context, now time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		var installed time.Time
		if err := tx.Raw("SELECT tstamp FROM goose_db_version WHERE version_id = 1").Row().Scan(&installed); err != nil {
			return err
		}
		if installed.After(now) { // Postgres stores its local time
			installed = now
		}
		at := stamp(installed)
		dated := tx.Model(&experiment.Experiment{}).
			Where("id = '001' AND origin = ? AND version = 1 AND submitted_at = ?", experiment.FromSeed, seededAt).
			UpdateColumns(map[string]any{"submitted_at": at, "started_at": at, "updated_at": at})
		if dated.Error != nil || dated.RowsAffected == 0 {
			return dated.Error
		}
		return tx.Model(&experiment.Note{}).Where("experiment_id = '001' AND example").
			UpdateColumns(map[string]any{"date": at.UTC().Format(time.DateOnly), "updated_at": at}).Error
	})
}

// Notes lists an experiment's notes, the newest day first.
func (s *Experiments) Notes(ctx context.Context, id string) ([]experiment.Note, error) {
	return readAll[experiment.Note](s.db.on(ctx).Where("experiment_id = ?", id).Order("date DESC"))
}

// WriteNote creates a day's note if version is 0, and otherwise replaces the note of that version.
func (s *Experiments) WriteNote(ctx context.Context, n experiment.Note, version int, at time.Time) (experiment.Note, error) {
	n, err := n.Clean(at)
	if err != nil {
		return n, err
	}
	n.Version, n.UpdatedAt, n.Example = version+1, stamp(at), false
	return n, s.changeNote(ctx, n.ExperimentID, n.Date, version, at, func(tx *gorm.DB) error {
		if version == 0 {
			return tx.Create(&n).Error
		}
		return mustChange(noteOf(tx, n.ExperimentID, n.Date).Select("*").UpdateColumns(&n))
	})
}

// DeleteNote deletes a day's note of that version.
func (s *Experiments) DeleteNote(ctx context.Context, id, date string, version int, at time.Time) error {
	return s.changeNote(ctx, id, date, version, at, func(tx *gorm.DB) error {
		return mustChange(noteOf(tx, id, date).Delete(&experiment.Note{}))
	})
}

func noteOf(tx *gorm.DB, id, date string) *gorm.DB {
	return tx.Model(&experiment.Note{}).Where("experiment_id = ? AND date = ?", id, date)
}

// changeNote changes a note if its version is still the one that the caller has read. The experiment's
// row is the lock, and stores the time of the last change.
func (s *Experiments) changeNote(ctx context.Context, id, date string, version int, at time.Time, change func(tx *gorm.DB) error) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		e, err := lockExperiment(tx, id)
		if err != nil {
			return err
		}
		note, err := readFirst[experiment.Note](noteOf(tx, id, date))
		if err != nil {
			return err
		}
		is := 0
		if note != nil {
			is = note.Version
		}
		if err := experiment.CheckVersion(version, is); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		e.UpdatedAt = stamp(at)
		return save(tx, &e)
	})
}

// CastVote stores or changes a person's vote, and returns the new count.
func (s *Experiments) CastVote(ctx context.Context, id string, who experiment.Voter, value int, at time.Time) (experiment.VoteCounts, error) {
	if err := experiment.CheckVote(value); err != nil {
		return experiment.VoteCounts{}, err
	}
	return s.changeVote(ctx, id, who, at, func(tx *gorm.DB) error {
		if who.Founder {
			vote := experiment.FounderVote{ExperimentID: id, AccountID: who.XAccountID, Value: value, CreatedAt: stamp(at), UpdatedAt: stamp(at)}
			return tx.Clauses(upsert("experiment_id, account_id", "value", "updated_at")).Create(&vote).Error
		}
		vote := experiment.Vote{ExperimentID: id, MemberID: who.MemberID, Value: value, CreatedAt: stamp(at), UpdatedAt: stamp(at)}
		return tx.Clauses(upsert("experiment_id, member_id", "value", "updated_at")).Create(&vote).Error
	})
}

// WithdrawVote deletes a person's vote, if any, and returns the new count.
func (s *Experiments) WithdrawVote(ctx context.Context, id string, who experiment.Voter, at time.Time) (experiment.VoteCounts, error) {
	return s.changeVote(ctx, id, who, at, func(tx *gorm.DB) error {
		if who.Founder {
			return tx.Where("experiment_id = ? AND account_id = ?", id, who.XAccountID).Delete(&experiment.FounderVote{}).Error
		}
		return tx.Where("experiment_id = ? AND member_id = ?", id, who.MemberID).Delete(&experiment.Vote{}).Error
	})
}

// changeVote changes one person's vote while voting is open. It locks the member's row and then the
// experiment's, so that no vote is cast after the end or by a frozen member.
func (s *Experiments) changeVote(ctx context.Context, id string, who experiment.Voter, at time.Time, change func(tx *gorm.DB) error) (experiment.VoteCounts, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (count experiment.VoteCounts, err error) {
		if err := mayVote(tx, who); err != nil {
			return count, err
		}
		e, err := byID[experiment.Experiment](tx.Clauses(forShare).Select("status"), "experiment", id)
		if err != nil {
			return count, err
		}
		if err := e.MayVote(); err != nil {
			return count, err
		}
		if err := consume(tx, experiment.VotesPerMember, who.Key(), at); err != nil {
			return count, err
		}
		if err := dropOtherVote(tx, id, who); err != nil {
			return count, err
		}
		if err := change(tx); err != nil {
			return count, err
		}
		return countVotes(tx, id)
	})
}

func mayVote(tx *gorm.DB, who experiment.Voter) error {
	if who.Founder {
		return nil
	}
	voter, err := byID[member.Member](tx.Clauses(forShare).Select("status"), "member", who.MemberID)
	if err == nil && voter.Status != member.StatusActive {
		err = problem.New(problem.Forbidden, "Only members may do this. A membership costs $9, once.")
	}
	return err
}

// dropOtherVote deletes the vote that a founder cast as a member, or a member as a founder: a person has one vote.
func dropOtherVote(tx *gorm.DB, id string, who experiment.Voter) error {
	switch {
	case who.Founder && who.MemberID != "":
		return tx.Where("experiment_id = ? AND member_id = ?", id, who.MemberID).Delete(&experiment.Vote{}).Error
	case !who.Founder && who.XAccountID != "":
		return tx.Where("experiment_id = ? AND account_id = ?", id, who.XAccountID).Delete(&experiment.FounderVote{}).Error
	}
	return nil
}

// activeVotes selects the values of the votes that count for an experiment: those of active members and of
// founders. A vote of a frozen member counts again when the membership is restored.
const activeVotes = `SELECT value FROM experiment_votes v
	WHERE v.experiment_id = %[1]s AND v.member_id NOT IN (SELECT id FROM members WHERE status <> 'active')
	UNION ALL SELECT value FROM founder_votes f WHERE f.experiment_id = %[1]s`

// countVotes counts the rows; no counter is stored.
func countVotes(tx *gorm.DB, id string) (count experiment.VoteCounts, err error) {
	err = tx.Raw("SELECT COUNT(CASE WHEN value = 1 THEN 1 END) AS up, COUNT(CASE WHEN value = -1 THEN 1 END) AS down FROM ("+
		fmt.Sprintf(activeVotes, "@id")+") AS votes", sql.Named("id", id)).Scan(&count).Error
	return count, err
}

// CloseVotes freezes the vote count of an ended experiment, and stores the run that did. The first count
// is kept. An experiment that never became active has no run, so its current count is returned. Safe to
// repeat.
func (s *Experiments) CloseVotes(ctx context.Context, id, workflowID, runID string, at time.Time) (experiment.VoteCounts, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (count experiment.VoteCounts, err error) {
		e, err := lockExperiment(tx, id)
		if err != nil {
			return count, err
		}
		if !e.Status.Ended() {
			return count, problem.New(problem.Conflict, "This experiment has not ended, so its votes are still open.")
		}
		if e.VotesClosedAt != nil {
			return experiment.VoteCounts{Up: *e.FinalUp, Down: *e.FinalDown}, nil
		}
		if count, err = countVotes(tx, id); err != nil || e.StartedAt == nil {
			return count, err
		}
		at := stamp(at)
		e.FinalUp, e.FinalDown, e.VotesClosedAt = &count.Up, &count.Down, &at
		e.WorkflowID, e.RunID = workflowID, runID
		return count, save(tx, &e)
	})
}

// VotesOf returns a person's votes by experiment ID.
func (s *Experiments) VotesOf(ctx context.Context, who experiment.Voter) (map[string]int, error) {
	rows, err := readAll[experiment.Vote](s.db.on(ctx).Where("member_id = ?", who.MemberID))
	if err == nil && who.Founder {
		var own []experiment.Vote
		err = s.db.on(ctx).Model(&experiment.FounderVote{}).Select("experiment_id, value").Where("account_id = ?", who.XAccountID).Scan(&own).Error
		rows = append(rows, own...)
	}
	votes := make(map[string]int, len(rows))
	for _, row := range rows {
		votes[row.ExperimentID] = row.Value
	}
	return votes, err
}
