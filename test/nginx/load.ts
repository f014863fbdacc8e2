import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

/**
 * Requests at a steady pace, whatever the answers. Most are sends, which a balancer may not repeat. Each uses its own
 * connection: a reload of nginx closes idle ones, even if a request is on its way.
 */
export class SteadyLoad {
  /** The status or error of each request without a 200. */
  readonly failures: string[] = [];
  answered = 0;
  /** The `msg_` ids of the sends that were answered. */
  readonly acknowledged: string[] = [];
  private readonly agent = new Agent({ connections: 64 });
  private readonly calls = new Set<Promise<void>>();
  private readonly running: Promise<void>;
  private ended = false;

  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly perSecond: number,
  ) {
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.ended = true;
    await this.running;
    await Promise.all(this.calls);
    await this.agent.close();
  }

  private async run(): Promise<void> {
    const startedAt = performance.now();
    for (let begun = 0; !this.ended;) {
      const due = ((performance.now() - startedAt) / 1_000) * this.perSecond;
      for (; begun < due; begun += 1) this.begin(begun);
      await sleep(1);
    }
  }

  private begin(index: number): void {
    const call = this.call(index).finally(() => this.calls.delete(call));
    this.calls.add(call);
  }

  private async call(index: number): Promise<void> {
    try {
      const status = await (index % 4 === 0 ? this.list() : this.send(index));
      if (status === 200) this.answered += 1;
      else this.failures.push(String(status));
    } catch (error) {
      this.failures.push(String(error));
    }
  }

  private async list(): Promise<number> {
    const { statusCode, body } = await request(`${this.url}/api/v1/messages`, {
      dispatcher: this.agent,
      reset: true,
      headers: { authorization: `Bearer ${this.key}` },
    });
    await body.dump();
    return statusCode;
  }

  private async send(index: number): Promise<number> {
    const { statusCode, body } = await request(`${this.url}/api/v1/messages/send`, {
      dispatcher: this.agent,
      reset: true,
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        platform: 'telegram',
        recipient: String(1_000 + (index % 10)),
        message: `hello ${index}`,
      }),
    });
    const answer = (await body.json()) as { data?: { message_id: string } };
    if (answer.data) this.acknowledged.push(answer.data.message_id);
    return statusCode;
  }
}
