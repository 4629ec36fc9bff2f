package post

import "time"

// Checkpoint is an age at which a published post's public metrics are read.
type Checkpoint string

const (
	CheckpointHour Checkpoint = "1h"
	CheckpointDay  Checkpoint = "24h"
	CheckpointWeek Checkpoint = "7d"
)

// Checkpoints lists each with its age, youngest first.
var Checkpoints = []struct {
	Name Checkpoint
	Age  time.Duration
}{
	{CheckpointHour, time.Hour},
	{CheckpointDay, 24 * time.Hour},
	{CheckpointWeek, 7 * 24 * time.Hour},
}

// Metrics are the public counts of a tweet.
type Metrics struct{ Likes, Reposts, Replies, Quotes int }

// DueCheckpoint is the latest checkpoint a post of this age has passed; none when it is
// too young. Earlier ones that were missed are not made up for: the budget is small.
func DueCheckpoint(age time.Duration) (Checkpoint, bool) {
	for i := len(Checkpoints) - 1; i >= 0; i-- {
		if age >= Checkpoints[i].Age {
			return Checkpoints[i].Name, true
		}
	}
	return "", false
}
