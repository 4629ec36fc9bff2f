# One image for api, worker, cell, sandbox and migrate. The Temporal server is not in it: beside
# a cluster nobody needs the embedded one.
FROM node:24-bookworm-slim AS pages
WORKDIR /src/ui
COPY ui/package.json ui/package-lock.json ./
RUN npm ci --ignore-scripts --no-fund --no-audit
COPY api/openapi.yaml /src/api/openapi.yaml
COPY ui ./
RUN npm run build

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY api/stub api/stub
RUN go mod download
COPY . .
COPY --from=pages /src/ui/dist ui/dist
RUN CGO_ENABLED=0 go build -tags nomsgpack,testify_yaml_fail -trimpath -ldflags "-s -w" -o /customerzero . && mkdir /data

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /customerzero /usr/local/bin/customerzero
COPY --from=build --chown=nonroot:nonroot /data /data
ENV DATA_DIR=/data ADDR=:8080
EXPOSE 8080
ENTRYPOINT ["customerzero"]
CMD ["api"]
