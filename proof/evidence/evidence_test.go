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
		"a function":                         {Proof{"proof/evidence", "TestChecksThatTestsAreThere"}, false},
		"a function of another name":         {Proof{"proof/evidence", "TestChecksThatTestsAre"}, true},
		"a function that is no test":         {Proof{"proof/evidence", "helper"}, true},
		"a method is no test":                {Proof{"proof/evidence/testdata/methods", "TestOfNothing"}, true},
		"a test of another package":          {Proof{"proof/faults", "TestChecksThatTestsAreThere"}, true},
		"a package that is not there":        {Proof{"internal/nowhere", "TestChecksThatTestsAreThere"}, true},
		"a case, as it is written":           {Proof{"proof/evidence", "TestChecksThatTestsAreThere/a function of another name"}, false},
		"a case, as go test writes it":       {Proof{"proof/evidence", "TestChecksThatTestsAreThere/a_function_of_another_name"}, false},
		"a case of either/or":                {Proof{"proof/evidence", "TestChecksThatTestsAreThere/a case of either/or"}, false},
		"a case of a case":                   {Proof{"proof/evidence", "TestChecksThatTestsAreThere/a function/a case of a case"}, false},
		"a case on a database":               {Proof{"proof/evidence", "TestChecksThatTestsAreThere/sqlite"}, false},
		"a case that is not there":           {Proof{"proof/evidence", "TestChecksThatTestsAreThere/a " + "ghost"}, true},
		"a case of a case that is not there": {Proof{"proof/evidence", "TestChecksThatTestsAreThere/a function/a " + "ghost"}, true},
		"a test of the pages":                {Proof{"proof/evidence/testdata/page.test.ts", "shows what it is told"}, false},
		"half of a title":                    {Proof{"proof/evidence/testdata/page.test.ts", "shows what"}, true},
		"no title":                           {Proof{"proof/evidence/testdata/page.test.ts", ""}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Check("../..", Proof{"proof/evidence", "TestPatternsRunOneTest"}, tt.proof)
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
