import type { Platform } from '#contracts';
import { ApiError } from '../../core/http/lifecycle/api-error';

const REQUIRED: Readonly<Record<Platform, readonly string[]>> = {
  telegram: ['bot_token'],
  discord: ['bot_token'],
  whatsapp: ['access_token', 'phone_number_id', 'app_secret', 'verify_token'],
};
const OPTIONAL: Readonly<Record<Platform, readonly string[]>> = {
  telegram: [],
  discord: [],
  whatsapp: ['business_account_id'],
};

/** Why credentials cannot be of the platform. */
export function credentialsFault(platform: Platform, credentials: Record<string, string>): ApiError | undefined {
  const missing = REQUIRED[platform].find((name) => (credentials[name] ?? '') === '');
  if (missing) return new ApiError('MISSING_PARAMETER', { parameter: `credentials.${missing}` });
  const known = [...REQUIRED[platform], ...OPTIONAL[platform]];
  const unknown = Object.keys(credentials).find((name) => !known.includes(name));
  return unknown === undefined
    ? undefined
    : ApiError.invalidParameter(
        `credentials.${unknown}`,
        `is no credential of ${platform}; they are ${known.join(', ')}`,
      );
}

/** The id of the bot or number, if the credentials tell it. */
export function externalIdOf(platform: Platform, credentials: Record<string, string>): string | undefined {
  if (platform === 'whatsapp') return credentials['phone_number_id'] || undefined;
  const token = credentials['bot_token'] ?? '';
  if (platform === 'telegram') return /^(\d+):/.exec(token)?.[1];
  const id = Buffer.from(token.split('.')[0]!, 'base64').toString('latin1');
  return /^\d+$/.test(id) ? id : undefined;
}
