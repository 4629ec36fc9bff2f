// Stands in for the module of the same name; see ../doc.go.
module github.com/quic-go/quic-go

go 1.26.0
