import { stopFakes } from '../fakes/started-fakes';

/** Longer than it takes to end a gateway's process and its database. */
const TIMEOUT_MS = 60_000;

/** Run after the last test of a spec file, in this order. */
const cleanups = { gateways: [] as Cleanup[], fakes: [stopFakes] as Cleanup[], databases: [] as Cleanup[] };

type Cleanup = () => Promise<unknown>;

export function afterSpec(what: keyof typeof cleanups, cleanup: Cleanup): void {
  cleanups[what].push(cleanup);
}

afterAll(async () => {
  for (const cleanup of Object.values(cleanups).flat()) await cleanup();
}, TIMEOUT_MS);
