import { GatewayError, type MessagingGateway } from '#client';
import { Store } from '../store';
import type { LiveEvent, LiveState } from './live-event';
import { rememberIds } from './remember-ids';
import { shareAmongTabs, type SharedStream } from './shared-stream';

export interface LiveHandlers {
  /** The page may have missed events and must read its data again. */
  onGap: () => void;
  /** Called when the stream ends with an error code. @returns whether the code ends the session */
  onRefused: (code: string) => boolean;
}

type Listener = (event: LiveEvent) => void;

/** The live events of one key. Each event arrives once, also if another tab reads the stream. */
export class LiveEvents {
  readonly state = new Store<LiveState>('connecting');
  private readonly listeners = new Set<Listener>();
  private readonly isNew = rememberIds();
  private readonly shared: SharedStream;
  private lastId: string | undefined;

  constructor(
    private readonly gateway: MessagingGateway,
    key: string,
    private readonly handlers: LiveHandlers,
  ) {
    this.shared = shareAmongTabs(key, {
      read: (signal) => this.read(signal),
      onEvent: (event) => this.take(event),
      onState: (state) => this.state.set(state),
    });
  }

  readonly subscribe = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  close(): void {
    this.shared.close();
  }

  /** Reads the stream for all tabs until the signal aborts. @returns whether to try again: false if the key may not read it */
  private async read(signal: AbortSignal): Promise<boolean> {
    try {
      const options = { signal, onOpen: () => this.announce('live'), onInterrupted: () => this.announce('lost') };
      for await (const event of this.gateway.events.stream({ lastEventId: this.lastId }, options)) {
        this.take(event);
        this.shared.publish(event);
      }
      return true;
    } catch (error) {
      return signal.aborted || this.recover(error, signal);
    }
  }

  /** If the gateway no longer has the event after which to resume, starts a new stream. @returns whether to try again */
  private recover(error: unknown, signal: AbortSignal): Promise<boolean> | boolean {
    const isForgotten =
      error instanceof GatewayError && error.code === 'INVALID_PARAMETER' && this.lastId !== undefined;
    if (isForgotten) {
      this.lastId = undefined;
      this.handlers.onGap();
      return this.read(signal);
    }
    // An open stream ends with this error when the key is revoked, expires or loses a scope.
    if (error instanceof GatewayError && this.handlers.onRefused(error.code)) return false;
    const isRefused = error instanceof GatewayError && error.status === 403;
    this.announce(isRefused ? 'off' : 'lost');
    return !isRefused;
  }

  private take(event: LiveEvent): void {
    this.lastId = event.id;
    if (!this.isNew(event.id)) return;
    for (const listener of this.listeners) listener(event);
  }

  private announce(state: LiveState): void {
    this.state.set(state);
    this.shared.publishState(state);
  }
}
