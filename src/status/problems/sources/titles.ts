import { PLATFORM_NAMES, type Environment, type Platform, type ShownAccount } from '#contracts';
import type { Accounts } from '../../../accounts/accounts.service';

/** The name of a platform. If it has several accounts, the concerned ones are named too. */
export function platformTitle(
  accounts: Accounts,
  environment: Environment,
  platform: Platform,
  concerned: readonly (ShownAccount | undefined)[],
): string {
  // A later version may have stored another platform.
  const title = PLATFORM_NAMES[platform] ?? platform;
  if (accounts.of({ environment, platform }).length < 2) return title;
  const names = [...new Set(concerned.flatMap((account) => account?.name ?? []))];
  return names.length === 0 ? title : `${title} (${names.join(', ')})`;
}

/** A sentence that continues another one after a colon. */
export function inSentence(sentence: string): string {
  if (Object.values(PLATFORM_NAMES).some((name) => sentence.startsWith(name))) return sentence;
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
