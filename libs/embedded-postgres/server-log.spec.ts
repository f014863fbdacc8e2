import { existsSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerLog } from './server-log';

describe(ServerLog.name, () => {
  let directory: string;
  let file: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'server-log-'));
    file = join(directory, 'postgres.log');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('shows the errors of this start on one line', () => {
    writeFileSync(file, '2026-01-01 [1] FATAL:  of an earlier start\n');
    const log = new ServerLog(file);
    writeSync(
      log.descriptor,
      '2026-01-02 [2] LOG:  starting\n2026-01-02 [2] FATAL:  no   room\n2026-01-02 [2] HINT:  Make some.\n',
    );
    expect(log.complaints()).toBe('FATAL: no room · HINT: Make some.');
    log.close();
  });

  it('starts a new file once the old one is over 10 MB', () => {
    writeFileSync(file, '');
    truncateSync(file, 10 * 1024 * 1024);
    new ServerLog(file).close();
    expect(existsSync(`${file}.1`)).toBe(false);
    truncateSync(file, 10 * 1024 * 1024 + 1);
    new ServerLog(file).close();
    expect(statSync(file).size).toBe(0);
    expect(statSync(`${file}.1`).size).toBe(10 * 1024 * 1024 + 1);
  });
});
