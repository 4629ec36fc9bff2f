package stripe

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"
)

// emit tells a fact, with the object as it is now.
func (t *tx) emit(kind, object string, snapshot wire) {
	id := "evt_" + rand.Text()
	payload, _ := json.Marshal(eventJSON(id, kind, snapshot, t.now)) // nothing that JSON does not know
	t.change.Events = append(t.change.Events, Event{
		ID: id, Type: kind, Object: object, CreatedAt: t.now, Payload: payload,
	})
}

func eventJSON(id, kind string, snapshot wire, now time.Time) wire {
	return wire{
		"id": id, "object": "event", "api_version": apiVersion, "created": now.Unix(), "data": wire{"object": snapshot},
		"livemode": false, "pending_webhooks": 1, "request": wire{"id": nil, "idempotency_key": nil}, "type": kind,
	}
}

func (c *call) listEvents() (any, *refusal) {
	f := c.fields
	kinds := f.list("types")
	if one := f.values.Get("type"); one != "" {
		kinds = append(kinds, one)
	}
	since := f.integer("created[gte]", 0, 1<<40)
	events := slices.DeleteFunc(c.st.events.all(), func(e Event) bool {
		return e.CreatedAt.Unix() < since || len(kinds) > 0 && !slices.Contains(kinds, e.Type)
	})
	return page(c, events, Event.key, func(e Event) any { return e.Payload })
}
