# Two images of one program. `app` contains only the program and runs as API, migration, chaos target or sandbox.
# `worker` also contains the browser. Both run as the same user, because they share the screenshots. The Temporal
# server is in neither.
#
# Tags name versions where the publisher has them. Pin digests if base images must not change at all.
FROM node:24.21.0-bookworm-slim AS pages
WORKDIR /src/ui
COPY ui/package.json ui/package-lock.json ui/.npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --no-fund --no-audit
COPY api/openapi.yaml /src/api/openapi.yaml
COPY ui ./
RUN npm run build

FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
COPY --from=pages /src/ui/dist ui/dist
# The commit, set by scripts/deploy, because the build context has no repository.
ARG REVISION=unknown
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
	CGO_ENABLED=0 go build -tags nomsgpack,testify_yaml_fail -trimpath \
	-ldflags "-s -w -X customerzero/worker.revision=$REVISION" -o /customerzero . && mkdir /data

FROM debian:12.11-slim AS worker
# Chromium's own sandbox needs namespaces: see deploy/chromium.json.
RUN apt-get update \
	&& apt-get install -y --no-install-recommends ca-certificates chromium-headless-shell fonts-liberation fonts-noto-color-emoji \
	&& rm -rf /var/lib/apt/lists/* \
	&& groupadd --gid 65532 nonroot \
	&& useradd --uid 65532 --gid 65532 --home-dir /tmp --no-create-home --shell /usr/sbin/nologin nonroot
COPY --from=pages /usr/local/bin/node /usr/local/bin/node
COPY --from=pages /src/ui/node_modules/package /usr/local/lib/customerzero/package
COPY --from=pages /src/ui/node_modules/axe-core/axe.min.js /usr/local/lib/customerzero/axe.min.js
COPY --from=build /customerzero /usr/local/bin/customerzero
COPY --from=build --chown=65532:65532 /data /data
ENV DATA_DIR=/data CHROMIUM=/usr/lib/chromium/chromium-headless-shell BROWSER_DIR=/usr/local/lib/customerzero BROWSER_NODE=/usr/local/bin/node
USER 65532:65532
ENTRYPOINT ["customerzero"]
CMD ["worker"]

# The last stage is the default target.
FROM gcr.io/distroless/static-debian12:nonroot AS app
COPY --from=build /customerzero /usr/local/bin/customerzero
COPY --from=build --chown=65532:65532 /data /data
ENV DATA_DIR=/data ADDR=:8080
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["customerzero"]
CMD ["api"]
