import { faultsByField } from '../../../api/fault';
import type { Platform } from '../../../components/people/platform';

/** Name of a credential → its value. */
export type Credentials = Readonly<Record<string, string>>;

export const LONGEST_NAME = 50;

interface CredentialField {
  name: string;
  label: string;
  description: string;
  example: string;
  /** Shown while it is typed. */
  isPlain?: true;
}

const BOT_TOKEN = { name: 'bot_token', label: 'Bot token' };

export const CREDENTIAL_FIELDS: Readonly<Record<Platform, readonly CredentialField[]>> = {
  telegram: [{ ...BOT_TOKEN, description: 'From BotFather.', example: '7012345678:AAH9b3uX2Yk1s5Zc8vQ0…' }],
  discord: [{ ...BOT_TOKEN, description: 'From the page Bot of the developer portal.', example: 'MTE4NzQ1…' }],
  whatsapp: [
    {
      name: 'phone_number_id',
      label: 'Phone number ID',
      description: 'From API Setup. It is not the phone number.',
      example: '106540352242922',
      isPlain: true,
    },
    {
      name: 'business_account_id',
      label: 'WhatsApp Business Account ID',
      description: 'From API Setup. Templates need it.',
      example: '102290129340398',
      isPlain: true,
    },
    {
      name: 'verify_token',
      label: 'Verify token',
      description: 'Any text. You paste the same one at Meta in a moment.',
      example: 'a-text-of-my-own',
      isPlain: true,
    },
    { name: 'app_secret', label: 'App secret', description: 'From App settings › Basic.', example: '3f9c…' },
    {
      name: 'access_token',
      label: 'Access token',
      description: 'The permanent one of the system user.',
      example: 'EAA…',
    },
  ],
};

/** Without spaces around values, which copying adds, and without empty ones. */
export function filledIn(credentials: Credentials): Record<string, string> {
  const trimmed = Object.entries(credentials).map(([name, value]) => [name, value.trim()] as const);
  return Object.fromEntries(trimmed.filter(([, value]) => value !== ''));
}

/** Field (`name`, `bot_token`) → why the gateway or the platform refuses it, in plain words. */
export function accountFaults(error: unknown, platform: Platform): Record<string, string> {
  const faults = Object.entries(faultsByField(error));
  return Object.fromEntries(faults.map(([parameter, reason]) => [fieldOf(parameter, reason, platform), plain(reason)]));
}

/** A platform refuses its credentials as a whole. */
function fieldOf(parameter: string, reason: string, platform: Platform): string {
  if (parameter !== 'credentials') return parameter.replace(/^credentials\./, '');
  if (platform !== 'whatsapp') return BOT_TOKEN.name;
  return reason.includes('phone number id') ? 'phone_number_id' : 'access_token';
}

const WORDS: readonly (readonly [start: string, words: string])[] = [
  ['is missing', 'Fill this in.'],
  ['is required', 'Fill this in.'],
  ['must not be blank', 'Fill this in.'],
  ['are of a bot or number that already is', 'This bot or number is an account already.'],
  ['must be of the same bot or number', 'This is another bot or number. Connect it as an account of its own.'],
  ['is the name of another account', 'Another account of the platform has this name.'],
];

function plain(reason: string): string {
  const known = WORDS.find(([start]) => reason.startsWith(start));
  return known ? known[1] : reason.replace(/^are refused by the platform: /, '');
}
