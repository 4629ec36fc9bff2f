package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"customerzero/api/members"
	"customerzero/internal/domain/member"
	"customerzero/internal/platform/config"
)

func memberCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "member", Short: "Change a member: email address, freeze, unfreeze, remove", Example: "  customerzero member email ada ada@example.com",
	}
	var reason string
	freeze := memberChange("freeze NAME", "freeze ada --reason \"Posts for another company.\"", "Freeze a member: no share and no votes until you unfreeze the membership", "status", 1,
		func([]string) any { return members.NewMemberStatus{Status: member.StatusFrozen, Reason: reason} })
	freeze.Flags().StringVar(&reason, "reason", "", "reason that the member sees, as a sentence")
	cmd.AddCommand(
		memberChange("email NAME ADDRESS", "email ada ada@example.com", "Set the address with which a member logs in, and send a login link to it", "email", 2,
			func(args []string) any { return members.NewMemberEmail{Email: args[1]} }),
		freeze,
		memberChange("unfreeze NAME", "unfreeze ada", "End a founder's freeze of a member", "status", 1,
			func([]string) any { return members.NewMemberStatus{Status: member.StatusActive} }),
		memberChange("remove NAME", "remove ada", "Remove a member and delete the account; refund the payment first if you want to", "status", 1,
			func([]string) any { return members.NewMemberStatus{Status: member.StatusRemoved} }),
	)
	return cmd
}

// memberChange is a command that changes a member, named by username or ID, through a running API.
func memberChange(use, example, short, operation string, args int, body func(args []string) any) *cobra.Command {
	return printsJSON(&cobra.Command{
		Use: use, Example: "  customerzero member " + example, Short: short, Long: short + ", through a running API, with the admin key. It is recorded in the audit log.",
		Args: func(cmd *cobra.Command, given []string) error {
			if len(given) != args {
				return fmt.Errorf("%q takes %d arguments, as in %q; got %d", cmd.CommandPath(), args, cmd.Use, len(given))
			}
			return nil
		},
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, args []string) error {
			server, err := newRemote(cfg)
			if err != nil {
				return err
			}
			change, err := json.Marshal(body(args))
			if err != nil {
				return err
			}
			var reply members.ChangedMember
			path := "/api/members/" + url.PathEscape(args[0]) + "/" + operation
			if err := server.send(cmd.Context(), http.MethodPut, path, "application/json", change, &reply); err != nil {
				return err
			}
			status := member.StatusRemoved
			if reply.Member != nil {
				status = reply.Member.Status
			}
			return printResult(cmd, reply, "%s is %s\n", args[0], status)
		}),
	}, "the response of PUT /api/members/{id}/"+operation)
}
