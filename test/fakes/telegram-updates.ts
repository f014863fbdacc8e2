import { TelegramFailure, type TelegramUpdate } from './telegram-types';

export interface Poll {
  /** Confirms and forgets all updates below it. If negative, only the last `-offset` updates stay. */
  offset: number;
  /** 1 to 100. */
  limit: number;
  /** Seconds, 0 to 50. */
  timeout: number;
}

interface WaitingPoll extends Poll {
  answer: (updates: TelegramUpdate[]) => void;
  refuse: (failure: TelegramFailure) => void;
}

/** The unconfirmed updates, and the long poll, if any, that waits for the next. */
export class UpdateQueue {
  /** Ids ascend without gaps, so the index of an id is a subtraction. */
  #updates: TelegramUpdate[] = [];
  #nextId = 100_000;
  #waiting: WaitingPoll | undefined;
  #isWaking = false;

  /** @param onWaiting called whenever a poll starts to wait */
  constructor(private readonly onWaiting: () => void) {}

  get pending(): readonly TelegramUpdate[] {
    return this.#updates;
  }

  get isPolled(): boolean {
    return this.#waiting !== undefined;
  }

  push(content: Omit<TelegramUpdate, 'update_id'>): TelegramUpdate {
    const update = { update_id: this.#nextId++, ...content } as TelegramUpdate;
    this.#updates.push(update);
    // Updates that a test pushes in one turn go out in one answer.
    if (this.#waiting && !this.#isWaking) {
      this.#isWaking = true;
      setImmediate(() => this.#answerWaiting());
    }
    return update;
  }

  confirmBelow(updateId: number): void {
    const first = this.#updates[0];
    if (first && updateId > first.update_id) this.#updates.splice(0, updateId - first.update_id);
  }

  clear(): void {
    this.#updates = [];
  }

  /**
   * Waits up to the timeout for the first update. An older poll that still waits gets 409: Telegram serves only the newest
   * poller. If `signal` aborts (the client disconnected), the queue forgets the poll.
   */
  poll(poll: Poll, signal: AbortSignal): Promise<TelegramUpdate[]> {
    if (poll.offset < 0) this.#updates = this.#updates.slice(poll.offset);
    else this.confirmBelow(poll.offset);
    this.interrupt('Conflict: terminated by other getUpdates request; make sure that only one bot instance is running');
    if (this.#updates.length > 0 || poll.timeout === 0 || signal.aborted)
      return Promise.resolve(this.#updates.slice(0, poll.limit));

    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => resolve([])), poll.timeout * 1000);
      const settle = (outcome: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', forget);
        if (this.#waiting === waiting) this.#waiting = undefined;
        outcome();
      };
      const forget = () => settle(() => resolve([]));
      const waiting: WaitingPoll = {
        ...poll,
        answer: (updates) => settle(() => resolve(updates)),
        refuse: (failure) => settle(() => reject(failure)),
      };
      signal.addEventListener('abort', forget);
      this.#waiting = waiting;
      this.onWaiting();
    });
  }

  /** Refuses the waiting poll, if there is one, with 409. */
  interrupt(description: string): void {
    this.#waiting?.refuse(new TelegramFailure(409, description));
  }

  #answerWaiting(): void {
    this.#isWaking = false;
    if (this.#waiting && this.#updates.length > 0) this.#waiting.answer(this.#updates.slice(0, this.#waiting.limit));
  }
}
