import { Session } from './session';
import { PERSON } from './whatsapp-inbound.examples';
import { WhatsAppHarness } from './whatsapp.harness';

const METADATA = { display_phone_number: '15550783881', phone_number_id: '106540352242922' };

/** A value that is about the number of the fake. */
export function about(value: object): object {
  return { messaging_product: 'whatsapp', metadata: METADATA, ...value };
}

/** Posts callbacks to the adapter in the words of reports, without the fake's own messages. */
export class WhatsAppCallbacks {
  private whatsapp!: WhatsAppHarness;
  readonly session = new Session(async () => (this.whatsapp = await WhatsAppHarness.start()));

  /** @returns the status of the answer */
  async post(notification: object): Promise<number> {
    const body = JSON.stringify(notification);
    const headers = { 'x-hub-signature-256': this.whatsapp.fake.sign(body) };
    const request = { method: 'POST', query: {}, headers, rawBody: Buffer.from(body) } as const;
    return (await this.whatsapp.adapter.callback(request, this.session.sink)).status;
  }

  async tell(field: string, value: object, entry: object = { id: '419561257915477' }): Promise<void> {
    const changes = [{ field, value }];
    expect(await this.post({ object: 'whatsapp_business_account', entry: [{ ...entry, changes }] })).toBe(200);
  }

  /** @param contact of the sender; without a number, the message names none */
  async receive(message: object, contact: object = { wa_id: PERSON }): Promise<void> {
    const from = 'wa_id' in contact && { from: PERSON };
    const value = {
      contacts: [{ profile: { name: 'Bia' }, ...contact }],
      messages: [{ id: 'wamid.FIELD01==', timestamp: '1795860000', ...from, ...message }],
    };
    await this.tell('messages', about(value));
  }
}
