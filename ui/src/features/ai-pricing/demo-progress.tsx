import { Text, VisuallyHidden } from '@mantine/core'

import { IconCheck, IconClock, IconCross } from '@/components/icons'
import { Section } from '@/components/section'

import classes from './ai-pricing.module.css'
import { steps } from './use-demo-run'

type Look = 'done' | 'now' | 'to come' | 'failed'

const icons = { done: <IconCheck />, now: <IconClock />, 'to come': <IconClock />, failed: <IconCross /> }

export function DemoProgress({ step, failed }: { step: number; failed: boolean }) {
  const ready = step === steps.length
  const look = (number: number): Look => {
    if (number < step || ready) return 'done'
    if (number > step) return 'to come'
    return failed ? 'failed' : 'now'
  }
  return (
    <Section title="Progress">
      <ol className={classes.steps}>
        {steps.map((name, i) => (
          <li key={name} data-look={look(i + 1)} {...(i + 1 === step && { 'aria-current': 'step' })}>
            {icons[look(i + 1)]}
            <span>{name}</span>
            <VisuallyHidden>{look(i + 1)}</VisuallyHidden>
          </li>
        ))}
      </ol>
      <Text role="status" size="sm" c="dimmed" mt="sm" className="numbers">
        Step {step} of {steps.length}: {steps[step - 1]}
        {failed && ', failed'}
      </Text>
    </Section>
  )
}
