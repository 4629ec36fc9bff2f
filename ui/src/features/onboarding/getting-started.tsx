import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { Loaded } from '@/components/loaded'
import { Section } from '@/components/section'

import { CompletedNote } from './completed-note'
import { Confetti } from './confetti'
import classes from './getting-started.module.css'
import { PartnershipDialog } from './partnership'
import { type Kind, type Onboarding, onboardingQuery } from './queries'
import { StartItem } from './start-item'
import { TourDialog } from './tour'
import { useCelebration } from './use-celebration'
import { isWelcomeSeen, noteWelcomeSeen } from './welcome-seen'

type Props = {
  memberId: string
  credits: number | undefined
  /** This is the member's first visit. */
  welcome: boolean
  onWelcomed: () => void
}

/** A member's first steps: the tour and the questionnaire. */
export function GettingStarted(props: Props) {
  const onboarding = useQuery(onboardingQuery)
  return (
    <Section title="Getting started">
      <Loaded query={onboarding} what="your first steps" loading={<Skeleton h={120} aria-busy="true" />}>
        {(data) => <FirstSteps {...props} onboarding={data} />}
      </Loaded>
    </Section>
  )
}

function FirstSteps({ memberId, credits, welcome, onWelcomed, onboarding }: Props & { onboarding: Onboarding }) {
  const { tour, partnership } = onboarding
  const [opened, setOpened] = useState<Kind | null>(() =>
    welcome && !tour.completed && !isWelcomeSeen(memberId) ? 'tour' : null,
  )

  function close() {
    setOpened(null)
    if (welcome) onWelcomed()
  }

  const { finishing, celebrating, notice } = useCelebration((kind) => {
    if (kind === 'tour') noteWelcomeSeen(memberId)
    close()
  })

  return (
    <>
      <CompletedNote completed={notice} />
      <ul className={classes.list}>
        <StartItem kind="tour" progress={tour} onOpen={() => setOpened('tour')} />
        <StartItem kind="partnership" progress={partnership} onOpen={() => setOpened('partnership')} />
      </ul>
      <TourDialog
        opened={opened === 'tour'}
        onClose={close}
        memberId={memberId}
        credits={credits}
        reward={tour.reward}
        start={whereToGoOn(tour)}
        finish={finishing('tour')}
      />
      <PartnershipDialog
        opened={opened === 'partnership'}
        onClose={close}
        memberId={memberId}
        start={whereToGoOn(partnership)}
        finish={finishing('partnership')}
      />
      {celebrating && <Confetti />}
    </>
  )
}

// A completed one starts at the beginning again.
const whereToGoOn = ({ answers, step, completed }: Onboarding[Kind]) => ({ answers, step: completed ? 1 : step })
