package account

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoles(t *testing.T) {
	t.Parallel()
	founders, id, memberID := ParseFounders([]string{" @Grace"}), "4242", "m"
	for name, tt := range map[string]struct {
		account Account
		active  bool
		role    Role
	}{
		"a founder whom X identified":               {Account{XUserID: &id, XHandle: "GRACE"}, false, Founder},
		"a founder's handle that X never confirmed": {Account{XHandle: "grace"}, false, Visitor},
		"the same with a membership":                {Account{XHandle: "grace", MemberID: &memberID}, true, Member},
		"another user whom X identified":            {Account{XUserID: &id, XHandle: "graces"}, false, Visitor},
		"a member":                                  {Account{MemberID: &memberID}, true, Member},
		"a frozen member":                           {Account{MemberID: &memberID}, false, Visitor},
	} {
		require.Equal(t, tt.role, founders.RoleOf(tt.account, tt.active), name)
	}
}
