package store_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/post"
	"customerzero/internal/store"
	"customerzero/internal/store/storetest"
	"customerzero/internal/store/testdb"
	"customerzero/proof/bench/seed"
)

// mostRead bounds the rows of a table that one statement may read: a calendar page shows 1,000 posts,
// and duplicates are searched in two months. Each kind has more rows than that.
const mostRead = 1800

// worlds are large enough for Postgres to choose indexes, which depends on the data. SQLite chooses by
// fixed rules.
var worlds = map[string]seed.World{
	"sqlite":   {Posts: 1000, Members: 100, Others: 200, Now: november},
	"postgres": {Posts: 40_000, Members: 4000, Others: 4000, Now: november},
}

// TestFrequentQueriesUseIndexes checks that the cost of frequent statements does not grow with the data.
func TestFrequentQueriesUseIndexes(t *testing.T) {
	t.Parallel()
	for _, kind := range testdb.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := storetest.New(t, kind)
			require.NoError(t, seed.Fill(t.Context(), s.Pool(t), kind, worlds[kind]))
			if kind == "postgres" { // Postgres collects statistics by itself, SQLite does not
				require.NoError(t, s.Exec("ANALYZE"))
			}
			watched := s.Watch(t)
			useAll(t, s)
			excused := map[string]bool{}
			var whole []string
			for _, q := range watched.Questions(t) {
				assert.Empty(t, q.Through, "%s\n%s", q.SQL, q.Plan)
				for _, table := range readWhole(q) {
					excuse := excuseOf(q, table)
					if excused[excuse] = true; excuse == "" {
						whole = append(whole, table+" is read whole: "+q.SQL+"\n"+q.Plan)
					}
				}
			}
			require.Empty(t, whole, strings.Join(whole, "\n\n"))
			for _, e := range excuses {
				require.True(t, excused[e.because] || !slices.Contains(e.of, kind), "nobody needs this excuse any more: %s", e.because)
			}
		})
	}
}

// small tables have one row, a few per month, or rows that founders enter.
var small = []string{
	"bot", "browsers", "chaos_targets", "bot_connections", "discount_months", "experiment_numbers", "experiments", "founder_votes", "goose_db_version", "experiment_notes",
	"post_tallies", "provider_keys", "quota_months", "x_read_months", "payment_reconciliations", "verification_baselines", "verification_days",
	"verification_screenshots", "verifications", // only the newest 50 are kept
}

var (
	both     = testdb.Kinds
	postgres = testdb.Kinds[1:]
)

// excuses are the statements that may read a whole table.
var excuses = []struct {
	table, words string
	because      string
	of           []string // the databases that need it
}{
	{"recurring_posts", "updated_at >", "once, when the starter starts", both},
	{"posts", "SELECT id,text,status", "a thousand texts are compared at most, and each is found before it is read", postgres},
	{"members", "members.*", "the registry shows all of its members", both},
	{"accounts", "members.*", "and their addresses", postgres},
	{"credit_entries", "members.*", "and their credits", postgres},
	{"members", "SELECT count(*) FROM members", "members are counted, in an index: there are thousands of them", postgres},
	{"chaos_runs", "SELECT fault, verdict", "once after a start, and from then on those of the last hours", postgres},
	{"model_calls", "cost_nano_usd", "once after a start, and from then on those of the last hours", postgres},
	{"experiment_votes", "experiments.*", "votes are counted each time: there is no other number", postgres},
	{"members", "AS down", "only those who are not active, in an index of them", testdb.Kinds[:1]},
	{"experiment_votes", "count(*)", "votes are counted each time: there is no other number", postgres},
	{"generation_votes", "AS wins", "the leaderboard is all votes there were: some a day", postgres},
	{"checkouts", "paid_cents", "what came in is the sum of what was paid, and may be sent back at any time", both},
	{"checkouts", "state, count(*)", "purchases are some for each member, and counted in an index", both},
	{"generation_candidates", "AS wins", "the leaderboard is all votes there were: some a day", both},
	{"chaos_screenshots", "reviewed_by", "the agreement is of all pictures: three for a run, thirty runs an hour at most", both},
	{"audit_entries", "count(*)", "a page of a founder's, of what founders did by hand", both},
	{"chaos_runs", "count(*)", "thirty runs an hour at most", both},
	{"incidents", "count(*)", "there are fewer than chaos runs", both},
	{"checkouts", "count(*)", "a page of a founder's", both},
	{"generation_candidates", "count(*)", "the leaderboard is all votes there were: some a day", testdb.Kinds[:1]},
	{"generation_votes", "count(*)", "the leaderboard is all votes there were: some a day", both},
	{"recurring_posts", "count(*)", "a member has some", both},
}

func excuseOf(q *store.Question, table string) string {
	for _, e := range excuses {
		if e.table == table && strings.Contains(strings.NewReplacer("`", "", `"`, "").Replace(q.SQL), e.words) {
			return e.because
		}
	}
	return ""
}

// readWhole lists the tables of which a statement reads more as they grow.
func readWhole(q *store.Question) (tables []string) {
	for table, n := range q.Read {
		if n > mostRead && !slices.Contains(small, table) {
			tables = append(tables, table)
		}
	}
	if q.Read != nil {
		return tables
	}
	for _, step := range q.Steps {
		if ofStatus.MatchString(step.What) && !strings.Contains(q.SQL, "LIMIT") && readsFinalPosts(q) {
			tables = append(tables, "posts")
		}
		scan, found := strings.CutPrefix(step.What, "SCAN ")
		if !found || isPage(q, step) {
			continue
		}
		name, _, _ := strings.Cut(scan, " ")
		if table := tableCalled(q.SQL, name); table != "" && !slices.Contains(small, table) {
			tables = append(tables, table)
		}
	}
	return tables
}

// ofStatus matches a scan of all posts of a status, which grows for final ones.
var ofStatus = regexp.MustCompile(`^SEARCH posts USING (COVERING )?INDEX posts_by_(status|holder) \((member_id=\? AND )?status=\?\)$`)

func readsFinalPosts(q *store.Question) bool {
	return slices.ContainsFunc([]post.Status{post.StatusPublished, post.StatusFailed, post.StatusCancelled}, func(over post.Status) bool {
		return slices.Contains(q.Vars, any(over)) || strings.Contains(q.SQL, "status = '"+string(over)+"'")
	})
}

// isPage reports whether an index is read in the result's order only until the page is full.
func isPage(q *store.Question, scan store.Step) bool {
	sorts := slices.ContainsFunc(q.Steps, func(s store.Step) bool {
		return s.Parent == scan.Parent && strings.HasPrefix(s.What, "USE TEMP B-TREE") && !strings.Contains(s.What, "LAST TERM")
	})
	return strings.Contains(scan.What, " INDEX ") && strings.Contains(q.SQL, "LIMIT") && !sorts
}

var named = regexp.MustCompile("(?i)\\b(?:FROM|JOIN|INTO|UPDATE)\\s+[`\"]?(\\w+)[`\"]?(?:\\s+(?:AS\\s+)?(\\w+))?")

// tableCalled returns the table behind an alias, or "".
func tableCalled(statement, name string) string {
	for _, found := range named.FindAllStringSubmatch(statement, -1) {
		if found[1] == name || found[2] == name {
			return found[1]
		}
	}
	return ""
}
