/**
 * The values of a statement that is composed from parts. They stand in a table of their own, `given`, where the planner
 * does not see them: one plan serves all values, and each connection makes it once. When PostgreSQL sees the values, it
 * estimates some of their plans as cheaper than the general one and plans every execution anew, which takes longer than a
 * page of a list. https://www.postgresql.org/docs/18/sql-prepare.html
 *
 * A text that is built once for many sets of values binds the names of the values instead.
 */
export class Bindings<Value = unknown> {
  readonly values: Value[] = [];
  private readonly columns: string[] = [];

  /** @returns SQL of the value, as that type */
  bind(value: Value, type: string): string {
    const place = this.inline(value, type);
    const name = `v${this.values.length}`;
    this.columns.push(`${place} AS ${name}`);
    return `(SELECT ${name} FROM given)`;
  }

  /** @returns the same, visible to the planner, for statements whose best plan depends on the value */
  inline(value: Value, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }

  /** The common table expression that the statement begins with. */
  get given(): string {
    return `given AS MATERIALIZED (SELECT ${this.columns.join(', ')})`;
  }
}
