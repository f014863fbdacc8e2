import { Redis } from 'ioredis';
import { type DoctorCheck, type DoctorFinding, finding, type FindingCode, healthy } from '#contracts';
import { describeError } from '../../core/doctor/describe-error';

const TIMEOUT_MS = 5_000;

type Info = Readonly<Record<string, string>>;

export class RedisCheck implements DoctorCheck {
  readonly name = 'redis';
  readonly variables = ['REDIS_URL'];

  constructor(
    private readonly url: string | undefined,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    if (this.url === undefined)
      return [healthy(this.name, 'not configured: queues are in PostgreSQL, limits in process')];
    const redis = new Redis(this.url, {
      lazyConnect: true,
      connectTimeout: this.timeoutMs,
      commandTimeout: this.timeoutMs,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      enableReadyCheck: false,
    });
    // Only the error event has the reason of a refused connection.
    let failed: Error | undefined;
    redis.on('error', (error: Error) => (failed ??= error));
    try {
      await redis.connect();
      return await this.findings(redis);
    } catch (error) {
      return [finding('redis.unreachable', describeError(failed ?? error))];
    } finally {
      redis.disconnect();
    }
  }

  private async findings(redis: Redis): Promise<DoctorFinding[]> {
    // With a wrong password the connection succeeds, and Redis refuses each command.
    await redis.ping();
    const info = parseInfo(await redis.info());
    const findings: DoctorFinding[] = [];
    const add = (code: FindingCode, message: string): void => void findings.push(finding(code, message));

    const version = info['redis_version'] ?? 'of an unknown version';
    if (info['role'] === 'slave') add('redis.refuses-writes', 'The server is a replica');
    const policy = info['maxmemory_policy'] ?? 'noeviction';
    if (policy !== 'noeviction') add('redis.eviction', `maxmemory-policy is ${policy}`);
    const [used, most] = [Number(info['used_memory']), Number(info['maxmemory'])];
    if (most > 0 && used > most * 0.9) add('redis.memory', `${Math.round((used / most) * 100)} % of maxmemory is used`);
    if (isFailing(info)) add('redis.refuses-writes', 'The last attempt to write to disk failed');
    return findings.length > 0 ? findings : [healthy(this.name, `Redis ${version}, ${policy}`)];
  }
}

function parseInfo(text: string): Info {
  const lines = text.split('\r\n').filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

function isFailing(info: Info): boolean {
  const words = ['rdb_last_bgsave_status', 'aof_last_write_status', 'aof_last_bgrewrite_status'];
  return words.some((name) => info[name] === 'err');
}
