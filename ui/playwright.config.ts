import { existsSync, readFileSync } from 'node:fs'

import { defineConfig, devices } from '@playwright/test'

// The headless shell needs less memory and processor time than the desktop browser.
const shell = '/usr/lib/chromium/chromium-headless-shell'

// scripts/with-stack describes each stack in a file; E2E_STACKS lists their folders. Each worker has a stack to itself,
// because tests change what a whole stack shares, such as the faults of the X sandbox.
const describe = (dir: string) => JSON.parse(readFileSync(`${dir}/stack.json`, 'utf8')) as Record<string, string>
const described = process.env.E2E_STACKS?.split(' ').map(describe) ?? []
Object.assign(process.env, described[Number(process.env.TEST_PARALLEL_INDEX ?? 0)])

/** The stacks that the tests use: those of E2E_STACKS, or the one that the environment describes. */
export const stacks = described.length > 0 ? described : [process.env]

const speed = 'scheduler-speed.e2e.ts'

// Time limits end tests that hang; no test measures with them. No test is retried, because a test that passes at
// the second try has found a defect.
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  forbidOnly: true,
  retries: 0,
  workers: stacks.length,
  timeout: 300_000,
  expect: { timeout: 120_000 },
  reporter: [['list'], ['./e2e/failures.ts']],
  projects: [
    { name: 'founder', testMatch: 'founder.setup.ts' },
    { name: 'journeys', testMatch: '*.e2e.ts', testIgnore: speed, dependencies: ['founder'] },
    // It fills a whole month and measures, so it runs alone: `scripts/e2e speed`.
    { name: 'speed', testMatch: speed, dependencies: ['founder'] },
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
