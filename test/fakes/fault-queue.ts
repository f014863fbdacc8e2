/**
 * These requests have no effect:
 * - `response`: the fake answers with a status and a body.
 * - `hang`: no answer comes.
 * - `drop_before`: the socket closes.
 * - `reset`: the socket closes with a TCP reset (ECONNRESET).
 *
 * These take effect:
 * - `hang_after`: no answer comes.
 * - `drop_after`: the socket closes without an answer. The client cannot tell it from `drop_before`.
 * - `cut`: the socket closes after half of the body.
 * - `drip`: the body arrives byte by byte.
 * - `truncate`: the fake announces and sends half of the body.
 * - `lie`: the answer has the headers of {@link Fault.headers}.
 */
export type FaultKind = 'response' | 'hang' | 'hang_after' | 'drop_before' | 'drop_after' | 'reset' | BodyFault;

/** Faults of the answer itself, after the request took effect. */
export type BodyFault = 'cut' | 'drip' | 'truncate' | 'lie';

export interface Fault {
  /** The operation to fail (`sendMessage`, `messages`), in any case; every operation by default. */
  method?: string;
  /** How many requests fail; 1 by default, `Infinity`: until `clearFaults`. */
  times?: number;
  /** `response` by default. */
  kind?: FaultKind;
  /** The status of a `response`; 500 by default. */
  status?: number;
  /** The body of a `response`; by default the API's error body for the status. */
  body?: unknown;
  headers?: Record<string, string>;
  /** The wait of a 429, in the header or field that the API uses. */
  retryAfter?: RetryAfter;
}

/** Seconds, or the text that a faulty server sends instead. */
export type RetryAfter = number | string;

type QueuedFault = Fault & { kind: FaultKind; left: number };

/** Faults in the order of `add`. */
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
