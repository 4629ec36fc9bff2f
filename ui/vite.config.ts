import react from '@vitejs/plugin-react'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

const server = 'http://127.0.0.1:8080'

// The server sends landing.html at /; it is not part of the app.
const frontDoor: Plugin = {
  name: 'front-door',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, _, next) => {
      request.url = request.url?.replace(/^\/(?=$|\?)/, '/landing.html')
      next()
    })
  },
}

const mocking = ['src/landing/broken.test.tsx', 'src/landing/live-parts.test.tsx']

export default defineConfig({
  plugins: [react(), frontDoor],
  resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } },
  build: {
    outDir: 'dist',
    emptyOutDir: true, // public/.gitkeep is copied by every build, so that Go can always embed the folder
    manifest: true, // used by the server to preload the chunks of the first page
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
    setupFiles: ['src/test/setup.ts'],
    css: false,
    reporters: ['default', './src/test/failures.ts'],
    pool: 'threads',
    // Loading the pages takes longer than most tests, so files share a worker and setup.ts resets its
    // state. Files that mock modules are isolated, because a loaded module keeps its imports.
    projects: [
      {
        extends: true,
        test: { name: 'shared', include: ['src/**/*.test.{ts,tsx}'], exclude: mocking, isolate: false },
      },
      { extends: true, test: { name: 'isolated', include: mocking } },
    ],
    maxWorkers: '100%',
    // Generous limits, so that a busy machine fails no test.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    restoreMocks: true,
    unstubGlobals: true,
  },
})
