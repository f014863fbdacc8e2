import { type Platform, PLATFORMS, SEND_FAILURES } from '#contracts';
import { type OutboundFile, SANDBOX_RECIPIENTS, SandboxAdapter } from '#platforms';
import { describeAdapter } from './adapter.conformance';
import { fileOf } from './file-sending.cases';
import type { ConformanceHarness } from './harness';
import { PLAIN } from './session';

const PLAYED = 'inbound sandbox messages are played through the API';
const NO_SUCH_RECIPIENT = 'no recipient of the sandbox means this';

const nothing = (): void => undefined;
const asyncNothing = async (): Promise<void> => undefined;

function sandboxHarness(adapter: SandboxAdapter): ConformanceHarness {
  return {
    adapter,
    secret: 'there is none',
    recipient: 'anybody',
    withBadCredentials: async () => ({ adapter, secret: 'there is none' }),
    quiet: async () => adapter,
    refusedToken: 'auth_failed',
    refuseToken: nothing,
    calls: () => 0,
    throttleNextSendByProxy: nothing,
    receive: asyncNothing,
    allConfirmed: asyncNothing,
    unconfirmed: () => 0,
    sent: () => [],
    options: () => [],
    tap: asyncNothing,
    loseNextAnswer: nothing,
    hangNextSend: nothing,
    answerNextSendByProxy: nothing,
    rejectNextMarkup: nothing,
    usualPauseMs: 0,
    throttleNextSend: nothing,
    throttleConnection: nothing,
    hangConnection: asyncNothing,
    onlyConnection: asyncNothing,
    takeConnection: asyncNothing,
    goDown: asyncNothing,
    comeBack: asyncNothing,
    refusals: () => [
      {
        name: 'sandbox_fail',
        expected: { code: 'recipient_unreachable', platform_code: null, retryable: false },
        arrange: () => SANDBOX_RECIPIENTS.fail,
      },
      {
        name: 'sandbox_blocked',
        expected: { code: 'blocked_by_recipient', platform_code: null, retryable: false },
        arrange: () => SANDBOX_RECIPIENTS.blocked,
      },
    ],
    neverFailsWith: {
      window_closed: NO_SUCH_RECIPIENT,
      content_rejected: NO_SUCH_RECIPIENT,
      not_permitted: NO_SUCH_RECIPIENT,
      rate_limited: NO_SUCH_RECIPIENT,
      platform_unavailable: 'nothing leaves the process',
      opted_out: NO_SUCH_RECIPIENT,
      auth_failed: 'there are no credentials',
      ambiguous: 'nothing leaves the process',
    },
    stop: asyncNothing,
  };
}

for (const platform of PLATFORMS) {
  describeAdapter(`Sandbox (${platform})`, async () => sandboxHarness(new SandboxAdapter(platform)), {
    receive: PLAYED,
    dedupe: PLAYED,
    order: PLAYED,
    options: 'the sandbox shows its messages to no person',
    taps: PLAYED,
    format: 'the sandbox renders nothing',
    'received files': PLAYED,
    'failing downloads': PLAYED,
    'send files': 'nothing leaves the process',
    'failing uploads': 'nothing leaves the process',
    'rejected markup': 'the sandbox renders nothing',
    silent: 'the sandbox notifies no device',
    reply: 'the sandbox hands nothing on',
    '429': 'nothing leaves the process',
    outage: 'nothing leaves the process',
    recovery: 'nothing leaves the process',
    'ambiguous outcome': 'nothing leaves the process',
    liveness: 'the sandbox is always connected',
    conflict: 'the sandbox is always connected',
    credentials: 'the sandbox has none',
    'refused token': 'the sandbox has none',
  });
}

describe(SandboxAdapter.name, () => {
  const adapter = new SandboxAdapter('telegram');
  const part = { index: 1, text: 'Hello' };
  const request = (recipient: string) =>
    ({ messageId: 'msg_01h455vb4pex5vsknk084sn02q', environment: 'test', recipient, options: PLAIN }) as const;

  it('gives a repeated send the same id', async () => {
    const outcome = await adapter.sendPart(request('anybody'), part);
    expect(outcome).toEqual({ accepted: true, platformMessageId: 'msg_01h455vb4pex5vsknk084sn02q:1' });
    expect(await adapter.sendPart(request('anybody'), part)).toEqual(outcome);
    expect(adapter.capabilities.deduplicatesSends).toBe(true);
  });

  it('confirms a delivery after a moment, to sandbox_slow after five seconds', async () => {
    expect(adapter.capabilities.confirmAfterMs).toBe(200);
    expect(await adapter.sendPart(request('sandbox_slow'), part)).toMatchObject({ confirmAfterMs: 5_000 });
  });

  it('is not connected for sandbox_not_connected, and for no other recipient', () => {
    expect(adapter.disconnectedFor('sandbox_not_connected')).toEqual(expect.any(String));
    expect(adapter.disconnectedFor('anybody')).toBeUndefined();
  });

  it.each<[Platform, string, string]>([
    ['whatsapp', '+49 151 2345678', '+49 151 2345678'],
    ['telegram', '-1001234/1', '-1001234'],
    ['telegram', '-1001234/44', '-1001234/44'],
    ['discord', '+1', '+1'],
  ])('has the recipient of %s %j as %j', (platform, recipient, id) =>
    expect(new SandboxAdapter(platform).participantId(recipient)).toBe(id),
  );

  it('plans files like the platform that it plays', async () => {
    const [photos, huge] = [[fileOf(), fileOf()], fileOf({ sizeBytes: 60 * 1_024 * 1_024 })];
    const plan = (platform: Platform, files: OutboundFile[]) =>
      new SandboxAdapter(platform).plan({ recipient: 'anybody', text: 'hi', files, options: PLAIN });
    expect(plan('telegram', photos)).toEqual({ parts: [{ index: 0, text: 'hi', files: photos }] });
    expect(plan('whatsapp', photos)).toMatchObject({ parts: [{ text: 'hi' }, { text: '' }] });
    for (const platform of ['telegram', 'discord'] as const)
      expect(plan(platform, [huge])).toEqual({ refusal: expect.stringMatching(/files of up to/) });
  });

  it('explains refusals in the words of the error catalogue', async () => {
    expect(await adapter.sendPart(request('sandbox_blocked'), part)).toEqual({
      accepted: false,
      failure: { code: 'blocked_by_recipient', platform_code: null, ...SEND_FAILURES.blocked_by_recipient },
    });
  });
});
