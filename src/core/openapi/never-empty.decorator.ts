const names = new Set<string>();

/** Documents that an object of the class has at least one field. The class and its schema have the same name. */
export function NeverEmpty(): ClassDecorator {
  return ({ name }) => void names.add(name);
}

/** Whether the schema of that name describes a class with `NeverEmpty`. */
export function isNeverEmpty(name: string): boolean {
  return names.has(name);
}
