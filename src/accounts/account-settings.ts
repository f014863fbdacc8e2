import type { AccountSettingsDto } from './dto/account-settings.dto';

export const GROUP_REPLIES = ['mentions', 'all', 'none'] as const;
export type GroupReplies = (typeof GROUP_REPLIES)[number];

/** What an account sets other than its environment; a missing field inherits. */
export interface AccountSettings {
  ai?: { auto_reply?: boolean; system_prompt?: string; model?: string };
  group_replies?: GroupReplies;
}

export function shownSettings({
  ai = {},
  group_replies: groupReplies = undefined,
}: AccountSettings): AccountSettingsDto {
  const { auto_reply = null, system_prompt = null, model = null } = ai;
  return { ai: { auto_reply, system_prompt, model }, group_replies: groupReplies ?? null };
}
