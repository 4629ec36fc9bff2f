package activities

import (
	"context"
	"errors"

	"customerzero/internal/domain/post"
)

// maxReadings is how many tweets X returns in one call.
const maxReadings = 100

type ReadEngagementResult struct{ Due, Measured int }

// ReadEngagement reads the metrics of posts that have passed a checkpoint, within the month's budget.
// Safe to repeat: a reading counts once, when it is reserved.
func (a *Post) ReadEngagement(ctx context.Context, _ NoInput) (ReadEngagementResult, error) {
	bot, _, err := a.Accounts.Account(ctx)
	if errors.Is(err, post.ErrNotConnected) {
		return ReadEngagementResult{}, nil // the next run checks again
	}
	if err != nil {
		return ReadEngagementResult{}, err
	}
	due, err := a.Posts.ReserveReadings(ctx, maxReadings, a.Now())
	if err != nil || len(due) == 0 {
		return ReadEngagementResult{}, err
	}
	ids := make([]string, len(due))
	for i, reading := range due {
		ids[i] = reading.TweetID
	}
	metrics, err := bot.Metrics(ctx, ids)
	if err != nil {
		return ReadEngagementResult{}, asXFailure(err, a.Now())
	}
	result := ReadEngagementResult{Due: len(due)}
	for _, reading := range due {
		var counts *post.Metrics
		if m, ok := metrics[reading.TweetID]; ok {
			counts = &m
			result.Measured++
		}
		if err := a.Posts.SaveMetrics(ctx, reading, counts, a.Now()); err != nil {
			return result, err
		}
	}
	return result, nil
}
