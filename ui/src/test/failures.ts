import type { Reporter, TestModule } from 'vitest/node'

/** Prints the command that repeats each failed test at the end of a failed run. */
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

/** The pattern for -t, which joins suite names with a space. */
const pattern = (name: string) => name.replaceAll(' > ', ' ').replaceAll(/[^\w ,:/-]/g, '.')
