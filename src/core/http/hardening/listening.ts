import { lookup } from 'node:dns/promises';
import type { Server } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/** The one name that browsers and tools reach by either address: IPv4 and IPv6. */
const LOOPBACK = 'localhost';
/** Where that name cannot be resolved. */
const LOOPBACK_ADDRESS = '127.0.0.1';

/**
 * Listens at a host. For `localhost`, Fastify would make a second server, which has none of what is installed on the first:
 * limits of sockets, refusals in the envelope, the drain at a stop. Here the first server serves both addresses.
 * @param warn called with an address of `localhost` that is not available, if another one is
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

/** Has a listening server take the connections of a further address, at its port. Both close together. */
export async function listenToo(server: Server, address: string): Promise<void> {
  // As Node's HTTP server accepts its own connections.
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen((server.address() as AddressInfo).port, address, () => {
      listener.off('error', reject);
      resolve();
    });
  });
  // Not at the event of the first: that comes when its last connection has ended, and until then this one would take more.
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
