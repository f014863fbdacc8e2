import type { Platform } from '../../../components/people/platform';
import { DISCORD_GUIDE } from './discord-guide';
import type { GuideStep } from './guide-step';
import { TELEGRAM_GUIDE } from './telegram-guide';
import { WHATSAPP_GUIDE } from './whatsapp-guide';

/** The steps at each platform before the credentials can be pasted. */
export const GUIDES: Readonly<Record<Platform, readonly GuideStep[]>> = {
  telegram: TELEGRAM_GUIDE,
  discord: DISCORD_GUIDE,
  whatsapp: WHATSAPP_GUIDE,
};

export const DURATIONS: Readonly<Record<Platform, string>> = {
  telegram: 'three minutes',
  discord: 'five minutes',
  whatsapp: 'half an hour',
};
