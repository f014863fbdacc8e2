import { type DoctorCheck, type DoctorFinding, finding, healthy, NotCheckable } from '#contracts';
import { Doctor } from './doctor';

function checkOf(name: string, check: (signal: AbortSignal) => Promise<DoctorFinding[]>): DoctorCheck {
  return { name, variables: [`${name.toUpperCase()}_URL`], check };
}

const lines = (found: readonly DoctorFinding[]) =>
  found.map(({ name, status, message }) => `${status} ${name}: ${message}`);

describe(Doctor.name, () => {
  it('runs checks in parallel, and reports their findings in order', async () => {
    const second = Promise.withResolvers<void>();
    const sut = new Doctor([
      // Ends only after the other has run.
      checkOf('first', async () => {
        await second.promise;
        return [healthy('first', 'well')];
      }),
      checkOf('second', async () => {
        second.resolve();
        return Promise.resolve([finding('redis.memory', 'A round trip\ntakes 30 ms')]);
      }),
    ]);
    expect(await sut.run()).toEqual([
      { name: 'first', status: 'ok', message: 'well', fix: null, mend: null },
      {
        name: 'redis.memory',
        status: 'warning',
        message: 'A round trip takes 30 ms',
        fix: 'Raise maxmemory, or remove other data from this Redis.',
        mend: 'Raise maxmemory, or remove other data from this Redis.',
      },
    ]);
  });

  it('stops a check that exceeds its time limit, and reports it', async () => {
    const aborted = Promise.withResolvers<void>();
    const hangs = checkOf('redis', (signal) => {
      signal.addEventListener('abort', () => aborted.resolve());
      return new Promise(() => undefined);
    });
    const sut = new Doctor([hangs], { timeoutMs: 20 });
    expect(lines(await sut.run())).toEqual(['fault doctor.failed: redis: no result within 0.02 s']);
    await aborted.promise;
  });

  it('reports a check that throws, and one whose dependency is missing', async () => {
    const sut = new Doctor([
      checkOf('redis', () => Promise.reject(new TypeError('no such field'))),
      checkOf('ai', () => Promise.reject(new NotCheckable('not checked, because the database cannot be reached'))),
      checkOf('backups', () => Promise.reject(new NotCheckable('there is no database yet', true))),
    ]);
    expect(lines(await sut.run())).toEqual([
      'fault doctor.failed: redis: no such field',
      'warning doctor.not-checked: ai: not checked, because the database cannot be reached',
      'ok backups: there is no database yet',
    ]);
  });

  it('skips a check whose variable is invalid', async () => {
    const sut = new Doctor([checkOf('redis', () => Promise.reject(new Error('ran')))], {
      invalid: new Set(['REDIS_URL']),
    });
    expect(lines(await sut.run())).toEqual([
      'warning doctor.not-checked: redis: not checked, because REDIS_URL is not valid',
    ]);
  });

  it("never prints a secret or a control character of a server's response", async () => {
    const echo = checkOf('redis', () =>
      Promise.resolve([finding('redis.unreachable', 'WRONGPASS \u001b[31mhunter2hunter2\u0007 is wrong')]),
    );
    const [found] = await new Doctor([echo], { secrets: ['hunter2hunter2', ''] }).run();
    expect(found!.message).toBe('WRONGPASS [31m[redacted] is wrong');
  });
});
