// Stands in for the module of the same name; see ../doc.go.
module go.mongodb.org/mongo-driver/v2

go 1.26.0
