import type { MessageFlags } from 'discord.js';
import { PART, type Row } from './row';

type FlagRow = Row & { bit: number };

/** https://discord.com/developers/docs/resources/message#message-object-message-flags */
export const FLAGS = {
  Crossposted: { bit: 1, ...PART },
  IsCrosspost: { bit: 2, ...PART, form: 'a message of a followed channel' },
  SuppressEmbeds: { bit: 4, ...PART },
  SourceMessageDeleted: { bit: 8, becomes: 'change', form: 'the message of the followed channel is deleted' },
  Urgent: { bit: 16, ...PART },
  HasThread: { bit: 32, ...PART },
  Ephemeral: { bit: 64, ...PART },
  Loading: { bit: 128, becomes: 'counted', form: 'another bot will write its answer here' },
  FailedToMentionSomeRolesInThread: { bit: 256, ...PART },
  ShouldShowLinkNotDiscordWarning: { bit: 1_024, ...PART },
  SuppressNotifications: { bit: 4_096, ...PART },
  IsVoiceMessage: { bit: 8_192, becomes: 'message', form: '[voice message]' },
  HasSnapshot: { bit: 16_384, becomes: 'message', form: '[forwarded] the words of the forwarded message' },
  IsComponentsV2: { bit: 32_768, becomes: 'message', form: 'the words of its components' },
} as const satisfies Readonly<Record<keyof typeof MessageFlags, FlagRow>>;

export function hasFlag({ flags }: { flags?: number }, name: keyof typeof FLAGS): boolean {
  return ((flags ?? 0) & FLAGS[name].bit) !== 0;
}
