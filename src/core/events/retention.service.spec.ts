import type { EntityManager } from 'typeorm';
import { Clock } from '../clock/clock.service';
import type { SettingsService } from '../settings/settings.service';
import { idleTimers } from '../work/timers/timers.fixture';
import type { Partitions } from './partitions.service';
import { Retention } from './retention.service';

describe(Retention.name, () => {
  it('runs the other rules to their end when one fails, and that one again with the next run', async () => {
    const settings = { onChange: () => undefined } as unknown as SettingsService;
    const sut = new Retention({} as EntityManager, settings, new Clock(), {} as Partitions, idleTimers());
    const ran: string[] = [];
    let isBroken = true;
    let left = 3;
    sut.addRule(() => {
      ran.push('after');
      return Promise.resolve((left -= 1) > 0);
    });
    sut.addRule(() => {
      ran.push('broken');
      return isBroken ? Promise.reject(new Error('permission denied')) : Promise.resolve(false);
    });
    await sut.deleteOld();
    expect(ran).toEqual(['broken', 'after', 'after', 'after']);
    isBroken = false;
    await sut.deleteOld();
    expect(ran.slice(4)).toEqual(['broken', 'after']);
  });
});
