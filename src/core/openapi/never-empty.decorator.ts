const names = new Set<string>();

/** Documents that an object of the class has at least one field. Its name is that of its schema. */
export function NeverEmpty(): ClassDecorator {
  return ({ name }) => void names.add(name);
}

/** Whether the schema of that name describes a class with `NeverEmpty`. */
export function isNeverEmpty(name: string): boolean {
  return names.has(name);
}
