import { finishSchema } from '../../../src/core/database/data-source';
import type { IntegrationDto } from '../../../src/integrations/dto/integration.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { DiscordFake } from '../../fakes/discord.fake';
import { RouterFake } from '../../fakes/router.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const QUIET = { info: () => undefined, warn: () => undefined };
const PERSON = '41';

interface Item {
  id: string;
  account: { name: string };
}

describe('Two bots of Discord', () => {
  const first = new DiscordFake();
  // A token begins with the id of its bot in base64.
  const second = new DiscordFake({ token: 'NTI1Mg.fake.second-token', botId: '5252' });
  const anthropic = new AnthropicFake();
  const router = new RouterFake(({ headers }) =>
    headers.authorization === `Bot ${second.token}` ? second.url : first.url,
  );
  let gateway: TestGateway;
  let id: string;

  beforeAll(async () => {
    await Promise.all([first.start(), second.start(), anthropic.start(), router.start()]);
    gateway = await startTestGateway({
      anthropic,
      env: { DISCORD_BOT_TOKEN: first.token, DISCORD_API_URL: router.url },
    });
    await finishSchema(gateway.databaseUrl, QUIET);
    await gateway.connected('discord');
  });
  afterAll(async () => {
    await gateway.stop();
    await router.stop();
    await Promise.all([first.stop(), second.stop(), anthropic.stop()]);
  });

  const add = (token: string, name: string) =>
    gateway.api<IntegrationDto>('POST', '/integrations', {
      platform: 'discord',
      name,
      credentials: { bot_token: token },
    });
  const accounts = async () =>
    (await gateway.api<IntegrationDto[]>('GET', '/integrations')).body.data.filter(
      ({ platform }) => platform === 'discord',
    );
  const bothAreConnected = () =>
    eventually('both bots are connected', async () =>
      expect((await accounts()).map(({ name, status }) => [name, status])).toEqual([
        ['default', 'connected'],
        ['Second', 'connected'],
      ]),
    );
  const conversations = async () => (await gateway.api<Item[]>('GET', '/conversations?sort=created_at')).body.data;

  it('connect side by side; a token that Discord refuses, and a bot twice, are refused', async () => {
    for (const token of ['NTI1Mg.fake.wrong', first.token])
      expect(await add(token, 'Wrong')).toMatchObject({
        status: 400,
        body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'credentials' } } },
      });
    const added = await add(second.token, 'Second');
    expect(added.status).toBe(201);
    id = added.body.data.id!;
    await bothAreConnected();
    expect((await accounts())[1]).toMatchObject({ details: { bot_id: '5252' } });
  });

  it('have a conversation each with the same person, who is answered by the bot that was written to', async () => {
    first.receiveText({ userId: PERSON, text: 'to the first' });
    await first.waitForSent(1);
    second.receiveText({ userId: PERSON, text: 'to the second' });
    await second.waitForSent(1);
    expect((await conversations()).map(({ account }) => account.name)).toEqual(['default', 'Second']);
    expect([...first.sent, ...second.sent].map(({ text }) => text)).toEqual([
      expect.stringContaining('to the first'),
      expect.stringContaining('to the second'),
    ]);
  });

  it('send by their own account', async () => {
    for (const account of ['default', 'Second', id]) {
      const body = { platform: 'discord', recipient: PERSON, message: `by ${account}`, account };
      expect(await gateway.api('POST', '/messages/send', body)).toMatchObject({ body: { data: { status: 'sent' } } });
    }
    expect(first.sent.slice(1).map(({ text }) => text)).toEqual(['by default']);
    expect(second.sent.slice(1).map(({ text }) => text)).toEqual(['by Second', `by ${id}`]);
    expect(await conversations()).toHaveLength(2);
  });

  it('reconnect one by one', async () => {
    const [ofFirst, ofSecond] = [first.gateway.log.length, second.gateway.log.length];
    expect((await gateway.api('POST', `/integrations/${id}/reconnect`)).status).toBe(200);
    await eventually('the second connects again', () => expect(second.gateway.log.length).toBe(ofSecond + 1));
    await bothAreConnected();
    expect(first.gateway.log).toHaveLength(ofFirst);
    second.receiveText({ userId: PERSON, text: 'after the reconnect' });
    first.receiveText({ userId: PERSON, text: 'the first stayed' });
    await Promise.all([first.waitForSent(3), second.waitForSent(4)]);
  });

  it('lose only the bot whose token is revoked', async () => {
    second.token = 'NTI1Mg.fake.rolled';
    second.gateway.close(4004);
    await eventually('the second is disconnected', async () =>
      expect((await accounts()).map(({ status }) => status)).toEqual(['connected', 'disconnected']),
    );
    first.receiveText({ userId: PERSON, text: 'still here' });
    await first.waitForSent(4);
  });
});
