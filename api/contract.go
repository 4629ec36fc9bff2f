package api

import (
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"

	"customerzero/internal/domain/problem"
)

// registerContract shows the printout of the contract. Each form is made when somebody wants it
// and then kept, one at a time: the library's own routes are not safe for two readers at once.
func (s *Server) registerContract(router *gin.Engine, contract huma.API) {
	spec := contract.OpenAPI()
	var printing sync.Mutex
	for _, form := range []struct {
		path, kind string
		print      func() ([]byte, error)
	}{
		{"/openapi.json", "application/openapi+json", spec.MarshalJSON},
		{"/openapi.yaml", "application/openapi+yaml", spec.YAML},
		{"/openapi-3.0.json", "application/openapi+json", spec.Downgrade},
		{"/openapi-3.0.yaml", "application/openapi+yaml", spec.DowngradeYAML},
	} {
		printed := sync.OnceValues(func() ([]byte, error) {
			printing.Lock()
			defer printing.Unlock()
			return form.print()
		})
		router.GET(form.path, func(c *gin.Context) {
			text, err := printed()
			if err != nil {
				refuse(c, problem.Internal, "The contract could not be printed.")
				return
			}
			c.Data(http.StatusOK, form.kind, text)
		})
	}
}
