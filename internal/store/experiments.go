package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// Experiments stores experiments, their votes and their lab notes.
type Experiments struct{ db *DB }

// experimentNumber is the number that was given last. Its row is the lock of those who give one,
// or a title.
type experimentNumber struct {
	ID   string
	Last int
}

const theNumbers = "experiment"

// SubmitExperiment writes an idea down. whom is who it counts for; a refusal uses nothing up.
func (s *Experiments) SubmitExperiment(ctx context.Context, e experiment.Experiment, whom string) (experiment.Experiment, error) {
	e.SubmittedAt, e.UpdatedAt = stamp(e.SubmittedAt), stamp(e.SubmittedAt)
	err := s.db.inTx(ctx, func(tx *gorm.DB) error {
		numbers, err := lockNumbers(tx)
		if err != nil {
			return err
		}
		if err := checkTitle(tx, e); err != nil {
			return err
		}
		if err := takeSubmission(tx, e, whom); err != nil {
			return err
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

func takeSubmission(tx *gorm.DB, e experiment.Experiment, whom string) error {
	limit := experiment.SubmissionsPerVisitor
	switch e.Origin {
	case experiment.FromSeed, experiment.FromFounder:
		return nil
	case experiment.FromMember:
		limit = experiment.SubmissionsPerMember
	case experiment.FromVisitor:
	}
	if whom != "" {
		if err := consume(tx, limit, whom, e.SubmittedAt); err != nil {
			return err
		}
	}
	return consume(tx, experiment.SubmissionsOverall, "everybody", e.SubmittedAt)
}

func lockNumbers(tx *gorm.DB) (experimentNumber, error) {
	return readOne[experimentNumber](tx.Clauses(forUpdate).Where("id = ?", theNumbers))
}

// number gives an experiment the next number, and the name that comes with it.
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
			return problem.New(problem.ExperimentDupe, "“%s” is in the lab already: experiment %s.", other.Title, experiment.ShownID(other))
		}
		return problem.New(problem.ExperimentDupe, "An idea of this title has been submitted already.")
	}
	return nil
}

var openStatuses = []experiment.Status{experiment.Waiting, experiment.Planning, experiment.Active, experiment.Testing}

// EditExperiment changes what an experiment says.
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

// MoveExperiment moves an experiment to another status. Approved, it gets its number.
func (s *Experiments) MoveExperiment(ctx context.Context, id string, version int, to experiment.Status, reason string, at time.Time) (experiment.Experiment, error) {
	return s.changeExperiment(ctx, id, version, func(tx *gorm.DB, e *experiment.Experiment) (err error) {
		if *e, err = e.Moved(to, reason, stamp(at)); err != nil || e.Number != nil || to == experiment.Declined {
			return err
		}
		numbers, err := lockNumbers(tx)
		if err != nil {
			return err
		}
		return number(tx, numbers, e)
	})
}

// RegisterMetric notes what an experiment promises; nil takes the promise back.
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

// changeExperiment alters an experiment that is as its changer has read it.
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

// SettleExperiment sets the verdict of an experiment by what was read at its date, and completes
// it. The first end stays. Safe to repeat.
func (s *Experiments) SettleExperiment(ctx context.Context, id string, r experiment.Reading, at time.Time) (experiment.Experiment, error) {
	return s.whileRunning(ctx, id, func(e *experiment.Experiment) {
		*e = e.Settled(r, stamp(at))
	})
}

// whileRunning locks an experiment, and changes and saves it if it is running.
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

// Notes are an experiment's, the newest day first.
func (s *Experiments) Notes(ctx context.Context, id string) ([]experiment.Note, error) {
	return readAll[experiment.Note](s.db.on(ctx).Where("experiment_id = ?", id).Order("date DESC"))
}

// WriteNote creates a day's note if version is 0, and otherwise replaces the note of that version.
func (s *Experiments) WriteNote(ctx context.Context, n experiment.Note, version int, at time.Time) (experiment.Note, error) {
	n, err := n.Clean(at)
	if err != nil {
		return n, err
	}
	n.Version, n.UpdatedAt = version+1, stamp(at)
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

// changeNote changes a note that is as its changer has read it. The experiment's row is the lock
// of those who write at once, and says when something was written last.
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

// CastVote notes a member's vote, or changes it, and counts again.
func (s *Experiments) CastVote(ctx context.Context, id, memberID string, value int, at time.Time) (experiment.VoteCounts, error) {
	if err := experiment.CheckVote(value); err != nil {
		return experiment.VoteCounts{}, err
	}
	vote := experiment.Vote{ExperimentID: id, MemberID: memberID, Value: value, CreatedAt: stamp(at), UpdatedAt: stamp(at)}
	return s.changeVote(ctx, id, memberID, at, func(tx *gorm.DB) error {
		return tx.Clauses(upsert("experiment_id, member_id", "value", "updated_at")).Create(&vote).Error
	})
}

// WithdrawVote takes a member's vote back, if there is one, and counts again.
func (s *Experiments) WithdrawVote(ctx context.Context, id, memberID string, at time.Time) (experiment.VoteCounts, error) {
	return s.changeVote(ctx, id, memberID, at, func(tx *gorm.DB) error {
		return tx.Where("experiment_id = ? AND member_id = ?", id, memberID).Delete(&experiment.Vote{}).Error
	})
}

// changeVote changes one member's vote while voting is open. It locks the member's row and then the
// experiment's, so that no vote is cast after the end or by a frozen member.
func (s *Experiments) changeVote(ctx context.Context, id, memberID string, at time.Time, change func(tx *gorm.DB) error) (experiment.VoteCounts, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (count experiment.VoteCounts, err error) {
		voter, err := byID[member.Member](tx.Clauses(forShare).Select("status"), "member", memberID)
		if err != nil {
			return count, err
		}
		if voter.Status != member.StatusActive {
			return count, problem.New(problem.Forbidden, "Only members may do this. A membership costs $9, once.")
		}
		e, err := byID[experiment.Experiment](tx.Clauses(forShare).Select("status"), "experiment", id)
		if err != nil {
			return count, err
		}
		if err := e.MayVote(); err != nil {
			return count, err
		}
		if err := consume(tx, experiment.VotesPerMember, memberID, at); err != nil {
			return count, err
		}
		if err := change(tx); err != nil {
			return count, err
		}
		return countVotes(tx, id)
	})
}

// countVotes counts the rows: there is no other number.
func countVotes(tx *gorm.DB, id string) (count experiment.VoteCounts, err error) {
	err = tx.Model(&experiment.Vote{}).Where("experiment_id = ?", id).
		Select("COUNT(CASE WHEN value = 1 THEN 1 END) AS up, COUNT(CASE WHEN value = -1 THEN 1 END) AS down").Scan(&count).Error
	return count, err
}

// CloseVotes freezes the vote count of an ended experiment, and stores the run that did. The first count
// stays. An experiment that never became active has no run, so its current count is returned. Safe to
// repeat.
func (s *Experiments) CloseVotes(ctx context.Context, id, workflowID, runID string, at time.Time) (experiment.VoteCounts, error) {
	return resultOf(ctx, s.db, func(tx *gorm.DB) (count experiment.VoteCounts, err error) {
		e, err := lockExperiment(tx, id)
		if err != nil {
			return count, err
		}
		if !e.Status.Ended() {
			return count, problem.New(problem.Conflict, "This experiment has not ended: its votes are open.")
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

// VotesOf are a member's votes, by experiment.
func (s *Experiments) VotesOf(ctx context.Context, memberID string) (map[string]int, error) {
	rows, err := readAll[experiment.Vote](s.db.on(ctx).Where("member_id = ?", memberID))
	votes := make(map[string]int, len(rows))
	for _, row := range rows {
		votes[row.ExperimentID] = row.Value
	}
	return votes, err
}
