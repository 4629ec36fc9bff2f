package evidence

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChecksThatTestsAreThere(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		proof   Proof
		missing bool
	}{
		"a function":                         {Proof{"internal/evidence", "TestChecksThatTestsAreThere"}, false},
		"a function of another name":         {Proof{"internal/evidence", "TestChecksThatTestsAre"}, true},
		"a function that is no test":         {Proof{"internal/evidence", "helper"}, true},
		"a method is no test":                {Proof{"internal/evidence/testdata/methods", "TestOfNothing"}, true},
		"a test of another package":          {Proof{"internal/faults", "TestChecksThatTestsAreThere"}, true},
		"a package that is not there":        {Proof{"internal/nowhere", "TestChecksThatTestsAreThere"}, true},
		"a case, as it is written":           {Proof{"internal/evidence", "TestChecksThatTestsAreThere/a function of another name"}, false},
		"a case, as go test writes it":       {Proof{"internal/evidence", "TestChecksThatTestsAreThere/a_function_of_another_name"}, false},
		"a case of either/or":                {Proof{"internal/evidence", "TestChecksThatTestsAreThere/a case of either/or"}, false},
		"a case of a case":                   {Proof{"internal/evidence", "TestChecksThatTestsAreThere/a function/a case of a case"}, false},
		"a case on a database":               {Proof{"internal/evidence", "TestChecksThatTestsAreThere/sqlite"}, false},
		"a case that is not there":           {Proof{"internal/evidence", "TestChecksThatTestsAreThere/a " + "ghost"}, true},
		"a case of a case that is not there": {Proof{"internal/evidence", "TestChecksThatTestsAreThere/a function/a " + "ghost"}, true},
		"a test of the pages":                {Proof{"internal/evidence/testdata/page.test.ts", "shows what it is told"}, false},
		"half of a title":                    {Proof{"internal/evidence/testdata/page.test.ts", "shows what"}, true},
		"no title":                           {Proof{"internal/evidence/testdata/page.test.ts", ""}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Check("../..", Proof{"internal/evidence", "TestPatternsRunOneTest"}, tt.proof)
			if tt.missing {
				require.EqualError(t, err, tt.proof.String()+": there is no such test")
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestAFileOfPagesThatIsNotThereIsTold(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, Check("../..", Proof{"ui/e2e/nowhere.e2e.ts", "x"}), "nowhere.e2e.ts")
}

func TestPatternsRunOneTest(t *testing.T) {
	t.Parallel()
	require.Equal(t, "^TestVotes$", Proof{"internal/store", "TestVotes"}.Pattern())
	require.Equal(t, `^TestVotes$/^taken_back\?$/^sqlite$`, Proof{"internal/store", "TestVotes/taken back?/sqlite"}.Pattern())
}
