import { Alert, Badge, Text } from '@mantine/core'

import type { Verification } from '@/api/verification'
import { IconWarning } from '@/components/icons'
import { Section } from '@/components/section'

import classes from './ai-verification.module.css'
import table from './checks.module.css'
import { criterionStyle } from './words'

/** The AI review of the page, or the built-in analysis. */
export function Comment({ run }: { run: Verification }) {
  return (
    <Section title="AI analysis">
      <Text size="sm" fw={600} className="wrap-anywhere">
        {run.builtIn
          ? 'Built-in analysis: made from the checks and from measurements. Nobody looked.'
          : `Written by the model ${run.analyst}, which was shown the picture.`}
      </Text>
      {run.trouble && (
        <Text size="sm" mt={4} className="wrap-anywhere">
          The comment of a model is missing: {run.trouble}
        </Text>
      )}
      <Text my="sm" className={`wrap-anywhere ${classes.text}`}>
        {run.aiAnalysis}
      </Text>
      {run.doubts && (
        <Alert variant="outline" color="orange" icon={<IconWarning />} mb="sm" role="note">
          The comment doubts that the page is well.
        </Alert>
      )}
      {run.criteria.length > 0 && <Criteria criteria={run.criteria} />}
      <Text size="sm" c="dimmed">
        Checks decide; the comment can lower the verdict, never raise it.
      </Text>
    </Section>
  )
}

function Criteria({ criteria }: Pick<Verification, 'criteria'>) {
  return (
    <table className={table.criteria} aria-label="What was asked">
      <thead>
        <tr>
          <th scope="col">Asked</th>
          <th scope="col">Answer</th>
        </tr>
      </thead>
      <tbody>
        {criteria.map((criterion) => (
          <Row key={criterion.text} criterion={criterion} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ criterion: { text, verdict, why } }: { criterion: Verification['criteria'][number] }) {
  const { label, color, icon: Icon } = criterionStyle(verdict)
  return (
    <tr>
      <th scope="row">{text}</th>
      <td>
        <Badge variant="outline" color={color} leftSection={<Icon size={12} />}>
          {label}
        </Badge>
        {why !== '' && (
          <Text size="sm" mt={4}>
            {why}
          </Text>
        )}
      </td>
    </tr>
  )
}
