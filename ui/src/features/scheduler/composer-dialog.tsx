import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type RefObject, useEffect, useRef, useState } from 'react'

import type { Post } from '@/api/posts'
import { useSession } from '@/api/session'
import { MembersOnly } from '@/components/founders-only'

import { useDraft } from './composer-draft'
import { EditPost } from './composer-edit'
import type { Leaving } from './composer-form'
import { NewPost } from './composer-new'

/** The initial values of a composer: a day like 2026-12-01, a post to edit, or a text. */
export type Composed = { day?: string; post?: Post; content?: string; candidateId?: string }

type Props = { opened: boolean; onClose: () => void; initial: Composed; timezone: string }

/** Creates or edits a post. Closing it asks for confirmation if input would be lost. */
export function ComposerDialog({ opened, onClose, initial, timezone }: Props) {
  const phone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const [asked, setAsked] = useState(false)
  const dirty = useRef(false)
  useFocusBack(opened)
  const { role, session } = useSession()

  function close() {
    if (asked) setAsked(false)
    else if (dirty.current) setAsked(true)
    else onClose()
  }
  function leave() {
    setAsked(false)
    onClose()
  }
  const leaving: Leaving = { asked, onStay: () => setAsked(false), onLeave: leave }
  const key = `${session?.user?.username ?? ''}:${initial.post?.id ?? initial.candidateId ?? 'new'}`

  return (
    <Modal
      opened={opened}
      onClose={close}
      title={initial.post ? 'Edit the post' : 'New post'}
      size="lg"
      fullScreen={phone}
    >
      {role === 'visitor' ? (
        <MembersOnly what="write posts" />
      ) : (
        <Composer key={key} name={key} initial={initial} timezone={timezone} leaving={leaving} dirty={dirty} />
      )}
    </Modal>
  )
}

// The library returns the focus when `opened` becomes false. A page that unmounts the dialog needs this
// hook instead.
function useFocusBack(opened: boolean) {
  const [opener] = useState(() => (opened ? document.activeElement : null))
  useEffect(
    () => () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    },
    [opener],
  )
}

type ComposerProps = {
  name: string
  initial: Composed
  timezone: string
  leaving: Leaving
  dirty: RefObject<boolean>
}

function Composer({ name, initial, timezone, leaving, dirty }: ComposerProps) {
  // As it was when the dialog opened, even if the page has a newer version
  const [post, setPost] = useState(initial.post)
  const start = post ? { content: post.content, version: post.version } : { content: initial.content ?? '' }
  const draft = useDraft(name, start)
  useEffect(() => {
    dirty.current = draft.dirty
    return () => {
      dirty.current = false
    }
  }, [dirty, draft.dirty])

  if (post === undefined) {
    const { day, candidateId } = initial
    return <NewPost draft={draft} leaving={leaving} day={day} candidateId={candidateId} timezone={timezone} />
  }
  function takeTheirs(theirs: Post) {
    setPost(theirs)
    draft.forget()
    draft.set({ content: theirs.content, version: theirs.version })
  }
  const rest = { draft, leaving, timezone, onTakeTheirs: takeTheirs }
  return <EditPost key={post.version} post={post} {...rest} />
}
