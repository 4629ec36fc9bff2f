// Package worker runs the workflows and activities with their implementations.
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

// Workers are the workers of all task queues.
type Workers []worker.Worker

// New returns the workers. On shutdown they let running activities finish for up to drain, so that a
// post that is being sent need not be reconciled.
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
	emails := worker.New(c, workflows.QueueEmail, options)
	for _, w := range []worker.Worker{core, emails} {
		workflows.Register(w)
	}
	options.DisableWorkflowWorker = true // their workflows run on core
	options.MaxConcurrentActivityExecutionSize = textsAtOnce
	models := worker.New(c, workflows.QueueModels, options)
	options.MaxConcurrentActivityExecutionSize = watchesAtOnce
	options.MaxHeartbeatThrottleInterval = watchHeartbeatEvery
	target := worker.New(c, workflows.QueueChaosTarget, options)
	options.MaxConcurrentActivityExecutionSize = pagesAtOnce
	options.MaxHeartbeatThrottleInterval = browserHeartbeatEvery
	browser := worker.New(c, workflows.QueueBrowser, options)
	workers := Workers{core, emails, models, target, browser}
	for _, w := range workers {
		acts.register(w)
	}
	return workers
}

const (
	// textsAtOnce bounds concurrent model calls.
	textsAtOnce = 4
	// watchesAtOnce leaves room for a run's watch, the healer's and their commands.
	watchesAtOnce = 16
	// pagesAtOnce leaves room for one verification and the screenshots of a chaos run; each page takes memory.
	pagesAtOnce = 6
	// watchHeartbeatEvery is how soon a watch notices a cancellation, with its next heartbeat.
	watchHeartbeatEvery = 500 * time.Millisecond
	// browserHeartbeatEvery is how often browser activities send heartbeats, and how long Temporal may take to
	// answer before the SDK cancels the activity. It leaves room for a second one within the heartbeat timeout.
	browserHeartbeatEvery = 8 * time.Second
)

// goneAfter is how long the next step of a run waits for the worker that caches the run: if that was
// killed, another one takes over.
const goneAfter = 2 * time.Second

// fewAtOnce bounds background work.
const fewAtOnce = 2

func (acts Activities) register(w worker.Worker) {
	all := reflect.ValueOf(acts)
	for i := range all.NumField() {
		w.RegisterActivity(all.Field(i).Interface())
	}
}

// Start starts all workers, or none.
func (workers Workers) Start() error {
	for i, w := range workers {
		if err := w.Start(); err != nil {
			workers[:i].Stop()
			return err
		}
	}
	return nil
}

// Stop stops all workers and waits for them.
func (workers Workers) Stop() {
	var stopping sync.WaitGroup
	for _, w := range workers {
		stopping.Go(w.Stop)
	}
	stopping.Wait()
}
