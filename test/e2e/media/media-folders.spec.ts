import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { startTestGateway, stopTestGateways } from '../../support/gateway';
import { content, upload } from '../../support/media';
import { png } from '../../support/png';

describe('Two instances of one deployment', () => {
  let directory: string;
  let warn: jest.SpyInstance;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-shared-'));
    warn = jest.spyOn(Logger.prototype, 'warn');
  });
  afterEach(async () => {
    warn.mockRestore();
    await stopTestGateways();
    await rm(directory, { recursive: true, force: true });
  });

  const warnings = () => warn.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('MEDIA_DIR'));

  it('with separate folders log a warning at the start of the second, with the variable to set', async () => {
    const first = await startTestGateway();
    expect(warnings()).toEqual([]);
    const second = await startTestGateway({ databaseUrl: first.databaseUrl });
    expect(warnings()).toEqual([
      expect.stringMatching(/Another instance .* set MEDIA_DIR to a folder that all instances share, or MEDIA_S3_URL/),
    ]);
    // The reason for the warning: each instance lacks the files of the other.
    const { id } = (await upload(first, png())).body.data;
    expect((await content(first, id)).status).toBe(200);
    expect((await content(second, id, {}, first.liveKey)).status).toBe(404);
  });

  it("that share MEDIA_DIR log no warning, and serve each other's files", async () => {
    const env = { MEDIA_DIR: directory };
    const first = await startTestGateway({ env });
    const second = await startTestGateway({ env, databaseUrl: first.databaseUrl });
    expect(warnings()).toEqual([]);
    const bytes = png(3, 3, 5_000);
    const { id } = (await upload(first, bytes)).body.data;
    expect((await content(second, id, {}, first.liveKey)).bytes.equals(bytes)).toBe(true);
  });
});
