package llm

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"customerzero/internal/domain/model"
)

const (
	maxBody       = 64 << 10 // bytes of a reply; an answer of 300 characters is a fraction of it
	maxStream     = 1 << 20  // bytes of a reply in pieces: each token comes in an envelope of its own
	maxRetryAfter = time.Hour
)

var (
	errOverlong = errors.New("the reply is too long")
	errRefused  = errors.New("the reply is a refusal")
)

// exchange is the HTTP side of one call. The library's errors are plain texts, and it takes a
// refusal without a body for an answer; so what happened is noted here. The library sees
// replies that are whole and no refusals, and nothing else; a text it sees as it comes, and
// whether that was all of it is known afterwards. A redirect is a refusal too: a key is for
// one address.
type exchange struct {
	transport http.RoundTripper
	now       func() time.Time
	streams   bool // pass a reply on as it comes

	status     int // 0: no reply
	retryAfter time.Duration

	mu  sync.Mutex // the library reads pieces in a goroutine that may outlive its call
	err error      // why there is no reply, or not all of it
}

func (e *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	e.begin()
	reply, err := e.transport.RoundTrip(req)
	if err != nil {
		return nil, e.note(err)
	}
	e.status, e.retryAfter = reply.StatusCode, retryAfter(reply.Header, e.now())
	if e.streams && e.status < http.StatusMultipleChoices {
		reply.Body = &pieces{ReadCloser: reply.Body, exchange: e, left: maxStream}
		return reply, nil
	}
	body, err := readBody(reply.Body)
	if e.status >= http.StatusMultipleChoices {
		err = errRefused
	}
	if err != nil {
		return nil, e.note(err)
	}
	reply.Body = io.NopCloser(bytes.NewReader(body))
	return reply, nil
}

func (e *exchange) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status, e.retryAfter, e.err = 0, 0, nil
}

// note keeps the first thing that went wrong: what comes after it comes of it.
func (e *exchange) note(err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
	return err
}

// broken says why there is no reply, or not all of it.
func (e *exchange) broken() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// pieces is a body that is read as it comes, up to a bound.
type pieces struct {
	io.ReadCloser
	exchange *exchange
	left     int // bytes
}

func (p *pieces) Read(into []byte) (int, error) {
	n, err := p.ReadCloser.Read(into)
	if p.left -= n; p.left < 0 {
		err = errOverlong
	}
	if err != nil && err != io.EOF {
		return n, p.exchange.note(err)
	}
	return n, err
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

// nanoUSDPerToken is what a price of one cent per million tokens makes of a token, in
// billionths of a dollar.
const nanoUSDPerToken = 10

// count enters tokens and cost. What a server refuses is free; an answer that never came
// whole may cost all the same, and nobody told us how much.
func (d *door) count(call *model.Call, words said, exchange *exchange) {
	call.TokensIn, call.TokensOut = words.tokensIn, words.tokensOut
	if d.price == nil {
		return
	}
	call.CostNanoUSD = nanoUSDPerToken * (int64(words.tokensIn)*int64(d.price.InCents) + int64(words.tokensOut)*int64(d.price.OutCents))
	free := *d.price == Price{} || exchange.status >= 300
	call.Priced = free || words.tokensIn+words.tokensOut > 0
}
