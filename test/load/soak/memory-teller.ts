import { renameSync, writeFileSync } from 'node:fs';
import { writeHeapSnapshot } from 'node:v8';

// Loaded into a gateway that is measured (`node --require`, `--expose-gc`): at SIGUSR2 it collects its garbage and writes
// what is left into the file that MEMORY_FILE names,
// and a snapshot of the heap into the folder that MEMORY_SNAPSHOTS names, if it is set.
process.on('SIGUSR2', () => {
  const file = process.env['MEMORY_FILE']!;
  const before = process.memoryUsage().rss;
  // The first collection finds what finalizers and weak references release, the second collects it.
  for (let time = 0; time < 2; time++) globalThis.gc!();
  if (process.env['MEMORY_SNAPSHOTS'])
    writeHeapSnapshot(`${process.env['MEMORY_SNAPSHOTS']}/${process.pid}-${Date.now()}.heapsnapshot`);
  const told = { before, ...process.memoryUsage() };
  writeFileSync(`${file}.new`, JSON.stringify(told));
  renameSync(`${file}.new`, file);
});
