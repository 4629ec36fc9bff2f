package main

import (
	"context"
	"fmt"
	"time"
)

// figure is a line of the tables: what the product does, or needs, beside a floor that does the
// least which anybody would have to, in the same run on the same machine. The ratio travels from
// machine to machine; the figures do not.
type figure struct {
	Subject string  // the table that it stands in, as "Public reads"
	What    string  // as "a page of 50 posts, 16 at once"
	Unit    string  // of Floor and Ours: "req/s", "ms", "MB"
	Floor   float64 // 0: nothing compares, and the target is one of Ours itself
	Beside  string  // what the floor is, as "bare Gin and SQL"
	Ours    float64
	Target  target
}

// target bounds a ratio, or a figure that has no floor. The zero target bounds nothing.
type target struct {
	At    float64
	Least bool // it is the least that is good enough: of a rate. Else the most: of a time, a size.
}

func atLeast(at float64) target { return target{at, true} }
func atMost(at float64) target  { return target{at, false} }

// held is what the target bounds.
func (f figure) held() float64 {
	if f.Floor == 0 {
		return f.Ours
	}
	return f.Ours / f.Floor
}

func (f figure) met() bool {
	switch {
	case f.Target == (target{}):
		return true
	case f.Target.Least:
		return f.held() >= f.Target.At
	}
	return f.held() <= f.Target.At
}

func (t target) String() string {
	switch {
	case t == (target{}):
		return ""
	case t.Least:
		return fmt.Sprintf("≥ %g", t.At)
	}
	return fmt.Sprintf("≤ %g", t.At)
}

// measure is something that is measured: by name it can be asked for alone. What it has found
// when it fails is told, too.
type measure struct {
	name   string
	within time.Duration // it is given up then
	run    func(context.Context) ([]figure, error)
}
