import { execFileSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { DiscordFake } from '../../fakes/discord.fake';
import { OtlpFake } from '../../fakes/otlp.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { ROOT } from '../../support/environment';
import { GatewayProcess } from '../../support/process';
import { makePassableFolder } from '../../support/passable-folder';

const BUNDLE = join(ROOT, 'dist/bundle');

describe('The bundle', () => {
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const discord = new DiscordFake();
  const collector = new OtlpFake();
  const fakes = [telegram, anthropic, discord, collector];
  let folder: string;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    await Promise.all(fakes.map((fake) => fake.start()));
    folder = await makePassableFolder('gateway-test-loaded-');
    const env = {
      DISCORD_BOT_TOKEN: discord.token,
      DISCORD_API_URL: discord.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      NODE_OPTIONS: `--require ${join(ROOT, 'test/support/loaded-files.cjs')}`,
      LOADED_FILES: folder,
    };
    gateway = await GatewayProcess.start({ telegram, anthropic, env });
  }, 60_000);

  afterAll(async () => {
    await Promise.all(fakes.map((fake) => fake.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  /** Reads the comments in which the bundler names each module. */
  async function packagesInside(): Promise<Set<string>> {
    // Only files of the last build: those of earlier builds may still be there.
    const files = JSON.parse(await readFile(join(BUNDLE, 'files.json'), 'utf8')) as string[];
    const texts = await Promise.all(files.map((name) => readFile(join(BUNDLE, name), 'utf8')));
    return new Set(texts.flatMap((text) => text.match(/^\/\/ node_modules\/.*$/gm) ?? []).map(packageOf));
  }

  it('reports unknown settings in a group whose settings are all optional', async () => {
    const { status, body } = await gateway.api('PATCH', '/admin/settings', { ai: { budget: { monthly: 1 } } });
    expect(status).toBe(400);
    expect(body.error.details).toMatchObject({ parameter: 'ai.budget.monthly' });
  });

  it('contains no package twice', async () => {
    expect((await gateway.api('POST', '/ai/generate', { message: 'Hello' })).status).toBe(200);
    expect((await gateway.api('GET', '/integrations')).status).toBe(200);
    const page = await fetch(`${gateway.url}/docs`);
    expect(await page.text()).toContain('swagger-ui');
    gateway.child.kill('SIGTERM');
    expect(await gateway.exited).toEqual({ code: 0, signal: null });

    const loaded = (await readFile(join(folder, String(gateway.child.pid)), 'utf8')).split('\n');
    expect(loaded.filter((url) => url.includes('/dist/bundle/anthropic.provider'))).toHaveLength(1);
    expect(loaded.filter((url) => url.includes('/dist/bundle/discord-bot.module'))).toHaveLength(1);
    const outside = new Set(loaded.filter((url) => url.includes('/node_modules/')).map(packageOf));
    expect([...outside]).toEqual(expect.arrayContaining(['pino']));
    const list = execFileSync('node', ['scripts/outside-packages.mjs', '--list'], { cwd: ROOT, encoding: 'utf8' });
    const inImage = new Set(list.trim().split('\n').map(packageOf));
    expect([...outside].filter((name) => !inImage.has(name))).toEqual([]);
    const inside = await packagesInside();
    expect([...inside]).toEqual(expect.arrayContaining(['@nestjs/core', 'class-transformer', 'pg', 'typeorm']));
    expect([...outside].filter((name) => inside.has(name))).toEqual([]);
  });
});

/** The name of the package that a path leads into. */
function packageOf(path: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)![1]!;
}
