#!/bin/sh
# Creates or updates the namespace, which keeps closed runs for 30 days. Safe to repeat.
set -eu
verb=create
temporal operator namespace describe --namespace "$NAMESPACE" >/dev/null 2>&1 && verb=update
exec temporal operator namespace "$verb" --retention 720h --namespace "$NAMESPACE"
