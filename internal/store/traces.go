package store

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"gorm.io/gorm"

	"customerzero/internal/platform/telemetry"
)

// GORM's own plugin for this links the drivers of databases that we do not have, and would tell
// whole statements.

// inSpans traces each statement as a child of the current span, with its operation and table but neither
// text nor values. A statement without a parent span, such as the starter's every second, is not traced.
func inSpans(db *gorm.DB) error {
	if !telemetry.On() {
		return nil
	}
	steps := db.Callback()
	return errors.Join(
		steps.Create().Before("gorm:create").Register("span:create", began("INSERT")),
		steps.Create().After("gorm:create").Register("spanned:create", ended),
		steps.Query().Before("gorm:query").Register("span:query", began("SELECT")),
		steps.Query().After("gorm:query").Register("spanned:query", ended),
		steps.Update().Before("gorm:update").Register("span:update", began("UPDATE")),
		steps.Update().After("gorm:update").Register("spanned:update", ended),
		steps.Delete().Before("gorm:delete").Register("span:delete", began("DELETE")),
		steps.Delete().After("gorm:delete").Register("spanned:delete", ended),
		steps.Row().Before("gorm:row").Register("span:row", began("SELECT")),
		steps.Row().After("gorm:row").Register("spanned:row", ended),
		steps.Raw().Before("gorm:raw").Register("span:raw", began("SQL")),
		steps.Raw().After("gorm:raw").Register("spanned:raw", ended),
	)
}

// noted is where a statement keeps its span.
type noted struct {
	context.Context
	before context.Context
	end    func(error)
}

func began(verb string) func(*gorm.DB) {
	return func(tx *gorm.DB) {
		name := verb
		if tx.Statement.Table != "" {
			name += " " + tx.Statement.Table
		}
		ctx, end := telemetry.Span(tx.Statement.Context, name, attribute.String("db.system.name", tx.Name()),
			attribute.String("db.operation.name", verb), attribute.String("db.collection.name", tx.Statement.Table))
		tx.Statement.Context = noted{ctx, tx.Statement.Context, end}
	}
}

func ended(tx *gorm.DB) {
	n, ok := tx.Statement.Context.(noted)
	if !ok {
		return
	}
	err := tx.Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = nil
	}
	n.end(err)
	tx.Statement.Context = n.before
}
