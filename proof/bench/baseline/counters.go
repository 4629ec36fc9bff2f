package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"go.temporal.io/sdk/client"

	"customerzero/proof/cluster"
)

type reservation struct {
	ID      string `json:"id"`
	Month   string `json:"month"`
	Content string `json:"content"`
}

const (
	monthly   = 500
	months    = 1000 // more than are requested
	slotTable = `CREATE TABLE IF NOT EXISTS baseline_months (
  month text PRIMARY KEY, used integer NOT NULL, allowed integer NOT NULL, CHECK (used <= allowed))`
)

// routeSlots takes a slot with one guarded UPDATE, in the second route with the start of a workflow that no worker
// runs.
func routeSlots(router *gin.Engine, b *database, f *flows) {
	reserve := func(c *gin.Context) (asked reservation, taken bool) {
		if err := json.NewDecoder(c.Request.Body).Decode(&asked); err != nil {
			c.Status(http.StatusBadRequest)
			return asked, false
		}
		taken, err := b.reserve(c.Request.Context(), asked.Month)
		switch {
		case err != nil:
			c.String(http.StatusInternalServerError, err.Error())
			return asked, false
		case !taken:
			c.JSON(http.StatusTooManyRequests, gin.H{"code": "quota_exhausted"})
		}
		return asked, taken
	}
	router.POST("/slots", func(c *gin.Context) {
		if asked, taken := reserve(c); taken {
			c.JSON(http.StatusCreated, asked)
		}
	})
	router.POST("/slots/flows", func(c *gin.Context) {
		asked, taken := reserve(c)
		if !taken {
			return
		}
		if err := f.start(c.Request.Context(), asked); err != nil {
			c.String(http.StatusInternalServerError, err.Error())
			return
		}
		c.JSON(http.StatusCreated, asked)
	})
}

func (b *database) openMonths() error {
	rows := make([]string, months)
	for m := range rows {
		rows[m] = fmt.Sprintf("('baseline-%d', 0, %d)", m, monthly)
	}
	_, err := b.writing.Exec("INSERT INTO baseline_months (month, used, allowed) VALUES " + strings.Join(rows, ", ") + " ON CONFLICT DO NOTHING")
	return err
}

func (b *database) reserve(ctx context.Context, month string) (taken bool, err error) {
	changed, err := b.writing.ExecContext(ctx, b.words("UPDATE baseline_months SET used = used + 1 WHERE month = ? AND used < allowed"), month)
	if err != nil {
		return false, err
	}
	rows, err := changed.RowsAffected()
	return rows == 1, err
}

type flows struct{ server client.Client }

// unpolledQueue has no worker, so that only the start is measured.
const unpolledQueue = "baseline"

func dial(ctx context.Context, address string) (*flows, error) {
	if address == "" {
		return &flows{}, nil
	}
	server, err := cluster.DialTemporal(ctx, address)
	return &flows{server}, err
}

func (f *flows) start(ctx context.Context, asked reservation) error {
	_, err := f.server.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "baseline:" + asked.ID, TaskQueue: unpolledQueue}, "Baseline", asked)
	return err
}

func (f *flows) close() {
	if f.server != nil {
		f.server.Close()
	}
}

// ballot is a vote. Its member is not authenticated.
type ballot struct {
	ExperimentID string `json:"experimentId"`
	MemberID     string `json:"memberId"`
	Vote         int    `json:"vote"`
}

// counted is the response with the vote counts.
type counted struct {
	Success   bool `json:"success"`
	Upvotes   int  `json:"upvotes"`
	Downvotes int  `json:"downvotes"`
	MyVote    int  `json:"my_vote"`
}

const voteTable = `CREATE TABLE IF NOT EXISTS baseline_votes (
  experiment_id text NOT NULL, member_id text NOT NULL, value integer NOT NULL CHECK (value IN (-1, 1)),
  PRIMARY KEY (experiment_id, member_id))`

// routeVotes writes a vote and counts the rows in one transaction.
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
	tx, err := b.writing.BeginTx(ctx, nil)
	if err != nil {
		return count, err
	}
	defer func() { _ = tx.Rollback() }()
	_, err = tx.ExecContext(ctx, b.words(`INSERT INTO baseline_votes (experiment_id, member_id, value) VALUES (?, ?, ?)
ON CONFLICT (experiment_id, member_id) DO UPDATE SET value = excluded.value`), vote.ExperimentID, vote.MemberID, vote.Vote)
	if err != nil {
		return count, err
	}
	counting := tx.QueryRowContext(ctx, b.words(`SELECT COUNT(CASE WHEN value = 1 THEN 1 END), COUNT(CASE WHEN value = -1 THEN 1 END)
FROM baseline_votes WHERE experiment_id = ?`), vote.ExperimentID)
	if err := counting.Scan(&count.Upvotes, &count.Downvotes); err != nil {
		return count, err
	}
	return count, tx.Commit()
}
