package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/member"
	"customerzero/internal/domain/problem"
)

// CastVote notes a member's vote, or changes it, and counts again.
func (s *Experiments) CastVote(ctx context.Context, id, memberID string, value int, at time.Time) (experiment.VoteCounts, error) {
	if err := experiment.CheckVote(value); err != nil {
		return experiment.VoteCounts{}, err
	}
	vote := experiment.Vote{ExperimentID: id, MemberID: memberID, Value: value, CreatedAt: stamp(at), UpdatedAt: stamp(at)}
	return s.changeVote(ctx, id, memberID, at, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "experiment_id"}, {Name: "member_id"}},
			DoUpdates: clause.AssignmentColumns([]string{"value", "updated_at"}),
		}).Create(&vote).Error
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
func (s *Experiments) changeVote(ctx context.Context, id, memberID string, at time.Time, change func(tx *gorm.DB) error) (count experiment.VoteCounts, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		voter, err := readOne[member.Member](tx.Clauses(forShare).Select("status").Where("id = ?", memberID))
		if err != nil {
			return asProblem(err, "member")
		}
		if voter.Status != member.StatusActive {
			return problem.New(problem.Forbidden, "Only members may do this. A membership costs $9, once.")
		}
		e, err := readOne[experiment.Experiment](tx.Clauses(forShare).Select("status").Where("id = ?", id))
		if err != nil {
			return asProblem(err, "experiment")
		}
		if err := e.MayVote(); err != nil {
			return err
		}
		if err := consume(tx, experiment.VotesPerMember, memberID, at); err != nil {
			return err
		}
		if err := change(tx); err != nil {
			return err
		}
		count, err = countVotes(tx, id)
		return err
	})
	return count, err
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
func (s *Experiments) CloseVotes(ctx context.Context, id, workflowID, runID string, at time.Time) (count experiment.VoteCounts, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		e, err := lockExperiment(tx, id)
		if err != nil {
			return err
		}
		if !e.Status.Ended() {
			return problem.New(problem.Conflict, "This experiment has not ended: its votes are open.")
		}
		if e.VotesClosedAt != nil {
			count = experiment.VoteCounts{Up: *e.FinalUp, Down: *e.FinalDown}
			return nil
		}
		if count, err = countVotes(tx, id); err != nil || e.StartedAt == nil {
			return err
		}
		at := stamp(at)
		e.FinalUp, e.FinalDown, e.VotesClosedAt = &count.Up, &count.Down, &at
		e.WorkflowID, e.RunID = workflowID, runID
		return saveExperiment(tx, &e)
	})
	return count, err
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
