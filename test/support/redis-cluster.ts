import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { eventually } from './eventually';
import { lastingPort } from './lasting-port';
import { startRedis, type TestRedis } from './redis';

const NODES = 3;
const SLOTS = 16_384;

export interface ClusterNode extends TestRedis {
  readonly client: Redis;
}

export interface RedisCluster {
  /** Each node serves a third of the slots. */
  readonly nodes: readonly ClusterNode[];
  stop(): Promise<void>;
}

/** A throw-away Redis Cluster of three nodes without replicas, on 127.0.0.1. It needs a redis-server on PATH. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-redis-cluster-'));
  const servers: TestRedis[] = [];
  const ports: [number, number][] = [];
  for (let index = 0; index < NODES; index++) {
    const [port, bus] = [await lastingPort(), await lastingPort()];
    const file = join(folder, `${index}.conf`);
    // When one node dies, the others still serve their own slots.
    const settings = [
      '--cluster-enabled',
      'yes',
      '--cluster-require-full-coverage',
      'no',
      '--cluster-port',
      `${bus}`,
      '--cluster-config-file',
      file,
    ];
    servers.push((await startRedis(port, settings))!);
    ports.push([port, bus]);
  }
  // `disconnect()` of ioredis otherwise waits longer for a connection that its server has closed. In milliseconds.
  const options = { disconnectTimeout: 100 };
  const nodes = servers.map((server) => ({ ...server, client: new Redis(server.url, options) }));
  for (const [index, { client }] of nodes.entries()) {
    const [from, to] = [index, index + 1].map((third) => Math.floor((third * SLOTS) / NODES));
    await client.cluster('ADDSLOTSRANGE', from!, to! - 1);
    const [port, bus] = ports[index]!;
    await nodes[0]!.client.call('CLUSTER', 'MEET', '127.0.0.1', port, bus);
  }
  const stop = async () => {
    for (const { client } of nodes) client.disconnect();
    await Promise.all(servers.map((server) => server.stop()));
    await rm(folder, { recursive: true });
  };
  await eventually('every node sees the whole cluster', async () => {
    for (const { client } of nodes) {
      const info = await client.cluster('INFO');
      if (!info.includes('cluster_state:ok') || !info.includes(`cluster_size:${NODES}`)) throw new Error(info);
    }
  });
  return { nodes, stop };
}
