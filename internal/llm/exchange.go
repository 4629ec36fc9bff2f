package llm

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	maxBody       = 64 << 10 // bytes of a reply; an answer of 300 characters is a fraction of it
	maxRetryAfter = time.Hour
)

var (
	errOverlong = errors.New("the reply is too long")
	errRefused  = errors.New("the reply is a refusal")
)

// exchange is the HTTP side of one call. The library's errors are plain texts, and it takes a
// refusal without a body for an answer; so what happened is noted here. The library sees
// replies that are whole and no refusals, and nothing else. A redirect is a refusal too: a
// key is for one address.
type exchange struct {
	transport http.RoundTripper
	now       func() time.Time

	status     int // 0: no reply
	retryAfter time.Duration
	err        error // why there is no reply, or not all of it
}

func (e *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	e.status, e.retryAfter, e.err = 0, 0, nil
	reply, err := e.transport.RoundTrip(req)
	if err != nil {
		e.err = err
		return nil, err
	}
	e.status, e.retryAfter = reply.StatusCode, retryAfter(reply.Header, e.now())
	body, err := readBody(reply.Body)
	if e.status >= http.StatusMultipleChoices {
		err = errRefused
	}
	if err != nil {
		e.err = err
		return nil, err
	}
	reply.Body = io.NopCloser(bytes.NewReader(body))
	return reply, nil
}

func readBody(stream io.ReadCloser) ([]byte, error) {
	defer stream.Close() //nolint:errcheck // read, or given up
	body, err := io.ReadAll(io.LimitReader(stream, maxBody+1))
	if err == nil && len(body) > maxBody {
		return nil, errOverlong
	}
	return body, err
}

// retryAfter reads how long a server wants to be left alone, in seconds or as a date. What
// is longer than an hour is cut.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	seconds, err := strconv.Atoi(value)
	wait := time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second
	if err != nil {
		date, err := http.ParseTime(value)
		if err != nil {
			return 0
		}
		wait = date.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}
