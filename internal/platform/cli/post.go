package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"customerzero/api"
	"customerzero/internal/platform/config"
)

func postCommand() *cobra.Command {
	return &cobra.Command{
		Use: `post "text"`, Short: "Post now, and say what came of it", Args: cobra.ExactArgs(1),
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, args []string) error {
			server, err := newRemote(cfg)
			if err != nil {
				return err
			}
			body, err := json.Marshal(api.NewTweet{Content: args[0]})
			if err != nil {
				return err
			}
			var reply api.TweetReply
			if err := server.call(cmd.Context(), "/tweet", "application/json", body, &reply); err != nil {
				return err
			}
			said := string(reply.Post.Status) + "  " + reply.Post.TwitterURL
			if reply.Error != "" {
				said += reply.Error
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\nrun  %s\n", said, server.url+reply.Post.RunURL)
			return err
		}),
	}
}
