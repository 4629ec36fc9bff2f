package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"

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

// broken returns why there is no reply, or not all of it.
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
// complete may cost something, too, and its price is unknown.
func (d *provider) count(call *model.Call, words said, exchange *exchange) {
	call.TokensIn, call.TokensOut = words.tokensIn, words.tokensOut
	if d.price == nil {
		return
	}
	call.CostNanoUSD = nanoUSDPerToken * (int64(words.tokensIn)*int64(d.price.InCents) + int64(words.tokensOut)*int64(d.price.OutCents))
	free := *d.price == Price{} || exchange.status >= 300
	call.Priced = free || words.tokensIn+words.tokensOut > 0
}

const (
	maxTokens = 2000    // of an answer, thoughts included: what it can cost has an end
	maxKept   = 8 << 10 // bytes of a question or answer that are kept
)

// provider calls one model.
type provider struct {
	name   string
	open   func(client *http.Client) (llms.Model, error)
	forms  [][]llms.CallOption                              // ways to ask, best first: old servers do not know every one
	texts  func(stream llms.CallOption) [][]llms.CallOption // the same for a text, which comes in pieces
	sees   func(png []byte) llms.ContentPart                // how a picture is sent; nil: it sees none
	ends   bool                                             // its replies say how they ended
	price  *Price                                           // nil: not known
	where  string                                           // the setting that describes where the server is
	key    string                                           // the setting that holds its key
	secret string                                           // the key
}

// said is what a model said, and what that took.
type said struct {
	text      string
	tokensIn  int
	tokensOut int
	stopped   string // why it stopped, where the server says so
}

// ask asks in the best form that the server takes. A form that it refuses costs nothing.
func (d *provider) ask(ctx context.Context, exchange *exchange, q model.Prompt, pictures [][]byte, forms [][]llms.CallOption) (words said, err error) {
	client, err := d.open(&http.Client{Transport: exchange})
	if err != nil {
		return said{}, err
	}
	asked := llms.TextParts(llms.ChatMessageTypeHuman, q.Text)
	for _, png := range pictures {
		asked.Parts = append(asked.Parts, d.sees(png))
	}
	for _, form := range forms {
		words, err = generate(ctx, client, q.System, asked, form)
		if exchange.status != http.StatusBadRequest && exchange.status != http.StatusUnprocessableEntity {
			break
		}
	}
	words.text = redact(words.text, d.secret) // a server that repeats what it got
	return words, err
}

// redact takes a secret out of a text: also one that comes of taking it out, or of leaving out the
// zero bytes that no database keeps.
func redact(text, secret string) string {
	if secret == "" {
		return text
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\x00", ""), secret, "")
	return strings.ReplaceAll(text, secret, "…")
}

// generate asks once. A reply that the library does not expect may make it panic.
func generate(ctx context.Context, client llms.Model, system string, asked llms.MessageContent, form []llms.CallOption) (words said, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the reply cannot be read")
		}
	}()
	reply, err := client.GenerateContent(ctx, []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, system), asked,
	}, form...)
	if err != nil {
		return said{}, err
	}
	if len(reply.Choices) == 0 {
		return said{}, errors.New("the reply is empty")
	}
	first := reply.Choices[0]
	return said{
		text: first.Content, stopped: first.StopReason,
		tokensIn: tokens(first, "PromptTokens"), tokensOut: tokens(first, "CompletionTokens"),
	}, nil
}

// tokens reads a number that a server may have made up.
func tokens(choice *llms.ContentChoice, name string) int {
	count, _ := choice.GenerationInfo[name].(int)
	return min(max(count, 0), 1_000_000_000)
}

// bounded cuts a text to what is kept of it: at most maxKept bytes that a database takes.
func bounded(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
	if len(text) <= maxKept {
		return text
	}
	end := maxKept
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
