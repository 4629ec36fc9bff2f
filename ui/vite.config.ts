import { copyFile } from 'node:fs/promises'

import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const server = 'http://127.0.0.1:8080'

// The server sends docs.html at /docs. It is the app, which routes that path like any other.
const docsPage = {
  name: 'docs-page',
  apply: 'build' as const,
  closeBundle: () => copyFile('dist/index.html', 'dist/docs.html'),
}

export default defineConfig({
  plugins: [react(), docsPage],
  resolve: { alias: { '@': new URL('./src', import.meta.url).pathname } },
  build: {
    outDir: 'dist',
    emptyOutDir: true, // public/.gitkeep comes back with every build, so that Go can always embed the folder
    manifest: true, // lets the server announce the chunks of the first page
  },
  server: {
    host: '127.0.0.1',
    proxy: { '/api': server, '/auth/x': server, '/openapi.json': server, '/sandbox': server },
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
