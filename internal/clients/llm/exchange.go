package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/tmc/langchaingo/llms"

	"customerzero/internal/domain/model"
)

const (
	maxBody       = 64 << 10 // bytes of a response; an answer has a few hundred characters
	maxStream     = 1 << 20  // bytes of a streamed response, which wraps each token in JSON
	maxRetryAfter = time.Hour
)

var (
	errOverlong = errors.New("the response is too long")
	errRefused  = errors.New("the response is not a success")
)

// exchange is the transport of one call. It records what happened, because the library's errors are plain
// texts and it mistakes an error response without a body for an answer. The library only sees successful
// responses: complete ones, or streamed ones, whose completeness is known afterwards. A redirect is an error
// too, because a key is for one server.
type exchange struct {
	transport http.RoundTripper
	now       func() time.Time
	streams   bool // pass responses on as they arrive
	// noTemperature is set if the model refuses requests with a temperature.
	noTemperature *atomic.Bool

	status     int // 0: no response
	retryAfter time.Duration

	mu  sync.Mutex // the library reads streams in a goroutine that may outlive its call
	err error      // why there is no complete response
}

func (e *exchange) RoundTrip(req *http.Request) (*http.Response, error) {
	e.mu.Lock()
	e.status, e.retryAfter, e.err = 0, 0, nil
	e.mu.Unlock()
	reply, err := e.send(req)
	if err != nil {
		return nil, e.fail(err)
	}
	e.status, e.retryAfter = reply.StatusCode, retryAfter(reply.Header, e.now())
	if e.streams && e.status < http.StatusMultipleChoices {
		reply.Body = &limitedBody{ReadCloser: reply.Body, exchange: e, left: maxStream}
		return reply, nil
	}
	body, err := readBody(reply.Body)
	if e.status >= http.StatusMultipleChoices {
		err = errRefused
	}
	if err != nil {
		return nil, e.fail(err)
	}
	reply.Body = io.NopCloser(bytes.NewReader(body))
	return reply, nil
}

// send sends a request, and repeats it without its temperature if that was refused. The library always sends
// one, but many models accept only their default.
func (e *exchange) send(req *http.Request) (*http.Response, error) {
	if e.noTemperature.Load() {
		return e.transport.RoundTrip(withoutTemperature(req))
	}
	reply, err := e.transport.RoundTrip(req)
	if err != nil || !rejected(reply.StatusCode) {
		return reply, err
	}
	body, _ := readBody(reply.Body) // of a refusal, which counts by its status
	reply.Body = io.NopCloser(bytes.NewReader(body))
	if !bytes.Contains(body, []byte("temperature")) {
		return reply, nil
	}
	reply, err = e.transport.RoundTrip(withoutTemperature(req))
	if err == nil && !rejected(reply.StatusCode) {
		e.noTemperature.Store(true)
	}
	return reply, err
}

// rejected reports whether a server did not accept the form of a request.
func rejected(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity
}

// withoutTemperature returns a copy of a request, without its temperature if its body is a JSON object.
func withoutTemperature(req *http.Request) *http.Request {
	again := req.Clone(req.Context())
	if req.GetBody == nil {
		return again
	}
	body, err := req.GetBody()
	if err != nil {
		return again
	}
	var fields map[string]json.RawMessage
	content, err := io.ReadAll(body)
	if err == nil && json.Unmarshal(content, &fields) == nil {
		delete(fields, "temperature")
		if changed, err := json.Marshal(fields); err == nil {
			content = changed
		}
	}
	again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(content)), int64(len(content))
	again.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	return again
}

// fail records the first error, which causes the later ones.
func (e *exchange) fail(err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
	return err
}

// broken returns why there is no complete response, or nil.
func (e *exchange) broken() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// limitedBody is a streamed body that fails after a limit.
type limitedBody struct {
	io.ReadCloser
	exchange *exchange
	left     int // bytes
}

func (p *limitedBody) Read(into []byte) (int, error) {
	n, err := p.ReadCloser.Read(into)
	if p.left -= n; p.left < 0 {
		err = errOverlong
	}
	if err != nil && err != io.EOF {
		return n, p.exchange.fail(err)
	}
	return n, err
}

func readBody(stream io.ReadCloser) ([]byte, error) {
	defer stream.Close() //nolint:errcheck // the body was read, or is of no use
	body, err := io.ReadAll(io.LimitReader(stream, maxBody+1))
	if err == nil && len(body) > maxBody {
		return nil, errOverlong
	}
	return body, err
}

// retryAfter parses the Retry-After header, in seconds or as a date, limited to one hour.
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

// nanoUSDPerToken converts a price of one cent per million tokens to billionths of a dollar per token.
const nanoUSDPerToken = 10

// count sets a call's tokens and cost. A refused call is free; the price of an incomplete answer is unknown.
func (d *provider) count(call *model.Call, reply response, exchange *exchange) {
	call.TokensIn, call.TokensOut = reply.tokensIn, reply.tokensOut
	if d.price == nil {
		return
	}
	call.CostNanoUSD = nanoUSDPerToken * (int64(reply.tokensIn)*int64(d.price.InCents) + int64(reply.tokensOut)*int64(d.price.OutCents))
	free := *d.price == Price{} || exchange.status >= 300
	call.Priced = free || reply.tokensIn+reply.tokensOut > 0
}

const (
	maxTokens = 2000    // of an answer including its reasoning; it limits the cost
	maxKept   = 8 << 10 // stored bytes of a question or an answer
)

// provider calls one model.
type provider struct {
	name        string
	open        func(client *http.Client) (llms.Model, error)
	jsonOptions [][]llms.CallOption                              // for JSON answers; alternatives for old servers come later
	textOptions func(stream llms.CallOption) [][]llms.CallOption // the same for streamed texts
	imagePart   func(png []byte) llms.ContentPart                // nil: the model takes no images
	reportsEnd  bool                                             // responses have a stop reason
	price       *Price                                           // nil: unknown
	urlSetting  string                                           // name of the setting with the server's URL
	keySetting  string                                           // name of the setting with the key
	secret      string                                           // the key

	noTemperature atomic.Bool // the model refuses requests with a temperature
}

// response is a model's answer and its token counts.
type response struct {
	text      string
	tokensIn  int
	tokensOut int
	stopped   string // stop reason, if the server reports one
}

// complete calls the model with the first options that the server accepts. A rejected request costs nothing.
func (d *provider) complete(ctx context.Context, exchange *exchange, q model.Prompt, pictures [][]byte, alternatives [][]llms.CallOption) (reply response, err error) {
	client, err := d.open(&http.Client{Transport: exchange})
	if err != nil {
		return response{}, err
	}
	prompt := llms.TextParts(llms.ChatMessageTypeHuman, q.Text)
	for _, png := range pictures {
		prompt.Parts = append(prompt.Parts, d.imagePart(png))
	}
	for _, options := range alternatives {
		reply, err = generate(ctx, client, q.System, prompt, options)
		if !rejected(exchange.status) {
			break
		}
	}
	reply.text = redact(reply.text, d.secret) // a server may repeat what it received
	return reply, err
}

// redact removes a secret from a text, including one that only appears after a first removal or after the
// removal of zero bytes, which databases do not store.
func redact(text, secret string) string {
	if secret == "" {
		return text
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\x00", ""), secret, "")
	return strings.ReplaceAll(text, secret, "…")
}

// generate calls the model once. It recovers from panics of the library on unexpected responses.
func generate(ctx context.Context, client llms.Model, system string, prompt llms.MessageContent, options []llms.CallOption) (answer response, err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the response cannot be read")
		}
	}()
	reply, err := client.GenerateContent(ctx, []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, system), prompt,
	}, options...)
	if err != nil {
		return response{}, err
	}
	if len(reply.Choices) == 0 {
		return response{}, errors.New("the response is empty")
	}
	first := reply.Choices[0]
	return response{
		text: first.Content, stopped: first.StopReason,
		tokensIn: tokens(first, "PromptTokens"), tokensOut: tokens(first, "CompletionTokens"),
	}, nil
}

// tokens reads a token count and limits implausible values.
func tokens(choice *llms.ContentChoice, name string) int {
	count, _ := choice.GenerationInfo[name].(int)
	return min(max(count, 0), 1_000_000_000)
}

// bounded returns at most maxKept bytes of valid UTF-8 without zero bytes.
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
