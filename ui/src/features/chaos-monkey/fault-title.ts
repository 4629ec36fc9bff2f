import type { ChaosEvent, Fault } from './queries'

/** What a fault is called; its name, if it is one that the chaos target no longer has. */
export const faultTitle = (faults: Pick<Fault, 'type' | 'title'>[], { type }: Pick<ChaosEvent, 'type'>) =>
  faults.find((fault) => fault.type === type)?.title ?? type
