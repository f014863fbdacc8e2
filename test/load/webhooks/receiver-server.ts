import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Takes whatever is posted to it. */
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume().on('end', () => response.end());
});
server.listen(0, '127.0.0.1', () => {
  console.log(`API http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
});
process.on('SIGTERM', () => process.exit(0));
