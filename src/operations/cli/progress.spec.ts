import { Writable } from 'node:stream';
import { CopiedShare } from '../backups/archive/progress';
import { Output } from './output';
import { Progress } from './progress';

describe('Progress', () => {
  const outputOn = (isTTY: boolean) => {
    const written: string[] = [];
    const write = (chunk: Buffer, _: unknown, done: () => void) => (written.push(chunk.toString()), done());
    const stderr = Object.assign(new Writable({ write }), { isTTY }) as unknown as NodeJS.WriteStream;
    return { written, output: new Output(false, new Writable(), stderr) };
  };

  it('draws a bar with a percentage on a terminal, and removes it at the end', () => {
    const { written, output } = outputOn(true);
    const sut = new Progress(output);
    sut.show('Verifying', 0.404);
    sut.show('Verifying', 0.41); // too soon to be drawn
    sut.show('Restoring', 0);
    sut.show('Restoring', 1);
    sut.end();
    expect(written.map((line) => line.replace('\r\u001b[K', ''))).toEqual([
      'Verifying  [############------------------]  40 %',
      'Restoring  [------------------------------]   0 %',
      'Restoring  [##############################] 100 %',
      '',
    ]);
  });

  it('prints nothing if stderr is no terminal', () => {
    const { written, output } = outputOn(false);
    const sut = new Progress(output);
    sut.show('Verifying', 0.5);
    sut.end();
    expect(written).toEqual([]);
  });
});

describe('CopiedShare', () => {
  it('never decreases, and is exact at the end of each table, whatever its text length', () => {
    const sut = new CopiedShare(
      new Map([
        ['short', 100],
        ['long', 300],
      ]),
    );
    const shares = [sut.within('short', 50), sut.after('short'), sut.within('long', 900), sut.after('long')];
    expect(shares).toEqual([0.125, 0.25, 1, 1]);
    expect(new CopiedShare(new Map()).after('none')).toBe(1);
  });
});
