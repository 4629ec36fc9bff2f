// Package deploy_test tests the deployment without containers: the compose file, the Dockerfile and its context,
// alert rules and dashboards. It is a separate module, so that the product does not depend on their parsers.
package deploy_test
