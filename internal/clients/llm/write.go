package llm

import (
	"context"
	"errors"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"customerzero/internal/domain/model"
)

// Write calls one model once for a text; an empty name selects the default. onText receives the text so far
// whenever it has grown. The text is not empty and contains no key; it is not checked further. The call is
// always filled in. The error is always a *model.Error; an incomplete text is an error.
func (m *Models) Write(ctx context.Context, q model.Prompt, name string, onText func(soFar string)) (string, model.Call, error) {
	call := m.begin(q, name)
	text, failure := m.write(ctx, q, &call, onText)
	return text, call, m.end(&call, failure)
}

func (m *Models) write(ctx context.Context, q model.Prompt, call *model.Call, onText func(string)) (string, *model.Error) {
	d, failure := m.named(call)
	if failure != nil {
		return "", failure
	}
	ctx, cancel := context.WithTimeout(ctx, m.writing)
	defer cancel()
	exchange := &exchange{transport: m.transport, now: m.now, streams: true, noTemperature: &d.noTemperature}
	received := &collector{secret: d.secret, notify: onText, exchange: exchange}
	reply, err := d.complete(ctx, exchange, q, nil, d.textOptions(llms.WithStreamingFunc(received.add)))
	d.count(call, reply, exchange)
	if err == nil {
		call.Answer = bounded(reply.text)
		err = d.checkComplete(reply, exchange)
	}
	if err != nil {
		return "", d.failure(ctx, exchange, err)
	}
	return call.Answer, nil
}

// errCut is the error of a streamed text without a stop reason.
var errCut = errors.New("the response is incomplete")

// checkComplete returns why a text is not complete, or nil.
func (d *provider) checkComplete(reply response, exchange *exchange) error {
	switch {
	case exchange.broken() != nil: // the library may not report it
		return exchange.broken()
	case strings.TrimSpace(reply.text) == "":
		return malformed(d.name + " returned an empty text. If this persists, check " + d.urlSetting + ".")
	case len(reply.text) > maxKept || reply.stopped == "length":
		return exchange.fail(errOverlong)
	case d.reportsEnd && reply.stopped == "":
		return exchange.fail(errCut)
	}
	return nil
}

// collector joins a streamed text.
type collector struct {
	soFar    strings.Builder
	secret   string // removed from the text, because a server may repeat it
	notify   func(soFar string)
	exchange *exchange
}

func (l *collector) add(_ context.Context, piece []byte) error {
	l.soFar.Write(piece)
	if l.soFar.Len() > maxKept {
		return l.exchange.fail(errOverlong)
	}
	l.notify(redactPartial(l.soFar.String(), l.secret))
	return nil
}

// redactPartial redacts a text so far and withholds an end that may be the start of a secret.
func redactPartial(text, secret string) string {
	if secret == "" {
		return text
	}
	text = redact(text, secret)
	for size := min(len(secret)-1, len(text)); size > 0; size-- {
		if strings.HasSuffix(text, secret[:size]) {
			return text[:len(text)-size]
		}
	}
	return text
}
