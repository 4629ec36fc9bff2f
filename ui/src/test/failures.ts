import type { Reporter, TestModule } from 'vitest/node'

/** Ends a failed run with the command that repeats each failed test. */
export default class Failures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    for (const module of modules) {
      const file = module.relativeModuleId
      if (module.errors().length > 0) console.log(`cd ui && npx vitest run ${file}`)
      for (const { fullName } of module.children.allTests('failed')) {
        console.log(`cd ui && npx vitest run ${file} -t '${pattern(fullName)}'`)
      }
    }
  }
}

/** Returns the expression that matches the name: -t takes one, and joins the names of suites with a space. */
const pattern = (name: string) => name.replaceAll(' > ', ' ').replaceAll(/[^\w ,:/-]/g, '.')
