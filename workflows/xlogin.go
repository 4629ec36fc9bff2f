package workflows

import (
	"errors"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/account"
)

var loginActivities *activities.XLogin // nil: only names activities

// XLoginInput names a login that somebody has begun. Tokens stay in the database.
type XLoginInput = activities.XLoginRef

// XLoginResult says how it ended. Who it was stays in the database too.
type XLoginResult struct {
	Outcome account.Outcome
	Detail  string
}

// Orders to a login. Each answers with where it stands afterwards.
const (
	UpdateAuthorize = "authorize" // waits until the person can be sent to X
	UpdateComplete  = "complete"  // the person is back
)

// XLoginID is the workflow ID of a login.
func XLoginID(loginID string) string { return "x-login:" + loginID }

// XLogin lets somebody prove with X who they are. It ends when they are back and X has
// said who it was, or when they stay away for ten minutes.
func XLogin(ctx workflow.Context, in XLoginInput) (XLoginResult, error) {
	flow := &loginFlow{ref: in}
	if err := flow.listen(ctx); err != nil {
		return XLoginResult{}, err
	}
	err := flow.requestToken(ctx)
	if err == nil && flow.state.State == account.Redirected {
		err = flow.awaitReturn(ctx)
	}
	if err != nil {
		return XLoginResult{}, err
	}
	err = workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
	return XLoginResult{Outcome: flow.state.Outcome, Detail: flow.state.Detail}, err
}

type loginFlow struct {
	ref      activities.XLoginRef
	state    activities.XLoginState
	returned bool
}

func (f *loginFlow) listen(ctx workflow.Context) error {
	return errors.Join(
		workflow.SetUpdateHandler(ctx, UpdateAuthorize, func(ctx workflow.Context) (activities.XLoginState, error) {
			err := workflow.Await(ctx, func() bool { return f.state.State != "" })
			return f.state, err
		}),
		workflow.SetUpdateHandler(ctx, UpdateComplete, func(ctx workflow.Context) (activities.XLoginState, error) {
			f.returned = true
			err := workflow.Await(ctx, func() bool { return f.state.State == account.Ended })
			return f.state, err
		}),
	)
}

// requestToken asks X for a request token. Each call makes a new one, so a repeat does no harm; but
// a person waits, so there is one try.
func (f *loginFlow) requestToken(ctx workflow.Context) error {
	state, err := call(once(ctx, "", xTimeout, 0), loginActivities.RequestXToken, f.ref)
	if err != nil {
		return f.end(ctx, account.ServerError)
	}
	f.state = state
	return nil
}

// awaitReturn goes on waiting when somebody says that the person is back, and the row does
// not: the console may say so.
func (f *loginFlow) awaitReturn(ctx workflow.Context) error {
	until := workflow.Now(ctx).Add(account.XLoginLife)
	for f.state.State == account.Redirected {
		back, err := workflow.AwaitWithTimeout(ctx, until.Sub(workflow.Now(ctx)), func() bool { return f.returned })
		if err != nil {
			return err
		}
		if !back {
			return f.end(ctx, account.ExpiredToken)
		}
		f.returned = false
		// The verifier is good for one exchange, so there is one try.
		state, err := call(once(ctx, "", xTimeout, 0), loginActivities.FinishXLogin, f.ref)
		if err != nil {
			return f.end(ctx, account.ServerError)
		}
		f.state = state
	}
	return nil
}

func (f *loginFlow) end(ctx workflow.Context, outcome account.Outcome) (err error) {
	f.state, err = runLocal(ctx, loginActivities.EndXLogin, activities.EndXLoginInput{LoginID: f.ref.LoginID, Outcome: outcome})
	return err
}
