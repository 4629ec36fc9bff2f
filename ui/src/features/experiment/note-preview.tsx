import { Box, Button, VisuallyHidden } from '@mantine/core'
import { useId, useState } from 'react'

import classes from './experiment.module.css'
import { Markdown } from './markdown'

/** An optional preview of a note. */
export function NotePreview({ text }: { text: string }) {
  const [isShown, setShown] = useState(false)
  const id = useId()
  return (
    <div>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? 'Hide the preview' : 'Preview'}
      </Button>
      <Box id={id} role="group" aria-label="Preview" className={classes.preview ?? ''} hidden={!isShown}>
        {isShown && (
          <>
            <VisuallyHidden component="h3">Preview</VisuallyHidden>
            <Markdown text={text} />
          </>
        )}
      </Box>
    </div>
  )
}
