type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** A row of an entity's table as pg reads it, by the names of its columns. An entity's relations are optional, and left out. */
export type StoredRow<Entity> = {
  [
    Property in keyof Entity & string as undefined extends Entity[Property] ? never : SnakeCase<Property>
  ]: Entity[Property];
};

/** A row that is read with `ISO_TIMES`. */
export type WithIsoTimes<Row> = {
  [Column in keyof Row]: Exclude<Row[Column], Date> | (Date extends Row[Column] ? string : never);
};
