package baseline

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"
)

// ballot is a vote, as whoever casts it says; here everybody is believed.
type ballot struct {
	ExperimentID string `json:"experimentId"`
	MemberID     string `json:"memberId"`
	Vote         int    `json:"vote"`
}

// counted is how the votes stand.
type counted struct {
	Success   bool `json:"success"`
	Upvotes   int  `json:"upvotes"`
	Downvotes int  `json:"downvotes"`
	MyVote    int  `json:"my_vote"`
}

const voteTable = `CREATE TABLE IF NOT EXISTS baseline_votes (
  experiment_id text NOT NULL, member_id text NOT NULL, value integer NOT NULL CHECK (value IN (-1, 1)),
  PRIMARY KEY (experiment_id, member_id))`

// routeVotes writes a vote and counts all, in one transaction: the number that is told is that of
// the rows.
func routeVotes(router *gin.Engine, b *database) {
	router.POST("/votes", func(c *gin.Context) {
		var vote ballot
		if err := json.NewDecoder(c.Request.Body).Decode(&vote); err != nil {
			c.Status(http.StatusBadRequest)
			return
		}
		count, err := b.vote(c.Request.Context(), vote)
		if err != nil {
			c.String(http.StatusInternalServerError, err.Error())
			return
		}
		c.JSON(http.StatusOK, count)
	})
}

func (b *database) vote(ctx context.Context, vote ballot) (counted, error) {
	count := counted{Success: true, MyVote: vote.Vote}
	err := b.inTx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, b.words(`INSERT INTO baseline_votes (experiment_id, member_id, value) VALUES (?, ?, ?)
ON CONFLICT (experiment_id, member_id) DO UPDATE SET value = excluded.value`), vote.ExperimentID, vote.MemberID, vote.Vote)
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, b.words(`SELECT COUNT(CASE WHEN value = 1 THEN 1 END), COUNT(CASE WHEN value = -1 THEN 1 END)
FROM baseline_votes WHERE experiment_id = ?`), vote.ExperimentID).Scan(&count.Upvotes, &count.Downvotes)
	})
	return count, err
}

func (b *database) inTx(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := b.writing.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
