package worker

import (
	"context"
	"time"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
	"customerzero/internal/domain/verification"
	"customerzero/workflows"
)

// kind is a kind of row that needs a run until it has ended.
type kind struct {
	name string
	// checkedOnly means that the request that writes the row starts its run or ends the row.
	checkedOnly bool
	rows        func(ctx context.Context, all bool) ([]row, error)
}

// row is a row that should have a run.
type row struct {
	id     string
	hadRun bool // or its request may still start it
	fine   func(*open) bool
	start  func(context.Context) error
}

// kindOf is a kind whose rows are listed by list. all selects those that had a run, too.
func kindOf[T any](name string, list func(ctx context.Context, all bool) ([]T, error), of func(T) row) kind {
	return kind{name: name, rows: func(ctx context.Context, all bool) ([]row, error) {
		found, err := list(ctx, all)
		rows := make([]row, len(found))
		for i, t := range found {
			rows[i] = of(t)
		}
		return rows, err
	}}
}

// whole lists the rows of stores that do not distinguish rows without a run.
func whole[T any](list func(context.Context) ([]T, error)) func(context.Context, bool) ([]T, error) {
	return func(ctx context.Context, _ bool) ([]T, error) { return list(ctx) }
}

// aged lists the rows from before a time.
func aged[T any](list func(context.Context, time.Time) ([]T, error), before time.Time) func(context.Context, bool) ([]T, error) {
	return func(ctx context.Context, _ bool) ([]T, error) { return list(ctx, before) }
}

func onlyChecked(k kind) kind { k.checkedOnly = true; return k }

// kinds lists every kind of row that one run carries. Interrupted logins and tests of credentials are ended, not
// continued: their users have seen an error.
func (s *Dispatcher) kinds(now time.Time) []kind {
	before := now.Add(-leftAlone)
	begun := func(runID string, at time.Time) bool { return runID != "" || now.Sub(at) < begunByOthers }
	return []kind{
		kindOf("post", s.Posts.Waiting, func(p post.Post) row {
			return carried(workflows.PostID, p.ID, func(ctx context.Context, _ string) error { return errOf(s.Runs.StartPost(ctx, p)) })
		}),
		kindOf("email", s.Emails.WaitingEmails, func(m email.Message) row { return carried(workflows.EmailID, m.ID, s.Runs.SendEmail) }),
		kindOf("checkout", func(ctx context.Context, all bool) ([]checkout.Checkout, error) {
			return s.Checkouts.WaitingCheckouts(ctx, all, before)
		}, func(c checkout.Checkout) row { return carried(workflows.CheckoutID, c.ID, s.Runs.StartCheckout) }),
		kindOf("recurring post", func(ctx context.Context, all bool) ([]schedule.RecurringPost, error) {
			return s.RecurringPost.RecurringPostsToPlan(ctx, all, before)
		}, func(r schedule.RecurringPost) row { return s.recurring(r, before) }),
		kindOf("verification", whole(s.Verifications.OpenVerifications), func(v verification.Run) row {
			r := carried(workflows.VerificationID, v.ID, func(ctx context.Context, id string) error { return errOf(s.Runs.StartVerification(ctx, id)) })
			r.hadRun = begun(v.RunID, v.RequestedAt)
			if v.RunID != "" { // a scheduled run has the schedule's ID
				r.fine = func(has *open) bool { return has.all || has.run(v.WorkflowID) }
			}
			return r
		}),
		kindOf("experiment", whole(s.Experiments.OpenExperiments), func(e experiment.Experiment) row {
			r := carried(workflows.ExperimentID, e.ID, s.Runs.StartExperiment)
			r.hadRun = begun(e.RunID, e.UpdatedAt)
			if e.EndedAt != nil { // only an end is signaled, because every signal stays in the history
				r.fine, r.start = never, func(ctx context.Context) error {
					if err := s.Runs.StartExperiment(ctx, e.ID); err != nil {
						return err
					}
					return s.Runs.NotifyExperiment(ctx, e.ID)
				}
			}
			return r
		}),
		kindOf("account deletion", whole(s.AccountDeletions.OpenDeletions), func(d account.Deletion) row {
			r := carried(workflows.AccountDeletionID, d.ID, func(ctx context.Context, id string) error { return errOf(s.Runs.StartAccountDeletion(ctx, id)) })
			r.hadRun = begun(d.RunID, d.RequestedAt)
			return r
		}),
		onlyChecked(kindOf("generation", whole(s.Generations.OpenGenerations), func(g generation.Generation) row {
			return carried(workflows.GenerationID, g.ID, func(ctx context.Context, id string) error { return errOf(s.Runs.StartGeneration(ctx, id)) })
		})),
		onlyChecked(kindOf("diagnosis", aged(s.Diagnoses.OpenDiagnoses, before), func(d diagnostic.Run) row {
			return carried(workflows.OAuthDiagnosisID, d.ID, func(ctx context.Context, id string) error { return errOf(s.Runs.StartDiagnosis(ctx, id)) })
		})),
		onlyChecked(kindOf("login", aged(s.Logins.OpenXLogins, before), func(l account.XLogin) row {
			return carried(workflows.XLoginID, l.ID, s.Runs.EndXLogin)
		})),
		onlyChecked(kindOf("connection", aged(s.Credentials.OpenConnections, before), func(c bot.Connection) row {
			return carried(workflows.CredentialsID, c.ID, s.Runs.EndConnection)
		})),
		onlyChecked(kindOf("keys", aged(s.Credentials.OpenKeys, before), func(k bot.ProviderKeys) row {
			return carried(workflows.ProviderKeysID, k.ID, s.Runs.EndKeys)
		})),
	}
}

// carried is a row that one workflow carries to its end.
func carried(workflowID func(id string) string, id string, start func(ctx context.Context, id string) error) row {
	return row{
		id: id, fine: func(has *open) bool { return has.run(workflowID(id)) },
		start: func(ctx context.Context) error { return start(ctx, id) },
	}
}

func never(*open) bool { return false }

func errOf(_ string, err error) error { return err }

// recurring is a recurring post, whose schedule starts its runs. Times that the schedule has missed by leftAlone
// are planned.
func (s *Dispatcher) recurring(r schedule.RecurringPost, before time.Time) row {
	due := r.State == schedule.Active && !r.PlannedUntil.After(before)
	return row{
		id: r.ID,
		fine: func(has *open) bool {
			return !has.all && !due && has.schedule(workflows.RecurringPostID(r.ID)) == (r.State != schedule.Ended)
		},
		start: func(ctx context.Context) error {
			if err := s.Runs.ScheduleRecurringPost(ctx, r); err != nil || !due {
				return err
			}
			return s.Runs.PlanRecurringPost(ctx, r.ID)
		},
	}
}
