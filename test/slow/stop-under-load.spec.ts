import { request as send, Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { GatewayProcess } from '../support/process';

const STOPS = 4;
const PER_SECOND = 200;
/** Duration of the load before the stop, in milliseconds. */
const LOAD_MS = 2_500;

/** Requests at a steady pace until the listener refuses connections. */
class Clients {
  answered = 0;
  /** Errors or statuses of the requests that got no answer although the kernel had accepted their connection. */
  readonly lost: string[] = [];
  private isOver = false;
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly url: string,
    private readonly agent: Agent,
  ) {}

  async ask(): Promise<void> {
    const startedAt = performance.now();
    for (let begun = 0; !this.isOver;) {
      for (const due = ((performance.now() - startedAt) * PER_SECOND) / 1_000; begun < due; begun += 1) {
        const call = this.call().finally(() => this.running.delete(call));
        this.running.add(call);
      }
      await sleep(1);
    }
    await Promise.all(this.running);
    this.agent.destroy();
  }

  private call(): Promise<void> {
    return new Promise((resolve) => {
      const call = send(`${this.url}/api`, { agent: this.agent, headers: { host: 'gateway' } }, (response) => {
        response.resume().once('end', () => {
          this.answered += 1;
          resolve();
        });
      });
      call.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') this.isOver = true;
        // A connection that the client kept may end while the client writes: HTTP clients repeat the request.
        else if (!call.reusedSocket) this.lost.push(String(error.code));
        resolve();
      });
      call.end();
    });
  }
}

describe('a planned stop', () => {
  it.each([
    ['of their own', () => new Agent()],
    ['that they keep', () => new Agent({ keepAlive: true, maxSockets: 32 })],
  ])(
    'loses at most one request of clients with connections %s',
    async (_, agent) => {
      const figures: string[] = [];
      for (let stop = 0; stop < STOPS; stop += 1) {
        const gateway = await GatewayProcess.start();
        const clients = new Clients(gateway.url, agent());
        const asked = clients.ask();
        await sleep(LOAD_MS);
        await eventually('they are answered', () => expect(clients.answered).toBeGreaterThan(100));
        gateway.child.kill('SIGTERM');
        await asked;
        expect(await gateway.exited).toEqual({ code: 0, signal: null });
        figures.push(`${clients.answered} answered, ${clients.lost.length} lost`);
        // The kernel resets a connection that arrives between the final queue check and the close.
        expect(clients.lost.length).toBeLessThanOrEqual(1);
      }
      process.stdout.write(`  ${figures.join('\n  ')}\n`);
    },
    180_000,
  );
});
