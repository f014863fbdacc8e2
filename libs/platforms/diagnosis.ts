import { type DoctorFinding, healthy, type Platform } from '#contracts';
import type { DiscordOptions } from './discord/discord.options';
import { diagnoseTelegram } from './telegram/diagnosis';
import type { TelegramOptions } from './telegram/telegram.options';
import { diagnoseWhatsApp } from './whatsapp/diagnosis';
import type { WhatsAppOptions } from './whatsapp/whatsapp.options';

export interface PlatformOptions {
  telegram: TelegramOptions;
  discord: DiscordOptions;
  whatsapp: WhatsAppOptions;
}

/** Asks a platform whether its credentials and set-up are right. Never rejects because of the platform's answers. */
export type Diagnosis = (options: PlatformOptions, signal: AbortSignal) => Promise<DoctorFinding[]>;

/** The compiler refuses a platform without an entry. */
export const DIAGNOSES: Readonly<Record<Platform, Diagnosis>> = {
  telegram: ({ telegram }, signal) => diagnoseTelegram(telegram, signal),
  whatsapp: ({ whatsapp }, signal) => diagnoseWhatsApp(whatsapp, signal),
  discord: async ({ discord }, signal) => {
    if (!discord.token) return [healthy('discord', 'not configured: DISCORD_BOT_TOKEN is not set')];
    // discord.js costs 80 MB and most of a second, so it is loaded only with a Discord bot.
    const { diagnoseDiscord } = await import('./discord/diagnosis.js');
    return diagnoseDiscord(discord, signal);
  },
};
