import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Above the ports of well-known services, below the ephemeral ports (from 32768 on Linux). */
const LOWEST = 10_000;
const HIGHEST = 32_000;
const TRIES = 20;

/**
 * A free port of 127.0.0.1 for a server that stops and restarts. Meanwhile no connection and no `listen(0)` of another
 * worker gets this port.
 */
export async function lastingPort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const server = createServer();
    try {
      server.listen(randomInt(LOWEST, HIGHEST), '127.0.0.1');
      await once(server, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tries === TRIES) throw error;
      continue;
    }
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
  }
}
