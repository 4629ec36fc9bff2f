package faults

// processes are killed, started twice, replaced, and lost with their machine.
var processes = []Row{
	{
		Number: 1, Fault: "a worker is killed while it sends", Keeps: []string{"I1", "I2", "I12"},
		Holds: "every post goes out at most once and comes to an end, whatever moment the worker died at",
		How: "SIGKILL of worker and API at named moments (X is called, has decided, has answered, is read) while posts go out, " +
			"are edited, moved and cancelled; X drops, delays and refuses; the database is cut off",
		Tests: of(
			in("proof/crash/posts", "TestInvariants"),
			in("proof/journeys", "TestAPostThatCameDueWithoutAWorkerGoesOutOnce", "TestTheStarterFindsOutWhatBecameOfAnArmedPost"),
			in("internal/platform/cli", "TestUpSurvivesSIGKILLAndGoesOn"),
			in("workflows", "TestPostEndings", "TestNewRunGoesOnFromTheRow"),
		),
		InTurn: in("proof/crash/posts", "TestTorture/sqlite", "TestTorture/postgres", "TestTortureOfAServerThatIsKilled"),
	},
	{
		Number: 2, Fault: "API and worker are killed around a payment page", Keeps: []string{"I3", "I4", "I12"},
		Holds: "the same key brings the same page back; whoever paid is a member, once; no discount of an unpaid page is left",
		How: "SIGKILL of API and worker while a page is asked for, made, told and paid; Stripe fails, and its webhooks are late, " +
			"lost, doubled and forged; every single answer of every step is lost once",
		Tests: of(
			in("proof/crash/checkouts", "TestInvariants"),
			in("workflows", "TestCheckoutSurvivesLostAnswers", "TestCheckoutWhoseEveryAnswerIsLost", "TestCheckoutBegunAnew"),
			in("internal/sandbox/stripe", "TestAKeyGivesTheSameAnswer", "TestOneOfManyCallsIsDone"),
		),
		Seeded: in("proof/crash/checkouts", "TestTorture"),
	},
	{
		Number: 5, Fault: "the Temporal server is killed", Keeps: []string{"I2", "I9", "I13"},
		Holds: "runs go on where they were when it is back on its file; until then orders are kept or answered with a sentence, and nothing hangs",
		How:   "SIGKILL of the server, and a new one on the same file, while posts wait and people vote; a server that takes connections and says nothing",
		Tests: of(
			in("proof/journeys", "TestAPostSurvivesTheDeathOfTheTemporalServer", "TestAnOrderWithoutAWorkerIsUnavailable"),
			in("internal/platform/cli", "TestWithoutTemporalPeopleAreAnsweredInTime"),
			in("internal/platform/temporal/launcher", "TestFlowsSurviveTheDeathOfTheServer", "TestSuperviseGivesUp"),
			in("internal/platform/temporal/temporald", "TestWorkflowsSurviveAKill"),
			in("api", "TestPostIsKeptWhenTemporalIsDown", "TestChaosThatCannotBeStartedYetSaysSo", "TestBotGoesOnThoughTemporalIsDown",
				"TestAMoveSucceedsThoughTemporalIsDown", "TestAWebhookThatCouldNotBeActedOnIsActedOnTheNextTime"),
			in("workflows", "TestWhatTemporalRefusesIsAProblemForPeople"),
		),
		Seeded: in("proof/crash/outages", "TestTorture"),
	},
	{
		Number: 6, Fault: "a step is done, and its answer is lost", Keeps: []string{"I1", "I2", "I3"},
		Holds: "whatever is tried again finds what was done, and does it no second time",
		How: "Temporal's own database says now and then that it did not write what it has written; the answer of each step of a flow is " +
			"lost after the step was done",
		Tests: in("workflows", "TestCheckoutSurvivesLostAnswers", "TestAnOrderWhoseAnswerIsLostIsNotForgotten",
			"TestACommentWhoseAnswerIsLostIsThereAllTheSame", "TestProviderKeysAreDecidedOnceThoughAnswersAreLost"),
		InTurn: in("proof/journeys",
			"TestNothingHappensTwiceWhenTemporalIsToldThatItDidNot/sqlite", "TestNothingHappensTwiceWhenTemporalIsToldThatItDidNot/postgres"),
	},
	{
		Number: 26, Fault: "two of everything, of different builds", Keeps: []string{"I1", "I3", "I5", "I13"},
		Holds: "replicas share one database without asking each other; a build that would break open runs is refused; an SQLite directory is of one process",
		How: "two API servers and two workers behind a proxy, all of them restarted one after the other under load; a new build under " +
			"open runs; two programs on one directory",
		Tests: of(
			in("internal/platform/cli", "TestSecondUpOnOneDataDirectory"),
			in("internal/platform/temporal/temporald/node", "TestTwoNodesNeverShareAFile", "TestTwoNodesNeverShareAPostgresDatabase"),
			in("proof/cluster", "TestDirectoryIsOfOneCluster"),
			in("proof/upgrade", "TestRunsThatAreUnderWayGoOnInANewBuild", "TestWhatAWorkerWatchedAnotherWatchesOn"),
			in("proof/journeys", "TestOfTwoFirstBuildsOneBecomesCurrent", "TestTwoWorkersKeepTheSameSchedules"),
			in("internal/store", "TestProcessesThatStartAtOnceTakeThemUpOnce", "TestAnyNumberOfProcessesMigrateAtOnce",
				"TestColumnsAreAddedWhileAReplicaServes", "TestTwoRotationsAtOnceShareTheWork"),
			in("proof/crash/rolling", "TestNobodyNoticesARollingRestart"),
			in("workflows", "TestReplay", "TestEveryFlowHasAHistory"),
		),
	},
	{
		Number: 34, Fault: "the cell is broken while workers die", Keeps: []string{"I11", "I12"},
		Holds: "each run gets its verdict, no fault outlives its lease, and the members' data are as before",
		How: "every fault of the chaos page in turn, SIGKILL of the worker that watches and heals, leases that run out; " +
			"SIGKILL of the cell's keeper; orders at once",
		Tests: of(
			in("proof/crash/chaos", "TestInvariants"),
			in("internal/target/supervisor", "TestEveryFaultIsTakenBackWhenItsLeaseIsOver", "TestEndOfALease", "TestALeaseOutlivesTheKeeper",
				"TestAFaultThatCannotBeTakenBackIsTriedAgain", "TestBreaksAtOnceAreOne", "TestOrdersAtOnceLeaveTheCellWell"),
			in("internal/platform/cli", "TestUpKeepsACellAndStartsItAgain", "TestTheCellLeavesWithAnUpThatIsKilled"),
			in("workflows", "TestWatchGoesOnAfterItsWorkersDeath", "TestChaosSweepEndsWhatNobodyCarries"),
		),
		InTurn: in("proof/crash/chaos", "TestTorture/sqlite", "TestTorture/postgres"),
	},
	{
		Number: 35, Fault: "a data directory is lost, and restored", Keeps: []string{"I1", "I2", "I3", "I4", "I5", "I13"},
		Holds: "every table is as it was, limits included; what went out after the backup is found, and not sent again",
		How:   "a backup under way while everything runs, the directory destroyed, the backup restored, also into the other database",
		Tests: of(
			in("internal/platform/cli", "TestADestroyedUpIsRestoredAndGoesOn", "TestWhatWentOutAfterTheBackupDoesNotGoOutAgain", "TestALaptopMovesToPostgres"),
			in("internal/platform/backup", "TestABackupComesBackWhole", "TestARestoreThatFailsLeavesNothing", "TestABadFileIsRefused", "TestAPlaceThatIsNotEmptyIsRefused"),
			in("internal/store", "TestWhatWasRestoredDumpsTheSame", "TestARestoredDatabaseKeepsItsLimits", "TestADumpIsOneMoment"),
			in("worker", "TestReplayer"),
		),
	},
}
