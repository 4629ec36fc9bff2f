import { Button } from '@mantine/core'
import { useState } from 'react'

import type { Post } from '@/api/posts'
import { useSession } from '@/api/session'
import { TextField } from '@/components/post-text-field'

import { useFocusOnMount } from '@/lib/use-focus-on-mount'

import { ApprovalNote, useNeedsApproval } from './composer-approval'
import { type Outcome, usePostChange } from './composer-change'
import { ChangedByOther } from './composer-conflict'
import type { KeptDraft } from './composer-draft'
import { fieldError, isConflict, Refusal } from './composer-errors'
import { ComposerForm, type Leaving } from './composer-form'
import { CheckNotes } from './composer-notes'
import { AtTime } from './composer-when'
import { WhichOfTwo } from './which-of-two'

type Props = { post: Post; draft: KeptDraft; leaving: Leaving; timezone: string; onTakeTheirs: (theirs: Post) => void }

/** Edits a post that is not being sent yet. Changes by others are shown before they can be overwritten. */
export function EditPost({ post, draft, leaving, timezone, onTakeTheirs }: Props) {
  const edit = usePostChange({ post, draft, timezone, onDone: leaving.onLeave })
  const { check, change } = edit
  const text = useFocusOnMount<HTMLTextAreaElement>() // also after switching to their version
  const [last, setLast] = useState<Outcome>('save')
  const needsApproval = useNeedsApproval()
  const enter = useEnter(post, needsApproval)
  const send = (outcome: Outcome) => {
    setLast(outcome)
    edit.send(outcome)
  }

  function write(content: string) {
    draft.write({ content, version: draft.version ?? post.version })
    if (!isConflict(change.error)) change.reset()
  }

  return (
    <ComposerForm
      draft={draft}
      leaving={leaving}
      onSend={() => send(enter)}
      buttons={
        isConflict(change.error) ? null : (
          <Buttons enter={enter} edit={edit} needsApproval={needsApproval} send={send} />
        )
      }
    >
      <TextField
        ref={text}
        value={draft.content}
        onChange={write}
        weight={check.current ? check.said?.weight : undefined}
        error={fieldError('text', change.error, check)}
      />
      <CheckNotes said={check.said} failed={check.failed} timezone={timezone} />
      <AtTime
        value={edit.time}
        onChange={edit.setTime}
        error={fieldError('time', change.error, check)}
        means={check.current ? check.said?.scheduledAt : undefined}
      />
      <WhichOfTwo error={change.error} timezone={edit.time.timezone} onChoose={(exact) => edit.send(last, { exact })} />
      {needsApproval && enter === 'schedule' && <ApprovalNote />}
      <Refusal error={change.error} content={draft.content} />
      {isConflict(change.error) && (
        <ChangedByOther
          id={post.id}
          mine={draft.content}
          timezone={timezone}
          onTakeTheirs={onTakeTheirs}
          onKeepMine={({ version }) => edit.send(last, { version })}
        />
      )}
    </ComposerForm>
  )
}

/**
 * The status after saving. A draft in review stays a draft: a member's changed text needs approval again,
 * and a founder decides in the review.
 */
function useEnter({ status, review }: Post, needsApproval: boolean): Outcome {
  const { role } = useSession()
  const beingRead = review?.state === 'requested' && (needsApproval || role === 'founder')
  return status === 'draft' && !beingRead ? 'schedule' : 'save'
}

type ButtonsProps = {
  enter: Outcome
  edit: ReturnType<typeof usePostChange>
  needsApproval: boolean
  send: (outcome: Outcome) => void
}

function Buttons({ enter, edit: { edited, moved, change }, needsApproval, send }: ButtonsProps) {
  const nothing = !edited && !moved
  if (enter === 'save') {
    return (
      <Button type="submit" disabled={nothing} loading={change.isPending}>
        Save
      </Button>
    )
  }
  return (
    <>
      <Button variant="default" disabled={nothing} onClick={() => send('save')}>
        Save the draft
      </Button>
      <Button type="submit" loading={change.isPending}>
        {needsApproval ? 'Ask for approval' : 'Schedule'}
      </Button>
    </>
  )
}
