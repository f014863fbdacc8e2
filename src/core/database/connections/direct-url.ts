/** The address of the database where no pooler stands between: for LISTEN, session locks, migrations and long transactions. */
export class DirectUrl {
  constructor(readonly value: string) {}
}
