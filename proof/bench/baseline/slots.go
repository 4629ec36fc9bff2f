package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"go.temporal.io/sdk/client"
	temporallog "go.temporal.io/sdk/log"

	"customerzero/internal/platform/temporal/launcher"
)

// reservation asks for one of a month's places, for a post.
type reservation struct {
	ID      string `json:"id"`
	Month   string `json:"month"`
	Content string `json:"content"`
}

const (
	monthly   = 500
	months    = 1000 // more than anybody asks for
	slotTable = `CREATE TABLE IF NOT EXISTS baseline_months (
  month text PRIMARY KEY, used integer NOT NULL, allowed integer NOT NULL, CHECK (used <= allowed))`
)

// routeSlots takes a place with one statement that the database refuses when there is none left;
// and the same with the start of a flow that nobody carries on.
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

// openMonths makes the months that are asked for.
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

// flows starts flows; the zero one starts none.
type flows struct{ server client.Client }

// nobodysQueue is where no worker looks: only the start is what costs.
const nobodysQueue = "baseline"

func dial(ctx context.Context, address string) (*flows, error) {
	if address == "" {
		return &flows{}, nil
	}
	server, err := client.DialContext(ctx, client.Options{
		HostPort: address, ConnectionOptions: launcher.Connection(address),
		Logger: temporallog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	return &flows{server}, err
}

func (f *flows) start(ctx context.Context, asked reservation) error {
	_, err := f.server.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "baseline:" + asked.ID, TaskQueue: nobodysQueue}, "Baseline", asked)
	return err
}

func (f *flows) close() {
	if f.server != nil {
		f.server.Close()
	}
}
