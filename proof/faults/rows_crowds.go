package faults

// crowds come at once, and clocks at odd times.
var crowds = []Row{
	{
		Number: 25, Fault: "months, clocks and daylight change", Keeps: []string{"I1"},
		Holds: "a post takes a slot of the month in which it goes out; what a month left unused is gone; local times stay",
		How:   "the last second of a month, months of every length, both changes of the clocks, times that a clock shows twice, a clock that is wrong",
		Tests: of(
			in("internal/store", "TestLatePostTakesASlotOfTheMonthInWhichItGoesOut", "TestLatePostFailsWhenTheNewMonthIsFull",
				"TestPostForAMomentAgoTakesASlotOfThisMonth", "TestReschedulingMovesTheSlotToTheNewMonth", "TestFullMonthNamesTheReset"),
			in("workflows", "TestAWorkersClockDecidesNothing", "TestAWorkerWhoseClockIsBehindDoesNotHurry", "TestPostOfTheLastSecondTakesTheNewMonth"),
			in("internal/domain/post", "TestMonths", "TestParseWhen", "TestTimesThatTheClocksShowTwice"),
			in("internal/domain/localtime", "TestWeeklyTimesAroundTheChangesOfTheClocks"),
			in("proof/journeys", "TestScheduleFiresWhenClocksOnWallsSaySo"),
			in("activities", "TestReconcile"),
			in("internal/clients/x", "TestDiagnosisOfAWrongClock"),
		),
	},
	{
		Number: 27, Fault: "200 members vote at once", Keeps: []string{"I5", "I12"},
		Holds: "the last vote of each stands, and every count equals its rows",
		How:   "200 members vote, change and withdraw on ten experiments at once, on both databases; what the tabs of a member are told is held against every possible order; votes while the database dies",
		Tests: of(
			in("proof/crash/outages", "TestLostVotesAreFound"),
			in("internal/store", "TestNobodyVotesAfterTheCount", "TestAMemberVotesChangesAndWithdraws", "TestLimitOfVotes"),
			in("api", "TestVotesAreCastChangedAndTakenBack", "TestAVoteIsTheSessionsAndNobodyElses"),
		),
		Seeded: of(
			in("internal/store", "TestVotesOfManyMembersAtOnceAreTheirRows", "TestVotesAreCountedAsIfOneCameAfterTheOther"),
			in("proof/crash/outages", "TestTorture"),
		),
	},
	{
		Number: 28, Fault: "more posts than slots, at once", Keeps: []string{"I1"},
		Holds: "the month gives exactly 500, each member exactly the share, and then a sentence with the day of the next",
		How:   "900 posts at once by 50 members and founders, with and without some that are given up meanwhile, on both databases",
		Tests: of(
			in("internal/store", "TestEverybodyGetsTheirShareAndNoMore", "TestFullMonthNamesTheReset", "TestMoreMembersTakeNothingAway", "TestNoCreditNoPost",
				"TestSlotsTakenAndGivenBackAtOnceNeverExceedTheMonth"),
			in("api", "TestImportRefusesLinesWhenTheShareIsUsed"),
		),
		Seeded: in("internal/store", "TestPlacesAreTakenAsIfOneCameAfterTheOther"),
	},
	{
		Number: 36, Fault: "somebody guesses codes, many at once", Keeps: []string{"I8"},
		Holds:  "five tries are counted, however many come at once, and a right code opens one session",
		How:    "fifty guesses at once with the right one at any place, on both databases",
		Tests:  in("internal/store", "TestRightCodeAtOnceOpensOneSession", "TestNoLoginSlipsThrough"),
		Seeded: in("internal/store", "TestGuessesAtOnceAreCounted"),
	},
}
