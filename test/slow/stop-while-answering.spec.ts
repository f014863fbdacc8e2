import { AnthropicFake } from '../fakes/anthropic.fake';
import { TelegramFake } from '../fakes/telegram.fake';
import { eventually } from '../support/eventually';
import { sharedPostgres } from '../support/postgres';
import { GatewayProcess } from '../support/process';

const STOP_MS = 35_000;

describe('a process that is told to stop', () => {
  it('is not ready, stops within 35 s while an answer is generated, and makes it after the next start', async () => {
    const telegram = await new TelegramFake().start();
    const anthropic = await new AnthropicFake().start();
    const gateway = await GatewayProcess.start({
      telegram,
      anthropic,
      env: { DATABASE_URL: await (await sharedPostgres()).createDatabase() },
    });
    anthropic.hold();
    telegram.receiveText({ chatId: 1, text: 'Hello' });
    await anthropic.waitForInFlight(1, 20_000);
    const stoppedAt = performance.now();
    gateway.child.kill('SIGTERM');
    const health = async (which: string) => (await fetch(`${gateway.url}/health/${which}`)).status;
    await eventually('it is not ready any more', async () => expect(await health('ready')).toBe(503));
    expect(await health('live')).toBe(200);
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).toBeLessThan(STOP_MS);
    anthropic.release();
    await gateway.restart();
    await telegram.waitForSent(1, 30_000);
    expect(telegram.sent).toMatchObject([{ chat_id: 1, text: 'You said: Hello' }]);
    await Promise.all([telegram.stop(), anthropic.stop()]);
  }, 90_000);
});
