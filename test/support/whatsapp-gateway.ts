import type { SendFailureCode } from '#contracts';
import { AnthropicFake } from '../fakes/anthropic.fake';
import { WhatsAppFake } from '../fakes/whatsapp.fake';
import type { WhatsAppSent } from '../fakes/whatsapp-types';
import { startTestGateway, type TestGateway } from './gateway';

export interface MessageBody {
  id: string;
  status: string;
  confirmation: string | null;
  sent_at?: string;
  delivered_at: string | null;
  read_at: string | null;
  error: { code: SendFailureCode; platform_code: string } | null;
}

/** A gateway with a WhatsApp account and an AI, and the requests that several specs share. */
export class WhatsAppGateway {
  readonly whatsapp = new WhatsAppFake();
  private readonly anthropic = new AnthropicFake();
  gateway!: TestGateway;
  callbackUrl = '';

  async start(): Promise<void> {
    await Promise.all([this.whatsapp.start(), this.anthropic.start()]);
    await this.startGateway();
    await this.gateway.api('PATCH', '/admin/settings', { rate_limits: { messages_per_minute: 100_000 } });
  }

  /** Stops the gateway and starts a new one on the same database. */
  async restart(): Promise<void> {
    await this.gateway.stop();
    await this.startGateway(this.gateway.databaseUrl);
  }

  private async startGateway(databaseUrl?: string): Promise<void> {
    this.gateway = await startTestGateway({ anthropic: this.anthropic, env: this.whatsapp.env, databaseUrl });
    this.callbackUrl = `${this.gateway.url}/callbacks/whatsapp`;
    this.whatsapp.subscribe(this.callbackUrl);
    await this.gateway.connected('whatsapp');
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await Promise.all([this.whatsapp.shutDown(), this.anthropic.stop()]);
  }

  async send(recipient: string, message = 'Hello', options = {}) {
    const request = { platform: 'whatsapp', recipient, message, options };
    const { body } = await this.gateway.api<{ message_id: string; status: string; error?: object }>(
      'POST',
      '/messages/send',
      request,
    );
    return body.data;
  }

  async read(id: string): Promise<MessageBody> {
    return (await this.gateway.api<MessageBody>('GET', `/messages/${id}`)).body.data;
  }

  sentTo(recipient: string): WhatsAppSent[] {
    return this.whatsapp.sent.filter(({ to }) => to === recipient);
  }

  /** The types of a message's events, oldest first. */
  async eventsOf(id: string): Promise<string[]> {
    const rows = await this.gateway.sql<{ type: string }>(
      `SELECT type FROM events WHERE body::jsonb -> 'data' ->> 'message_id' = $1 ORDER BY created_at, id`,
      [id],
    );
    return rows.map(({ type }) => type);
  }
}
