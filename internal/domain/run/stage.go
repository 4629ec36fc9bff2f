package run

// partOf says which part an activity plays in the loop. What tells of a flow otherwise has the
// same part in all of them: see the folding in package workflows.
var partOf = inverted(map[Stage][]string{
	Notice: {
		"BeginChaos", "OpenIncident", "WatchHealth", "BeginIncident", "BeginCheckout", "BeginLetter", "BeginDiagnosis",
		"BeginDeparture", "BeginPost", "BeginGeneration", "BeginVerification", "BeginExperiment", "OpenDiagnosis",
	},
	Plan: {
		"CallGameDay", "ProposePrice", "DecideByRules", "DecideKeys", "LoadPost", "ChangePost", "PlanSeries",
		"MoveVerification", "ListTheirPosts",
	},
	Guard: {
		"CheckCell", "LeaseChaos", "CheckEnvironment", "CheckSignature", "RetryPost", "CaptureBefore",
	},
	Act: {
		"BreakCell", "MendCell", "EndLease", "RaiseAlarm", "CreateCoupon", "CreateCheckoutSession", "DeleteCoupon", "RefundPayment",
		"SendLetter", "AskX", "Publish", "TellSeries", "WriteText", "CapturePage", "TidyPictures", "GiveUpTheirPost",
		"EndTheirSeries", "EraseMember", "WakePosts",
	},
	Check: {
		"WatchCell", "CaptureCell", "LookAgain", "CheckHistory", "SettleCheckout", "ReconcilePayments", "FinishXLogin",
		"CheckRequestToken", "CheckAccount", "TryConnection", "Reconcile", "ReadEngagement", "AskEndpoints", "CompareLook",
		"CommentLook", "MeasureExperiment", "Sing",
	},
	Record: {
		"FinishChaos", "ReleaseChaos", "NoteIncident", "EndIncident", "AbandonCheckout", "RecordRefund", "EndLetter",
		"EndXLogin", "EndDiagnosis", "GiveUpConnection", "DropKeys", "CancelPost", "DoubtPost", "GiveUpPost", "ClosePost",
		"GiveUpText", "GiveUpShot", "GiveUpComment", "ConcludeVerification", "CloseVotes",
	},
})

func inverted(parts map[Stage][]string) map[string]Stage {
	all := map[string]Stage{}
	for stage, names := range parts {
		for _, name := range names {
			all[name] = stage
		}
	}
	return all
}

// StageOf says which part an activity plays.
func StageOf(activity string) Stage { return partOf[activity] }
