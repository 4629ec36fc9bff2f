package httpapi

// Pagination says where in a list a page lies.
type Pagination struct {
	Total   int  `json:"total"`
	Limit   int  `json:"limit"`
	Offset  int  `json:"offset"`
	HasMore bool `json:"hasMore"`
}

// PageQuery are the parameters of every list.
type PageQuery struct {
	Limit  int `query:"limit" default:"20" minimum:"1" maximum:"100"`
	Offset int `query:"offset" default:"0" minimum:"0" maximum:"1000000"`
}

// Of is the page that this query asks for, of a list of so many.
func (q PageQuery) Of(total int) Pagination {
	return Pagination{Total: total, Limit: q.Limit, Offset: q.Offset, HasMore: q.Offset+q.Limit < total}
}
