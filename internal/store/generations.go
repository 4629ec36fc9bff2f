package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/generation"
)

// Generations stores generated texts and the votes on them.
type Generations struct{ db *DB }

// BeginGeneration stores a generation with its candidates. Each candidate counts against the caller's
// limit and the overall daily limit.
func (s *Generations) BeginGeneration(ctx context.Context, g generation.Generation, candidates []generation.Candidate, subject string) error {
	g.CreatedAt = stamp(g.CreatedAt)
	if g.Facts == nil {
		g.Facts = []generation.Fact{} // GORM would write nil as NULL
	}
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		for range candidates {
			if err := consume(tx, account.GenerationsPerAccount, subject, g.CreatedAt); err != nil {
				return err
			}
			if err := consume(tx, account.GenerationsOverall, everything, g.CreatedAt); err != nil {
				return err
			}
		}
		if err := tx.Create(&g).Error; err != nil {
			return err
		}
		return tx.Create(&candidates).Error
	})
}

// Generation returns a generation with its texts, by label.
func (s *Generations) Generation(ctx context.Context, id string) (generation.Listed, error) {
	tx := s.db.on(ctx)
	g, err := byID[generation.Generation](tx, "generation", id)
	if err != nil {
		return generation.Listed{}, err
	}
	candidates, err := readAll[generation.Candidate](tx.Where("generation_id = ?", id).Order("label"))
	if err != nil {
		return generation.Listed{}, err
	}
	voted, err := countOf[generation.Vote](tx.Where("generation_id = ?", id))
	return generation.Listed{Generation: g, Candidates: candidates, Voted: voted > 0}, err
}

// Candidate returns one model's text with its generation.
func (s *Generations) Candidate(ctx context.Context, id string) (generation.Candidate, generation.Generation, error) {
	c, err := byID[generation.Candidate](s.db.on(ctx), "generated text", id)
	if err != nil {
		return c, generation.Generation{}, err
	}
	g, err := byID[generation.Generation](s.db.on(ctx), "generation", c.GenerationID)
	return c, g, err
}

// CandidateForPost returns a finished text of the account's own generations, from which a post may be
// made. A nil account selects generations made with the admin key.
func (s *Generations) CandidateForPost(ctx context.Context, id string, accountID *string) (generation.Candidate, error) {
	own := s.db.on(ctx).Model(&generation.Generation{}).Select("1").Where("generations.id = generation_candidates.generation_id")
	if accountID == nil {
		own = own.Where("account_id IS NULL")
	} else {
		own = own.Where("account_id = ?", *accountID)
	}
	c, err := readOne[generation.Candidate](s.db.on(ctx).
		Where("id = ? AND state IN ? AND EXISTS (?)", id, []generation.State{generation.Done, generation.Invalid}, own))
	return c, asProblem(err, "generated text")
}

// OpenGenerations lists the generations with a text that has not ended.
func (s *Generations) OpenGenerations(ctx context.Context) ([]generation.Generation, error) {
	open := s.db.on(ctx).Model(&generation.Candidate{}).Select("generation_id").Where("state IN ('waiting', 'writing') AND ended_at IS NULL")
	return readAll[generation.Generation](s.db.on(ctx).Where("id IN (?)", open).Order("created_at, id"))
}

// MoveGeneration stores the run of a generation.
func (s *Generations) MoveGeneration(ctx context.Context, id, runID string) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return mustChange(tx.Model(&generation.Generation{}).Where("id = ?", id).Update("run_id", runID))
	})
}

// BeginCandidate stores that a model is being called, with the version of its prompt. began is false if
// it was called before: a call costs money, and is made once.
func (s *Generations) BeginCandidate(ctx context.Context, id, prompt string) (began bool, err error) {
	err = s.db.inTx(ctx, func(tx *gorm.DB) error {
		changed := tx.Model(&generation.Candidate{}).Where("id = ? AND state = ?", id, generation.Waiting).
			Updates(map[string]any{"state": generation.Writing, "prompt": prompt})
		began = changed.RowsAffected > 0
		return changed.Error
	})
	return began, err
}

// WriteCandidate stores the text that a model has written so far, unless the candidate has ended.
func (s *Generations) WriteCandidate(ctx context.Context, id, text string) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return tx.Model(&generation.Candidate{}).Where("id = ? AND state = ?", id, generation.Writing).
			Update("text", generation.Kept(text)).Error
	})
}

// EndCandidate stores the outcome of a candidate. The first is kept.
func (s *Generations) EndCandidate(ctx context.Context, id string, e generation.End, at time.Time) (generation.Candidate, error) {
	return changeRow(ctx, s.db, "generated text", id, func(_ *gorm.DB, c *generation.Candidate) error {
		if !c.State.Ended() {
			c.End(e, stamp(at))
		}
		return nil
	})
}

// EndGeneration ends every open candidate of a generation as lost.
func (s *Generations) EndGeneration(ctx context.Context, id string, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		return endLost(tx.Where("generation_id = ?", id), at)
	})
}

// endLost ends the selected open candidates as lost.
func endLost(found *gorm.DB, at time.Time) error {
	lost := generation.Lost()
	return found.Model(&generation.Candidate{}).
		Where("state IN ?", []generation.State{generation.Waiting, generation.Writing}).
		Updates(map[string]any{
			"state": lost.State, "text": "", "code": lost.Code, "reason": lost.Reason, "ended_at": stamp(at),
		}).Error
}

// Vote stores which text was voted best, and marks it. A generation is voted on once.
func (s *Generations) Vote(ctx context.Context, v generation.Vote) error {
	v.CreatedAt = stamp(v.CreatedAt)
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		if _, err := lockByID[generation.Generation](tx, "generation", v.GenerationID); err != nil {
			return err
		}
		listed, err := s.Generation(txContext(ctx, tx), v.GenerationID)
		if err != nil {
			return err
		}
		if err := listed.CheckVote(v.CandidateID); err != nil {
			return err
		}
		if err := tx.Create(&v).Error; err != nil {
			return err
		}
		return mustChange(tx.Model(&generation.Candidate{}).Where("id = ?", v.CandidateID).Update("chosen", true))
	})
}

// Leaderboard ranks models by blind votes between two or more models, and returns the number of these
// votes. Templates are not ranked, and a model without a text did not take part.
func (s *Generations) Leaderboard(ctx context.Context) (standings []generation.Standing, votes int, err error) {
	tx := s.db.on(ctx)
	byModels := func() *gorm.DB {
		return tx.Model(&generation.Candidate{}).Where("generation_candidates.state IN ? AND generation_candidates.model NOT IN ?",
			[]generation.State{generation.Done, generation.Invalid}, generation.TemplateNames())
	}
	compared := byModels().Select("generation_id").Group("generation_id").Having("COUNT(*) > 1")
	err = byModels().
		Select("generation_candidates.model, COUNT(*) AS votes, COUNT(CASE WHEN generation_candidates.chosen THEN 1 END) AS wins").
		Joins("JOIN generation_votes ON generation_votes.generation_id = generation_candidates.generation_id").
		Where("generation_votes.generation_id IN (?)", compared).
		Group("generation_candidates.model").Scan(&standings).Error
	if err != nil {
		return nil, 0, err
	}
	generation.Rank(standings)
	votes, err = countOf[generation.Vote](tx.Where("generation_id IN (?)", compared))
	return standings, votes, err
}

// endLostGenerations ends the open candidates of generations past their deadline.
func (s *Generations) endLostGenerations(ctx context.Context, at time.Time) error {
	return s.db.inTx(ctx, func(tx *gorm.DB) error {
		lost := tx.Model(&generation.Generation{}).Select("id").Where("created_at < ?", at.Add(-generation.Patience))
		rows := tx.Model(&generation.Candidate{}).Select("id").Where("ended_at IS NULL AND generation_id IN (?)", lost).Clauses(skipLocked)
		return endLost(tx.Where("id IN (?)", rows), at)
	})
}
