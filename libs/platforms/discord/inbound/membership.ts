import type { AccountNotice } from '../../platform.port';

/** The bot joined a server, or left it. */
export function membershipNotice(guild: { id: string; name: string | null }, isIn: boolean, at: Date): AccountNotice {
  const place = `the server ${guild.name ?? guild.id}`;
  return {
    kind: isIn ? 'added_to_group' : 'removed_from_group',
    severity: isIn ? 'info' : 'warning',
    message: isIn
      ? `The bot was added to ${place}.`
      : `The bot was removed from ${place}: it can no longer write there.`,
    data: { chat: { ...guild, username: null, type: 'guild' } },
    occurredAt: at,
  };
}
