/** Longer than it takes to end a gateway's process and its database. */
const TIMEOUT_MS = 60_000;

type Cleanup = () => Promise<void>;

const ofSpec: Cleanup[] = [];
const ofAll: Cleanup[] = [];

/** Ends, after the last test of each spec, what it left running. */
export function afterSpec(cleanup: Cleanup): void {
  ofSpec.push(cleanup);
}

/** Ends, after the last spec that shares these modules, what the specs share. See test/rooms/room.ts. */
export function afterAllSpecs(cleanup: Cleanup): void {
  ofAll.push(cleanup);
}

/** To be called where a spec is defined. */
export function cleanUpAfterSpec(): void {
  afterAll(() => run(ofSpec), TIMEOUT_MS);
}

async function run(cleanups: readonly Cleanup[]): Promise<void> {
  for (const cleanup of cleanups) await cleanup();
}

afterAll(async () => {
  await run(ofSpec);
  await run(ofAll);
}, TIMEOUT_MS);
