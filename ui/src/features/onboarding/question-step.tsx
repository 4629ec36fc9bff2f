import { Checkbox, Group, Radio, Stack, Text, Textarea } from '@mantine/core'
import { useId } from 'react'

import { choicesOf, longestText, ratings, ratingsOf, wordsOf } from './answer'
import type { Question } from './questions'
import { StepTitle } from './step-title'

type Props = { question: Question; answer: unknown; onAnswer: (answer: unknown) => void }

export function QuestionStep(props: Props) {
  const id = useId()
  const { ask, hint } = props.question
  return (
    <Stack gap="sm" mih={260}>
      <StepTitle id={id}>{ask}</StepTitle>
      {hint && (
        <Text size="sm" c="dimmed">
          {hint}
        </Text>
      )}
      <Field {...props} labelledBy={id} />
    </Stack>
  )
}

function Field({ question, answer, onAnswer, labelledBy }: Props & { labelledBy: string }) {
  switch (question.form) {
    case 'text':
      return (
        <Textarea
          aria-labelledby={labelledBy}
          rows={6}
          maxLength={longestText}
          value={wordsOf(answer)}
          onChange={(event) => onAnswer(event.currentTarget.value)}
        />
      )
    case 'choice':
      return (
        <Radio.Group aria-labelledby={labelledBy} value={wordsOf(answer)} onChange={onAnswer}>
          <Options options={question.options} as={Radio} />
        </Radio.Group>
      )
    case 'choices':
      return (
        <Checkbox.Group aria-labelledby={labelledBy} value={choicesOf(answer)} onChange={onAnswer}>
          <Options options={question.options} as={Checkbox} />
        </Checkbox.Group>
      )
    case 'ratings':
      return <Skills options={question.options} given={ratingsOf(answer)} onAnswer={onAnswer} />
  }
}

type OptionsProps = { options: Record<string, string>; as: typeof Radio | typeof Checkbox }

function Options({ options, as: Option }: OptionsProps) {
  return (
    <Stack gap="sm">
      {Object.entries(options).map(([value, label]) => (
        <Option key={value} value={value} label={label} />
      ))}
    </Stack>
  )
}

type SkillsProps = {
  options: Record<string, string>
  given: Record<string, unknown>
  onAnswer: (answer: unknown) => void
}

function Skills({ options, given, onAnswer }: SkillsProps) {
  return (
    <Stack gap="md">
      {Object.entries(options).map(([skill, label]) => (
        <Radio.Group
          key={skill}
          label={label}
          value={given[skill] === undefined ? '' : String(given[skill])}
          onChange={(rating) => onAnswer({ ...given, [skill]: Number(rating) })}
        >
          <Group gap="lg" mt={6}>
            {ratings.map((rating) => (
              <Radio key={rating} value={rating} label={rating} />
            ))}
          </Group>
        </Radio.Group>
      ))}
    </Stack>
  )
}
