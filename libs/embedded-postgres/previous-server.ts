import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterPlaces } from './cluster';
import { codeOf, DataDirectoryInUseError } from './errors';
import { removeSocket } from './socket-folder';

const POLL_MILLISECONDS = 25;

/** A server outlived its gateway: how long to wait for its end after each step, in milliseconds. */
const STEPS: readonly { milliseconds: number; signal?: NodeJS.Signals }[] = [
  // Its guard has already asked for a fast shutdown.
  { milliseconds: 5_000 },
  // The guard was killed too.
  { signal: 'SIGINT', milliseconds: 15_000 },
  // An immediate shutdown: the next start recovers from the log.
  { signal: 'SIGQUIT', milliseconds: 5_000 },
];

/**
 * Waits for the end of the server that a killed gateway left in the cluster, and removes its pid file and its socket if it
 * was killed as well. PostgreSQL alone would refuse to start if the number in those files now belongs to any process of
 * the same user, as happens in containers, where numbers are few. The caller holds the lock of the data directory.
 * @param stopping aborts the wait; rejects with its reason
 * @throws DataDirectoryInUseError if the server does not end
 */
export async function awaitPreviousServer(
  places: ClusterPlaces,
  log: (line: string) => void,
  stopping?: AbortSignal,
): Promise<void> {
  for (const { signal, milliseconds } of STEPS) {
    const pid = await findServer(places);
    if (signal && pid !== undefined) send(pid, signal);
    const deadline = performance.now() + milliseconds;
    let announced = false;
    while (await isAlive(places)) {
      if (performance.now() > deadline) break;
      if (!announced) log('Waiting for the embedded PostgreSQL of an earlier process to shut down');
      announced = true;
      await delay(POLL_MILLISECONDS, undefined, { signal: stopping });
    }
    if (!(await isAlive(places))) {
      await rm(places.pidFile, { force: true });
      await removeSocket(places.cluster);
      return;
    }
  }
  throw new DataDirectoryInUseError(places.dataDir);
}

async function isAlive(places: ClusterPlaces): Promise<boolean> {
  return (await hasReader(places.livenessPipe)) || (await findServer(places)) !== undefined;
}

/**
 * The liveness pipe is a named pipe that every process of the server inherits, open. Opening it for writing without
 * waiting fails with ENXIO if no process has it open for reading: `fifo(7)`. Unlike a pid, this also covers processes in
 * another container, and those that a killed postmaster leaves behind.
 */
async function hasReader(livenessPipe: string): Promise<boolean> {
  try {
    const pipe = await open(livenessPipe, constants.O_WRONLY | constants.O_NONBLOCK);
    await pipe.close();
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENXIO' || code === 'ENOENT') return false;
    throw error;
  }
}

/** The pid in the pid file, if that is a process of this cluster: a server's working directory is its cluster. */
async function findServer({ pidFile, cluster }: ClusterPlaces): Promise<number | undefined> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  if (!(pid > 1) || pid === process.pid) return undefined;
  try {
    if (process.platform === 'linux') return (await isSame(`/proc/${pid}/cwd`, cluster)) ? pid : undefined;
    const command = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
    return command.includes(cluster) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Compares inodes, not names: the server may run in its own mount namespace. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([stat(one), stat(other)]);
  return first.dev === second.dev && first.ino === second.ino;
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended on its own.
  }
}
