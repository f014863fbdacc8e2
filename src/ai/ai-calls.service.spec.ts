import { Siblings } from '../core/cluster/siblings.service';
import { Logger } from '@nestjs/common';
import { AnthropicFake } from '../../test/fakes/anthropic.fake';
import { Clock } from '../core/clock/clock.service';
import { loadConfiguration } from '../core/config/load-configuration';
import type { DomainEvents } from '../core/events/domain-events.service';
import { Metrics } from '../core/observability/metrics.service';
import { NoTracer } from '../core/observability/tracing/tracer';
import { defaultSettings } from '../core/settings/settings';
import type { SettingsService } from '../core/settings/settings.service';
import type { AiCall } from './ai-call';
import { AiCalls } from './ai-calls.service';
import { LiveProviders } from './provider/live-providers.service';
import type { Attachments } from '../media/attachments.service';
import type { MediaStore } from '../media/storage/media-store.service';
import { CallFiles } from './files/call-files.service';
import type { Budgets } from './usage/budgets.service';
import type { BilledAnswer, UsageRecorder } from './usage/usage-recorder.service';

const SETTINGS = defaultSettings({ model: 'claude-sonnet-4-6', ownerEmail: null });

const CALL: AiCall = {
  environment: 'live',
  requestId: '0198c5a5-5f10-7a3e-8a68-2a4d2f6d1c11',
  conversationId: null,
  messages: [{ role: 'user', content: 'Who am I?' }],
  growing: false,
};

describe(AiCalls.name, () => {
  let fake: AnthropicFake;

  beforeEach(async () => {
    fake = await new AnthropicFake().start();
  });
  afterEach(() => fake.stop());

  /** Uses the real provider's client, and a recorder that the test scripts. */
  function makeSut(recorder: Partial<UsageRecorder>): AiCalls {
    const events = {
      create: (type: string, data: object) => ({ type, data }),
      record: () => Promise.resolve(),
      publish: () => undefined,
    };
    const configuration = loadConfiguration({ ANTHROPIC_API_KEY: fake.apiKey, ANTHROPIC_BASE_URL: fake.url });
    return new AiCalls(
      { of: () => SETTINGS } as unknown as SettingsService,
      { announce: () => Promise.resolve(), ...recorder } as UsageRecorder,
      { reserve: () => Promise.resolve() } as unknown as Budgets,
      new CallFiles(configuration, {} as MediaStore, {} as Attachments),
      events as unknown as DomainEvents,
      new Clock(),
      new Metrics(new Siblings()),
      new NoTracer(),
      new LiveProviders(configuration, new Clock()),
    );
  }

  it('logs each failure of the provider at debug', async () => {
    const debug = jest.spyOn(Logger.prototype, 'debug').mockImplementation();
    fake.fail({ status: 529, retryAfter: 86_400 });
    await expect(makeSut({}).complete(CALL)).rejects.toMatchObject({ type: 'overloaded' });
    expect(debug.mock.calls).toEqual([
      [
        { model: 'claude-sonnet-4-6', attempt: 1, type: 'overloaded', status: 529, next: 'give_up' },
        expect.stringMatching(/^The AI provider failed: The AI provider answered 529/),
      ],
    ]);
    debug.mockRestore();
  });

  const streamed = async (sut: AiCalls) => {
    for await (const event of sut.stream(CALL)) if (event.type === 'answer') return event.answer;
    throw new Error('no answer');
  };

  it.each([
    ['whole', (sut: AiCalls) => sut.complete(CALL)],
    ['streamed', streamed],
  ])('bills a %s answer although its request could not be recorded and the caller gets an error', async (_, ask) => {
    const wasted: BilledAnswer[] = [];
    const sut = makeSut({
      announce: () => Promise.reject(new Error('the database is unavailable')),
      recordUnstored: (billed) => Promise.resolve(void wasted.push(billed)),
    });
    await expect(ask(sut)).rejects.toThrow('the database is unavailable');
    expect(wasted).toHaveLength(1);
    expect(wasted[0]!.tokens.output).toBeGreaterThan(0);
    expect(wasted[0]!.cost).toBeGreaterThan(0);
  });

  it('waits at shutdown until every answer is billed', async () => {
    const recorded = Promise.withResolvers<void>();
    const sut = makeSut({ recordUnstored: () => recorded.promise });
    fake.replyWith(() => '');
    await expect(sut.complete(CALL)).rejects.toMatchObject({ type: 'empty_response' });
    let ended = false;
    const ending = sut.onApplicationShutdown().then(() => (ended = true));
    await new Promise(setImmediate);
    expect(ended).toBe(false);
    recorded.resolve();
    await ending;
  });
});
