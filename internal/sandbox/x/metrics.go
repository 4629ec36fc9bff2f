package x

import (
	"crypto/sha256"
	"encoding/binary"
	"time"
)

// Metrics are a tweet's public counts, under X's names.
type Metrics struct {
	Reposts     int `json:"retweet_count"`
	Replies     int `json:"reply_count"`
	Likes       int `json:"like_count"`
	Quotes      int `json:"quote_count"`
	Bookmarks   int `json:"bookmark_count"`
	Impressions int `json:"impression_count"`
}

// metricsAt invents the counts of a tweet: they grow fast at first, then ever slower, and
// never shrink. The same tweet at the same age has the same counts everywhere, so that a
// test can name them; only whole numbers are used, because floats differ between machines.
func metricsAt(id string, age time.Duration) Metrics {
	luck := sha256.Sum256([]byte(id))
	draw := func(i, low, high int) int {
		return low + int(binary.BigEndian.Uint16(luck[2*i:]))%(high-low+1)
	}
	seconds := max(0, int(age/time.Second))
	reach, half := draw(0, 120, 4200), draw(1, 1200, 5*3600)
	views := reach * seconds / (seconds + half)
	likes := views * draw(2, 12, 60) / 1000
	return Metrics{
		Impressions: views,
		Likes:       likes,
		Reposts:     likes * draw(3, 60, 260) / 1000,
		Replies:     likes * draw(4, 40, 200) / 1000,
		Quotes:      likes * draw(5, 0, 60) / 1000,
		Bookmarks:   likes * draw(6, 20, 150) / 1000,
	}
}
