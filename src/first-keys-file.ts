import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { firstKeysPath } from './core/secrets/deployment-secrets';

/** The file of the first keys if they cannot be shown on a terminal: `DATA_DIR/first-keys`, readable only by its owner. */
export class FirstKeysFile {
  readonly path: string;
  isWritten = false;

  constructor(private readonly dataDir: string) {
    this.path = firstKeysPath(dataDir);
  }

  write(keys: readonly string[]): void {
    mkdirSync(this.dataDir, { recursive: true, mode: 0o700 });
    // A new file: another user may have the old one open.
    rmSync(this.path, { force: true });
    writeFileSync(this.path, keys.map((key) => `${key}\n`).join(''), { mode: 0o600, flag: 'wx' });
    this.isWritten = true;
  }

  /** @param link signs in to the dashboard, once and within 10 minutes */
  addSignIn(link: string): void {
    appendFileSync(this.path, `\nSign in, once and within 10 minutes:\n${link}\n`);
  }
}
