import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { fakeStarted } from './started-fakes';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and text, as transmitted. */
  source: string;
}

/** A mail server on 127.0.0.1 that accepts every mail, except those that `refuse` announces. */
export class SmtpFake {
  readonly mails: ReceivedMail[] = [];
  /** The only valid login. The server also accepts mail without a login. */
  readonly login = { user: 'gateway', password: 'the password of the mailbox' };
  /** Awaited after a mail is stored and before the server accepts it. */
  beforeAnswer: () => Promise<void> = () => Promise.resolve();
  private refusals = 0;
  private readonly server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ username = '', password = '' }, _session, callback) => {
      if (username === this.login.user && password === this.login.password) callback(null, { user: username });
      else callback(Object.assign(new Error('Invalid username or password'), { responseCode: 535 }));
    },
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (this.refusals > 0) {
          this.refusals -= 1;
          callback(Object.assign(new Error('try again later'), { responseCode: 451 }));
          return;
        }
        const { mailFrom, rcptTo } = session.envelope;
        this.mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString('utf8'),
        });
        void this.answer(callback);
      });
    },
  });

  private async answer(taken: () => void): Promise<void> {
    await this.beforeAnswer();
    taken();
  }

  async start(): Promise<this> {
    this.server.on('error', () => undefined);
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    fakeStarted(this, () => this.stop());
    return this;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  /** Refuses the next mails with a temporary error (451). */
  refuse(times: number): void {
    this.refusals = times;
  }

  stop(): Promise<void> {
    if (!this.server.server.listening) return Promise.resolve();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
