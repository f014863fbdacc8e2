import type { Environment } from './environments';

/** `service_sk_live_` or `service_sk_test_` and 32 letters or digits. */
export const API_KEY_FORM = /^service_sk_(?:live|test)_[A-Za-z0-9]{32}$/;
/** Includes any characters typed behind a key: a log must not show them either. */
const WITH_MORE = /service_sk_(live|test)_[A-Za-z0-9]{28,}([A-Za-z0-9]{4})/g;

export function isKey(text: string): boolean {
  return API_KEY_FORM.test(text);
}

export function environmentOfKey(key: string): Environment {
  return key.startsWith('service_sk_test_') ? 'test' : 'live';
}

/** `service_sk_live_…ab12`: the form that may be shown and logged. */
export function maskKey(environment: Environment, lastFour: string): string {
  return `service_sk_${environment}_…${lastFour}`;
}

export function maskKeys(text: string): string {
  return text.replaceAll(WITH_MORE, (_, environment: Environment, lastFour: string) => maskKey(environment, lastFour));
}
