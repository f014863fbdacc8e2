import type { LiveEvent, LiveState } from './live-event';

interface Parts {
  /** Reads the stream until it ends. Resolves with whether to try again. */
  read: (signal: AbortSignal) => Promise<boolean>;
  onEvent: (event: LiveEvent) => void;
  onState: (state: LiveState) => void;
}

export interface SharedStream {
  publish(event: LiveEvent): void;
  publishState(state: LiveState): void;
  close(): void;
}

type Told = { event: LiveEvent } | { state: LiveState } | { ask: true };

/** Pause after a stream ended, before a tab tries to read it again, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * One tab reads the stream and passes events to the others. When it closes, another tab takes over. Pages over plain HTTP have
 * no locks, so each tab reads its own stream.
 */
export function shareAmongTabs(key: string, { read, onEvent, onState }: Parts): SharedStream {
  const closing = new AbortController();
  const { signal } = closing;
  let channel: BroadcastChannel | undefined;
  let isReading = false;
  let current: LiveState = 'connecting';

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel of one origin has no other receivers
  const tell = (told: Told) => channel?.postMessage(told);

  const lead = async () => {
    isReading = true;
    const again = await read(signal);
    isReading = false;
    if (!again) return closing.abort();
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  };

  const listen = (name: string) => {
    channel = new BroadcastChannel(name);
    channel.addEventListener('message', ({ data }: MessageEvent<Told>) => {
      if ('event' in data) onEvent(data.event);
      else if ('state' in data) onState(data.state);
      else if (isReading) tell({ state: current });
    });
    tell({ ask: true });
  };

  const run = async () => {
    const name = isSecureContext ? await nameOf(key) : undefined;
    if (name !== undefined && !signal.aborted) listen(name);
    while (!signal.aborted) {
      if (name === undefined) await lead();
      else await navigator.locks.request(name, { signal }, lead);
    }
  };
  // `close` aborts the wait for the lock, which rejects.
  run().catch(() => undefined);

  return {
    publish: (event) => tell({ event }),
    publishState: (state) => {
      current = state;
      tell({ state });
    },
    close: () => {
      closing.abort();
      channel?.close();
      channel = undefined;
    },
  };
}

/** Tabs with the same key find each other by the key's digest, so that the key itself stays in session storage. */
async function nameOf(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return `gateway-events-${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
