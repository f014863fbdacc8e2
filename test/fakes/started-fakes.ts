const started = new Map<object, () => Promise<unknown>>();

/** Registers a fake, so that test/support/cleanup.ts stops it after the spec. */
export function fakeStarted(fake: object, stop: () => Promise<unknown>): void {
  started.set(fake, stop);
}

export async function stopFakes(): Promise<void> {
  await Promise.all([...started.values()].map((stop) => stop()));
  started.clear();
}
