import { Text, VisuallyHidden } from '@mantine/core'

import { IconCheck, IconClock, IconCross, IconSlash } from '@/components/icons'
import { Section } from '@/components/section'

import classes from './ai-pricing.module.css'
import { steps } from './use-demo-run'

type Look = 'done' | 'now' | 'to come' | 'failed' | 'not needed'

const icons = {
  done: <IconCheck />,
  now: <IconClock />,
  'to come': <IconClock />,
  failed: <IconCross />,
  'not needed': <IconSlash />,
}

const couponStep = steps.indexOf('Create Coupon') + 1

type Props = { step: number; failed: boolean; noCoupon: boolean }

export function DemoProgress({ step, failed, noCoupon }: Props) {
  const ready = step === steps.length
  const look = (number: number): Look => {
    if (number === couponStep && noCoupon) return 'not needed'
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
        {step === couponStep && noCoupon && ', not needed'}
      </Text>
    </Section>
  )
}
