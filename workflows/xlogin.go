package workflows

import (
	"errors"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/account"
)

var loginActivities *activities.XLogin // nil: only names activities

// XLoginInput identifies a stored login. Tokens stay in the database.
type XLoginInput = activities.XLoginRef

// XLoginResult is the outcome of a login. The user's identity stays in the database.
type XLoginResult struct {
	Outcome account.Outcome
	Detail  string
}

// Commands to a login. Each returns the state afterwards.
const (
	UpdateAuthorize = "authorize" // waits until the user can be redirected to X
	UpdateComplete  = "complete"  // the user has returned from X
)

// XLoginID is the workflow ID of a login.
func XLoginID(loginID string) string { return "x-login:" + loginID }

// XLogin logs a user in with X. It ends when the user is back and X has identified them, or after ten
// minutes.
func XLogin(ctx workflow.Context, in XLoginInput) (XLoginResult, error) {
	flow := &loginFlow{ref: in}
	if err := flow.setHandlers(ctx); err != nil {
		return XLoginResult{}, err
	}
	begin := flow.requestToken
	if in.Interrupted {
		begin = func(ctx workflow.Context) error { return flow.end(ctx, account.ServerError) }
	}
	err := begin(ctx)
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

func (f *loginFlow) setHandlers(ctx workflow.Context) error {
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

// requestToken gets a request token from X. Each call creates a new one, so a repeat would be harmless,
// but a user waits, so there is one attempt.
func (f *loginFlow) requestToken(ctx workflow.Context) error {
	state, err := call(once(ctx, "", xTimeout, 0), loginActivities.RequestXToken, f.ref)
	if err != nil {
		return f.end(ctx, account.ServerError)
	}
	f.state = state
	return nil
}

// awaitReturn continues to wait if the update arrives although the row is unchanged: an operator may
// send it.
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
		// The verifier is valid for one exchange, so there is one attempt.
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
