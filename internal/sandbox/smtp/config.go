package smtp

import (
	"log/slog"
	"time"
)

// Config says how much the sandbox remembers.
type Config struct {
	Keep int // letters, the newest ones; 200 when left out
	Now  func() time.Time
	Log  *slog.Logger
}

const (
	usualKeep     = 200
	maxLetter     = 1 << 20 // bytes
	maxRecipients = 5
	patience      = 30 * time.Second // with a client that says nothing, or does not read
)

// withDefaults fills in what was left out.
func (c Config) withDefaults() Config {
	if c.Keep <= 0 {
		c.Keep = usualKeep
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}
