// Stands in for the module of the same name; see ../doc.go.
module github.com/go-playground/validator/v10

go 1.26.0
