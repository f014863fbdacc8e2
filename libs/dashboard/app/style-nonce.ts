/** The gateway writes it into the document; the policy permits the `<style>` elements that carry it. */
export const STYLE_NONCE = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')!.content;

/** Where the library that holds the page still behind a dialog looks for it (get-nonce). */
Object.assign(globalThis, { __webpack_nonce__: STYLE_NONCE });
