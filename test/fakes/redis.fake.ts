import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Speaks the Redis protocol and answers INFO with what a test sets, which a real server cannot do. */
export class RedisFake {
  /** The fields of INFO. */
  info: Record<string, string> = { redis_version: '7.2.4', role: 'master', aof_enabled: '1' };
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket);
    let unread = '';
    let answered = Promise.resolve();
    socket.on('data', (chunk: Buffer) => {
      unread += chunk.toString();
      const [commands, rest] = commandsIn(unread);
      unread = rest;
      for (const command of commands) answered = answered.then(() => this.answer(socket, command));
    });
    socket.on('error', () => undefined);
  });

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `redis://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(socket: Socket, [name = '']: readonly string[]): void {
    const text = Object.entries(this.info)
      .map(([key, value]) => `${key}:${value}\r\n`)
      .join('');
    const answers: Record<string, string> = {
      PING: '+PONG\r\n',
      INFO: `$${text.length}\r\n${text}\r\n`,
      CONFIG: `-ERR unknown command 'CONFIG'\r\n`,
    };
    socket.write(answers[name.toUpperCase()] ?? '+OK\r\n');
  }
}

/** The complete commands in a text, and the unparsed rest: https://redis.io/docs/latest/develop/reference/protocol-spec/ */
function commandsIn(text: string): [string[][], string] {
  const commands: string[][] = [];
  for (let rest = text; ;) {
    const head = /^\*(\d+)\r\n/.exec(rest);
    if (!head) return [commands, rest];
    const words: string[] = [];
    let left = rest.slice(head[0].length);
    while (words.length < Number(head[1])) {
      const word = /^\$(\d+)\r\n/.exec(left);
      const end = word ? word[0].length + Number(word[1]) : 0;
      if (!word || left.length < end + 2) return [commands, rest];
      words.push(left.slice(word[0].length, end));
      left = left.slice(end + 2);
    }
    commands.push(words);
    rest = left;
  }
}
