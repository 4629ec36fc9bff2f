import { Text } from '@mantine/core'

import { Section } from '@/components/section'

import { inOrder } from './captures'
import { type ChaosRun, isOpen } from './queries'
import classes from './run.module.css'
import { RunCapture } from './run-capture'
import { useLateCaptures } from './use-late-captures'

/** Screenshots of the chaos target at three moments. */
export function RunCaptures({ run }: { run: ChaosRun }) {
  const { event, captures } = run
  const late = useLateCaptures(run)
  // An aborted run injected no fault and has no screenshots.
  if (captures.length === 0 && (isOpen(event) || event.verdict === 'aborted')) return null
  return (
    <Section title="Before, broken, healed">
      {captures.length > 0 ? (
        <ol className={classes.captures} aria-label="Pictures of the chaos target">
          {inOrder(captures).map((capture) => (
            <RunCapture key={capture.moment} capture={capture} />
          ))}
        </ol>
      ) : (
        <Text c="dimmed">
          {late ? 'The pictures are on their way.' : 'No pictures: the browser was not available.'}
        </Text>
      )}
    </Section>
  )
}
