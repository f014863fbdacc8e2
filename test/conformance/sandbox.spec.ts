import { PLATFORMS, SEND_FAILURES } from '#contracts';
import { SANDBOX_RECIPIENTS, SandboxAdapter } from '#platforms';
import { describeAdapter } from './adapter.conformance';
import type { ConformanceHarness } from './harness';
import { PLAIN } from './session';

const nothing = (): void => undefined;
const asyncNothing = async (): Promise<void> => undefined;

function sandboxHarness(adapter: SandboxAdapter): ConformanceHarness {
  return {
    adapter,
    secret: 'there is none',
    recipient: 'anybody',
    withBadCredentials: async () => ({ adapter, secret: 'there is none' }),
    receive: asyncNothing,
    allConfirmed: asyncNothing,
    unconfirmed: () => 0,
    sent: () => [],
    loseNextAnswer: nothing,
    hangNextSend: nothing,
    answerNextSendByProxy: nothing,
    rejectNextMarkup: nothing,
    throttleConnection: nothing,
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
    stop: asyncNothing,
  };
}

describe.each(PLATFORMS)('%s', (platform) => {
  describeAdapter('the sandbox', async () => sandboxHarness(new SandboxAdapter(platform)), {
    connecting: 'the sandbox is always connected and has no credentials',
    conflict: 'the sandbox is always connected',
    network: 'nothing leaves the process',
    'platform side': 'nobody receives what the sandbox takes',
    'markup rejection': 'the sandbox renders nothing',
    silence: 'nobody is notified',
    receiving: 'inbound sandbox messages are played through the API',
  });
});

describe(SandboxAdapter.name, () => {
  const adapter = new SandboxAdapter('telegram');
  const part = { index: 1, text: 'Hello' };
  const request = (recipient: string) =>
    ({ messageId: 'msg_01h455vb4pex5vsknk084sn02q', environment: 'test', recipient, options: PLAIN }) as const;

  it('recognises a repeated send by giving it the same id', async () => {
    const outcome = await adapter.sendPart(request('anybody'), part);
    expect(outcome).toEqual({ accepted: true, platformMessageId: 'msg_01h455vb4pex5vsknk084sn02q:1' });
    expect(await adapter.sendPart(request('anybody'), part)).toEqual(outcome);
    expect(adapter.capabilities.deduplicatesSends).toBe(true);
  });

  it('confirms a delivery after a moment, to sandbox_slow after five seconds', async () => {
    expect(adapter.capabilities.confirmAfterMs).toBe(200);
    expect(await adapter.sendPart(request('sandbox_slow'), part)).toMatchObject({ confirmAfterMs: 5_000 });
  });

  it('says for sandbox_not_connected, and for nobody else, that the platform is not connected', () => {
    expect(adapter.disconnectedFor('sandbox_not_connected')).toEqual(expect.any(String));
    expect(adapter.disconnectedFor('anybody')).toBeUndefined();
  });

  it('explains its refusals in the words of the catalogue', async () => {
    expect(await adapter.sendPart(request('sandbox_blocked'), part)).toEqual({
      accepted: false,
      failure: { code: 'blocked_by_recipient', platform_code: null, ...SEND_FAILURES.blocked_by_recipient },
    });
  });
});
