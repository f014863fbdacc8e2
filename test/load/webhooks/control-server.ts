import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Handles an order. @param numbers the query's parameters */
export type Order = (numbers: Readonly<Record<string, number>>) => Promise<unknown>;

/** Makes a child process carry out orders: `POST /deliver?count=1000` answers with the order's result, as JSON. */
export function listen(orders: Readonly<Record<string, Order>>): void {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://bench');
    const numbers = Object.fromEntries([...searchParams].map(([name, value]) => [name, Number(value)]));
    const order = orders[pathname.slice(1)] ?? (() => Promise.reject(new Error(`There is no ${pathname}`)));
    order(numbers).then(
      (result) => response.end(JSON.stringify(result ?? null)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`API http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
  });
  process.on('SIGTERM', () => process.exit(0));
}
