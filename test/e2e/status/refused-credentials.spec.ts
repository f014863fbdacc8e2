import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { eventually } from '../../support/eventually';

interface Problem {
  kind: string;
  severity: string;
  title: string;
  count: number;
  subject: { type: string; id: string };
}

describe('GET /problems when Meta refuses the access token of a send (190)', () => {
  let whatsapp: WhatsAppFake;
  let gateway: TestGateway;

  beforeAll(async () => {
    whatsapp = await new WhatsAppFake().start();
    gateway = await startTestGateway({ env: whatsapp.env });
    await gateway.connected('whatsapp');
  }, 90_000);

  const send = () =>
    gateway.api('POST', '/messages/send', { platform: 'whatsapp', recipient: '491700000001', message: 'Hi' });
  const refusals = async () => {
    const { body } = await gateway.api<Problem[]>('GET', '/problems');
    return body.data.filter(({ kind }) => kind === 'integration_error');
  };

  it('lists it until a send succeeds', async () => {
    whatsapp.refuseNextSend(190);
    expect((await send()).body.data).toMatchObject({
      status: 'failed',
      error: { code: 'auth_failed', platform_code: '190', retryable: false },
    });
    await eventually('it is listed', async () =>
      expect(await refusals()).toMatchObject([
        {
          severity: 'critical',
          title: 'WhatsApp refuses messages: the platform rejected the credentials of the account.',
          count: 1,
          subject: { type: 'integration', id: 'whatsapp' },
        },
      ]),
    );
    expect((await gateway.integration('whatsapp')).status).toBe('connected');
    expect((await send()).body.data).toMatchObject({ status: 'sent' });
    await eventually('it is over', async () => expect(await refusals()).toEqual([]));
  }, 60_000);
});
