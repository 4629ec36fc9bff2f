package posts

import (
	"context"
	"errors"
	"mime"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// MaxImportBytes bounds a CSV file.
const MaxImportBytes = 1 << 20

// ImportReply is the outcome of an import, line by line.
type ImportReply struct {
	Success    bool         `json:"success" doc:"Always true" enum:"true"`
	DryRun     bool         `json:"dryRun" doc:"True if nothing was stored"`
	Imported   int          `json:"imported" doc:"Number of posts created; in a dry run, that would be created"`
	Refused    int          `json:"refused" doc:"Number of lines that cannot be posted"`
	Duplicates int          `json:"duplicates" doc:"Number of lines whose text is queued or was published in the last 30 days"`
	Lines      []ImportLine `json:"lines" doc:"Result of each line"`
}

// ImportLine is the outcome of one line.
type ImportLine struct {
	Line    int          `json:"line" doc:"Line number in the file; the header is line 1"`
	Content string       `json:"content" doc:"Text of the post"`
	Outcome string       `json:"outcome" doc:"Result of the line" enum:"imported,refused,duplicate"`
	Code    problem.Code `json:"code,omitempty" doc:"Machine-readable reason; omitted if the line was imported"`
	Reason  string       `json:"reason,omitempty" doc:"Human-readable reason, or a note that the post waits for approval"`
	PostID  string       `json:"postId,omitempty" doc:"ID of the created post"`
}

type importRequest struct {
	ContentType string `header:"Content-Type" doc:"Must be text/csv" required:"true"`
	DryRun      bool   `query:"dryRun" doc:"Check the file without storing anything. Default: false"`
	RawBody     []byte `contentType:"text/csv"`
}

func (a *API) ImportPosts(ctx context.Context, req *importRequest) (ImportReply, error) {
	if kind, _, err := mime.ParseMediaType(req.ContentType); err != nil || kind != "text/csv" {
		return ImportReply{}, problem.New(problem.UnsupportedMedia, "Unsupported content type. Send the file as text/csv.")
	}
	rows, err := post.ParseCSV(req.RawBody, a.Now())
	if err != nil {
		return ImportReply{}, err
	}
	reply := ImportReply{Success: true, DryRun: req.DryRun, Lines: make([]ImportLine, len(rows))}
	for i, row := range rows {
		line, err := a.importRow(ctx, row, req.DryRun)
		if err != nil {
			return ImportReply{}, err
		}
		reply.Lines[i] = line
		switch line.Outcome {
		case "imported":
			reply.Imported++
		case "duplicate":
			reply.Duplicates++
		default:
			reply.Refused++
		}
	}
	return reply, nil
}

// importRow imports one line. A problem refuses only the line; any other error aborts the import. Posts written
// before that stay, and the next import reports them as duplicates.
func (a *API) importRow(ctx context.Context, row post.Row, dryRun bool) (ImportLine, error) {
	line := ImportLine{Line: row.Line, Content: row.Text, Outcome: "imported"}
	err := row.Err
	if err == nil {
		err = a.checkRepeat(ctx, row.Text)
	}
	if err == nil {
		_, err = a.Sponsor(ctx, row.Member)
	}
	if err == nil {
		var gated bool
		if gated, err = a.gated(ctx); gated {
			line.Reason = awaitsApproval
		}
	}
	if err == nil && !dryRun {
		var p post.Post
		p, err = a.write(ctx, NewPost{Content: row.Text, Member: row.Member, MadeWithAI: row.MadeWithAI}, row.At)
		line.PostID = p.ID
	}
	if refusal, ok := errors.AsType[*problem.Error](err); ok {
		line.Outcome, line.Code, line.Reason, line.PostID = "refused", refusal.Code, refusal.Message, ""
		if refusal.Code == problem.TextDuplicate {
			line.Outcome = "duplicate"
		}
		return line, nil
	}
	return line, err
}

const awaitsApproval = "This post waits for a founder's approval."

// checkRepeat refuses a text that is queued or was recently published, because X rejects duplicates.
func (a *API) checkRepeat(ctx context.Context, text string) error {
	same, err := a.Posts.SameText(ctx, text, "", a.Now())
	if same != nil {
		err = post.Repeated(*same)
	}
	return err
}
