import type { Attachment } from '#contracts';
import { DiscordFake } from '../../fakes/discord.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { content } from '../../support/media';
import { png } from '../../support/png';

const DAY_MS = 86_400_000;

describe('A file on Discord', () => {
  let discord: DiscordFake;
  let gateway: TestGateway;

  beforeAll(async () => {
    discord = await new DiscordFake().start();
    gateway = await startTestGateway({ env: { DISCORD_BOT_TOKEN: discord.token, DISCORD_API_URL: discord.url } });
    await gateway.connected('discord');
  });

  const receive = (text: string, attachments: readonly object[]) =>
    discord.receiveText({ userId: '41', text, extra: { attachments } });
  const attachmentOf = (text: string, status: string) =>
    eventually(`the file of "${text}" is ${status}`, async () => {
      const path = '/messages?expand=details&per_page=100';
      const { body } = await gateway.api<{ content: string; attachments: Attachment[] }[]>('GET', path);
      const found = body.data.find((message) => message.content.endsWith(text));
      expect(found?.attachments.map((attachment) => attachment.status)).toEqual([status]);
      return found!.attachments[0]!;
    });

  it('is fetched with a new URL if the signed one has expired', async () => {
    const bytes = png(3, 4, 9_000);
    const file = discord.files.add(bytes, {}, Date.now() - DAY_MS);
    // The old address hands out nothing.
    expect((await fetch(file['url'] as string)).status).toBe(404);
    receive('an old address', [file]);
    const { id } = await attachmentOf('an old address', 'stored');
    expect((await content(gateway, id)).bytes.equals(bytes)).toBe(true);
    expect(discord.requestsOf('refresh-urls').map(({ body }) => body)).toEqual([{ attachment_urls: [file['url']] }]);
  });

  it('is fetched with its URL while that is valid, and with a new one if Discord refuses it', async () => {
    const asked = discord.requestsOf('refresh-urls').length;
    receive('a fresh address', [discord.files.add(png())]);
    await attachmentOf('a fresh address', 'stored');
    expect(discord.requestsOf('refresh-urls')).toHaveLength(asked);
    discord.fail({ method: 'file', status: 403 });
    receive('refused once', [discord.files.add(png())]);
    await attachmentOf('refused once', 'stored');
    expect(discord.requestsOf('refresh-urls')).toHaveLength(asked + 1);
  });

  it('is expired if Discord signs no new URL', async () => {
    const file = discord.files.add(png(), {}, Date.now() - DAY_MS);
    discord.files.expire(file['url'] as string);
    receive('gone for good', [file]);
    expect(await attachmentOf('gone for good', 'expired')).toMatchObject({ reason: 'platform', sha256: null });
  });
});
