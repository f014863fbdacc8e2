/** Where platforms reach the gateway: `PUBLIC_URL`, else the address in the browser. Without a slash at the end. */
export const publicAddress = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name=public-url]')?.content || location.origin;
