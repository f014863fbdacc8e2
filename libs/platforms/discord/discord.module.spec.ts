import { Test, type TestingModule } from '@nestjs/testing';
import { DiscordAdapter } from './discord.adapter';
import { DiscordModule } from './discord.module';
import type { DiscordOptions } from './discord.options';

describe(DiscordModule.name, () => {
  // Nothing listens there: the module must call no server before it is told to.
  const options: DiscordOptions = { token: 'MTQyNDI.token', apiUrl: 'http://127.0.0.1:9' };

  const start = async (given = options): Promise<TestingModule> => {
    const app = await Test.createTestingModule({ imports: [DiscordModule.forRoot(given)] }).compile();
    return app.init();
  };

  it('provides an adapter that makes no calls until it is used', async () => {
    const app = await start();
    expect(app.get(DiscordAdapter).unconfigured).toBeUndefined();
    await app.close();
  });

  it('refuses a send without a token as platform_unavailable', async () => {
    const app = await start({ ...options, token: undefined });
    const adapter = app.get(DiscordAdapter);
    expect(adapter.unconfigured).toBe('not configured');
    const plain = { parseMode: 'plain', disableNotification: false, linkPreview: true } as const;
    const request = { messageId: 'msg_1', environment: 'live', recipient: '77', options: plain } as const;
    const outcome = await adapter.sendPart(request, { index: 0, text: 'x' }, new AbortController().signal);
    expect(outcome).toMatchObject({ accepted: false, failure: { code: 'platform_unavailable' } });
    await app.close();
  });
});
