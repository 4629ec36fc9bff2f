package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

const (
	doctorTarget = 2.0 // seconds
	doctorTurns  = 5
)

// diagnoses says how long `customerzero doctor` takes on a year of data.
func (b *bench) diagnoses(ctx context.Context) (found []figure, err error) {
	err = b.onFresh(ctx, func(up *upProduct) error {
		if err := seedYear(ctx, up); err != nil {
			return err
		}
		var took []time.Duration
		for range doctorTurns {
			t, err := up.examine(ctx)
			if err != nil {
				return err
			}
			took = append(took, t)
		}
		found = []figure{{
			Subject: "Operations", What: "customerzero doctor on a year of data, median", Unit: "s",
			Ours: at(took, 0.5).Seconds(), Target: atMost(doctorTarget),
		}}
		return nil
	})
	return found, err
}

// examine runs the doctor, as the product runs.
func (u *upProduct) examine(ctx context.Context) (time.Duration, error) {
	doctor := exec.CommandContext(ctx, u.bin, "doctor")
	doctor.Env = u.running.Env
	began := time.Now()
	said, err := doctor.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("customerzero doctor: %w\n%s", err, said)
	}
	return time.Since(began), nil
}
