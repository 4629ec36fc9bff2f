import { Stack, Text } from '@mantine/core'

import { Moment } from '@/components/moment'
import { Section } from '@/components/section'
import { useSecondsLeft } from '@/lib/use-seconds-left'

import { amount } from './amount'
import { ItsRun } from './its-run'
import { MeasurePlot } from './measure-plot'
import { promisedText, verdictText, wouldBeText } from './measure-words'
import { untilText } from './until'
import { type Detail, isRunning, type Measure } from './words'

type Props = { experiment: Detail; measure: Measure }

/** The metric that was registered before the start, its current value and its verdict. */
export function Measured({ experiment, measure }: Props) {
  return (
    <Section title="What is measured">
      <Stack gap="md">
        <div>
          <Text fw={650}>
            {measure.label}, promised {promisedText(measure)}
          </Text>
          <Text size="sm" c="dimmed">
            {measure.description}
          </Text>
        </div>
        {experiment.verdict === '' ? (
          <Standing experiment={experiment} measure={measure} />
        ) : (
          <Judged experiment={experiment} verdict={experiment.verdict} measure={measure} />
        )}
        <MeasurePlot measure={measure} />
      </Stack>
    </Section>
  )
}

function Standing({ experiment, measure }: { experiment: Detail; measure: Measure }) {
  if (experiment.status === 'declined') return <Text size="sm">It never began, so nothing was judged.</Text>
  if (!isRunning(experiment)) {
    return (
      <Text size="sm">
        It is measured from the day on which the experiment becomes active. The verdict is due on{' '}
        <Moment at={measure.due_at} />.
      </Text>
    )
  }
  const wouldBe = wouldBeText(measure)
  return (
    <div data-moving>
      <Text className="numbers">
        {measure.value === undefined ? 'Nothing to measure yet.' : `Now: ${amount(measure.value, measure.unit)}.`}
        {wouldBe !== null && ` ${wouldBe}.`}
      </Text>
      <Due at={measure.due_at} />
    </div>
  )
}

function Due({ at }: { at: string }) {
  const left = useSecondsLeft(Date.parse(at))
  return (
    <Text size="sm" c="dimmed" className="numbers">
      {left > 0 ? (
        <>
          A run sets the verdict on <Moment at={at} />, in {untilText(left)}.
        </>
      ) : (
        <>
          The verdict was due on <Moment at={at} />. A run is about to set it.
        </>
      )}
    </Text>
  )
}

function Judged({ experiment, verdict, measure }: Props & { verdict: Exclude<Detail['verdict'], ''> }) {
  if (verdict === 'abandoned') return <Text fw={650}>{verdictText(verdict, measure)}</Text>
  return (
    <Stack gap={4} align="flex-start">
      <Text fw={650}>{verdictText(verdict, measure)}</Text>
      <Text size="sm" c="dimmed">
        The verdict was set by a run
        {measure.measured_at !== undefined && (
          <>
            {' '}
            on <Moment at={measure.measured_at} />
          </>
        )}
        , not by hand.
      </Text>
      <ItsRun of={experiment}>The run that set the verdict</ItsRun>
    </Stack>
  )
}
