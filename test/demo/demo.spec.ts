import { existsSync } from 'node:fs';
import { Client } from 'pg';
import { playConversation } from './conversation';
import { Printer } from './printer';
import { openStage, type Stage } from './stage';

/** The first start of the database may take long on a busy machine. */
const START_MS = 60_000;

describe('the demonstration', () => {
  let stage: Stage;
  let lines: string[];

  beforeAll(async () => {
    lines = [];
    stage = await openStage('silent');
    await playConversation(stage, new Printer((line) => void lines.push(line), false));
  }, START_MS);
  afterAll(() => stage.close());

  it('shows inbound, event, AI request, reply and API read with real results', () => {
    const text = lines.join('\n');
    expect(text).toMatch(/Inbound +update 100000, chat 48213907: “Hi! When do you open tomorrow\?”/);
    expect(text).toMatch(/Stored +msg_\w{26} and evt_\w{26}/);
    expect(text).toMatch(/Request +POST \/v1\/messages, claude-[\w-]+, 3 message\(s\)/);
    expect(text).toMatch(/Reply +message 2, chat 48213907: “Good morning! Tomorrow we open at nine/);
    expect(text).toMatch(/API +GET \/api\/v1\/messages\?conversation_id=conv_\w{26}/);
    expect(text).toMatch(/user +\[image\] “.*And what does this photo show\?”/);
    expect(text).toMatch(/Reply +message \d+, chat 48213907: “A table by the window, laid for two/);
    // The photo counts by its pixels. By the length of its base64 it would be thousands of tokens.
    const read = [...text.matchAll(/ai[.]response +(\d+) tokens in/g)].map(([, tokens]) => Number(tokens));
    // The answer about the order takes two.
    expect(read).toHaveLength(5);
    expect(read[2]! - read[1]!).toBeGreaterThan((640 * 480) / 750);
    expect(read[2]).toBeLessThan(1_000);
    expect(text).toMatch(/Call +[{]"order_id":"1042"[}] → [{]"order_id":"1042","status":"ready at the counter"[}]/);
    expect(text).toMatch(/Reply +message \d+, chat 48213907: “Order 1042 is ready at the counter/);
    for (const type of [
      'message.received',
      'attachment.stored',
      'ai.request',
      'ai.response',
      'ai.tool_called',
      'message.sent',
      'message.delivered',
    ]) {
      expect(text).toMatch(new RegExp(`Event +${type.replace('.', '[.]')}`));
    }
  });

  it('keeps lines short and without colours if the terminal asks for it', () => {
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    expect(lines.join('')).not.toContain('\u001B');
  });

  it('fails if a step does not happen', async () => {
    await expect(stage.events.waitFor('ai.error', () => true, 50)).rejects.toThrow('no event ai.error was recorded');
  });

  it('leaves nothing behind, and may be closed twice', async () => {
    const { databaseUrl } = stage.gateway;
    await stage.close();
    await stage.close();
    expect(existsSync(stage.directory)).toBe(false);
    expect(stage.telegram.isRunning || stage.anthropic.isRunning).toBe(false);
    await expect(new Client({ connectionString: databaseUrl }).connect()).rejects.toThrow(/ECONNREFUSED|ENOENT/);
  });
});
