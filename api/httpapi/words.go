package httpapi

import (
	"fmt"
	"strconv"
	"time"
)

// ShortAgo says how long ago something was, where there is little room.
func ShortAgo(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d d ago", d/(24*time.Hour))
}

// Count says how many there are of something.
func Count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

// PicturePath is where the picture of a sha256 is; empty for none.
func PicturePath(key string) string {
	if key == "" {
		return ""
	}
	return "/api/verification/pictures/" + key + ".png"
}
