import type { FormFile } from './form-body';

export interface DiscordUser {
  id: string;
  username: string;
  global_name: string | null;
  bot?: boolean;
}

export interface DiscordChannel {
  id: string;
  /** 0: text channel of a guild, 1: direct message. */
  type: 0 | 1;
  name?: string;
  guild_id?: string;
  recipients?: DiscordUser[];
}

export interface DiscordMessage extends Record<string, unknown> {
  id: string;
  channel_id: string;
  author: DiscordUser;
  content: string;
  nonce?: string;
}

/** A message of the bot that Discord accepted. */
export interface SentDiscordMessage {
  message: DiscordMessage;
  /** The text as the recipient sees it. */
  text: string;
  formatted: boolean;
  body: Record<string, unknown>;
  files: FormFile[];
}

export interface ReceivedDiscordText {
  text: string;
  /** The author. The message is direct, unless `channelId` names a guild channel. */
  userId: string;
  channelId?: string;
  username?: string;
  mentionsBot?: boolean;
  /** The id of the message that this one answers. */
  replyTo?: string;
  extra?: Record<string, unknown>;
}
