package store

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
)

// noteEdited says whether a generated text was changed by people.
func noteEdited(tx *gorm.DB, p *post.Post) error {
	if p.CandidateID == nil {
		return nil
	}
	c, err := readOne[generation.Candidate](tx.Where("id = ?", *p.CandidateID))
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return nil
	}
	p.Edited = c.Text != p.Text
	return err
}

// sources names the models that wrote posts, by candidate. Those of a vote that is still
// blind are left out.
func (s *Posts) sources(ctx context.Context, posts []post.Post) (map[string]post.Source, error) {
	var ids []string
	for _, p := range posts {
		if p.CandidateID != nil {
			ids = append(ids, *p.CandidateID)
		}
	}
	named := map[string]post.Source{}
	if len(ids) == 0 {
		return named, nil
	}
	candidates, err := readAll[generation.Candidate](s.db.on(ctx).Where("id IN ?", ids).
		Where(`generation_id NOT IN (SELECT id FROM generations g WHERE g.blind
			AND NOT EXISTS (SELECT 1 FROM generation_votes v WHERE v.generation_id = g.id))`))
	for _, c := range candidates {
		named[c.ID] = post.Source{Model: c.Model, Prompt: c.Prompt}
	}
	return named, err
}
