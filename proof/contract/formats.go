package contract

import "time"

// isOf says whether a text is of a format; of those that we do not know every text is.
func isOf(format, text string) bool {
	var err error
	switch format {
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	}
	return err == nil
}
