package faults

// databases are restarted, killed, cut off and filled.
var databases = []Row{
	{
		Number: 3, Fault: "Postgres is restarted or killed", Keeps: []string{"I1", "I2", "I3", "I4", "I5", "I12"},
		Holds: "what was answered as done is in the table; the product says that it is not ready, waits, and goes on by itself",
		How: "SIGKILL of its first process while posts go out and members vote, who note what they were told; the server is restarted, " +
			"ends its sessions, or is cut off",
		Tests: of(
			in("proof/crash/rolling", "TestNobodyNoticesARollingRestart"),
			in("internal/store", "TestNobodyNoticesThatTheServerEndsItsSessions"),
			in("proof/cluster", "TestOwnPostgresKeepsItsData"),
			in("internal/platform/temporal/temporald/node", "TestNodeTakesItsDatabasesAnewAfterTheServerForgot"),
			in("api", "TestReadinessNamesWhatFails"),
		),
		Seeded: in("proof/crash/outages", "TestTorture"),
		InTurn: in("proof/crash/posts", "TestTorture/postgres", "TestTortureOfAServerThatIsKilled"),
	},
	{
		Number: 4, Fault: "a database is slow, hangs or resets", Keeps: []string{"I9", "I12"},
		Holds: "each request ends by its deadline, connections are given back, and it goes on by itself afterwards",
		How:   "a proxy before the database cuts, delays or swallows what passes, while members vote and posts go out",
		Tests: of(
			in("proof/crash/outages", "TestPlanHasEachKindOnce"),
			in("internal/platform/metrics", "TestADatabaseThatHangsHoldsNobodyUp", "TestADeadDatabaseLeavesItsMetricsOut"),
			in("internal/store", "TestATransactionWaitsForNobodyWhoWaitsForItsConnection", "TestASilentDatabaseHoldsNobodyLongerThanTheyWait",
				"TestASlowDatabaseDoesAllItIsAskedTo", "TestAResetConnectionLosesNoChangeThatWasToldOf", "TestAChangeThatCouldNotBeCommittedIsBegunAnew"),
			in("api", "TestInternalFailuresSayNothing", "TestNobodyWaitsForADatabaseThatDoesNotAnswer"),
		),
		Seeded: in("proof/crash/outages", "TestTorture"),
		InTurn: in("proof/crash/posts", "TestTorture/postgres"),
	},
	{
		Number: 24, Fault: "the disk is full", Keeps: []string{"I12"},
		Holds: "writes are refused and say so, reads go on, nothing is half written, and it goes on when there is room",
		How:   "neither database takes another page; files may not grow any more: the product's, its Temporal server's, pictures, backups, the cell's",
		Tests: of(
			in("internal/clients/blob", "TestAFullDiskIsAnErrorAndLeavesNothing"),
			in("internal/platform/cli", "TestAFullDiskStopsWritesAndNothingElse", "TestAFullDiskLeavesNothing"),
			in("internal/store", "TestAFullDatabaseRefusesChangesAndKeepsWhatItHas"),
			in("internal/target/supervisor", "TestAFullDisk"),
			in("internal/platform/backup", "TestARestoreThatFailsLeavesNothing"),
		),
	},
	{
		Number: 38, Fault: "one database behaves unlike the other", Keeps: []string{"I1", "I3", "I5"},
		Holds:  "SQLite and Postgres tell the same at every step, and hold the same rows at the end",
		How:    "one list of operations by chance, carried out on both, with and without connections that are lost in the middle of it",
		Seeded: in("internal/store", "TestEveryDatabaseTellsTheSame"),
	},
}
