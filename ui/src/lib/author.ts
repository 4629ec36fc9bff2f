import type { Schemas } from '@/api/client'

/** The model or template that wrote a text. */
export const author = ({ model, template, prompt }: Schemas['Provenance']) =>
  template ? `the template ${model}, without AI` : `${model}, prompt ${prompt}`
