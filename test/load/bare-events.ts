import { newUuid, toPublicId } from '#contracts';

/** As `insertEvents` reads it. */
export function eventRow(type: string, createdAt: Date, data: object, environment = 'test') {
  const id = newUuid(createdAt.getTime());
  const body = JSON.stringify({ id: toPublicId('event', id), type, created_at: createdAt.toISOString(), data });
  return { id, environment, type, body, created_at: createdAt };
}
