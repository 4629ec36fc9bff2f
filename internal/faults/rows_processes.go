package faults

// processes are killed, started twice, replaced, and lost with their machine.
var processes = []Row{
	{
		Number: 1, Fault: "a worker is killed while it sends", Keeps: []string{"I1", "I2", "I12"},
		Holds: "every post goes out at most once and comes to an end, whatever moment the worker died at",
		How: "SIGKILL of worker and API at named moments (X is called, has decided, has answered, is read) while posts go out, " +
			"are edited, moved and cancelled; X drops, delays and refuses; the database is cut off",
		Tests: of(
			in("internal/torture/posts", "TestInvariants"),
			in("internal/journey", "TestAPostThatCameDueWithoutAWorkerGoesOutOnce", "TestTheStarterFindsOutWhatBecameOfAnArmedPost"),
			in("internal/command", "TestUpSurvivesSIGKILLAndGoesOn"),
			in("workflows", "TestPostEndings", "TestNewRunGoesOnFromTheRow"),
		),
		InTurn: in("internal/torture/posts", "TestTorture/sqlite", "TestTorture/postgres", "TestTortureOfAServerThatIsKilled"),
	},
	{
		Number: 2, Fault: "API and worker are killed around a payment page", Keeps: []string{"I3", "I4", "I12"},
		Holds: "the same key brings the same page back; whoever paid is a member, once; no discount of an unpaid page is left",
		How: "SIGKILL of API and worker while a page is asked for, made, told and paid; Stripe fails, and its webhooks are late, " +
			"lost, doubled and forged; every single answer of every step is lost once",
		Tests: of(
			in("internal/torture/checkouts", "TestInvariants"),
			in("workflows", "TestCheckoutSurvivesLostAnswers", "TestCheckoutWhoseEveryAnswerIsLost", "TestCheckoutBegunAnew"),
			in("internal/sandbox/stripe", "TestAKeyGivesTheSameAnswer", "TestOneOfManyCallsIsDone"),
		),
		Seeded: in("internal/torture/checkouts", "TestTorture"),
	},
	{
		Number: 5, Fault: "the Temporal server is killed", Keeps: []string{"I2", "I9", "I13"},
		Holds: "runs go on where they were when it is back on its file; until then orders are kept or answered with a sentence, and nothing hangs",
		How:   "SIGKILL of the server, and a new one on the same file, while posts wait and people vote; a server that takes connections and says nothing",
		Tests: of(
			in("internal/journey", "TestAPostSurvivesTheDeathOfTheTemporalServer", "TestAnOrderWithoutAWorkerIsUnavailable"),
			in("internal/command", "TestWithoutTemporalPeopleAreAnsweredInTime"),
			in("internal/embedded", "TestFlowsSurviveTheDeathOfTheServer", "TestSuperviseGivesUp"),
			in("internal/temporald", "TestWorkflowsSurviveAKill"),
			in("api", "TestPostIsKeptWhenTemporalIsDown", "TestChaosThatCannotBeStartedYetSaysSo", "TestBotGoesOnThoughTemporalIsDown",
				"TestAMoveSucceedsThoughTemporalIsDown", "TestAWebhookThatCouldNotBeActedOnIsActedOnTheNextTime"),
			in("workflows", "TestWhatTemporalRefusesIsAProblemForPeople"),
		),
		Seeded: in("internal/torture/outages", "TestTorture"),
	},
	{
		Number: 6, Fault: "a step is done, and its answer is lost", Keeps: []string{"I1", "I2", "I3"},
		Holds: "whatever is tried again finds what was done, and does it no second time",
		How: "Temporal's own database says now and then that it did not write what it has written; the answer of each step of a flow is " +
			"lost after the step was done",
		Tests: in("workflows", "TestCheckoutSurvivesLostAnswers", "TestAnOrderWhoseAnswerIsLostIsNotForgotten",
			"TestACommentWhoseAnswerIsLostIsThereAllTheSame", "TestProviderKeysAreDecidedOnceThoughAnswersAreLost"),
		InTurn: in("internal/journey",
			"TestNothingHappensTwiceWhenTemporalIsToldThatItDidNot/sqlite", "TestNothingHappensTwiceWhenTemporalIsToldThatItDidNot/postgres"),
	},
	{
		Number: 26, Fault: "two of everything, of different builds", Keeps: []string{"I1", "I3", "I5", "I13"},
		Holds: "replicas share one database without asking each other; a build that would break open runs is refused; an SQLite directory is of one process",
		How: "two API servers and two workers behind a proxy, all of them restarted one after the other under load; a new build under " +
			"open runs; two programs on one directory",
		Tests: of(
			in("internal/command", "TestSecondUpOnOneDataDirectory"),
			in("internal/temporald/node", "TestTwoNodesNeverShareAFile", "TestTwoNodesNeverShareAPostgresDatabase"),
			in("internal/cluster", "TestDirectoryIsOfOneCluster"),
			in("internal/upgrade", "TestRunsThatAreUnderWayGoOnInANewBuild", "TestWhatAWorkerWatchedAnotherWatchesOn"),
			in("internal/journey", "TestOfTwoFirstBuildsOneBecomesCurrent", "TestTwoWorkersKeepTheSameSchedules"),
			in("internal/store", "TestProcessesThatStartAtOnceTakeThemUpOnce", "TestAnyNumberOfProcessesMigrateAtOnce",
				"TestColumnsAreAddedWhileAReplicaServes", "TestTwoRotationsAtOnceShareTheWork"),
			in("internal/torture/rolling", "TestNobodyNoticesARollingRestart"),
			in("workflows", "TestReplay", "TestEveryFlowHasAHistory"),
		),
	},
	{
		Number: 34, Fault: "the cell is broken while workers die", Keeps: []string{"I11", "I12"},
		Holds: "each run gets its verdict, no fault outlives its lease, and the members' data are as before",
		How: "every fault of the chaos page in turn, SIGKILL of the worker that watches and heals, leases that run out; " +
			"SIGKILL of the cell's keeper; orders at once",
		Tests: of(
			in("internal/torture/chaos", "TestInvariants"),
			in("internal/keeper", "TestEveryFaultIsTakenBackWhenItsLeaseIsOver", "TestEndOfALease", "TestALeaseOutlivesTheKeeper",
				"TestAFaultThatCannotBeTakenBackIsTriedAgain", "TestBreaksAtOnceAreOne", "TestOrdersAtOnceLeaveTheCellWell"),
			in("internal/command", "TestUpKeepsACellAndStartsItAgain", "TestTheCellLeavesWithAnUpThatIsKilled"),
			in("workflows", "TestWatchGoesOnAfterItsWorkersDeath", "TestChaosSweepEndsWhatNobodyCarries"),
		),
		InTurn: in("internal/torture/chaos", "TestTorture/sqlite", "TestTorture/postgres"),
	},
	{
		Number: 35, Fault: "a data directory is lost, and restored", Keeps: []string{"I1", "I2", "I3", "I4", "I5", "I13"},
		Holds: "every table is as it was, limits included; what went out after the backup is found, and not sent again",
		How:   "a backup under way while everything runs, the directory destroyed, the backup restored, also into the other database",
		Tests: of(
			in("internal/command", "TestADestroyedUpIsRestoredAndGoesOn", "TestWhatWentOutAfterTheBackupDoesNotGoOutAgain", "TestALaptopMovesToPostgres"),
			in("internal/backup", "TestABackupComesBackWhole", "TestARestoreThatFailsLeavesNothing", "TestABadFileIsRefused", "TestAPlaceThatIsNotEmptyIsRefused"),
			in("internal/store", "TestWhatWasRestoredDumpsTheSame", "TestARestoredDatabaseKeepsItsLimits", "TestADumpIsOneMoment"),
			in("worker", "TestReplayer"),
		),
	},
}
