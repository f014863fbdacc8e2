import type { EntityManager } from 'typeorm';
import { Clock } from '../clock/clock.service';
import type { SettingsService } from '../settings/settings.service';
import { idleTimers } from '../work/timers/timers.fixture';
import type { Partitions } from './partitions.service';
import { Retention } from './retention.service';

describe(Retention.name, () => {
  it('finishes the other rules when one fails, and retries the failed one in the next run', async () => {
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

  it('restarts with the first rule when the settings change during a run', async () => {
    type Change = Parameters<SettingsService['onChange']>[0];
    const changes: Change[] = [];
    const settings = { onChange: (change: Change) => changes.push(change) } as unknown as SettingsService;
    const sut = new Retention({} as EntityManager, settings, new Clock(), {} as Partitions, idleTimers());
    const ran: string[] = [];
    const of = (event_days: number) => ({ live: { retention: { event_days } }, test: { retention: {} } });
    let left = 100;
    sut.addRule(() => {
      ran.push('long');
      if (left === 99) for (const change of changes) change(of(30) as never, of(1) as never);
      return Promise.resolve((left -= 1) > 0);
    });
    sut.addRule(() => {
      ran.push('first');
      return Promise.resolve(false);
    });
    await sut.deleteOld();
    expect(ran.slice(0, 5)).toEqual(['first', 'long', 'long', 'first', 'long']);
    // The run in progress does all that is left; the one that the change started finds nothing more.
    expect(left).toBeLessThanOrEqual(0);
    expect(ran.filter((rule) => rule === 'first').length).toBeLessThanOrEqual(3);
  });
});
