import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** The name that browsers and tools reach by either address, IPv4 or IPv6. */
const LOOPBACK = 'localhost';
/** If that name cannot be resolved. */
const LOOPBACK_ADDRESS = '127.0.0.1';

/**
 * Listens at a host. For `localhost`, Fastify would make a second server without anything that is installed on the first:
 * limits of sockets, refusals in the envelope, the drain at a stop. Here the first server serves both addresses.
 * @param warn called for an address of `localhost` that is not available, if another address is
 * @throws if it cannot listen at the host
 */
export async function listenAt(
  app: NestFastifyApplication,
  { host, port }: { host: string; port: number },
  warn: (line: string) => void,
): Promise<void> {
  const found = host === LOOPBACK ? await lookup(host, { all: true }).catch(() => []) : [];
  const [first = LOOPBACK_ADDRESS, ...others] = [...new Set(found.map(({ address }) => address))];
  await app.listen(port, host === LOOPBACK ? first : host);
  const server: Server = app.getHttpServer();
  for (const address of others) {
    await listenToo(server, address).catch((error: unknown) => warn(`Not listening at ${address}: ${String(error)}`));
  }
}

/** Makes a listening server accept connections at a further address, on its port. Both close together. */
export async function listenToo(server: Server, address: string): Promise<void> {
  // The options with which Node's HTTP server accepts connections.
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen((server.address() as AddressInfo).port, address, () => {
      listener.off('error', reject);
      resolve();
    });
  });
  // Not at the server's `close` event, which waits for its last connection: until then this listener would accept more.
  const close = server.close.bind(server);
  server.close = (done) => {
    let open = 2;
    const closed = (error?: Error) => {
      open -= 1;
      if (open === 0) done?.(error);
    };
    listener.close(() => closed());
    return close(closed);
  };
}
