declare global {
  var __webpack_nonce__: string | undefined
}

const nonce =
  typeof document === 'undefined'
    ? ''
    : (document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '')

// What holds the page still behind a dialog looks for it here.
globalThis.__webpack_nonce__ = nonce

/** The number that a style element has to name, by the policy of the answer that this page came with. */
export const styleNonce = () => nonce
