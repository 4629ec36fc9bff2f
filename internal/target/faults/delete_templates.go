package faults

import (
	"context"

	"customerzero/internal/domain/chaos"
)

const templatesFolder = "templates"

type deleteTemplates struct{}

func (deleteTemplates) Describe() chaos.Fault {
	return chaos.Fault{
		Name: "delete-templates", Title: "Delete the templates",
		About:   "Deletes the templates folder, so that no page can be rendered.",
		Promise: chaos.QuickPromise, Weight: 2,
	}
}

// Check refuses a folder that is a link, because Inject would only remove the link.
func (deleteTemplates) Check(_ context.Context, target *Target) error {
	if info, err := target.Live.Lstat(templatesFolder); err != nil || !info.IsDir() {
		return refuse("This fault cannot be injected now: the templates folder is missing or is not a folder.")
	}
	return intact(target, templates()...)
}

func (deleteTemplates) Inject(_ context.Context, target *Target) error {
	return target.Live.RemoveAll(templatesFolder)
}

func (deleteTemplates) Revert(ctx context.Context, target *Target) error {
	return target.Files.Restore(ctx, templates()...)
}
