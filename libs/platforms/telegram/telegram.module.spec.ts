import { type CanActivate, Catch, ConsoleLogger, type ExceptionFilter, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { getBotToken } from 'nestjs-telegraf';
import type { Telegraf } from 'telegraf';
import type { TelegramUpdate } from '@gramio/types/objects';
import type { UserFromGetMe } from 'telegraf/types';
import type { InboundContext } from './inbound/inbound-context';
import { InboundProcessor } from './inbound/inbound-processor';
import { TelegramAdapter } from './telegram.adapter';
import { TelegramModule } from './telegram.module';
import { TELEGRAM_BOT } from './telegram.options';

class RecordingLogger extends ConsoleLogger {
  readonly errors: unknown[] = [];
  override error(message: unknown): void {
    this.errors.push(message);
  }
}

/** As that of an HTTP API, which finds no request here. */
@Catch()
class ForeignFilter implements ExceptionFilter {
  catch(): never {
    throw new TypeError('there is no request');
  }
}

/** As that of an HTTP API, which finds no credentials here. */
class ForeignGuard implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

describe(TelegramModule.name, () => {
  // Nothing listens there: the module must call no server before it is told to.
  const options = { token: '4242:token', apiRoot: 'http://127.0.0.1:9' };
  const me = { id: 4242, is_bot: true, username: 'gateway_bot' } as UserFromGetMe;
  const hello = { update_id: 1, message: { message_id: 3, chat: { id: 41 }, text: 'Hello' } } as TelegramUpdate;
  const logger = new RecordingLogger({ logLevels: [] });
  const message = jest.fn();
  const warning = jest.fn();
  let app: TestingModule | undefined;

  async function start(...providers: Provider[]): Promise<TestingModule> {
    @Module({ imports: [TelegramModule.forRoot(options)], providers })
    class ApplicationModule {}

    const module = await Test.createTestingModule({ imports: [ApplicationModule] })
      .setLogger(logger)
      .compile();
    app = await module.init();
    return app;
  }

  async function take(update: TelegramUpdate, ...providers: Provider[]): Promise<boolean> {
    const bot = (await start(...providers)).get<Telegraf<InboundContext>>(getBotToken(TELEGRAM_BOT), { strict: false });
    const ports = {
      sink: { message } as never,
      observer: { warning },
      answer: jest.fn(),
    };
    return new InboundProcessor(bot, me, ports).one(update);
  }

  beforeEach(() => {
    message.mockReset();
    warning.mockReset();
    logger.errors.length = 0;
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
  });

  it('provides an adapter, and stops cleanly although the bot was never launched', async () => {
    expect((await start()).get(TelegramAdapter, { strict: false }).unconfigured).toBeUndefined();
    await app!.close();
    expect(logger.errors).toEqual([]);
  });

  it('passes an update to the listener, and waits until its message is stored', async () => {
    const begun = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    message.mockImplementation(() => {
      begun.resolve();
      return stored.promise;
    });
    let isDone = false;
    const processing = take(hello).finally(() => (isDone = true));
    await Promise.race([begun.promise, processing]);
    expect([message.mock.calls.length, isDone]).toEqual([1, false]);
    stored.resolve();
    await expect(processing).resolves.toBe(true);
  });

  it('logs what an update lacks, and confirms it', async () => {
    const update = { update_id: 1, message: { chat: { id: 41 }, text: 'Hello' } } as TelegramUpdate;
    await expect(take(update)).resolves.toBe(true);
    const said = expect.stringContaining('the message has no id') as string;
    expect(warning.mock.calls).toEqual([[{ code: 'unusable_update', message: said }]]);
  });

  it('does not log the exception message if an update cannot be read', async () => {
    const unreadable = { message_id: 1, chat: { id: 41 }, user: { id: 41 }, new_reaction: null };
    const update = { update_id: 2, message_reaction: unreadable } as unknown as TelegramUpdate;
    await expect(take(update)).resolves.toBe(true);
    const said = 'Update 2 was skipped: unexpected error; see the log.';
    expect(warning.mock.calls).toEqual([[{ code: 'unusable_update', message: said }]]);
    expect(logger.errors).toEqual([{ err: expect.any(TypeError) }]);
  });

  it('logs why a message could not be stored despite any global filter, and does not confirm it', async () => {
    message.mockRejectedValue(new Error('the database is away'));
    await expect(take(hello, { provide: APP_FILTER, useClass: ForeignFilter })).resolves.toBe(false);
    const said = expect.stringContaining('the database is away') as string;
    expect(warning.mock.calls).toEqual([[{ code: 'not_stored', message: said }]]);
    expect(logger.errors).toEqual([]);
  });

  it('does not confirm an update that a global guard withholds from the listener', async () => {
    await expect(take(hello, { provide: APP_GUARD, useClass: ForeignGuard })).resolves.toBe(false);
    expect(message).not.toHaveBeenCalled();
    expect(warning.mock.calls).toEqual([[expect.objectContaining({ code: 'not_stored' })]]);
  });
});
