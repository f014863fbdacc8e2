import { ApplicationFlagsBitField, DiscordAPIError } from 'discord.js';
import { type DoctorFinding, finding, healthy } from '#contracts';
import { DiscordApi } from './discord-api';
import { faultOf } from './discord-errors';
import { DISCORD_TIMINGS, type DiscordOptions } from './discord.options';

const { GatewayMessageContent, GatewayMessageContentLimited } = ApplicationFlagsBitField.Flags;

/** Asks Discord for the gateway's address and for the intents of the application; logs in nowhere. */
export async function diagnoseDiscord(options: DiscordOptions, signal: AbortSignal): Promise<DoctorFinding[]> {
  const api = new DiscordApi(options, DISCORD_TIMINGS, () => undefined);
  try {
    const { session_start_limit: identifies } = await api.gatewayBot(signal);
    const flags = await api.applicationFlags(signal).catch(unknownRoute);
    if (flags !== undefined && (flags & (GatewayMessageContent | GatewayMessageContentLimited)) === 0)
      return [finding('discord.intents', 'Message Content Intent is off')];
    const intents = flags === undefined ? 'its intents are unknown' : 'it may read messages';
    return [healthy('discord', `Discord knows the bot, ${intents}, ${identifies.remaining} logins left`)];
  } catch (error) {
    return [refusal(error)];
  } finally {
    await api.close();
  }
}

/** Undefined on servers that leave it out. */
function unknownRoute(error: unknown): undefined {
  if (!(error instanceof DiscordAPIError) || error.status !== 404) throw error;
}

function refusal(error: unknown): DoctorFinding {
  if (error instanceof DiscordAPIError && error.status === 401)
    return finding('discord.token-refused', 'Discord refuses the bot token');
  return finding('discord.unreachable', faultOf(error).message);
}
