package baseline

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/api/posts"
	"customerzero/internal/domain/post"
)

type row struct {
	ID          string
	Text        string
	Status      post.Status
	Code        string
	Reason      string
	ScheduledAt time.Time
	PublishedAt *time.Time
	URL         string
	Attempt     int
	Version     int
	MadeWithAI  bool
	RunID       string
	CreatedAt   time.Time
	UpdatedAt   time.Time
	Username    *string
	Month       *post.Month
	SlotNo      *int
}

const (
	limit   = 50
	columns = "posts.id, posts.text, posts.status, posts.code, posts.reason, posts.scheduled_at, posts.published_at, posts.url, posts.attempt, " +
		"posts.version, posts.made_with_ai, posts.run_id, posts.created_at, posts.updated_at, members.username, quota_slots.month, quota_slots.slot_no"
	theirMember = "LEFT JOIN members ON members.id = posts.member_id"
	theirSlot   = "LEFT JOIN quota_slots ON quota_slots.post_id = posts.id"
)

// routePosts serves the newest posts and the counts of all: with GORM, and from memory.
func routePosts(router *gin.Engine, b *database) {
	router.GET("/gorm/posts", func(c *gin.Context) {
		rows, counts, err := b.newest()
		if err != nil {
			c.String(http.StatusInternalServerError, err.Error())
			return
		}
		c.JSON(http.StatusOK, show(rows, counts))
	})
	kept := make(chan []byte, 1)
	kept <- nil
	router.GET("/memory/posts", func(c *gin.Context) {
		text := <-kept
		if text == nil {
			if rows, counts, err := b.newest(); err == nil {
				text, _ = json.Marshal(show(rows, counts))
			}
		}
		kept <- text
		c.Data(http.StatusOK, "application/json", text)
	})
}

func (b *database) newest() (rows []row, counts map[post.Status]int, err error) {
	err = b.orm.Table("posts").Select(columns).Joins(theirMember).Joins(theirSlot).Where("posts.status <> ?", "draft").
		Order("posts.scheduled_at DESC, posts.id DESC").Limit(limit).Scan(&rows).Error
	if err != nil {
		return nil, nil, err
	}
	var found []struct {
		Status post.Status
		N      int
	}
	err = b.orm.Table("posts").Select("status, COUNT(*) AS n").Where("status <> ?", "draft").Group("status").Scan(&found).Error
	counts = map[post.Status]int{}
	for _, f := range found {
		counts[f.Status] = f.N
	}
	return rows, counts, err
}

// show converts rows to the product's response type.
func show(rows []row, counts map[post.Status]int) posts.Posts {
	p := posts.Posts{Posts: make([]posts.Post, len(rows)), Counts: counts, Pagination: httpapi.Pagination{Limit: limit}}
	for _, n := range counts {
		p.Pagination.Total += n
	}
	p.Pagination.HasMore = p.Pagination.Total > limit
	for i, r := range rows {
		p.Posts[i] = posts.Post{
			ID: r.ID, Content: r.Text, Status: r.Status, Code: r.Code, Reason: r.Reason, ScheduledAt: r.ScheduledAt, PublishedAt: r.PublishedAt,
			TwitterURL: r.URL, Attempt: r.Attempt, Version: r.Version, MadeWithAI: r.MadeWithAI, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
			RunRef: httpapi.RunRef{WorkflowID: "post:" + r.ID, RunID: r.RunID, RunURL: "/runs/post:" + r.ID},
		}
		if r.Username != nil {
			p.Posts[i].Member.Username = *r.Username
		}
		if r.Month != nil && r.SlotNo != nil {
			p.Posts[i].Slot = &posts.Slot{Month: *r.Month, Number: *r.SlotNo}
		}
	}
	return p
}
