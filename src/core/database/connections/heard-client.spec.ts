import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { GatewayPool } from './gateway-pool';
import { HeardClient } from './heard-client';

/** A message of PostgreSQL's protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const GOODBYE = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

describe(HeardClient.name, () => {
  let server: Server;
  let pool: GatewayPool;

  /** The server says that it is ready, and goodbye, in one packet: a busy process reads both at once. */
  beforeEach(async () => {
    server = createServer((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, GOODBYE])));
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `postgres://gateway@127.0.0.1:${(server.address() as AddressInfo).port}/gateway`;
    pool = new GatewayPool({ connectionString: url });
  });

  afterEach(async () => {
    await pool.end();
    server.close();
  });

  it('survives a server that ends the connection while the pool hands it out', async () => {
    const client = await pool.connect();
    await expect(client.query('SELECT 1')).rejects.toThrow(/not queryable/);
    client.release(true);
  });
});
