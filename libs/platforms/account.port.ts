import type { Platform } from '#contracts';
import type { ConnectionDetails, PlatformAdapter } from './platform.port';

/** Credentials of a bot or number, as the API takes them. */
export interface PlatformCredentials {
  telegram: { bot_token: string };
  discord: { bot_token: string };
  whatsapp: {
    access_token: string;
    phone_number_id: string;
    app_secret: string;
    verify_token: string;
    business_account_id?: string;
  };
}

/** An account that the API made. */
export interface OtherAccount<P extends Platform> {
  /** Its public id, which is the last part of its callback address. */
  id: string;
  credentials: PlatformCredentials[P];
}

/** Whom credentials are of. */
export interface AccountIdentity {
  /** The id of the bot or number at the platform. */
  externalId: string;
  details: ConnectionDetails;
}

/** The adapter of a platform that people use. It can make more of its kind, for other accounts. */
export interface LiveAdapter<P extends Platform = Platform> extends PlatformAdapter {
  /** The id of the bot or number, if the credentials tell it. */
  readonly externalId: string | undefined;
  /** The business account whose notices it gets (WhatsApp). */
  readonly businessAccountId?: string | undefined;
  /** An adapter with the same options for another account; the caller closes it. */
  another(account: OtherAccount<P>): Promise<LiveAdapter<P>>;
  /** Asks the platform whom the credentials are of. @throws ConnectionError; a fatal one if the platform refuses them */
  identity(signal: AbortSignal): Promise<AccountIdentity>;
  close(): Promise<void>;
}
