import type { Environment } from './environments';
import type { Platform } from './platforms';

/** The account that the variables of the environment make. */
export const DEFAULT_ACCOUNT = 'default';

/** One bot or number of a platform, as rows name it. */
export interface AccountKey {
  environment: Environment;
  platform: Platform;
  /** `DEFAULT_ACCOUNT`, or the UUID of an account that the API made. */
  account: string;
}

/** An account as other resources and events show it. */
export interface ShownAccount {
  id: string;
  name: string;
}

/** Longest name of an account, in characters. */
export const MAX_ACCOUNT_NAME = 50;

/** At most so many accounts in an environment. */
export const MOST_ACCOUNTS = 50;
