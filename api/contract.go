package api

import (
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/problem"
)

// contractPrinter makes handlers that show the contract. Each form is made when it is first
// requested and then kept, one at a time: the library's own routes are not safe for two readers at once.
func contractPrinter(contract *huma.OpenAPI) func(kind string, form func(*huma.OpenAPI) ([]byte, error)) gin.HandlerFunc {
	var printing sync.Mutex
	return func(kind string, form func(*huma.OpenAPI) ([]byte, error)) gin.HandlerFunc {
		printed := sync.OnceValues(func() ([]byte, error) {
			printing.Lock()
			defer printing.Unlock()
			return form(contract)
		})
		return func(c *gin.Context) {
			text, err := printed()
			if err != nil {
				httpapi.Refuse(c, problem.Internal, "The contract could not be printed.")
				return
			}
			c.Data(http.StatusOK, kind, text)
		}
	}
}
