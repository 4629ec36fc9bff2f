// Stands in for the module of the same name; see ../doc.go.
module github.com/pelletier/go-toml/v2

go 1.26.0
