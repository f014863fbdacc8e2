import { accountOf } from '../../support/accounts';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  WhatsAppAdapter,
  type ConnectionObserver,
  type InboundSink,
  type OutboundContent,
  type PlatformAdapter,
} from '#platforms';
import { Clock } from '../../../src/core/clock/clock.service';
import { Adapters } from '../../../src/integrations/platforms/adapters.service';
import { SafeAdapter } from '../../../src/integrations/platforms/safe-adapter';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

type Method = {
  [Name in keyof PlatformAdapter]-?: NonNullable<PlatformAdapter[Name]> extends (...args: never[]) => unknown
    ? Name
    : never;
}[keyof PlatformAdapter];

const PERSON = '491701234567';
const TEXT: OutboundContent = {
  recipient: PERSON,
  text: 'Hello',
  options: { parseMode: 'plain', disableNotification: false, linkPreview: true },
};

/** What an adapter may do instead of what it should. */
const FAULTS: Record<string, (...args: unknown[]) => unknown> = {
  'throws an error': () => {
    throw new Error('thrown');
  },
  'throws what is no error': () => {
    throw undefined; // oxlint-disable-line typescript/only-throw-error -- that is the case
  },
  rejects: () => Promise.reject(new Error('rejected')),
  'rejects with a string, later': () => sleep(20).then(() => Promise.reject('rejected')), // oxlint-disable-line prefer-promise-reject-errors -- that is the case
};

/** The others answer at once, and can only throw. */
const ASYNCHRONOUS = new Set<Method>(['run', 'plan', 'download', 'templates', 'sendPart', 'showTyping', 'callback']);

const CASES = (methods: readonly Method[]): (readonly [Method, fault: string])[] =>
  methods.flatMap((method) =>
    Object.keys(FAULTS)
      .filter((fault) => fault.startsWith('throws') || ASYNCHRONOUS.has(method))
      .map((fault) => [method, fault] as const),
  );

describe('an adapter that fails at', () => {
  let telegram: TelegramFake;
  let whatsapp: WhatsAppFake;
  let anthropic: AnthropicFake;
  let gateway: TestGateway;
  let safe: PlatformAdapter;
  /** The one behind it: its own methods are what is broken. */
  let broken: Record<string, unknown>;
  let calls = 0;

  beforeAll(async () => {
    [telegram, whatsapp, anthropic] = await Promise.all([
      new TelegramFake().start(),
      new WhatsAppFake().start(),
      new AnthropicFake().start(),
    ]);
    gateway = await startTestGateway({ telegram, anthropic, env: whatsapp.env });
    whatsapp.subscribe(`${gateway.url}/callbacks/whatsapp`);
    await Promise.all([gateway.connected('telegram'), gateway.connected('whatsapp')]);
    const unlimited = { rate_limits: { messages_per_minute: 10_000 }, handover: { answers_per_10_minutes: null } };
    await gateway.api('PATCH', '/admin/settings', unlimited);
    safe = gateway.app.get(Adapters).of(accountOf('live', 'whatsapp'));
    broken = gateway.app.get<Record<string, unknown>>(WhatsAppAdapter);
  });

  /** The adapter is whole again. */
  const repair = async () => {
    for (const method of METHODS) delete broken[method];
    if ((await shown()).status === 'connected') return;
    await gateway.api('POST', '/integrations/whatsapp/reconnect');
    await gateway.connected('whatsapp');
  };
  afterEach(repair);

  const sendWhatsApp = async () => {
    const body = { platform: 'whatsapp', recipient: PERSON, message: 'Hello' };
    const { status } = await gateway.api('POST', '/messages/send', body);
    // Refused, failed or sent: an answer in any case.
    expect([200, 400]).toContain(status);
  };
  /** How each method comes to be called. A method that is new to the port has no line here, and does not compile. */
  const TRIGGERS: Record<Method, () => Promise<unknown>> = {
    run: () => gateway.api('POST', '/integrations/whatsapp/reconnect'),
    split: sendWhatsApp,
    plan: async () => safe.plan!(TEXT),
    download: () => safe.download!('file', AbortSignal.timeout(1_000)),
    sendPart: sendWhatsApp,
    recipientFault: sendWhatsApp,
    participantId: sendWhatsApp,
    disconnectedFor: sendWhatsApp,
    showTyping: async () => void whatsapp.receiveText({ from: PERSON, text: 'Are you there?' }),
    refuseCallback: () => fetch(`${gateway.url}/callbacks/whatsapp`, { method: 'POST' }),
    callback: () => whatsapp.post(whatsapp.messageValue({ type: 'text', text: { body: 'Hello' } }, { from: PERSON })),
    templates: async () => safe.templates!(AbortSignal.timeout(1_000)).catch(() => undefined),
    observeRateLimits: async () => safe.observeRateLimits!(() => undefined),
  };
  const METHODS = Object.keys(TRIGGERS) as Method[];

  const shown = () =>
    gateway.integration<{
      status: string;
      error?: string;
      receiving: { last_error_at: string; last_error_code: string };
      sending: { last_error_at: string; last_error_code: string };
    }>('whatsapp');
  /** Resolves once a direction shows an error that is not older. */
  const stateSays = (since: string) =>
    eventually('its state says so', async () => {
      const { receiving, sending } = await shown();
      const seen = [receiving, sending].filter(({ last_error_at: at }) => at !== null && at >= since);
      // That a send is ambiguous is what came of it.
      const codes = [expect.stringMatching(/^(unexpected|ambiguous)$/)] as string[];
      expect({ since, receiving, sending, codes: seen.map(({ last_error_code: code }) => code) }).toMatchObject({
        codes: expect.arrayContaining(codes) as string[],
      });
    });
  /** Telegram receives, answers and sends, and the API answers. */
  const othersAreWell = async () => {
    const sent = telegram.sent.length;
    telegram.receiveText({ chatId: 7, text: `Hello ${++calls}` });
    const { body } = await gateway.api<{ status: string }>('POST', '/messages/send', {
      platform: 'telegram',
      recipient: '8',
      message: 'Hello',
    });
    expect(body.data.status).toBe('sent');
    await telegram.waitForSent(sent + 2);
    const status = await gateway.api<{ integrations: Record<string, { status: string }> }>('GET', '/status');
    expect(status.body.data.integrations['telegram']!.status).toBe('connected');
  };

  it('is tested in every method of the port', () => {
    const names = Object.getOwnPropertyNames(SafeAdapter.prototype).filter((name) => name !== 'constructor');
    const methods = names.filter((name) => typeof safe[name as Method] === 'function');
    expect(METHODS.toSorted()).toEqual(methods.toSorted());
  });

  it.each(CASES(METHODS))('%s %s: other platforms are not affected, and its state shows it', async (method, fault) => {
    // The gateway's time: it follows the database's, which may be another than ours.
    const since = gateway.app.get(Clock).date().toISOString();
    const met = new Promise<void>((resolve) => {
      broken[method] = (...args: unknown[]) => {
        resolve();
        return FAULTS[fault]!(...args);
      };
    });
    await Promise.all([TRIGGERS[method](), met, othersAreWell()]);
    await stateSays(since);
  });

  it('run, by ending too early, is connected again', async () => {
    const since = gateway.app.get(Clock).date().toISOString();
    broken['run'] = () => Promise.resolve();
    await gateway.api('POST', '/integrations/whatsapp/reconnect');
    await stateSays(since);
    await othersAreWell();
  });

  it('run, by reporting "connected" after its end, is ignored', async () => {
    let lateProof: () => void = () => undefined;
    broken['run'] = async (_sink: InboundSink, observer: ConnectionObserver) => {
      lateProof = () => observer.proven({});
      throw new Error('ended');
    };
    await gateway.api('POST', '/integrations/whatsapp/reconnect');
    await eventually('it has ended', async () => expect((await shown()).error).toMatch(/unexpected error/));
    lateProof();
    await othersAreWell();
    expect((await shown()).status).toBe('reconnecting');
  });
});
