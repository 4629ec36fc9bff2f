// Package faults holds the ways to break a cell, one file each. They are for the keeper, which
// carries them out; everybody else only reads their descriptions.
//
// A fault breaks for real, and touches nothing but its Target: no paths, no process IDs. To add
// one, write its file and name it in All.
package faults

import (
	"context"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

// Fault breaks one thing and can mend it.
type Fault interface {
	Describe() chaos.Fault
	// Check says why it cannot be broken now: it must be there, whole, and no link. Its problem
	// is a sentence for people.
	Check(ctx context.Context, target *Target) error
	// Inject breaks it. It may be called again after it was cut short.
	Inject(ctx context.Context, target *Target) error
	// Revert mends what is not whole, and nothing else. It is safe to repeat, and safe when
	// nothing was broken: it runs when nobody knows how far Inject got.
	Revert(ctx context.Context, target *Target) error
}

// All are the faults, in the order of the buttons.
func All() []Fault {
	return append(single(), nuclearOption{})
}

// single are those that break one thing; the nuclear option is all of them.
func single() []Fault {
	return []Fault{
		deleteOGImage{},
		corruptWorker{},
		breakDatabase{},
		deleteTemplates{},
		crashAPI{},
	}
}

// Named is the fault that callers ask for by this name.
func Named(name string) (Fault, bool) {
	for _, one := range All() {
		if one.Describe().Name == name {
			return one, true
		}
	}
	return nil, false
}

// Descriptions describe all faults, in the order of the buttons.
func Descriptions() []chaos.Fault {
	var all []chaos.Fault
	for _, one := range All() {
		all = append(all, one.Describe())
	}
	return all
}

func refuse(format string, args ...any) error {
	return problem.New(problem.CellRefused, format, args...)
}
