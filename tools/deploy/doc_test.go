// Package deploy_test holds what is deployed to its rules, where there is no container to run: the
// composition, the Dockerfile and what it is built from, alert rules, dashboards. It is a module of
// its own, so that the product's never sees their parsers.
package deploy_test
