declare global {
  var __webpack_nonce__: string | undefined
}

const nonce =
  typeof document === 'undefined'
    ? ''
    : (document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '')

// react-remove-scroll, which locks the page behind a dialog, reads the nonce from here.
globalThis.__webpack_nonce__ = nonce

/** The style nonce of the response that this page came with. */
export const styleNonce = () => nonce
