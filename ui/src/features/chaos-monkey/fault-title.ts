import type { ChaosEvent, Fault } from './queries'

/** The title of a fault; its type, if the chaos target no longer has it. */
export const faultTitle = (faults: Pick<Fault, 'type' | 'title'>[], { type }: Pick<ChaosEvent, 'type'>) =>
  faults.find((fault) => fault.type === type)?.title ?? type
