import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { signWebhookBody } from '#contracts';

const ORDERS: Readonly<Record<string, string>> = { 1042: 'ready at the counter', 1043: 'in the oven' };

/** The café's own software: it answers the calls of the tool `order_status`. */
export async function openOrderDesk(secret: string): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const wanted = Buffer.from(signWebhookBody(secret, body.toString()));
      const given = Buffer.from(String(request.headers['x-service-signature']));
      const isGenuine = given.length === wanted.length && timingSafeEqual(given, wanted);
      if (!isGenuine) return response.writeHead(401).end();
      const { order_id } = (JSON.parse(body.toString()) as { arguments: { order_id: string } }).arguments;
      const answer = JSON.stringify({ order_id, status: ORDERS[order_id] ?? 'unknown' });
      return response.setHeader('content-type', 'application/json').end(answer);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close().closeAllConnections() };
}
