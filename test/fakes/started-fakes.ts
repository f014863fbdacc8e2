const started = new Map<object, () => Promise<unknown>>();

/** A test need not stop its fakes: `stopFakes` does, see test/support/cleanup.ts. */
export function fakeStarted(fake: object, stop: () => Promise<unknown>): void {
  started.set(fake, stop);
}

export async function stopFakes(): Promise<void> {
  await Promise.all([...started.values()].map((stop) => stop()));
  started.clear();
}
