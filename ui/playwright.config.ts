import { existsSync } from 'node:fs'

import { defineConfig, devices } from '@playwright/test'

// The shell is Chromium without the windows of a desktop, which take much of a small machine.
const shell = '/usr/lib/chromium/chromium-headless-shell'

// What measures is disturbed by what runs beside it.
const alone = ['scheduler-speed.e2e.ts', 'verification.e2e.ts']

// The stack is started outside, as people run it: `make e2e`. No test is tried twice, for
// one that passes at the second try has found something.
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  forbidOnly: true,
  retries: 0,
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  projects: [
    { name: 'founder', testMatch: 'founder.setup.ts' },
    { name: 'journeys', testMatch: '*.e2e.ts', testIgnore: alone, dependencies: ['founder'] },
    // It looks at pixels, and gives a page 15 seconds: beside a busy neighbour it tells of that one.
    { name: 'verification', testMatch: 'verification.e2e.ts', dependencies: ['founder'] },
    // On a stack of its own: it fills a whole month, and measures.
    { name: 'speed', testMatch: 'scheduler-speed.e2e.ts', dependencies: ['founder'] },
  ],
  use: {
    ...devices['Desktop Chrome'],
    baseURL: process.env.E2E_BASE_URL ?? 'http://127.0.0.1:8080',
    viewport: { width: 1280, height: 860 },
    screenshot: 'only-on-failure',
    trace: { mode: 'retain-on-failure', screenshots: false },
    launchOptions: {
      executablePath: process.env.E2E_CHROMIUM ?? (existsSync(shell) ? shell : '/usr/bin/chromium'),
      chromiumSandbox: process.getuid?.() !== 0,
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
