package checkout

import (
	"context"
	"log/slog"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/problem"
)

type webhookRequest struct {
	Signature string `header:"Stripe-Signature" maxLength:"4096"`
	RawBody   []byte `contentType:"application/json"`
}

// StripeWebhook writes an event down before it is acted on. An answer other than 2xx makes
// the service send it again; duplicates and any order do no harm.
func (a *API) StripeWebhook(ctx context.Context, req *webhookRequest) (*httpapi.DoneReply, error) {
	e, err := a.Webhooks.ReadEvent(req.RawBody, req.Signature, a.Now())
	if err != nil {
		slog.WarnContext(ctx, "a webhook was refused", "why", err)
		if problem.CodeOf(err) == problem.Invalid { // signed, and still no event
			return nil, err
		}
		return nil, problem.New(problem.SignatureInvalid, "This is not signed by the payment service, or too long ago.")
	}
	if e.Kind() == checkout.OtherEvent {
		slog.InfoContext(ctx, "a webhook of a kind that is nothing to us was ignored", "event_id", e.ID, "type", e.Type)
		return &httpapi.DoneReply{Body: httpapi.Done{Success: true, Message: "Nothing to us."}}, nil
	}
	id, heeded, err := a.Checkouts.NoteEvent(ctx, e, a.Now())
	if err != nil || heeded {
		return &httpapi.DoneReply{Body: httpapi.Done{Success: true}}, err
	}
	if id == "" { // or of ours, and not booked yet: the next round of looking asks again
		slog.InfoContext(ctx, "a webhook about a payment that is not ours was ignored", "event_id", e.ID, "type", e.Type)
		return &httpapi.DoneReply{Body: httpapi.Done{Success: true}}, nil
	}
	if err := a.Runs.NotifyPayment(ctx, id, e.Kind()); err != nil {
		return nil, err
	}
	return &httpapi.DoneReply{Body: httpapi.Done{Success: true}}, a.Checkouts.MarkEventHandled(ctx, e.ID, a.Now())
}
