import type { APIUser } from 'discord.js';
import type { Participant } from '../../platform.port';

/** A quoted author may have only an id. */
export function ofUser({ id, global_name, username }: Pick<APIUser, 'id'> & Partial<APIUser>): Participant {
  return { id, name: global_name ?? username ?? null, username: username ?? null };
}
