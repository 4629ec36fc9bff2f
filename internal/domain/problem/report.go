package problem

import "time"

// ClientError is what a page reports when it breaks. ID is the reference the person sees.
type ClientError struct {
	ID, Path, Message, Stack string
	CreatedAt                time.Time
}
