import { appendFileSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

import type { Reporter, TestCase } from '@playwright/test/reporter'

/** Writes the command that repeats each failed test to E2E_FAILURES, which scripts/e2e prints last. */
export default class Failures implements Reporter {
  private readonly failed = new Set<TestCase>()

  onTestEnd(test: TestCase) {
    if (!test.ok()) this.failed.add(test)
  }

  onEnd() {
    const lines = [...this.failed].map((test) => `${repeat(test)}  # ${test.title}\n`)
    if (process.env.E2E_FAILURES) appendFileSync(process.env.E2E_FAILURES, lines.join(''))
  }

  printsToStdio() {
    return false
  }
}

function repeat(test: TestCase) {
  const { file, line } = test.location
  const isSerial = readFileSync(file, 'utf8').includes("mode: 'serial'") // its tests need the ones before them
  return `scripts/e2e ${test.parent.project()?.name} ${basename(file)}${isSerial ? '' : `:${line}`}`
}
