import { Box, Button, Group, Modal, Text } from '@mantine/core'
import { type KeyboardEvent, useState } from 'react'

import type { VerificationShot } from '@/api/verification'

import classes from './picture.module.css'

type Props = {
  src: string
  alt: string
  shot: Pick<VerificationShot, 'width' | 'height'>
  opened: boolean
  onClose: () => void
}

/** A screenshot in a dialog, at a selectable scale. */
export function Zoom({ opened, onClose, ...picture }: Props) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      fullScreen
      title={picture.alt}
      classNames={{ body: classes.zoomBody ?? '' }}
    >
      <Zoomed {...picture} />
    </Modal>
  )
}

// 0 fits the image into the window.
const scales = [0, 0.5, 1, 1.5, 2, 3]

function Zoomed({ src, alt, shot: { width, height } }: Omit<Props, 'opened' | 'onClose'>) {
  const [scale, setScale] = useState(0)
  const step = (by: number) => setScale((now) => scales[scales.indexOf(now) + by] ?? now)

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === '+') step(1)
    if (event.key === '-') step(-1)
    if (event.key === '0') setScale(0)
    if (event.key === '1') setScale(1)
  }

  return (
    <Box className={classes.zoomed ?? ''} onKeyDown={onKeyDown}>
      <Group gap="xs" role="group" aria-label="Size">
        <Button
          size="xs"
          variant={scale === 0 ? 'filled' : 'default'}
          aria-pressed={scale === 0}
          onClick={() => setScale(0)}
        >
          Fit
        </Button>
        <Button
          size="xs"
          variant={scale === 1 ? 'filled' : 'default'}
          aria-pressed={scale === 1}
          onClick={() => setScale(1)}
        >
          100 %
        </Button>
        <Button size="xs" variant="default" onClick={() => step(-1)}>
          Smaller
        </Button>
        <Button size="xs" variant="default" onClick={() => step(1)}>
          Larger
        </Button>
        <Text size="sm" className="numbers" role="status">
          {scale === 0 ? 'Fits the window' : `${scale * 100} %`}
        </Text>
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must reach it */}
      <section className={classes.canvas} aria-label="The picture; arrows scroll it" tabIndex={0} data-autofocus>
        <img src={src} alt={alt} width={width} height={height} style={sizeOf(scale, width)} />
      </section>
    </Box>
  )
}

const sizeOf = (scale: number, width: number) =>
  scale === 0
    ? { maxWidth: '100%', maxHeight: '100%', width: 'auto', height: 'auto' }
    : { width: width * scale, height: 'auto' }
