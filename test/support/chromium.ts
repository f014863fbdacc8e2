import { chromium, type Browser } from 'playwright-core';

/** Debian's package; CHROMIUM_PATH names another. */
export const CHROMIUM = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

export function launchChromium(): Promise<Browser> {
  // Chromium's own sandbox needs rights that a container does not give; root has none at all.
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** A script that signs a page in before it loads. Its keys may do everything. */
export function signedInWith(key: string): string {
  const environment = key.startsWith('service_sk_test_') ? 'test' : 'live';
  const session = JSON.stringify({ keys: { [environment]: key }, environment, scopes: { [environment]: ['*'] } });
  return `sessionStorage.setItem('gateway.session', ${JSON.stringify(session)})`;
}
