package faults

// payments are what Stripe, and who plays it, do to a purchase.
var payments = []Row{
	{
		Number: 14, Fault: "a Stripe event comes twenty times at once", Keeps: []string{"I3"},
		Holds: "one member, one entry of credits, one letter of each kind",
		How:   "twenty at once in the database, in the run, and over the wire",
		Tests: of(
			in("internal/store", "TestCheckoutEventsAreHeededOnce", "TestCheckoutIsPaidOnce", "TestCheckoutIsRefundedOnce"),
			in("workflows", "TestCheckoutEndings"),
			in("internal/sandbox/stripe", "TestDuplicatesAllArrive"),
			in("api", "TestTwentyWebhooksAtOnceAreOneFact", "TestAWebhookWakesItsCheckoutOnce"),
			in("proof/journeys", "TestTwentyWebhooksAtOnceMakeOneMember"),
		),
		Seeded: in("proof/crash/checkouts", "TestTorture"),
	},
	{
		Number: 15, Fault: "Stripe's events come in any order", Keeps: []string{"I3"},
		Holds: "an event only wakes the run, which asks Stripe what is so",
		How:   "five events in orders by chance, some of them untrue; ends before beginnings, refunds before payments, events before their checkout",
		Tests: of(
			in("activities", "TestSettleBelievesThePageAlone", "TestSettleBooksARefundThatCameFirst"),
			in("workflows", "TestCheckoutEndings"),
			in("internal/store", "TestCheckoutEventThatComesTooEarlyIsKnownLater", "TestCheckoutEventsAreAboutTheirCheckout"),
			in("internal/sandbox/stripe", "TestALateEventComesFirst"),
		),
		Seeded: of(in("proof/crash/checkouts", "TestTorture"), in("proof/journeys", "TestNewsInAnyOrderEndsInWhatIsSo")),
	},
	{
		Number: 16, Fault: "a webhook is forged", Keeps: []string{"I3", "I8"},
		Holds: "it is answered 400, changes nothing, and leaves one line in the log",
		How:   "other secrets, stamps that are too old or of the future, altered bodies, other versions; all through a torture",
		Tests: of(
			in("internal/clients/stripe", "TestReadEvent", "TestReadEventOfAnyKind"),
			in("api", "TestForgedWebhooksLeaveOneLineAndNoTrace", "TestWebhooksThatAreNotBelievedOrNotOursChangeNothing", "TestAForgedWebhookLeavesNoTrace"),
			in("internal/sandbox/stripe", "TestForgeriesAreSent"),
		),
		Seeded: in("proof/crash/checkouts", "TestTorture"),
	},
	{
		Number: 17, Fault: "a webhook comes late or never", Keeps: []string{"I3", "I4"},
		Holds: "whoever paid is found by looking through Stripe's events, also after the page's end, and pays what was shown",
		How:   "webhooks that are lost; looks that fail midway, and over thirty days and hundreds of events",
		Tests: of(
			in("proof/journeys", "TestCheckoutJourneys"),
			in("activities", "TestReconcileFindsWhatNoWebhookBrought", "TestReconcileLooksFromWhereItStopped", "TestReconcileThatFailsMidway",
				"TestReconcileGoesOnFromTheLastOfMany", "TestReconcileHeedsRefunds", "TestReconcileWakesRunsThatWereLost"),
			in("internal/clients/stripe", "TestEventsAreTheOldest", "TestEventsAreAllOrNone"),
			in("internal/store", "TestCheckoutThatIsPaidAfterItsEnd", "TestCheckoutPaidAfterItsDiscountLapsed"),
			in("workflows", "TestCheckoutEndings", "TestCheckoutBegunAnew"),
		),
		Seeded: in("proof/crash/checkouts", "TestTorture"),
	},
	{
		Number: 18, Fault: "somebody pays twice", Keeps: []string{"I3"},
		Holds: "one membership, and the second payment goes back",
		How:   "two pages of one person, a member who pays again, twelve at once with one address",
		Tests: of(
			in("proof/journeys", "TestCheckoutJourneys"),
			in("internal/store", "TestCheckoutsWithOneAddressAtOnceMakeOneMember", "TestCheckoutOfAMember"),
			in("workflows", "TestCheckoutEndings", "TestCheckoutBegunAnewSendsASecondPaymentBack"),
			in("ui/e2e/pricing.e2e.ts", "who is a member already gets the second payment back"),
		),
		Seeded: in("proof/crash/checkouts", "TestTorture"),
	},
	{
		Number: 19, Fault: "Stripe fails, hangs or refuses", Keeps: []string{"I3", "I4", "I9"},
		Holds: "the buyer is told that nothing was charged, and no coupon is left to be used",
		How:   "every refusal and every kind of silence, for every call; keys that are in use; failures that Stripe keeps",
		Tests: of(
			in("internal/clients/stripe", "TestAnswersThatSayNo", "TestNoAnswer", "TestNobodyThere", "TestTheCallersTime", "TestNothingIsTriedTwice", "TestTroubleOnTheWay"),
			in("internal/sandbox/stripe", "TestAKeyInUseIsRefused", "TestAFailureIsKeptToo"),
			in("activities", "TestPaymentFailures"),
			in("workflows", "TestCheckoutThatCannotBeQuoted", "TestCheckoutThatIsQuotedAfterTrouble",
				"TestCheckoutWaitsUntilTheServiceWorksAgain", "TestCheckoutWaitsForAServiceThatIsAway"),
			in("proof/journeys", "TestCheckoutJourneys"),
			in("api", "TestWithoutThePaymentServiceThereIsNoPageAndNoCharge"),
			in("ui/e2e/pricing.e2e.ts", "everybody is told of trouble"),
		),
		Seeded: in("proof/crash/checkouts", "TestTorture"),
	},
}
