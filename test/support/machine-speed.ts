import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

const RUNS = 5;
const ROUNDS = 10_000;
/** CPU time of a run on the machine where the goals were set: two cores, nothing else running. */
const REFERENCE_MS = 130;

/**
 * How many times the CPU time of the reference this machine needs now for small writes and reads of a socket, which is most of what an
 * idle gateway does. The fastest run counts: the first ones also compile.
 */
export async function machineSlowness(): Promise<number> {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) times.push(await cpuOf(socket));
  socket.destroy();
  server.close();
  return Math.max(1, Math.min(...times) / REFERENCE_MS);
}

async function cpuOf(socket: Socket): Promise<number> {
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) {
    socket.write('x'.repeat(200));
    await once(socket, 'data');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
