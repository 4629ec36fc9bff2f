package model

import "time"

// Error is why a model gave no answer that can be used. Its message is for people; it holds
// no key, and nothing of what the model's server said.
type Error struct {
	Outcome    Outcome
	Message    string
	Retry      bool          // asking once more may help
	RetryAfter time.Duration // how long the server wants to be left alone; 0: it did not say
}

func (e *Error) Error() string { return e.Message }
