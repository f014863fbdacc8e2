import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

describe('the WhatsApp connection', () => {
  let whatsapp: WhatsAppFake;
  let gateway: TestGateway;

  beforeEach(async () => {
    whatsapp = await new WhatsAppFake().start();
  });
  afterEach(async () => {
    await gateway.stop();
    await whatsapp.shutDown();
  });

  const checks = () => whatsapp.requests.filter(({ operation }) => operation === 'phone');
  const shown = () => gateway.integration('whatsapp');
  const send = () =>
    gateway.api('POST', '/messages/send', { platform: 'whatsapp', recipient: '491701234567', message: 'Hello' });
  const start = async (env: NodeJS.ProcessEnv = {}) => {
    gateway = await startTestGateway({ env: { ...whatsapp.env, ...env } });
    whatsapp.subscribe(`${gateway.url}/callbacks/whatsapp`);
  };

  it('explains a refused token and does not retry until a reconnect, but stores what people write', async () => {
    await start({ WHATSAPP_ACCESS_TOKEN: 'EAAG-expired' });
    await eventually('the refusal is shown', async () => expect((await shown()).status).toBe('disconnected'));
    expect((await shown()).error).toContain('a token of a system user');
    expect(JSON.stringify(await shown())).not.toContain('EAAG-expired');
    expect((await send()).body.error).toMatchObject({ code: 'PLATFORM_NOT_CONNECTED' });
    expect(checks()).toHaveLength(1);

    whatsapp.receiveText({ from: '491701234567', text: 'Anybody there?' });
    await eventually('it is stored', async () => {
      const { body } = await gateway.api<{ content: string }[]>('GET', '/messages?platform=whatsapp');
      expect(body.data.map(({ content }) => content)).toEqual(['Anybody there?']);
    });

    await gateway.api('POST', '/integrations/whatsapp/reconnect');
    await eventually('it was tried again', () => expect(checks()).toHaveLength(2));
  });

  it('recovers when WhatsApp is reachable', async () => {
    await whatsapp.stop();
    await start();
    await eventually('the reason is shown', async () => {
      expect(await shown()).toMatchObject({
        status: 'reconnecting',
        error: expect.stringContaining('cannot be reached') as string,
      });
    });
    // The reason is a sentence by itself.
    expect((await send()).body.error).toMatchObject({
      code: 'PLATFORM_NOT_CONNECTED',
      message: expect.stringMatching(/^whatsapp is not connected: .*[^.]\.$/) as string,
    });
    await whatsapp.start();
    await gateway.connected('whatsapp');
    expect((await send()).body.data).toMatchObject({ status: 'sent' });
  });

  it('does not exist without an account: no callback, no connection', async () => {
    gateway = await startTestGateway();
    expect(await shown()).toMatchObject({ status: 'disconnected', error: 'not configured' });
    const { status } = await fetch(`${gateway.url}/callbacks/whatsapp?hub.mode=subscribe`);
    expect(status).toBe(404);
  });
});
