export const GROUP_REPLIES = ['mentions', 'all', 'none'] as const;
export type GroupReplies = (typeof GROUP_REPLIES)[number];

/** What an account sets other than its environment; a missing field inherits. */
export interface AccountSettings {
  ai?: { auto_reply?: boolean; system_prompt?: string; model?: string };
  group_replies?: GroupReplies;
}
