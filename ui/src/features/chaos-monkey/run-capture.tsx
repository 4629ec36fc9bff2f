import { Anchor, Badge, Text, Title, VisuallyHidden } from '@mantine/core'

import { Moment } from '@/components/moment'

import { type Capture, failingText, judgement, momentName, opinionLine, pictureName } from './captures'
import classes from './run.module.css'

/** A screenshot, the checks that failed at its time, and the AI review, which did not see the checks. */
export function RunCapture({ capture }: { capture: Capture }) {
  const { path, takenAt } = capture
  return (
    <li className={classes.capture}>
      <Title order={3} fz="md">
        {momentName(capture)}
      </Title>
      <Picture capture={capture} />
      <Text size="sm" c="dimmed" className="wrap-anywhere">
        Page {path}, <Moment at={takenAt} />
      </Text>
      <Text size="sm" className="wrap-anywhere">
        {failingText(capture)}
      </Text>
      {hasPicture(capture) && <Said capture={capture} />}
    </li>
  )
}

const hasPicture = ({ picture }: Capture) => picture !== undefined && picture !== ''

function Picture({ capture }: { capture: Capture }) {
  const { picture, width, height, error } = capture
  if (!hasPicture(capture)) {
    return <div className={classes.missing}>{error || 'There is no picture, and nobody has said why.'}</div>
  }
  return (
    <Anchor href={picture} target="_blank" rel="noreferrer" className={classes.picture ?? ''}>
      <img src={picture} alt={pictureName(capture)} width={width} height={height} loading="lazy" />
      <VisuallyHidden>(the whole picture opens in a new tab)</VisuallyHidden>
    </Anchor>
  )
}

function Said({ capture }: { capture: Capture }) {
  const { text, color } = judgement(capture)
  return (
    <div>
      <Text size="sm" className="wrap-anywhere">
        {opinionLine(capture)} {capture.review}
      </Text>
      <Badge variant="outline" color={color} mt={6} className={classes.judgement ?? ''}>
        {text}
      </Badge>
    </div>
  )
}
