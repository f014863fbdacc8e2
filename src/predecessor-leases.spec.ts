import { getMetadataArgsStorage } from 'typeorm';
import { AppModule } from './app.module';
import { endPredecessorLeases, END_LEASES } from './predecessor-leases';

describe(endPredecessorLeases.name, () => {
  it('ends the leases in every table that has leases', () => {
    expect(AppModule).toBeDefined(); // its import declares all entities
    const { columns, tables } = getMetadataArgsStorage();
    const leased = new Set(columns.filter(({ options }) => options.name === 'lease_until').map(({ target }) => target));
    const names = tables.filter(({ target }) => leased.has(target)).map(({ name }) => name);
    const ended = END_LEASES.map((statement) => /UPDATE (\w+)/.exec(statement)![1]);
    expect(new Set(ended)).toEqual(new Set(names));
  });
});
