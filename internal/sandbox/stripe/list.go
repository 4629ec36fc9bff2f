package stripe

const (
	usualListed = 10
	mostListed  = 100
)

// paging are the parameters of every list.
var paging = []string{"limit", "starting_after"}

// page cuts one page out of objects, newest first, as show shows them.
func page[T object](c *call, objects []T, id func(T) string, show func(T) any) (any, *refusal) {
	limit := c.fields.integer("limit", 1, mostListed)
	if limit == 0 {
		limit = usualListed
	}
	if after := c.fields.values.Get("starting_after"); after != "" {
		objects = olderThan(c, objects, id, after)
	}
	shown := []any{}
	for _, o := range objects[:min(int(limit), len(objects))] {
		shown = append(shown, show(o))
	}
	return wire{"object": "list", "url": c.path, "data": shown, "has_more": len(objects) > len(shown)}, c.fields.refused
}

func olderThan[T object](c *call, objects []T, id func(T) string, after string) []T {
	for i, o := range objects {
		if id(o) == after {
			return objects[i+1:]
		}
	}
	c.fields.refuse(missing(400, "starting_after", "object", after))
	return nil
}
