import { copyFile } from 'node:fs/promises'

import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const server = 'http://127.0.0.1:8080'

// The server sends docs.html at /docs. It is the app, which routes that path like any other.
const docsPage: Plugin = {
  name: 'docs-page',
  apply: (_, { command, isSsrBuild }) => command === 'build' && !isSsrBuild,
  closeBundle: () => copyFile('dist/index.html', 'dist/docs.html'),
}

// The server sends landing.html at /, which is no page of the app.
const frontDoor: Plugin = {
  name: 'front-door',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _, next) => {
      request.url = request.url?.replace(/^\/(?=$|\?)/, '/landing.html')
      next()
    })
  },
}

export default defineConfig({
  plugins: [react(), docsPage, frontDoor],
  resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } },
  build: {
    outDir: 'dist',
    emptyOutDir: true, // public/.gitkeep comes back with every build, so that Go can always embed the folder
    manifest: true, // lets the server announce the chunks of the first page
    rolldownOptions: { input: ['index.html', 'landing.html'] },
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/api', '/auth/x', '/feeds', '/og-image.png', '/openapi.json', '/robots.txt', '/sandbox', '/sitemap.xml'].map(
        (path) => [path, server],
      ),
    ),
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test/setup.ts'],
    css: false,
    testTimeout: 20_000,
    restoreMocks: true,
  },
})
