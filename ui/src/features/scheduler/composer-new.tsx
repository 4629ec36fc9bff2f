import { Button, Checkbox, Text } from '@mantine/core'

import { TextField } from '@/components/post-text-field'

import { ApprovalNote, useNeedsApproval } from './composer-approval'
import { fieldError, Refusal } from './composer-errors'
import { ComposerForm, type Leaving } from './composer-form'
import { type NewPostInput, useNewPost } from './composer-new-post'
import { CheckNotes } from './composer-notes'
import { Sponsor } from './composer-sponsor'
import { AtTime, WhenField } from './composer-when'
import { WhichOfTwo } from './which-of-two'

type Props = Omit<NewPostInput, 'onDone'> & { leaving: Leaving }

/** Creates a post for now, the queue or a chosen time. */
export function NewPost({ leaving, ...input }: Props) {
  const { draft, candidateId, timezone } = input
  const post = useNewPost({ ...input, onDone: leaving.onLeave })
  const { check, create } = post
  const { said } = check
  const needsApproval = useNeedsApproval()

  function write(content: string) {
    draft.write({ content })
    create.reset()
  }

  return (
    <ComposerForm
      draft={draft}
      leaving={leaving}
      onSend={() => post.send('post')}
      buttons={<Buttons post={post} needsApproval={needsApproval} />}
    >
      <TextField
        value={draft.content}
        onChange={write}
        weight={check.current ? said?.weight : undefined}
        error={fieldError('text', create.error, check)}
      />
      <CheckNotes said={said} failed={check.failed} timezone={timezone} />
      <When post={post} timezone={timezone} />
      <Sponsor value={post.member} onChange={post.setMember} month={monthOf(said?.scheduledAt)} />
      <WrittenWithAi generated={candidateId !== undefined} value={post.withAi} onChange={post.setWithAi} />
      {needsApproval && <ApprovalNote />}
      <WhichOfTwo
        error={create.error}
        timezone={post.time.timezone}
        onChoose={(at) => post.send(create.variables?.draft ? 'draft' : 'post', at)}
      />
      <Refusal error={create.error} content={draft.content} />
    </ComposerForm>
  )
}

type Fields = ReturnType<typeof useNewPost>

function When({ post, timezone }: { post: Fields; timezone: string }) {
  const { time, setTime, when, setWhen, check, create } = post
  return (
    <WhenField value={when} onChange={setWhen} timezone={timezone}>
      <AtTime
        value={time}
        onChange={(chosen) => {
          setTime(chosen)
          create.reset()
        }}
        error={fieldError('time', create.error, check)}
        means={check.current ? check.said?.scheduledAt : undefined}
      />
    </WhenField>
  )
}

function Buttons({ post, needsApproval }: { post: Fields; needsApproval: boolean }) {
  const label = { now: 'Post now', queue: 'Add to the queue', at: 'Schedule' }[post.when]
  return (
    <>
      <Button variant="default" disabled={post.empty} onClick={() => post.send('draft')}>
        Save as draft
      </Button>
      <Button type="submit" disabled={post.empty} loading={post.create.isPending}>
        {needsApproval ? 'Ask for approval' : label}
      </Button>
    </>
  )
}

type WithAiProps = { generated: boolean; value: boolean; onChange: (value: boolean) => void }

function WrittenWithAi({ generated, value, onChange }: WithAiProps) {
  if (generated) {
    return (
      <Text size="sm" c="dimmed">
        Our pages show which model or template wrote this text, also if you change it.
      </Text>
    )
  }
  return (
    <Checkbox
      label="Written with AI"
      description="Our pages show it"
      checked={value}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}

const monthOf = (at = new Date().toISOString()) => at.slice(0, 7)
