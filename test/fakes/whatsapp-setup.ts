import { WhatsAppFailure } from './whatsapp-types';

/** The Graph API's data about token, app and business account: https://developers.facebook.com/docs/graph-api/reference */
export class WhatsAppSetup {
  readonly appId = '670843887433847';
  readonly businessAccountId = '102290129340398';
  /** Unix seconds; 0: never. */
  tokenExpiresAt = 0;
  scopes = ['whatsapp_business_management', 'whatsapp_business_messaging'];
  /** The fields to which the app is subscribed; undefined: no subscription. */
  appFields: string[] | undefined = ['messages'];
  /** The apps that the business account notifies. */
  accountApps = [this.appId];
  /** False: like a compatible server that has only messages and the phone number. */
  isTold = true;

  constructor(
    private readonly account: {
      readonly accessToken: string;
      readonly phoneNumberId: string;
      readonly appSecret: string;
    },
  ) {}

  /** @returns undefined for other paths */
  answer(path: string, authorization: string | undefined, query: URLSearchParams): Record<string, unknown> | undefined {
    if (!this.isTold) return undefined;
    const { accessToken, phoneNumberId, appSecret } = this.account;
    if (path === `${this.appId}/subscriptions`) {
      if (authorization !== `Bearer ${this.appId}|${appSecret}`)
        throw new WhatsAppFailure(400, 190, 'Invalid OAuth access token signature.');
      const fields = this.appFields?.map((name) => ({ name, version: 'v26.0' }));
      return { data: fields ? [{ object: 'whatsapp_business_account', active: true, fields }] : [] };
    }
    if (authorization !== `Bearer ${accessToken}`) return undefined;
    if (path === 'debug_token') return { data: this.#debugged(query.get('input_token') === accessToken) };
    if (path === `${this.businessAccountId}/phone_numbers`) return { data: [{ id: phoneNumberId }] };
    if (path === `${this.businessAccountId}/subscribed_apps`)
      return { data: this.accountApps.map((id) => ({ whatsapp_business_api_data: { id, name: 'Gateway' } })) };
    return undefined;
  }

  #debugged(isValid: boolean): Record<string, unknown> {
    if (!isValid) return { is_valid: false, scopes: [] };
    return {
      app_id: this.appId,
      type: 'SYSTEM_USER',
      is_valid: true,
      expires_at: this.tokenExpiresAt,
      scopes: this.scopes,
      granular_scopes: this.scopes.map((scope) => ({ scope, target_ids: [this.businessAccountId] })),
    };
  }
}
