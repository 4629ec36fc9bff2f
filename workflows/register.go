package workflows

import "go.temporal.io/sdk/worker"

// Register adds every workflow to a worker, or to a replayer.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflow(Post)
	r.RegisterWorkflow(Engagement)
	r.RegisterWorkflow(Canary)
	r.RegisterWorkflow(Mail)
	r.RegisterWorkflow(XLogin)
	r.RegisterWorkflow(OAuthDiagnosis)
	r.RegisterWorkflow(Credentials)
	r.RegisterWorkflow(ProviderKeys)
	r.RegisterWorkflow(Checkout)
	r.RegisterWorkflow(Refund)
	r.RegisterWorkflow(ReconcilePayments)
	r.RegisterWorkflow(Series)
	r.RegisterWorkflow(Generation)
	r.RegisterWorkflow(ChaosRun)
	r.RegisterWorkflow(ChaosSweep)
	r.RegisterWorkflow(SelfHeal)
	r.RegisterWorkflow(GameDay)
	r.RegisterWorkflow(HistoryCheck)
	r.RegisterWorkflow(Verification)
	r.RegisterWorkflow(VerificationTidy)
	r.RegisterWorkflow(CellAlbum)
	r.RegisterWorkflow(Experiment)
	r.RegisterWorkflow(Departure)
}
