/**
 * - `response`: answers with a status and a body; nothing takes effect.
 * - `hang`: takes the request and never answers; nothing takes effect.
 * - `hang_after`: it takes effect, but no answer comes.
 * - `drop_before`: closes the socket; nothing takes effect.
 * - `drop_after`: it takes effect, then the socket closes without an answer. The client cannot tell it from `drop_before`.
 * - `cut`: it takes effect, but the socket closes after half of the body.
 * - `drip`: it takes effect, but the body comes by single bytes.
 * - `truncate`: it takes effect, but half of the body is announced and sent as if it were all.
 * - `lie`: it takes effect, but the answer has {@link Fault.headers}.
 * - `reset`: as `drop_before`, with a TCP reset (ECONNRESET).
 */
export type FaultKind = 'response' | 'hang' | 'hang_after' | 'drop_before' | 'drop_after' | 'reset' | BodyFault;

/** What may be wrong with the body of an answer. */
export type BodyFault = 'cut' | 'drip' | 'truncate' | 'lie';

export interface Fault {
  /** The operation it strikes (`sendMessage`, `messages`); without it, every one. Case does not matter. */
  method?: string;
  /** How many requests it strikes; 1 by default, `Infinity` until the faults are cleared. */
  times?: number;
  /** `response` by default. */
  kind?: FaultKind;
  /** Of a `response`; 500 by default. */
  status?: number;
  /** Of a `response`: instead of the body that the API would send. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Put where the API puts it (429). */
  retryAfter?: RetryAfter;
}

/** Seconds, or what a server puts in their place that works wrongly. */
export type RetryAfter = number | string;

type QueuedFault = Fault & { kind: FaultKind; left: number };

/** Faults in the order they were asked for. */
export class FaultQueue {
  #faults: QueuedFault[] = [];

  add(fault: Fault): void {
    this.#faults.push({ ...fault, kind: fault.kind ?? 'response', left: fault.times ?? 1 });
  }

  take(operation: string): QueuedFault | undefined {
    const name = operation.toLowerCase();
    const fault = this.#faults.find(({ method }) => method === undefined || method.toLowerCase() === name);
    if (!fault) return undefined;
    fault.left -= 1;
    if (fault.left <= 0) this.#faults = this.#faults.filter((other) => other !== fault);
    return fault;
  }

  clear(): void {
    this.#faults = [];
  }
}
