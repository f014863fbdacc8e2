import { chromium, type Browser } from 'playwright-core';

/** The path of Debian's package, unless CHROMIUM_PATH is set. */
export const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

export function launchChromium(): Promise<Browser> {
  // Chromium's sandbox needs rights that containers do not give, and Chromium refuses it to root.
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** A script that signs in before the page loads, with scope `*`. */
export function signedInWith(key: string): string {
  const environment = key.startsWith('service_sk_test_') ? 'test' : 'live';
  const session = JSON.stringify({ keys: { [environment]: key }, environment, scopes: { [environment]: ['*'] } });
  return `sessionStorage.setItem('gateway.session', ${JSON.stringify(session)})`;
}
