import { mechanismCounts } from './mechanism-counts';
import { ROOT } from './scratch-tree';
import { sourceFiles } from './source-rules';

describe(mechanismCounts.name, () => {
  it('counts each mechanism once per place', () => {
    const { 'lines of the server': lines, ...counts } = mechanismCounts([
      { path: 'src/a/a.rows.ts', text: 'const LEASE = leaseOf(30);\n`SELECT 1`;\n' },
      { path: 'src/core/database/lease.ts', text: 'export function leaseOf() {}' },
      {
        path: 'src/a/a.service.ts',
        text: 'this.listener.on(A, b);\nthis.listener.follow(B, b);\nsetInterval(a, 1);\n`SELECT 1`;',
      },
      { path: 'src/core/work/worker.ts', text: 'setInterval(a, 1);' },
      { path: 'src/a/once.ts', text: 'this.timer = setTimeout(() => this.timeout.abort(a), 1);' },
      { path: 'src/a/again.ts', text: 'this.timer = setTimeout(() => void this.look(), 1);' },
      { path: 'src/a/jobs.service.ts', text: "timers.every('a', 1, a);" },
      {
        path: 'src/a/kept.ts',
        text: 'new LRUCache<string, A>({ max: 1 }); new Batcher<A>(b as never); new Batcher<A>(c);',
      },
      { path: 'src/a/a.spec.ts', text: 'setInterval(a, 1);' },
      { path: 'libs/dashboard/a.ts', text: 'setInterval(a, 1);' },
    ]);
    expect(lines).toHaveLength(12);
    expect(counts).toEqual({
      leases: ['src/a/a.rows.ts'],
      'wake-ups': ['src/a/a.service.ts', 'src/a/a.service.ts'],
      timers: ['src/a/a.service.ts', 'src/a/again.ts'],
      'periodic jobs': ['src/a/jobs.service.ts'],
      batchers: ['src/a/kept.ts', 'src/a/kept.ts'],
      caches: ['src/a/kept.ts'],
      'switches of checks': ['src/a/kept.ts'],
      'files with SQL that are no .rows.ts': ['src/a/a.service.ts'],
    });
  });

  it('prints the counts of the server', () => {
    const counts = mechanismCounts([...sourceFiles(ROOT, ['src', 'libs'])]);
    process.stdout.write(
      Object.entries(counts)
        .map(([name, found]) => `  figure: ${name}: ${found.length}\n`)
        .join(''),
    );
    expect(counts['lines of the server']!.length).toBeGreaterThan(10_000);
  });
});
