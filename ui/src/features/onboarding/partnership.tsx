import type { Progress } from './queries'
import { QuestionStep } from './question-step'
import { questions } from './questions'
import { type Finish, StepDialog, Steps } from './step-dialog'
import { useProgress } from './use-progress'

type Props = { memberId: string; start: Progress; finish: Omit<Finish, 'label'> }

type DialogProps = Props & { opened: boolean; onClose: () => void }

/** Partnership discovery: twelve optional questions. */
export function PartnershipDialog({ opened, onClose, ...props }: DialogProps) {
  return (
    <StepDialog opened={opened} onClose={onClose} title="Partnership discovery">
      <Questionnaire {...props} />
    </StepDialog>
  )
}

function Questionnaire({ memberId, start, finish }: Props) {
  const walk = useProgress('partnership', memberId, start, questions.length)
  const question = questions[walk.step - 1]
  if (question === undefined) return null
  return (
    <Steps walk={walk} finish={{ ...finish, label: 'Launch Partnership!' }}>
      <QuestionStep
        key={question.id}
        question={question}
        answer={walk.answers[question.id]}
        onAnswer={(answer) => walk.answer(question.id, answer)}
      />
    </Steps>
  )
}
