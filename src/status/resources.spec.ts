import { tmpdir } from 'node:os';
import { ResourceMeter } from './resources';

describe(ResourceMeter.name, () => {
  it('returns the same processor usage to all requests within a second', async () => {
    const sut = new ResourceMeter(tmpdir());
    const { cpu_percent } = await sut.read();
    const again = await Promise.all(Array.from({ length: 20 }, () => sut.read()));
    expect(new Set(again.map((one) => one.cpu_percent))).toEqual(new Set([cpu_percent]));
  });
});
