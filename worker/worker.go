// Package worker runs the workflows and activities: it is where names meet implementations.
package worker

import (
	"reflect"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"customerzero/activities"
	"customerzero/workflows"
)

// Activities are the real activities, built by main.
type Activities struct {
	Post             *activities.Post
	Canary           *activities.Canary
	Email            *activities.Email
	XLogin           *activities.XLogin
	OAuthDiagnosis   *activities.OAuthDiagnosis
	Credentials      *activities.Credentials
	Checkout         *activities.Checkout
	RecurringPost    *activities.RecurringPost
	Generation       *activities.Generation
	Chaos            *activities.Chaos
	SelfHeal         *activities.SelfHeal
	Verification     *activities.Verification
	ChaosScreenshots *activities.ChaosScreenshots
	Experiment       *activities.Experiment
	AccountDeletion  *activities.AccountDeletion
}

// Workers is the workers of all queues.
type Workers []worker.Worker

// New returns the workers. Asked to stop, they let steps under way end for as long as drain:
// a post that is being sent need not be looked for.
func New(c client.Client, acts Activities, drain time.Duration, timings *Timings, deployment Deployment) Workers {
	options := worker.Options{
		Interceptors:                       []interceptor.WorkerInterceptor{Names(), timings, Problems()},
		MaxConcurrentActivityExecutionSize: 32,
		WorkerStopTimeout:                  drain,
		StickyScheduleToStartTimeout:       goneAfter,
		DeploymentOptions:                  deployment.options(),
	}
	core := worker.New(c, workflows.QueueCore, options)
	options.MaxConcurrentActivityExecutionSize = fewAtOnce
	options.MaxConcurrentLocalActivityExecutionSize = fewAtOnce
	options.MaxConcurrentWorkflowTaskExecutionSize = fewAtOnce
	patient := worker.New(c, workflows.QueueEmail, options)
	for _, w := range []worker.Worker{core, patient} {
		workflows.Register(w)
	}
	options.DisableWorkflowWorker = true // flows of these queues are on core
	options.MaxConcurrentActivityExecutionSize = textsAtOnce
	models := worker.New(c, workflows.QueueModels, options)
	options.MaxConcurrentActivityExecutionSize = looksAtOnce
	options.MaxHeartbeatThrottleInterval = heardWithin
	cell := worker.New(c, workflows.QueueChaosTarget, options)
	options.MaxConcurrentActivityExecutionSize = pagesAtOnce
	options.MaxHeartbeatThrottleInterval = browserHeartbeatEvery
	browser := worker.New(c, workflows.QueueBrowser, options)
	crew := Workers{core, patient, models, cell, browser}
	for _, w := range crew {
		acts.register(w)
	}
	return crew
}

const (
	// textsAtOnce bounds how many models write at the same time.
	textsAtOnce = 4
	// looksAtOnce is room for a run's watch, the healer's and their orders.
	looksAtOnce = 16
	// pagesAtOnce is room for one verification and an album of the chaos target: each takes memory.
	pagesAtOnce = 6
	// heardWithin is how soon a watch hears that it is to stop: with a heartbeat.
	heardWithin = 500 * time.Millisecond
	// browserHeartbeatEvery is how often the browser's steps report, and how long Temporal may take to
	// answer before the SDK cancels the step. It leaves room for a second report within the heartbeat timeout.
	browserHeartbeatEvery = 8 * time.Second
)

// goneAfter is how long the next step of a run waits for the worker that knows the run: if it
// was killed, any other takes over.
const goneAfter = 2 * time.Second

// fewAtOnce bounds what nobody waits for.
const fewAtOnce = 2

func (acts Activities) register(w worker.Worker) {
	all := reflect.ValueOf(acts)
	for i := range all.NumField() {
		w.RegisterActivity(all.Field(i).Interface())
	}
}

// Start lets all of them work, or none.
func (crew Workers) Start() error {
	for i, w := range crew {
		if err := w.Start(); err != nil {
			crew[:i].Stop()
			return err
		}
	}
	return nil
}

// Stop returns when all of them have.
func (crew Workers) Stop() {
	var stopping sync.WaitGroup
	for _, w := range crew {
		stopping.Go(w.Stop)
	}
	stopping.Wait()
}
