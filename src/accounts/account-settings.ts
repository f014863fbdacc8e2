export const GROUP_REPLIES = ['mentions', 'all', 'none'] as const;
export type GroupReplies = (typeof GROUP_REPLIES)[number];

/** The settings that an account overrides; a missing field inherits that of the environment. */
export interface AccountSettings {
  ai?: { auto_reply?: boolean; system_prompt?: string; model?: string; tools?: string[] };
  group_replies?: GroupReplies;
}

/** Null inherits; a missing field stays. */
export interface SettingsChanges {
  ai?: {
    auto_reply?: boolean | null;
    system_prompt?: string | null;
    model?: string | null;
    tools?: string[] | null;
  } | null;
  group_replies?: GroupReplies | null;
}

export function mergedSettings(current: AccountSettings, { ai, group_replies }: SettingsChanges): AccountSettings {
  const groups = group_replies === undefined ? current.group_replies : group_replies;
  const assistant = ai === null ? {} : withoutNulls({ ...current.ai, ...withoutUndefined(ai ?? {}) });
  return {
    ...(Object.keys(assistant).length > 0 && { ai: assistant }),
    ...(groups && { group_replies: groups }),
  };
}

function withoutNulls(values: Record<string, unknown>): NonNullable<AccountSettings['ai']> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));
}

function withoutUndefined(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
