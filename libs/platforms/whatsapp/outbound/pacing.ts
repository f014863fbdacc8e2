/** Meta's limit for a number, in messages per second. */
const PER_SECOND = 80;
/** A number that is also used in the business app (coexistence). */
const PER_SECOND_COEXISTENCE = 20;
/** Meta's limit for a person: a burst, then one message in this many milliseconds. */
const BURST = 45;
const PERSON_MS = 6_000;
/** The furthest turn, in milliseconds: if its message is gone by then, the turn stays unused. */
const LONGEST_WAIT_MS = 60_000;
/** Above this number, persons who may send a full burst again are forgotten. */
const MOST_PERSONS = 10_000;

/** When the full burst is available again, and the last turn that was given to a waiting message. */
interface Bucket {
  paidAt: number;
  lastTurn: number;
}

/**
 * Spreads sends as Meta's limits ask: https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages.
 * Each message that must wait is given its own turn, or asks again in a minute. Every process paces by itself: if several together are too fast, Meta
 * refuses with 130429 or 131056, and the message waits as well.
 */
export class Pacing {
  private readonly number: Bucket = { paidAt: 0, lastTurn: 0 };
  private readonly persons = new Map<string, Bucket>();
  private perSecond = PER_SECOND;

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** The number is used in the business app too. */
  coexists(): void {
    this.perSecond = PER_SECOND_COEXISTENCE;
  }

  /** @returns 0 when the message may go now, and then counts it; otherwise the milliseconds until its turn */
  waitMs(recipient: string): number {
    const now = this.now();
    const person = this.personOf(recipient, now);
    const intervalMs = 1_000 / this.perSecond;
    // A message that must wait for the person's limit takes no turn of the number.
    const waitMs = turnIn(person, now, PERSON_MS, BURST) || turnIn(this.number, now, intervalMs, this.perSecond);
    if (waitMs > 0) return waitMs;
    person.paidAt = Math.max(person.paidAt, now) + PERSON_MS;
    this.number.paidAt = Math.max(this.number.paidAt, now) + intervalMs;
    return 0;
  }

  private personOf(recipient: string, now: number): Bucket {
    const known = this.persons.get(recipient);
    if (known) return known;
    if (this.persons.size >= MOST_PERSONS)
      for (const [id, { paidAt }] of this.persons) if (paidAt <= now) this.persons.delete(id);
    const person = { paidAt: 0, lastTurn: 0 };
    this.persons.set(recipient, person);
    return person;
  }
}

/** Milliseconds until another message may be sent; 0: now. */
function turnIn(bucket: Bucket, now: number, intervalMs: number, burst: number): number {
  const free = bucket.paidAt - (burst - 1) * intervalMs;
  if (free <= now) return 0;
  bucket.lastTurn = Math.min(Math.max(free, bucket.lastTurn + intervalMs), now + LONGEST_WAIT_MS);
  return bucket.lastTurn - now;
}
