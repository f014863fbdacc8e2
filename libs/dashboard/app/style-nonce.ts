/** The gateway writes the nonce into the document. The content security policy allows `<style>` elements with it. */
export const STYLE_NONCE = document.querySelector<HTMLMetaElement>('meta[name=style-nonce]')!.content;

/** get-nonce reads it here, for the library that stops the page from scrolling behind a dialog. */
Object.assign(globalThis, { __webpack_nonce__: STYLE_NONCE });
