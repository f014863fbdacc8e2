import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toPublicId } from '#contracts';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { content, sha256, upload } from '../../support/media';
import { png } from '../../support/png';
import { RawClient } from '../../support/raw-client';

/** More than the buffers of a connection hold. */
const BYTES = 20_000_000;
const LIMIT_MS = 3_000;

const telegram = new TelegramFake();
const gateway = useGateway({ telegram });

/** A client that reads slowly has begun a download. @returns its connection, as the gateway has it */
async function begin(id: string, key: string): Promise<Socket> {
  const accepted = once(gateway.app.getHttpServer(), 'connection') as Promise<[Socket]>;
  const client = new RawClient(gateway.url, { reads: false });
  const [connection] = await accepted;
  client.write(
    `GET /api/v1/attachments/${id}/content HTTP/1.1`,
    'Host: gateway',
    `Authorization: Bearer ${key}`,
    '',
    '',
  );
  await eventually('the download is in progress', () => expect(connection.bytesWritten).toBeGreaterThan(100_000));
  void readSlowly(client, connection);
  return connection;
}

async function readSlowly({ socket }: RawClient, connection: Socket): Promise<void> {
  while (!connection.destroyed) {
    socket.read(16_384);
    await sleep(50);
  }
  socket.destroy();
}

/** @returns after how many milliseconds the gateway has ended the connection */
async function endOf(connection: Socket, change: () => Promise<unknown>): Promise<number> {
  await change();
  const startedAt = performance.now();
  if (!connection.destroyed) await once(connection, 'close', { signal: AbortSignal.timeout(20_000) });
  return performance.now() - startedAt;
}

describe('A download in progress', () => {
  it('ends when its key is revoked, while another one continues', async () => {
    const bytes = png(1, 1, BYTES);
    const { id } = (await upload(gateway, bytes)).body.data;
    const key = await gateway.createKey({ scopes: ['read:messages'] });
    const [row] = await gateway.sql<{ id: string }>('SELECT id FROM api_keys WHERE last_four = $1', [key.slice(-4)]);
    const revoked = await begin(id, key);
    const other = await begin(id, gateway.liveKey);
    const path = `/admin/api-keys/${toPublicId('api_key', row!.id)}`;
    expect(await endOf(revoked, () => gateway.api('DELETE', path))).toBeLessThan(LIMIT_MS);
    expect(other.destroyed).toBe(false);
    other.destroy();
    expect(sha256((await content(gateway, id)).bytes)).toBe(sha256(bytes));
  });

  it('ends when its key expires', async () => {
    const { id } = (await upload(gateway, png(2, 1, BYTES))).body.data;
    const lifeMs = 4_000;
    const key = await gateway.createKey({ scopes: ['read:messages'], expiresAt: new Date(Date.now() + lifeMs) });
    const connection = await begin(id, key);
    expect(await endOf(connection, () => Promise.resolve())).toBeLessThan(lifeMs + LIMIT_MS);
  });

  it('ends when the conversation of the file is erased', async () => {
    const bytes = png(3, 1, BYTES - 1);
    const document = { file_id: telegram.addFile(bytes), file_unique_id: 'd', file_name: 'large.png' };
    telegram.receiveContent(700, { document, caption: 'large' });
    const found = await eventually('the file is stored', async () => {
      const rows = await gateway.sql<{ id: string; conversation_id: string }>(
        `SELECT a.id, m.conversation_id FROM attachments a JOIN messages m ON m.id = a.message_id
         WHERE a.status = 'stored' AND a.filename = 'large.png'`,
      );
      expect(rows).toHaveLength(1);
      return rows[0]!;
    });
    const connection = await begin(toPublicId('attachment', found.id), gateway.liveKey);
    const path = `/conversations/${toPublicId('conversation', found.conversation_id)}`;
    expect(await endOf(connection, () => gateway.api('DELETE', path))).toBeLessThan(LIMIT_MS);
  });
});
