import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Has a child process do its part when asked: `POST /?count=1000` answers when that many are done. */
export function listen(deliver: (count: number) => Promise<void>): void {
  const server = createServer((request, response) => {
    const count = Number(new URL(request.url ?? '/', 'http://bench').searchParams.get('count'));
    deliver(count).then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`API http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
  });
  process.on('SIGTERM', () => process.exit(0));
}
