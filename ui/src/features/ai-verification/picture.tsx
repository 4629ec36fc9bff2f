import { Text, UnstyledButton } from '@mantine/core'
import { useState } from 'react'

import type { VerificationShot } from '@/api/verification'

import classes from './picture.module.css'
import { Zoom } from './zoom'

type Size = Pick<VerificationShot, 'width' | 'height'>
type Props = { src: string; alt: string; shot: Size }

/** A screenshot that opens full size. Its space is reserved while it loads. */
export function Picture({ src, alt, shot }: Props) {
  const [opened, setOpened] = useState(false)
  return (
    <>
      <div className={classes.frame}>
        <UnstyledButton className={classes.open ?? ''} aria-label={`${alt}. Zoom`} onClick={() => setOpened(true)}>
          <Image key={src} src={src} alt={alt} shot={shot} />
        </UnstyledButton>
      </div>
      <Zoom src={src} alt={alt} shot={shot} opened={opened} onClose={() => setOpened(false)} />
    </>
  )
}

/** The image alone, or a message if it cannot be loaded. */
export function Image({ src, alt, shot: { width, height } }: Props) {
  const [lost, setLost] = useState(false)
  if (lost) return <Text size="sm">The picture could not be loaded. It may be kept no more.</Text>
  return (
    <img
      src={src}
      alt={alt}
      className={classes.picture}
      {...(width > 0 && height > 0 && { width, height })}
      onError={() => setLost(true)}
    />
  )
}
