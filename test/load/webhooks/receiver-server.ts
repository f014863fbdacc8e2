import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Arrival time of each event at each path, in Unix milliseconds. */
export type Arrivals = { event: string; path: string; at: number }[];

/** Posts to paths that begin with this get no answer. */
const TARPIT_PATH = '/tarpit';

let arrivals: Arrivals = [];

/** Accepts every post. `GET /` returns the arrivals since the last `GET /`. */
function main(): void {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const path = request.url ?? '/';
    if (request.method === 'GET') {
      response.end(JSON.stringify(arrivals));
      arrivals = [];
      return;
    }
    const at = performance.timeOrigin + performance.now();
    const event = request.headers['webhook-id'];
    request.resume().on('end', () => {
      if (path.startsWith(TARPIT_PATH)) return;
      if (typeof event === 'string') arrivals.push({ event, path, at });
      response.end();
    });
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`API http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
  });
  process.on('SIGTERM', () => process.exit(0));
}

main();
