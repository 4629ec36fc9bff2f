// Stands in for the module of the same name; see ../doc.go.
module github.com/goccy/go-yaml

go 1.26.0
