import type { LiveEvent, LiveState } from './live-event';

interface Parts {
  /** Reads the stream until it ends. Resolves to whether to try again. */
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

/** Pause before a tab whose stream ended tries again to be the one that reads it, in milliseconds. */
const RETRY_MS = 5_000;

/**
 * One tab reads the stream, and tells the others. When it closes, another takes over. A page over plain HTTP has no locks:
 * there each tab reads for itself.
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
  // Closing ends the wait for the lock.
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

/** The tabs of one key find each other by its digest: the key itself is in session storage alone. */
async function nameOf(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return `gateway-events-${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
