/** A foreign key of the table `from` to the table `to`. */
export interface Reference {
  from: string;
  to: string;
}

/** Sorts tables so that each comes after the tables that it refers to. A table may refer to itself. */
export function inOrderOfReferences<Table extends { name: string }>(
  tables: readonly Table[],
  references: readonly Reference[],
): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<Table>();
  const visit = (table: Table, path: readonly string[]): void => {
    if (ordered.has(table)) return;
    if (path.includes(table.name)) throw new Error(`Foreign keys form a circle: ${[...path, table.name].join(' → ')}`);
    for (const { from, to } of references) {
      const target = byName.get(to);
      if (from === table.name && to !== from && target) visit(target, [...path, table.name]);
    }
    ordered.add(table);
  };
  for (const table of tables) visit(table, []);
  return [...ordered];
}
