package faults

// Invariants are what the rows are held against.
var Invariants = []Invariant{
	{"I1", "At most 500 posts go out in a month of UTC, and each holds one numbered slot of it. A slot is given back only when it is certain that nothing went out."},
	{"I2", "A post is on the timeline at most once, and ends published, failed, cancelled or unknown, which a person then decides. None is lost silently."},
	{"I3", "One paid page makes one member and one entry of 90 credits; an unpaid one makes neither; a refund takes back once."},
	{"I4", "Money is whole cents. The price that was shown is the price that is charged, between the floor and the list price."},
	{"I5", "A count of votes equals its rows, one row for a member and an experiment; who votes is known by the session alone."},
	{"I6", "No secret, token, code or address is found in a log, a workflow history, an answer or an error, nor readable in a file of the databases."},
	{"I7", "The browser, and whatever fetches pages, opens no connection but to the origins that may be looked at."},
	{"I8", "Every route says who may call it, and nobody else is let in. No price, member or role is taken from what a caller claims."},
	{"I9", "Every request ends by its deadline, and whatever it used (memory, goroutines, connections, processes) is given back."},
	{"I10", "A model can lower a verdict, propose a discount from 0 to 30 % and write a text that is short enough; a bad answer, or none, has a default."},
	{"I11", "A fault that the chaos page made is gone when its lease is over, whoever died meanwhile."},
	{"I12", "What was answered as done is still there after SIGKILL of any process."},
	{"I13", "The code of today replays every stored workflow history."},
}
