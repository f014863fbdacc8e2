import { Catch, ConsoleLogger, type ExceptionFilter, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { TELEGRAF_ALL_BOTS } from 'nestjs-telegraf';
import type { Update, UserFromGetMe } from 'telegraf/types';
import { InboundReader } from './inbound/inbound-reader.service';
import { TelegramAdapter } from './telegram.adapter';
import { TelegramModule } from './telegram.module';

class RecordingLogger extends ConsoleLogger {
  readonly errors: unknown[] = [];
  override error(message: unknown): void {
    this.errors.push(message);
  }
}

@Module({})
class SettingsModule {}

/** As that of an HTTP API, which finds no request here. */
@Catch()
class ForeignFilter implements ExceptionFilter {
  catch(): never {
    throw new TypeError('there is no request');
  }
}

@Module({
  imports: [TelegramModule.forRoot({ apiRoot: 'http://127.0.0.1:9' })],
  providers: [{ provide: APP_FILTER, useClass: ForeignFilter }],
})
class FilteredModule {}

describe(TelegramModule.name, () => {
  // Nothing listens there: the module must not call anybody before it is told to.
  const options = { token: '4242:token', apiRoot: 'http://127.0.0.1:9' };
  const logger = new RecordingLogger({ logLevels: [] });

  async function start(module = TelegramModule.forRoot(options)): Promise<TestingModule> {
    const app = await Test.createTestingModule({ imports: [module] })
      .setLogger(logger)
      .compile();
    return app.init();
  }

  it('gives an adapter, and stops without a complaint though the bot was never launched', async () => {
    const app = await start();
    expect(app.get(TelegramAdapter).unconfigured).toBeUndefined();
    await app.close();
    expect(logger.errors).toEqual([]);
  });

  it('takes its options from a provider', async () => {
    const settings = { provide: 'SETTINGS', useValue: { ...options, token: undefined } };
    const imports = [{ module: SettingsModule, providers: [settings], exports: ['SETTINGS'] }];
    const useFactory = (given: typeof options) => given;
    const app = await start(TelegramModule.forRootAsync({ imports, inject: ['SETTINGS'], useFactory }));
    expect(app.get(TelegramAdapter).unconfigured).toBe('not configured');
    await app.close();
  });

  it('says what an update lacks, whatever filter the application has', async () => {
    const app = await start({ module: FilteredModule });
    const reader = app.get(InboundReader, { strict: false });
    const update = { update_id: 1, message: { chat: { id: 41 }, text: 'Hello' } } as Update;
    const me = { id: 4242, is_bot: true, username: 'gateway_bot' } as UserFromGetMe;
    await expect(reader.read(update, me)).rejects.toThrow('the message has no id');
    await app.close();
  });

  it('leaves nothing in the process-wide map of bots, except what belongs to another application', async () => {
    const first = await start();
    const second = await start();
    const bots = first.get<Map<string, unknown>>(TELEGRAF_ALL_BOTS, { strict: false });
    await first.close();
    expect(bots.size).toBe(1);
    await second.close();
    expect(bots.size).toBe(0);
  });
});
