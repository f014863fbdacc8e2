import { WhatsAppFake } from '../../../test/fakes/whatsapp.fake';
import { PlatformCheck } from './platform.check';

const whatsapp = new WhatsAppFake();

beforeAll(() => whatsapp.start());
afterAll(() => whatsapp.shutDown());

describe("the doctor's check of WhatsApp", () => {
  it.each([
    ['https://chat.example.com/', '(https://chat.example.com/callbacks/whatsapp)'],
    [undefined, '(…/callbacks/whatsapp)'],
  ])('names the callback URL with PUBLIC_URL %s', async (publicUrl, address) => {
    whatsapp.setup.appFields = undefined;
    const options = { whatsapp: { account: whatsapp.account, apiUrl: whatsapp.apiUrl }, http: { publicUrl } };
    const check = new PlatformCheck('whatsapp', options as never);
    const findings = await check.check(AbortSignal.timeout(20_000));
    expect(findings.map(({ name }) => name)).toEqual(['whatsapp.not-subscribed']);
    expect(findings[0]!.fix).toContain(address);
  });
});
