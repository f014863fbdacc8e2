/** Equal to the version in package.json. */
export const VERSION = '1.0.0';

const { process } = globalThis as { process?: { versions?: { node?: string } } };
const node = process?.versions?.node;

/** Undefined in browsers: they send their own, and CORS refuses another one. */
export const USER_AGENT = node && `messaging-gateway-client/${VERSION} node/${node}`;
