package llm

import (
	"context"
	"errors"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"customerzero/internal/domain/model"
)

// Write lets one model, the first where the name is empty, answer a question with a text,
// once. onText hears the text so far whenever it has grown. The text is not empty, and holds
// no key; what else it holds is the model's business. The call is filled in any case. The
// error is always a *model.Error: a text that stopped in the middle is none.
func (m *Models) Write(ctx context.Context, q model.Prompt, name string, onText func(soFar string)) (string, model.Call, error) {
	call := m.begin(q, name)
	text, failure := m.write(ctx, q, &call, onText)
	return text, call, m.end(&call, failure)
}

func (m *Models) write(ctx context.Context, q model.Prompt, call *model.Call, onText func(string)) (string, *model.Error) {
	d, failure := named(m.writers, call)
	if failure != nil {
		return "", failure
	}
	ctx, cancel := context.WithTimeout(ctx, m.writing)
	defer cancel()
	exchange := &exchange{transport: m.transport, now: m.now, streams: true}
	heard := &collector{secret: d.secret, notify: onText, exchange: exchange}
	words, err := d.ask(ctx, exchange, q, nil, d.texts(llms.WithStreamingFunc(heard.add)))
	d.count(call, words, exchange)
	if err == nil {
		call.Answer = bounded(words.text)
		err = d.checkComplete(words, exchange)
	}
	if err != nil {
		return "", d.failure(ctx, exchange, err)
	}
	return call.Answer, nil
}

// errCut is a text that ends without its server having said that it does.
var errCut = errors.New("the reply ends in the middle")

// checkComplete returns why what came is not all that the model wanted to say, or nil.
func (d *provider) checkComplete(words said, exchange *exchange) error {
	switch {
	case exchange.broken() != nil: // the library may take what it got for all there is
		return exchange.broken()
	case strings.TrimSpace(words.text) == "":
		return malformed(d.name + " answered without a text. If that stays so, check " + d.where + ".")
	case len(words.text) > maxKept || words.stopped == "length":
		return exchange.note(errOverlong)
	case d.ends && words.stopped == "":
		return exchange.note(errCut)
	}
	return nil
}

// collector puts the pieces of a text together.
type collector struct {
	soFar    strings.Builder
	secret   string // what a server may repeat, and nobody may hear
	notify   func(soFar string)
	exchange *exchange
}

func (l *collector) add(_ context.Context, piece []byte) error {
	l.soFar.Write(piece)
	if l.soFar.Len() > maxKept {
		return l.exchange.note(errOverlong)
	}
	l.notify(redactPartial(l.soFar.String(), l.secret))
	return nil
}

// redactPartial takes a secret out of a text so far, and keeps back an end that may become one.
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
