import { DEFAULT_ACCOUNT, type AccountKey, type Environment, type Platform } from '#contracts';

/** The account that the environment makes, as rows name it. */
export function accountOf(environment: Environment, platform: Platform): AccountKey {
  return { environment, platform, account: DEFAULT_ACCOUNT };
}
