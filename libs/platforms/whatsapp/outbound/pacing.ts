import type { Pace, Pacer } from '../../pacer.port';

/** Messages per second of a number that Meta did not upgrade. */
const PER_SECOND = 80;
/** The pace of a number that is also used in the business app (coexistence). */
const PER_SECOND_COEXISTENCE = 20;
/** Part of a second in which a number may send at once what it did not send before: a process that is busy for a moment loses no turns. */
const BURST_SECONDS = 0.05;
/** Meta's limit for a person: a burst, then one message in this many milliseconds. */
const PERSON_BURST = 45;
const PERSON_MS = 6_000;

/** The longest wait for a turn within a send, in milliseconds. */
export const LONGEST_TURN_MS = 2_000;

/** Spreads sends as Meta's limits ask: https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages. */
export class Pacing {
  private perSecond: number;

  /** @param number id of the phone number @param pacer undefined: sends are not paced */
  constructor(
    private readonly number: string,
    perSecond: number | undefined,
    private readonly pacer: Pacer | undefined,
  ) {
    this.perSecond = perSecond ?? PER_SECOND;
  }

  /** The number is used in the business app too. */
  coexists(): void {
    this.perSecond = Math.min(this.perSecond, PER_SECOND_COEXISTENCE);
  }

  /** @returns milliseconds until the message may go; above `LONGEST_TURN_MS` it has no turn yet */
  turnIn(recipient: string): number | Promise<number> {
    const { pacer, number, perSecond } = this;
    if (!pacer) return 0;
    const key = `whatsapp:${number}`;
    const paces: Pace[] = [
      // A message that must wait for the person's limit takes no turn of the number.
      { key: `${key}:${recipient}`, intervalMs: PERSON_MS, burst: PERSON_BURST },
      { key, intervalMs: 1_000 / perSecond, burst: Math.max(1, Math.floor(perSecond * BURST_SECONDS)) },
    ];
    return pacer.turnIn(paces, LONGEST_TURN_MS);
  }
}
