package stripe

import "slices"

// object is something with an ID of its own.
type object interface{ key() string }

// table keeps objects of one kind, in the order in which they came.
type table[T object] struct {
	byID  map[string]T
	order []string
}

func newTable[T object]() *table[T] { return &table[T]{byID: map[string]T{}} }

// put adds objects, or replaces those that are there.
func (t *table[T]) put(objects ...T) {
	for _, o := range objects {
		if _, known := t.byID[o.key()]; !known {
			t.order = append(t.order, o.key())
		}
		t.byID[o.key()] = o
	}
}

// all gives the objects, newest first.
func (t *table[T]) all() []T {
	objects := make([]T, 0, len(t.order))
	for _, id := range slices.Backward(t.order) {
		objects = append(objects, t.byID[id])
	}
	return objects
}

// find gives an object as it is after the changes, which come in order.
func find[T object](changed []T, kept *table[T], id string) (T, bool) {
	for _, o := range slices.Backward(changed) {
		if o.key() == id {
			return o, true
		}
	}
	o, found := kept.byID[id]
	return o, found
}
